#include "inputs/stress_inputs.h"

#include "inputs/bilinear_form.h"

namespace hone::inputs {
namespace {

constexpr double k_long_sum = 8192; // operations per element

} // namespace

bool has_long_sums(const kernel::Kernel& kernel, const kernel::Sizes& sizes)
{
  const auto work = kernel::work_of(kernel, sizes);
  return !work || work->per_element > k_long_sum;
}

std::vector<ValueFamily> stress_families(const kernel::Kernel& kernel, const kernel::Sizes& sizes)
{
  if (!has_float_inputs(kernel)) {
    return {};
  }
  if (bilinear_form(kernel)) {
    return {ValueFamily::one_hot, ValueFamily::shifted};
  }
  if (has_long_sums(kernel, sizes)) {
    return {ValueFamily::shifted, ValueFamily::large};
  }
  return {ValueFamily::shifted,    ValueFamily::large,    ValueFamily::spikes,
          ValueFamily::heavy_tail, ValueFamily::own_rows, ValueFamily::quadrants};
}

} // namespace hone::inputs
