// What all runner programs share: read the job, map memory, set the process up, lock it down, serve commands.
//
// A platform fills in a Platform and calls run(). Order of events:
//
//   start    pinned to the first worker's CPU, another uid when root, memory mapped at its fixed addresses, job fds
//   closed prepare  platform hook: everything that needs the system open (device contexts, libraries, thread pools)
//   load     platform hook, here when `load_before_lock`
//   LOCK     rlimits, no_new_privs, not dumpable, Landlock, seccomp
//   load     platform hook, here otherwise
//   serve    commands until the parent ends (commands.h)
//
// Hooks return nullptr when all is well, or a text that says what is wrong: the runner then reports State::refused
// with that text (see refuse() for longer logs) and exits. No exceptions, no output: there are no standard streams.
#pragma once

#include "backend/runner/platform.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hone::backend::runner {

// Never returns normally before the parent says exit; the value is the exit status for main().
int run(const Platform& platform);

// Reports a refusal with a (capped) text and ends the process: for logs longer than one line.
[[noreturn]] void refuse(RefusalKind kind, std::string_view text);

// For memory that must hold nothing: each value makes the next (Knuth's MMIX).
inline std::uint64_t next_bits(std::uint64_t bits)
{
  return bits * 6364136223846793005U + 1442695040888963407U;
}

// Overwrites what calls left below their frames, so that nobody counts on it, or on zeros: near them, where most of it
// lies, or nearly all that the first thread has.
constexpr std::size_t k_near_stack_bytes = 256 << 10;
constexpr std::size_t k_deep_stack_bytes = 7 << 20;
constexpr std::uint32_t k_deep_one_in = 4; // starts (of both arms of a pair, or of none), commands to run groups
[[gnu::noinline]] void scramble_stack(std::uint64_t seed, std::size_t bytes);

// The same in any memory: fast, as it is done before each group. `words` is a multiple of the period.
constexpr std::size_t k_scramble_period = 16;
void scramble_words(std::uint64_t* begin, std::size_t words, std::uint64_t seed);

} // namespace hone::backend::runner
