// The sizes that will be timed: the whole output against the reference.
#include "gate/validate/validation.h"
#include "inputs/stress_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace hone::gate {
namespace {

// Whoever adds up a sample of the terms may happen to take the spike: then it is drawn again.
constexpr std::size_t k_spikes_when_quick = 8;
constexpr double k_quick_timed_work = 5e7;
constexpr std::ptrdiff_t k_others_drawn = 5; // of the others

bool is_quick(const Validation& validation)
{
  const auto work = kernel::work_of(validation.kernel(), validation.setting().recipe->sizes);
  return work && work->total() <= k_quick_timed_work;
}

// Indices that nearly follow one another show who takes them for a run only where runs are long.
bool has_index_inputs(const kernel::Kernel& kernel, const kernel::Sizes& sizes)
{
  return std::ranges::any_of(kernel.inputs(), [&](std::size_t input) {
    const kernel::Argument& argument = kernel.arguments[input];
    const Result<kernel::Domain> domain = kernel::domain_of(argument, sizes);
    return !kernel::is_float(argument.type) && domain && domain->is_finite();
  });
}

// What a launch plan carries out at these sizes alone sees stress values nowhere else.
std::vector<inputs::ValueFamily> families_at_timed_sizes(Validation& validation)
{
  std::vector<inputs::ValueFamily> families =
    families_shared_at_timed_sizes(validation.kernel(), validation.setting().depth);
  if (!families.empty()) {
    return families;
  }
  families.push_back(inputs::ValueFamily::normal);
  families.insert(families.end(),
                  {inputs::ValueFamily::shifted, inputs::ValueFamily::large, inputs::ValueFamily::rectified,
                   inputs::ValueFamily::peaks, inputs::ValueFamily::peaks});
  if (inputs::has_long_sums(validation.kernel(), validation.setting().recipe->sizes)) {
    families.insert(families.end(), is_quick(validation) ? k_spikes_when_quick : 1, inputs::ValueFamily::spikes);
  } else {
    std::array others{inputs::ValueFamily::heavy_tail, inputs::ValueFamily::odd_suffix, inputs::ValueFamily::masked,
                      inputs::ValueFamily::late,       inputs::ValueFamily::own_rows,   inputs::ValueFamily::first_row,
                      inputs::ValueFamily::rounded,    inputs::ValueFamily::trends,     inputs::ValueFamily::framed,
                      inputs::ValueFamily::reordered,  inputs::ValueFamily::balanced};
    std::shuffle(others.begin(), others.end(), validation.random());
    families.push_back(inputs::ValueFamily::spikes);
    if (has_index_inputs(validation.kernel(), validation.setting().recipe->sizes)) {
      families.push_back(inputs::ValueFamily::rounded);
    }
    families.insert(families.end(), others.begin(), others.begin() + k_others_drawn);
  }
  return families;
}

// The instrument that judges timed calls must agree with the reference about this output, too.
Result<SessionResult<void>> check_by_projection(Validation& validation, Harness& harness)
{
  HONE_TRY(const kernel::ProjectionOutcome outcome,
           kernel::check_freivalds(validation.kernel(), harness.sizes(), harness.arena().arguments(0),
                                   validation.random().next()));
  if (!outcome.passed) {
    return Ended{incorrect(fmt::format("random projection of the output is off at {} (sizes {})", outcome.where,
                                       kernel::to_text(harness.sizes())))};
  }
  validation.note("projection", fmt::format("{:.2g} of the threshold", outcome.worst));
  return SessionResult<void>();
}

} // namespace

std::vector<inputs::ValueFamily> families_shared_at_timed_sizes(const kernel::Kernel& kernel, record::Depth depth)
{
  if (depth < record::Depth::promote) {
    return {inputs::ValueFamily::normal};
  }
  if (!BilinearScaling::of(kernel)) {
    return {};
  }
  // A term of a product that is missing shows with any values.
  const inputs::ValueFamily third =
    inputs::has_float_inputs(kernel) ? inputs::ValueFamily::quadrants : inputs::ValueFamily::shifted;
  return {inputs::ValueFamily::normal, inputs::ValueFamily::one_hot, third};
}

Result<SessionResult<void>> validate_timed_sizes(Validation& validation)
{
  HONE_SESSION(Harness* const harness, validation.harness(validation.setting().recipe->sizes, Layout::canaries));
  const std::vector<inputs::ValueFamily> families = families_at_timed_sizes(validation);
  for (const inputs::ValueFamily family : families) {
    HONE_SESSION_CHECK(validation.checked_call(*harness, validation.draw_inputs(family)));
  }
  validation.note(
    "timed sizes",
    families.size() == 1
      ? "every element against the reference"
      : fmt::format("every element against the reference, {} calls on values of several families", families.size()));
  if (kernel::supports_freivalds(validation.kernel())) {
    HONE_SESSION_CHECK(check_by_projection(validation, *harness));
  }
  return SessionResult<void>();
}

} // namespace hone::gate
