// What a library says of itself: version, and the code that it chose for this processor. (internal to
// hone-runner-library)
#pragma once

#include <string>

namespace hone::backend::runner {

// "0.3.34, SkylakeX"; empty where it says nothing. `library`: as dlopen() returned it.
std::string facts_of_library(void* library);

} // namespace hone::backend::runner
