// The sizes that will be timed: the whole output against the reference.
#include "gate/validate/validation.h"

#include <fmt/format.h>

#include <array>
#include <span>

namespace hone {
namespace {

// What a launch plan carries out at these sizes alone sees hard values nowhere else. Where sums are long, values of
// which few outweigh all others would make honest chains of additions lose terms.
constexpr std::array k_families{ValueFamily::normal, ValueFamily::large, ValueFamily::shifted, ValueFamily::heavy_tail,
                                ValueFamily::odd_suffix};
constexpr std::size_t k_families_of_long_sums = 3; // the first of them
constexpr double k_long_sum = 8192;                // operations per element of the output

std::span<const ValueFamily> families_at_timed_sizes(const Validation& validation)
{
  if (!validation.promote()) {
    return std::span(k_families).first(1);
  }
  const Kernel& kernel = validation.kernel();
  const Sizes& sizes = validation.setting().recipe->sizes;
  double elements = 0;
  for (const std::size_t output : kernel.outputs()) {
    elements += static_cast<double>(elements_of(kernel.arguments[output], sizes).value_or(0));
  }
  const auto work = work_of(kernel, sizes);
  const bool long_sums = !work || work->flops > k_long_sum * elements;
  return std::span(k_families).first(long_sums ? k_families_of_long_sums : k_families.size());
}

// The instrument that judges timed calls must agree with the reference about this output, too.
Result<LaneResult<void>> check_by_projection(Validation& validation, Bench& bench)
{
  HONE_TRY(const ProjectionOutcome outcome, check_projection(validation.kernel(), bench.sizes(),
                                                             bench.arena().arguments(0), validation.random().next()));
  if (!outcome.passed) {
    return Ended{incorrect(
      fmt::format("random projection of the output is off at {} (sizes {})", outcome.where, to_text(bench.sizes())))};
  }
  validation.note("projection", fmt::format("{:.2g} of the threshold", outcome.worst));
  return LaneResult<void>();
}

} // namespace

Result<LaneResult<void>> validate_timed_sizes(Validation& validation)
{
  HONE_LANE(Bench* const bench, validation.bench(validation.setting().recipe->sizes, Layout::canaries));
  const std::span<const ValueFamily> families = families_at_timed_sizes(validation);
  for (const ValueFamily family : families) {
    HONE_LANE_CHECK(validation.checked_call(*bench, {family, validation.random().next()}));
  }
  validation.note("timed sizes",
                  families.size() == 1
                    ? "every element against the reference"
                    : fmt::format("every element against the reference, {} value families", families.size()));
  if (has_projection(validation.kernel())) {
    HONE_LANE_CHECK(check_by_projection(validation, *bench));
  }
  return LaneResult<void>();
}

} // namespace hone
