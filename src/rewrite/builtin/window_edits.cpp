#include "rewrite/builtin/window_edits.h"

#include "lower/window_view.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::rewrite {

Result<void> check_windows(std::string_view step, const lower::Schedule& schedule, const RewriteSubject& subject)
{
  const kernel::KernelClass kernel_class = kernel::classify(subject.kernel);
  if (kernel_class != kernel::KernelClass::convolution && kernel_class != kernel::KernelClass::pooling) {
    return fail(fmt::format("{} is for convolutions and pooling, and {} is a {}", step, subject.kernel.name,
                            kernel::name_of(kernel_class)),
                "`hone transforms` lists the steps for it");
  }
  if (schedule.form != "statements" && schedule.form != "windows") {
    return fail("this candidate goes row by row already", "start again from the naive candidate");
  }
  HONE_TRY(const lower::WindowView view, lower::window_view(subject.kernel));
  return {};
}

Result<void> check_window_vectors(const lower::Schedule& schedule)
{
  return schedule.form == "windows" ? Result<void>()
                                    : fail("there are no vectors of columns yet", "do vectorize-windows first");
}

Result<void> check_rows_apart(const lower::Schedule& schedule)
{
  return schedule.is_packed(lower::Dimension::k)
           ? fail("join-rows has laid out the windows of joined rows already", "leave this step out")
           : Result<void>();
}

namespace {

void settle_channels(kernel::TuningParameter& channels, std::int64_t vectors, std::int64_t registers)
{
  for (const std::int64_t value : channels.values) {
    if (value * vectors <= registers && value <= k_usual_channels) {
      channels.default_value = value;
    }
  }
}

} // namespace

void update_window_constraints(lower::Schedule& schedule, const lower::Dialect& dialect)
{
  schedule.constraints.clear();
  const auto parameter = [&](std::string_view name) {
    return std::ranges::find(schedule.tuning, name, &kernel::TuningParameter::name);
  };
  const auto none = schedule.tuning.end();
  if (const auto channels = parameter("CHANNELS"), vectors = parameter("VECTORS");
      channels != none && vectors != none) {
    const std::int64_t registers = dialect.vector_bytes >= 64 ? 28 : 12; // what is left holds the vectors of the window
    schedule.constraints.push_back(fmt::format("CHANNELS * VECTORS <= {}", registers));
    settle_channels(*channels, vectors->default_value, registers);
  }
  if (schedule.is_packed(lower::Dimension::k)) {
    schedule.constraints.emplace_back("PIXELS % (VECTORS * 16) == 0");
  }
  if (!schedule.packed.empty()) {
    schedule.constraints.emplace_back("shared <= device.shared_per_block");
  }
}

} // namespace hone::rewrite
