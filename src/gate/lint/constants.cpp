// Outputs that do not come from this call's inputs: what another call gave, and the same number everywhere.
#include "gate/lint/solutions.h"
#include "inputs/elements.h"

#include <cmath>
#include <limits>

namespace hone::gate {
namespace {

void fill_with(kernel::DataType type, double value, std::span<std::byte> bytes)
{
  const std::size_t size = kernel::size_of(type);
  for (std::size_t offset = 0; offset < bytes.size(); offset += size) {
    inputs::store_element(type, bytes.data() + offset, value);
  }
}

DegenerateSolution constant(const kernel::Kernel& kernel, std::string name, double value)
{
  DegenerateSolution solution;
  solution.name = std::move(name);
  solution.meaning = "the right results are that number on all values and sizes that were tried";
  solution.meaning += kernel.accuracy.tolerance.is_given() ? ", or the tolerance in [accuracy] is too wide" : "";
  solution.write = [value](const DegenerateCall& call, std::span<std::byte> bytes) {
    fill_with(call.output.type, value, bytes);
    return true;
  };
  return solution;
}

// Of another call, which is what somebody may know in advance. The mean of this call's results would be a fair guess
// for a kernel that repeats one sum in every element, and that is no mistake of the kernel.
bool write_mean(const DegenerateCall& call, std::span<std::byte> bytes)
{
  double sum = 0;
  double count = 0;
  for (const double value : call.other.values) {
    sum += std::isfinite(value) ? value : 0;
    count += std::isfinite(value) ? 1 : 0;
  }
  fill_with(call.output.type, count > 0 ? sum / count : 0, bytes);
  return true;
}

bool write_nan(const DegenerateCall& call, std::span<std::byte> bytes)
{
  bool wrong = false;
  for (std::size_t i = 0; i < call.expected.values.size(); ++i) {
    wrong = wrong || !(std::isnan(call.expected.values[i]) || std::isinf(call.expected.bounds[i]));
  }
  fill_with(call.output.type, std::numeric_limits<double>::quiet_NaN(), bytes);
  return wrong;
}

} // namespace

void add_constants(const kernel::Kernel& kernel, std::size_t output, Solutions& list)
{
  DegenerateSolution previous;
  previous.name = "another call's output";
  previous.meaning = "the output does not depend on the inputs: a constant";
  previous.write = [](const DegenerateCall& call, std::span<std::byte> bytes) {
    store_values(call.output.type, call.other.values, bytes);
    return true;
  };
  list.push_back(std::move(previous));

  list.push_back(constant(kernel, "zeros", 0));
  list.push_back(constant(kernel, "ones", 1));
  DegenerateSolution mean;
  mean.name = "mean of another call's output";
  mean.meaning = "the right results are one constant, whatever the inputs";
  mean.write = write_mean;
  list.push_back(std::move(mean));

  const kernel::Argument& argument = kernel.arguments[output];
  DegenerateSolution nan;
  nan.name = "all NaN";
  nan.meaning = "NaN passes for numbers";
  nan.unfit = kernel::is_float(argument.type) ? "" : "an integer cannot be NaN";
  nan.untried = "the right results are NaN, or have no bound, on all values tried";
  nan.in_every_call = true;
  nan.write = write_nan;
  list.push_back(std::move(nan));
}

} // namespace hone::gate
