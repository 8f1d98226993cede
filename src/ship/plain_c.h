// Device code is C++. Where it is written plainly, a few words make C of it; the rest is refused by name. (internal)
#pragma once

#include "util/result.h"

#include <set>
#include <string>

namespace hone::ship {

// C11 with GNU extensions (vectors, empty initialisers). `file` names the text in errors.
Result<std::string> plain_c(const std::string& text, const std::string& file);
// <cmath> is <math.h>; <algorithm> is nothing.
Result<std::set<std::string>> plain_c_headers(const std::set<std::string>& headers);

} // namespace hone::ship
