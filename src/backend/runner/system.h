// The few raw system calls that runners make, most of them while they are locked.
#pragma once

#include <cstdint>

namespace hone::backend::runner {

// Written to Reply::sequence by a dying runner; no command has this number.
constexpr std::uint32_t k_sequence_ended = ~std::uint32_t{0};

// Sleeps while *word == seen. May return early.
void wait_while(const std::uint32_t* word, std::uint32_t seen);
// Stores the value after everything written before it, then wakes whoever waits for the word.
void publish(std::uint32_t* word, std::uint32_t value);
// The same, waking all that wait.
void publish_to_all(std::uint32_t* word, std::uint32_t value);
std::uint32_t read_word(const std::uint32_t* word);
// Pins a thread of this process (0: the calling one). Before the lock only.
bool pin_thread(int thread, int cpu);
// nullptr, or what went wrong; a negative number pins nothing. Before the lock only.
const char* pin_this_thread(int cpu);

std::uint64_t now_ns(); // CLOCK_MONOTONIC
[[noreturn]] void exit_now(int status);

} // namespace hone::backend::runner
