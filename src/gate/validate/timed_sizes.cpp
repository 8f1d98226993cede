// The sizes that will be timed: the whole output against the reference.
#include "gate/validate/validation.h"

#include <fmt/format.h>

#include <vector>

namespace hone {
namespace {

constexpr double k_long_sum = 8192; // operations per element of the output

// Whoever adds up a sample of the terms may happen to take the spike: then it is drawn again.
constexpr std::size_t k_spikes_when_quick = 8;
constexpr double k_quick_work = 5e7;

bool is_quick(const Validation& validation)
{
  const auto work = work_of(validation.kernel(), validation.setting().recipe->sizes);
  return work && work->total() <= k_quick_work;
}

// Where few values in many outweigh all others, honest chains of additions lose terms.
bool has_long_sums(const Validation& validation)
{
  const Kernel& kernel = validation.kernel();
  const Sizes& sizes = validation.setting().recipe->sizes;
  double elements = 0;
  for (const std::size_t output : kernel.outputs()) {
    elements += static_cast<double>(elements_of(kernel.arguments[output], sizes).value_or(0));
  }
  const auto work = work_of(kernel, sizes);
  return !work || work->flops > k_long_sum * elements;
}

// What a launch plan carries out at these sizes alone sees hard values nowhere else.
std::vector<ValueFamily> families_at_timed_sizes(const Validation& validation)
{
  if (!validation.promote()) {
    return {ValueFamily::normal};
  }
  std::vector<ValueFamily> families{ValueFamily::normal};
  if (validation.scales()) { // a term of a product that is missing shows with any values
    families.push_back(ValueFamily::one_hot);
    families.push_back(has_float_inputs(validation.kernel()) ? ValueFamily::quadrants : ValueFamily::shifted);
    return families;
  }
  families.insert(families.end(), {ValueFamily::shifted, ValueFamily::large});
  if (has_long_sums(validation)) {
    families.insert(families.end(), is_quick(validation) ? k_spikes_when_quick : 1, ValueFamily::spikes);
  } else {
    families.insert(families.end(), {ValueFamily::spikes, ValueFamily::heavy_tail, ValueFamily::odd_suffix});
  }
  return families;
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
  const std::vector<ValueFamily> families = families_at_timed_sizes(validation);
  for (const ValueFamily family : families) {
    HONE_LANE_CHECK(validation.checked_call(*bench, {family, validation.random().next()}));
  }
  validation.note(
    "timed sizes",
    families.size() == 1
      ? "every element against the reference"
      : fmt::format("every element against the reference, {} calls on values of several families", families.size()));
  if (has_projection(validation.kernel())) {
    HONE_LANE_CHECK(check_by_projection(validation, *bench));
  }
  return LaneResult<void>();
}

} // namespace hone
