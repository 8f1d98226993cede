#include "lower/device/spelling.h"

#include <algorithm>
#include <array>

namespace hone::lower::device {

Prelude subgroup_functions_f32()
{
  return {
    {"hone_subgroup_sum_f32", "hone_subgroup_product_f32", "hone_subgroup_maximum_f32", "hone_subgroup_minimum_f32"},
    R"(HONE_SUBGROUP(hone_subgroup_sum_f32, float, mine + other)
HONE_SUBGROUP(hone_subgroup_product_f32, float, mine * other)
HONE_SUBGROUP(hone_subgroup_maximum_f32, float, fmax(mine, other))
HONE_SUBGROUP(hone_subgroup_minimum_f32, float, fmin(mine, other))
)"};
}

Prelude subgroup_functions_f64()
{
  return {
    {"hone_subgroup_sum_f64", "hone_subgroup_product_f64", "hone_subgroup_maximum_f64", "hone_subgroup_minimum_f64"},
    R"(HONE_SUBGROUP(hone_subgroup_sum_f64, double, mine + other)
HONE_SUBGROUP(hone_subgroup_product_f64, double, mine * other)
HONE_SUBGROUP(hone_subgroup_maximum_f64, double, fmax(mine, other))
HONE_SUBGROUP(hone_subgroup_minimum_f64, double, fmin(mine, other))
)"};
}

const Spelling& spelling_of(const Dialect& dialect)
{
  static const std::array k_spellings = {&opencl_spelling(), &hlsl_spelling(), &cuda_spelling(), &hip_spelling()};
  const auto found = std::ranges::find(k_spellings, dialect.name, &Spelling::dialect);
  return **(found == k_spellings.end() ? k_spellings.begin() : found);
}

} // namespace hone::lower::device
