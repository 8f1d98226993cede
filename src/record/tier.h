// How much of a result rests on the candidate's own process. Printed with every verdict.
#pragma once

#include <string_view>

namespace hone::record {

enum class Tier {
  a, // device code on a GPU
  b, // native code that Hone compiled, in a locked process
  c, // foreign host code, timed from outside
};

std::string_view name_of(Tier tier); // "A", "B", "C"

} // namespace hone::record
