// Landlock: which files and sockets the process may still reach.
#pragma once

namespace hone::backend::runner {

// Denies all access to files (and, where the kernel knows it, to TCP, abstract sockets and signals to others), but for
// the trees below `readable` (read, execute) and `writable` (everything). Lists end with nullptr; null: nothing.
// nullptr when done, or when the kernel has no Landlock; else what failed.
const char* restrict_files(const char* const* readable, const char* const* writable);

} // namespace hone::backend::runner
