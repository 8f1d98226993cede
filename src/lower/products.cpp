#include "lower/products.h"

#include "kernel/stage.h"
#include "lower/contraction_lowering.h"
#include "lower/contraction_view.h"
#include "lower/dot_lowering.h"
#include "lower/separate_epilogues.h"
#include "lower/stage_lowering.h"
#include "util/util.h"

#include <utility>

namespace hone::lower {

namespace {

bool has_batch(const Schedule& schedule)
{
  return find_loop(schedule, Dimension::batch, LoopKind::group) >= 0;
}

bool has_dots(const Schedule& schedule)
{
  return schedule.form == "dots";
}

// Whether the schedule's nest is one for this product, too.
bool fits(const kernel::Kernel& stage, const Schedule& schedule, const kernel::Kernel& leading)
{
  const Result<ContractionView> view = has_dots(schedule) ? dot_view(stage) : contraction_view(stage);
  const kernel::DataType type = leading.program.statements.front().type;
  return view && view->statement->type == type && (has_dots(schedule) || view->batch.empty() != has_batch(schedule));
}

// Of statements whose epilogues are separate: the product with the most operations, where it has such a view.
std::optional<kernel::Kernel> first_product(const kernel::Kernel& kernel,
                                            Result<ContractionView> (*view)(const kernel::Kernel&))
{
  const std::vector<std::size_t> stages = kernel::product_stages(kernel);
  if (stages.empty()) {
    return std::nullopt;
  }
  kernel::Kernel stage = kernel::stage_of(kernel, stages.front());
  return view(stage) ? std::optional(std::move(stage)) : std::nullopt;
}

} // namespace

std::optional<kernel::Kernel> leading_product(const kernel::Kernel& kernel)
{
  return first_product(with_separate_epilogues(kernel), contraction_view);
}

std::optional<kernel::Kernel> leading_dot_product(const kernel::Kernel& kernel)
{
  return first_product(with_separate_epilogues(kernel), dot_view);
}

Result<LoweredProgram> lower_products(const kernel::Kernel& original, const Schedule& schedule, const Dialect& dialect)
{
  const kernel::Kernel kernel = with_separate_epilogues(original);
  const bool dots = has_dots(schedule);
  const std::optional<kernel::Kernel> first = first_product(kernel, dots ? dot_view : contraction_view);
  if (!first) {
    return fail("none of the statements is a product of two tensors that the built-in engine has a loop nest for");
  }
  const auto lower_nest = dots ? lower_dots : lower_contraction;
  LoweredProgram out;
  for (std::size_t i = 0; i < kernel.program.statements.size(); ++i) {
    const kernel::Statement& source = kernel.program.statements[i];
    const kernel::Kernel stage = kernel::stage_of(kernel, i);
    const bool product = fits(stage, schedule, *first);
    Result<LoweredProgram> lowered =
      product ? lower_nest(stage, schedule, dialect) : lower_beside(stage, schedule, dialect);
    if (!lowered && product) {
      lowered = lower_beside(stage, schedule, dialect);
    }
    if (!lowered) {
      return std::unexpected(std::move(lowered.error()));
    }
    if (product && out.macros.empty()) { // they say what the schedule says, which is the same for all
      out.macros = std::move(lowered->macros);
    }
    HONE_CHECK(append_stage(out, std::move(*lowered), kernel, source, dialect));
  }
  out.plan.tuning = schedule.tuning;
  out.plan.constraints = schedule.constraints;
  return out;
}

} // namespace hone::lower
