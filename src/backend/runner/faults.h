// Signal handlers that turn a fault or a blocked system call into words in the reply area.
#pragma once

#include "backend/runner_abi.h"

#include <cstddef>

namespace hone::backend::runner {

// SIGSEGV, SIGBUS, SIGILL, SIGFPE: noted, then the process dies of the same signal, so that the parent learns it from
// the kernel and not from us. SIGSYS (the lock): the number of the call is noted, then the process exits.
// Uses an alternate stack, so that running out of stack is reported too.
void install_fault_handlers(Reply* reply);
// Every further thread needs an alternate stack of its own, of this many bytes.
constexpr std::size_t k_fault_stack_bytes = 16 << 10;
void set_fault_stack(char* memory);

} // namespace hone::backend::runner
