#include "lower/device/spelling.h"

#include <algorithm>
#include <array>

namespace hone::lower::device {

const Spelling& spelling_of(const Dialect& dialect)
{
  static const std::array k_spellings = {&opencl_spelling(), &hlsl_spelling(), &cuda_spelling(), &hip_spelling()};
  const auto found = std::ranges::find(k_spellings, dialect.name, &Spelling::dialect);
  return **(found == k_spellings.end() ? k_spellings.begin() : found);
}

} // namespace hone::lower::device
