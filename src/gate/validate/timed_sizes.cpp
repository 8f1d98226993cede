// The sizes that will be timed: the whole output against the reference.
#include "gate/validate/validation.h"
#include "inputs/stress_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace hone {
namespace {

// Whoever adds up a sample of the terms may happen to take the spike: then it is drawn again.
constexpr std::size_t k_spikes_when_quick = 8;
constexpr double k_quick_timed_work = 5e7;
constexpr std::ptrdiff_t k_others_drawn = 5; // of the others

bool is_quick(const Validation& validation)
{
  const auto work = work_of(validation.kernel(), validation.setting().recipe->sizes);
  return work && work->total() <= k_quick_timed_work;
}

// Indices that nearly follow one another show who takes them for a run only where runs are long.
bool has_index_inputs(const Kernel& kernel, const Sizes& sizes)
{
  return std::ranges::any_of(kernel.inputs(), [&](std::size_t input) {
    const Argument& argument = kernel.arguments[input];
    const Result<Domain> domain = domain_of(argument, sizes);
    return !is_float(argument.type) && domain && domain->is_finite();
  });
}

// What a launch plan carries out at these sizes alone sees hard values nowhere else.
std::vector<ValueFamily> families_at_timed_sizes(Validation& validation)
{
  std::vector<ValueFamily> families = families_shared_at_timed_sizes(validation.kernel(), validation.setting().depth);
  if (!families.empty()) {
    return families;
  }
  families.push_back(ValueFamily::normal);
  families.insert(families.end(), {ValueFamily::shifted, ValueFamily::large, ValueFamily::rectified, ValueFamily::peaks,
                                   ValueFamily::peaks});
  if (has_long_sums(validation.kernel(), validation.setting().recipe->sizes)) {
    families.insert(families.end(), is_quick(validation) ? k_spikes_when_quick : 1, ValueFamily::spikes);
  } else {
    std::array others{ValueFamily::heavy_tail, ValueFamily::odd_suffix, ValueFamily::masked,  ValueFamily::late,
                      ValueFamily::own_rows,   ValueFamily::first_row,  ValueFamily::rounded, ValueFamily::trends,
                      ValueFamily::framed,     ValueFamily::reordered,  ValueFamily::balanced};
    std::shuffle(others.begin(), others.end(), validation.random());
    families.push_back(ValueFamily::spikes);
    if (has_index_inputs(validation.kernel(), validation.setting().recipe->sizes)) {
      families.push_back(ValueFamily::rounded);
    }
    families.insert(families.end(), others.begin(), others.begin() + k_others_drawn);
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

std::vector<ValueFamily> families_shared_at_timed_sizes(const Kernel& kernel, Depth depth)
{
  if (depth < Depth::promote) {
    return {ValueFamily::normal};
  }
  if (!BilinearScaling::of(kernel)) {
    return {};
  }
  // A term of a product that is missing shows with any values.
  const ValueFamily third = has_float_inputs(kernel) ? ValueFamily::quadrants : ValueFamily::shifted;
  return {ValueFamily::normal, ValueFamily::one_hot, third};
}

Result<LaneResult<void>> validate_timed_sizes(Validation& validation)
{
  HONE_LANE(Bench* const bench, validation.bench(validation.setting().recipe->sizes, Layout::canaries));
  const std::vector<ValueFamily> families = families_at_timed_sizes(validation);
  for (const ValueFamily family : families) {
    HONE_LANE_CHECK(validation.checked_call(*bench, validation.draw_inputs(family)));
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
