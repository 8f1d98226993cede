#include "lower/window_stages.h"

#include "kernel/stage.h"
#include "lower/stage_lowering.h"
#include "lower/tuning_macros.h"
#include "lower/window_lowering.h"
#include "lower/window_view.h"
#include "util/util.h"

#include <utility>

namespace hone::lower {

std::optional<kernel::Kernel> leading_windows(const kernel::Kernel& kernel)
{
  for (const std::size_t statement : kernel::window_stages(kernel)) {
    kernel::Kernel stage = kernel::stage_of(kernel, statement);
    if (window_view(stage)) {
      return stage;
    }
  }
  return std::nullopt;
}

Result<LoweredProgram> lower_window_stages(const kernel::Kernel& kernel, const Schedule& schedule,
                                           const Dialect& dialect)
{
  if (kernel.program.statements.size() == 1) {
    return lower_windows(kernel, schedule, dialect);
  }
  LoweredProgram out;
  for (std::size_t i = 0; i < kernel.program.statements.size(); ++i) {
    const kernel::Kernel stage = kernel::stage_of(kernel, i);
    Result<LoweredProgram> lowered =
      window_view(stage) ? lower_windows(stage, schedule, dialect) : lower_beside(stage, schedule, dialect);
    if (!lowered) { // of another type or stride than the leading one
      lowered = lower_beside(stage, schedule, dialect);
    }
    if (!lowered) {
      return std::unexpected(std::move(lowered.error()));
    }
    HONE_CHECK(append_stage(out, std::move(*lowered), kernel, kernel.program.statements[i], dialect));
  }
  out.macros = tuning_macros(schedule);
  out.plan.tuning = schedule.tuning;
  out.plan.constraints = schedule.constraints;
  return out;
}

} // namespace hone::lower
