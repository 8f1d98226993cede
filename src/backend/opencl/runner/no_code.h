// Lets a driver generate code without running it.
#pragma once

namespace hone::backend::runner {

// From now on, a shared object that is loaded from below `folder` is not loaded: every function in it is one that does
// nothing. A driver on the CPU generates the code for a launch when it carries the launch out, loads it as a shared
// object and calls it; so the code comes into being, and nothing of the candidate runs.
//
// Works by standing before the C library's dlopen, dlsym and dlclose: the program must export them.
void load_no_code_from(const char* folder);

} // namespace hone::backend::runner
