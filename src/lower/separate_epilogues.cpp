#include "lower/separate_epilogues.h"

#include "kernel/stage.h"
#include "lower/candidate_text.h"
#include "lower/contraction_view.h"
#include "lower/element_intervals.h"
#include "lower/expression_text.h"

#include <algorithm>
#include <optional>

namespace hone::lower {

namespace {

constexpr double k_most_of_the_product = 0.75;

// At the first timed sizes.
bool computes_most(const kernel::Kernel& stage, const kernel::Contraction& contraction)
{
  const kernel::Sizes& sizes = stage.timed.front();
  double terms = 1;
  for (const auto* ranges : {&contraction.batch, &contraction.m, &contraction.n, &contraction.k}) {
    const auto extent = kernel::extent_of(*ranges, sizes);
    terms *= extent ? static_cast<double>(*extent) : 0;
  }
  const auto work = kernel::work_of(stage, sizes);
  return work && work->flops >= k_most_of_the_product * 2 * terms;
}

// Products of bytes have a nest where their sums are stored as they are.
bool is_dot_product_once_bare(const kernel::Kernel& stage, const kernel::ExprPtr& sum)
{
  kernel::Kernel bare = stage;
  bare.program.statements.front().value = sum;
  return !dot_view(stage) && dot_view(bare);
}

// The bare sum of a statement that has to be taken apart.
kernel::ExprPtr sum_to_separate(const kernel::Kernel& stage)
{
  const kernel::Statement& statement = stage.program.statements.front();
  const std::vector<kernel::ExprPtr> sums = kernel::reductions_of(statement.value);
  if (sums.size() != 1 || is_dot_product_once_bare(stage, sums.front())) {
    return sums.size() == 1 ? sums.front() : nullptr;
  }
  const Result<ContractionView> view = contraction_view(stage);
  const bool separate = view && compute_type(stage, statement) == statement.type
                        && !check_vector_epilogue(stage, *view, cpu_dialect(64, true))
                        && computes_most(stage, view->contraction);
  return separate ? sums.front() : nullptr;
}

} // namespace

kernel::Kernel with_separate_epilogues(kernel::Kernel kernel)
{
  if (kernel::is_ordered(kernel.program) || kernel.timed.empty()) {
    return kernel;
  }
  std::vector<kernel::Statement>& all = kernel.program.statements;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const kernel::Kernel stage = kernel::stage_of(kernel, i);
    const kernel::ExprPtr sum = sum_to_separate(stage);
    if (!sum) {
      continue;
    }
    kernel::Statement sums = all[i];
    sums.value = sum;
    sums.guard = nullptr;
    sums.intermediate = true;
    sums.target = free_tensor_name(kernel, all[i].target + "_sums");
    all[i].value = exchanged(all[i].value, {{sum.get(), own_element(sums, sums.target)}});
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(i), std::move(sums));
    ++i;
  }
  return kernel;
}

} // namespace hone::lower
