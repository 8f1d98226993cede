#include "rewrite/builtin/rewrites.h"

#include "lower/contraction_view.h"
#include "lower/products.h"
#include "lower/window_stages.h"
#include "rewrite/builtin/device/device_rewrites.h"
#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/row_edits.h"
#include "rewrite/builtin/window_edits.h"
#include "rewrite/rewrite.h"
#include "util/util.h"

#include <fmt/format.h>

#include <array>

namespace hone::rewrite {

namespace {

constexpr std::string_view k_macros_step = "refactor-into-macros";

constexpr std::array k_rewrites = {
  Rewrite{k_macros_step, refactor_into_macros},
  Rewrite{k_reorder_step, reorder_loops},
  Rewrite{"cache-tiling", cache_tiling},
  Rewrite{"pack-panels", pack_panels},
  Rewrite{"pack-in-passing", pack_in_passing},
  Rewrite{"register-tiling", register_tiling},
  Rewrite{"vectorize", vectorize},
  Rewrite{"unroll-k", unroll_k},
  Rewrite{"mask-edges", mask_edges},
  Rewrite{"prefetch-columns", prefetch_columns},
  Rewrite{"prefetch-rows", prefetch_rows},
  Rewrite{"prefetch-output", prefetch_output},
  Rewrite{"stream-output", stream_output},
  Rewrite{"split-k", split_k},
  Rewrite{"dot-remainders", dot_remainders},
  Rewrite{"spread-k", spread_k},
  Rewrite{"balance-tiles", balance_tiles},
  Rewrite{"register-broadcast", register_broadcast},
  Rewrite{"fix-sizes", fix_sizes, RewriteFamily::products},
  Rewrite{"dot-products", dot_products, RewriteFamily::dots},
  Rewrite{"correct-by-columns", correct_by_columns, RewriteFamily::dots},
  Rewrite{"pack-strips-together", pack_strips_together, RewriteFamily::dots},
  Rewrite{"fuse-statements", fuse_statements, RewriteFamily::rows},
  Rewrite{"vectorize-rows", vectorize_rows, RewriteFamily::rows},
  Rewrite{"tile-rows", tile_rows, RewriteFamily::rows},
  Rewrite{"running-sums", running_sums, RewriteFamily::rows},
  Rewrite{"stream-stores", stream_stores, RewriteFamily::rows},
  Rewrite{"vectorize-elements", vectorize_elements, RewriteFamily::elements},
  Rewrite{"tile-elements", tile_elements, RewriteFamily::elements},
  Rewrite{"share-rows", share_rows, RewriteFamily::elements},
  Rewrite{"vectorize-windows", vectorize_windows, RewriteFamily::windows},
  Rewrite{"tile-channels", tile_channels, RewriteFamily::windows},
  Rewrite{"pack-windows", pack_windows, RewriteFamily::windows},
  Rewrite{"join-rows", join_rows, RewriteFamily::windows},
  Rewrite{"block-windows", block_windows, RewriteFamily::windows},
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

// Elements by themselves are for what the other families have no vectors for.
Result<void> check_elements(const Rewrite& rewrite, const lower::Schedule& schedule, const RewriteSubject& subject)
{
  if (schedule.form == "windows" || schedule.form == "dots") {
    return fail(fmt::format("the vectors of this candidate are {} already", schedule.form), "leave this step out");
  }
  const Result<lower::ContractionView> view = lower::contraction_view(subject.kernel);
  if (view && lower::check_vector_epilogue(subject.kernel, *view, subject.dialect)) {
    return fail(fmt::format("{} is for what has no vectors otherwise, and {} is a contraction", rewrite.name,
                            subject.kernel.name),
                "a contraction has its own steps, such as register-tiling and vectorize");
  }
  return {};
}

// Contractions have a loop nest of their own; rows are for what is none.
Result<void> check_family(const Rewrite& rewrite, const lower::Schedule& schedule, const RewriteSubject& subject)
{
  if (kernel::is_ordered(subject.kernel.program)) {
    return fail(fmt::format("{} is not for loops that run in order", rewrite.name),
                "carry it out by hand, or let a model do it");
  }
  if (rewrite.family == RewriteFamily::elements) {
    return check_elements(rewrite, schedule, subject);
  }
  if (schedule.form == "elements") {
    return fail(fmt::format("{} does not continue vectorize-elements", rewrite.name), "choose one of the two");
  }
  const kernel::KernelClass kernel_class = kernel::classify(subject.kernel);
  const bool contraction = kernel_class == kernel::KernelClass::contraction;
  if (rewrite.family == RewriteFamily::rows) {
    if (contraction && lower::contraction_view(subject.kernel)) {
      return fail(fmt::format("{} is for rows and maps, and {} is a contraction", rewrite.name, subject.kernel.name),
                  "a contraction has its own steps, such as register-tiling and vectorize");
    }
    return check_rows(schedule, subject);
  }
  if (rewrite.family == RewriteFamily::windows) {
    return check_windows(rewrite.name, schedule, subject);
  }
  if (!contraction) {
    return fail(fmt::format("{} is for contractions, and {} is a {}", rewrite.name, subject.kernel.name,
                            kernel::name_of(kernel_class)),
                "try fuse-statements, vectorize-rows and tile-rows; carry it out by hand, or let a model do it");
  }
  const bool in_dots = rewrite.family == RewriteFamily::products && schedule.form == "dots";
  if (rewrite.family == RewriteFamily::dots || in_dots) {
    HONE_TRY(const lower::ContractionView narrow, lower::dot_view(subject.kernel));
    return {};
  }
  HONE_TRY(const lower::ContractionView view, lower::contraction_view(subject.kernel));
  if (schedule.form != "contraction") {
    return fail("this candidate's schedule is not a contraction's loop nest", "start again from the naive candidate");
  }
  return {};
}

// Of several statements, the product or the convolution with the most operations speaks for all of them.
std::optional<kernel::Kernel> product_for(const Rewrite& rewrite, const lower::Schedule& schedule,
                                          const kernel::Kernel& kernel)
{
  if (schedule.form == "dots" || rewrite.family == RewriteFamily::dots) {
    return lower::leading_dot_product(kernel);
  }
  if (rewrite.family == RewriteFamily::windows) {
    return lower::leading_windows(kernel);
  }
  return schedule.form == "contraction" ? lower::leading_product(kernel) : std::nullopt;
}

} // namespace

std::span<const Rewrite> rewrites()
{
  return k_rewrites;
}

Result<lower::Schedule> rewrite_schedule(lower::Schedule schedule, std::string_view name, const RewriteSubject& subject)
{
  const Rewrite* rewrite = find_rewrite(name);
  if (subject.dialect.work_items && (rewrite != nullptr || find_device_rewrite(name) != nullptr)) {
    return rewrite_for_device(std::move(schedule), name, subject);
  }
  if (rewrite == nullptr) {
    return fail(fmt::format("the built-in engine does not know the transformation \"{}\"", name),
                "carry it out by hand, or let a model do it");
  }
  const std::optional<kernel::Kernel> product = product_for(*rewrite, schedule, subject.kernel);
  if (product && name == k_macros_step) {
    return fail(fmt::format("{} has several statements, which would share the names of macros", subject.kernel.name),
                "the step is for a single product");
  }
  const RewriteSubject whom{product ? *product : subject.kernel, subject.dialect};
  HONE_CHECK(check_family(*rewrite, schedule, whom));
  if (schedule.has_done(name)) {
    return fail(fmt::format("{} has been carried out already", name), "choose another step");
  }
  const bool elements = rewrite->family == RewriteFamily::elements; // of all statements
  HONE_CHECK(rewrite->apply(schedule, elements ? subject : whom));
  schedule.done.emplace_back(name);
  if (schedule.form == "contraction") {
    choose_block_sizes(schedule);
    update_constraints(schedule, whom.kernel, subject.dialect);
  }
  if (rewrite->family == RewriteFamily::windows) {
    update_window_constraints(schedule, subject.dialect);
  }
  return schedule;
}

} // namespace hone::rewrite
