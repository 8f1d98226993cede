#include "engine/builtin/rewrites.h"

#include "engine/builtin/nest_edits.h"
#include "lower/contraction_view.h"
#include "util/util.h"

#include <fmt/format.h>

#include <array>

namespace hone {

namespace {

constexpr std::array k_rewrites = {
  Rewrite{"refactor-into-macros", refactor_into_macros},
  Rewrite{"reorder-loops", reorder_loops},
  Rewrite{"cache-tiling", cache_tiling},
  Rewrite{"pack-panels", pack_panels},
  Rewrite{"register-tiling", register_tiling},
  Rewrite{"vectorize", vectorize},
  Rewrite{"unroll-k", unroll_k},
  Rewrite{"mask-edges", mask_edges},
  Rewrite{"fix-sizes", fix_sizes},
};

const Rewrite* find_rewrite(std::string_view name)
{
  for (const Rewrite& rewrite : k_rewrites) {
    if (rewrite.name == name) {
      return &rewrite;
    }
  }
  return nullptr;
}

} // namespace

std::span<const Rewrite> rewrites()
{
  return k_rewrites;
}

Result<Schedule> rewrite_schedule(Schedule schedule, std::string_view name, const RewriteSubject& subject)
{
  const Rewrite* rewrite = find_rewrite(name);
  if (rewrite == nullptr) {
    return fail(fmt::format("the built-in engine does not know the transformation \"{}\"", name),
                "carry it out by hand, or let a model do it");
  }
  const KernelClass kernel_class = classify(subject.kernel);
  if (kernel_class != KernelClass::contraction) {
    return fail(fmt::format("{} is for contractions, and {} is a {}", name, subject.kernel.name, name_of(kernel_class)),
                "the built-in engine has no steps for this class yet; carry it out by hand, or let a model do it");
  }
  if (subject.dialect.work_items) {
    return fail(fmt::format("the built-in engine carries out {} on the cpu backend only", name),
                "use --backend cpu, or carry it out by hand");
  }
  HONE_TRY(const ContractionView view, contraction_view(subject.kernel));
  if (schedule.form != "contraction") {
    return fail("this candidate's schedule is not a contraction's loop nest", "start again from the naive candidate");
  }
  if (schedule.has_done(name)) {
    return fail(fmt::format("{} has been carried out already", name), "choose another step");
  }
  HONE_CHECK(rewrite->apply(schedule, subject));
  schedule.done.emplace_back(name);
  settle_block_sizes(schedule);
  settle_constraints(schedule, subject.kernel, subject.dialect);
  return schedule;
}

} // namespace hone
