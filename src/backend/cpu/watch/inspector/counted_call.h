// Runs a call and counts its accesses: all groups in order on one thread, launches in order.
//
// Files of the job: counted.so, count.txt (how many accesses; then a line for each cache: name, bytes, bytes of a line,
// ways), launches.txt, buffers.txt and bufferN in (inspection_job.h); counts.txt (call_counts.h) and addresses.txt
// (where its instructions lie, one in a line) out.
#pragma once

#include "backend/cpu/counting/access_recorder.h"
#include "backend/cpu/watch/inspector/group_call.h"
#include "backend/cpu/watch/memory_access.h"
#include "backend/cpu/watch/sanitizer_hooks.h"
#include "backend/cpu/watch/watched_memory.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hone::backend::cpu {

// Writes what was counted, or says what is wrong with the job, and ends the program.
[[noreturn]] void count_call();

class CountedCall {
public:
  // `threads`: among which the groups of a launch would be shared out, each a part of them.
  CountedCall(const std::vector<CacheLevel>& levels, std::uint64_t most_accesses, std::int64_t threads,
              std::vector<ListedLaunch> launches, const std::vector<BufferFacts>& buffers);

  // `library`: what dlopen() returned. "" or what is wrong with the job.
  std::string prepare(void* library);
  void run();

  // An instruction's accesses, as the callback saved the registers before it.
  void count(const GeneralRegisters& registers, const VectorRegisters& vectors);
  // An access by a function of the C library, which code above `frame` has called.
  void count_by_library(const void* frame, const void* address, std::size_t bytes, Access access);

  [[noreturn]] void finish(bool whole);
  void expire() { m_is_expired = true; } // after the access that is being counted

private:
  std::byte* buffer(std::int64_t number) { return m_memory + m_offsets.at(static_cast<std::size_t>(number)); }
  void add_library(const void* code);
  void apply_fills(const ListedLaunch& launch);
  void stop_if_spent();

  AccessRecorder m_recorder;
  AccessDecoder m_decoder;
  std::uint64_t m_most_accesses;
  std::int64_t m_threads;
  std::vector<ListedLaunch> m_launches;
  std::vector<void*> m_entries;       // by launch
  std::vector<std::size_t> m_sizes;   // of buffers, in bytes
  std::vector<std::size_t> m_offsets; // of buffers, then shared scratch, then the group's description, in m_memory
  std::byte* m_memory = nullptr;
  std::uint64_t m_library = 0; // where it was loaded
  std::uint64_t m_library_end = 0;
  std::int64_t m_groups_run = 0, m_groups = 0;
  volatile bool m_is_expired = false;
};

} // namespace hone::backend::cpu
