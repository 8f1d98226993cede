#include "engine/builtin/window_edits.h"

#include "lower/window_view.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone {

Result<void> check_windows(std::string_view step, const Schedule& schedule, const RewriteSubject& subject)
{
  const KernelClass kernel_class = classify(subject.kernel);
  if (kernel_class != KernelClass::convolution && kernel_class != KernelClass::pooling) {
    return fail(fmt::format("{} is for convolutions and pooling, and {} is a {}", step, subject.kernel.name,
                            name_of(kernel_class)),
                "`hone transforms` lists the steps for it");
  }
  if (schedule.form != "statements" && schedule.form != "windows") {
    return fail("this candidate goes row by row already", "start again from the naive candidate");
  }
  HONE_TRY(const WindowView view, window_view(subject.kernel));
  return {};
}

Result<void> check_window_vectors(const Schedule& schedule)
{
  return schedule.form == "windows" ? Result<void>()
                                    : fail("there are no vectors of columns yet", "do vectorize-windows first");
}

Result<void> check_rows_apart(const Schedule& schedule)
{
  return schedule.is_packed(Dimension::k)
           ? fail("join-rows has laid out the windows of joined rows already", "leave this step out")
           : Result<void>();
}

void settle_window_constraints(Schedule& schedule, const Dialect& dialect)
{
  schedule.constraints.clear();
  const bool channels =
    std::ranges::any_of(schedule.tuning, [](const TuningParameter& parameter) { return parameter.name == "CHANNELS"; });
  if (channels) { // what is left of the registers holds the vectors of the window
    schedule.constraints.push_back(fmt::format("CHANNELS * VECTORS <= {}", dialect.vector_bytes >= 64 ? 28 : 12));
  }
  if (schedule.is_packed(Dimension::k)) {
    schedule.constraints.emplace_back("PIXELS % (VECTORS * 16) == 0");
  }
  if (!schedule.packed.empty()) {
    schedule.constraints.emplace_back("shared <= device.shared_per_block");
  }
}

} // namespace hone
