// The code that a driver unpacks from a program's binary.
#pragma once

namespace hone::backend::runner {

// Loads every shared object below `folder`, so that the driver finds it in memory when it launches the first time.
void load_generated_code(const char* folder);
// Unloads it and removes it from there.
void forget_generated_code(const char* folder);

} // namespace hone::backend::runner
