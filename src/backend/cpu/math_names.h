// Which <math.h> a candidate is compiled with. (internal to the backend)
//
// In C++, <math.h> includes <cmath>, which takes longer to compile than most kernels. Code that uses none of the C++
// overloads gets the C library's own header instead.
#pragma once

#include <string_view>

namespace hone::backend::cpu {

// Whether code names a function that <cmath> overloads, the header itself, or anything in namespace std; comments and
// literals are ignored. True in case of doubt.
bool needs_cpp_math(std::string_view source);

// Text before the first header of a candidate that does not need it: C's <math.h>, which later includes then find.
std::string_view c_math_header();

} // namespace hone::backend::cpu
