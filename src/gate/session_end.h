// Puts the end of a runner into words, from what the kernel says and what the runner claims. (internal to the gate)
#pragma once

#include "backend/runner_abi.h"
#include "backend/runner_link.h"
#include "gate/arena_layout.h"
#include "gate/runner_session.h"

namespace hone::gate {

// What a runner wrote about its own end: copied once out of memory that it may still be changing, and range-checked.
// Only ever used for the wording; the status rests on it where no other source exists and where lying does not help.
struct ReplyClaims {
  backend::runner::State state = backend::runner::State::starting;
  backend::runner::RefusalKind refusal = backend::runner::RefusalKind::setup;
  int signal = 0;
  std::uint64_t fault_address = 0;
  bool fault_write = false;
  bool fault_fetch = false;
  std::uint32_t blocked_call = 0;
  std::string text; // printable characters and line breaks only
};
ReplyClaims read_claims(const backend::runner::Reply& reply);

SessionEnd describe_end(const backend::ProcessEnd& end, const ReplyClaims& claims, const ArenaLayout& layout);

std::string system_call_name(std::uint32_t number); // "clone", or "number 4711"

} // namespace hone::gate
