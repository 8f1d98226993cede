// Which <math.h> a candidate is compiled with. (internal to the backend)
//
// In C++, <math.h> brings <cmath> along, which takes the compiler longer than most kernels do. Code that names nothing
// of which <cmath> has more than C has is given the C library's own header, and none of the rest.
#pragma once

#include <string_view>

namespace hone::cpu {

// Whether code names a function that <cmath> overloads, the header itself, or anything of namespace std or of what
// comes with it; not in comments, literals and numbers. In doubt it does.
bool names_overloads(std::string_view source);

// What stands before the first header of a candidate that does not: a <math.h> of C, for all that ask for it later.
std::string_view plain_math();

} // namespace hone::cpu
