// What all runner programs share: read the job, map memory, set the process up, lock it down, serve commands.
//
// A platform fills in a Platform and calls run(). Order of events:
//
//   start    pinned to the first worker's CPU, another uid when root, memory mapped at its fixed addresses, job fds
//   closed prepare  platform hook: everything that needs the system open (device contexts, libraries, thread pools)
//   load     platform hook, here when `load_before_lock`
//   LOCK     rlimits, no_new_privs, not dumpable, Landlock, seccomp
//   load     platform hook, here otherwise
//   serve    run_block / run_groups / stand_by / exit until the parent ends
//
// Hooks return nullptr when all is well, or a text that says what is wrong: the runner then reports State::refused
// with that text (see refuse() for longer logs) and exits. No exceptions, no output: there are no standard streams.
#pragma once

#include "backend/runner_abi.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hone::runner {

// The job as a platform sees it: read-only views into shared memory. They stay valid for the life of the process.
class JobView {
public:
  explicit JobView(const Job* job) : m_job(job) {}
  const Job& head() const { return *m_job; }

  std::uint32_t sets() const { return m_job->set_count; }
  std::uint32_t launches() const { return m_job->launch_count; }
  std::uint32_t buffers() const { return m_job->buffer_count; }

  const Launch& launch(std::uint32_t index) const { return at<Launch>(m_job->launch_offset)[index]; }
  const char* kernel_name(const Launch& launch) const { return at<char>(launch.name_offset); }
  const Fill& fill(std::uint32_t index) const { return at<Fill>(m_job->fill_offset)[index]; }
  const Buffer& buffer(std::uint32_t set, std::uint32_t index) const
  {
    return at<Buffer>(m_job->buffer_offset)[std::size_t{set} * m_job->buffer_count + index];
  }
  // Specs and values of one launch's arguments, `launch.argument_count` of each.
  const ArgumentSpec* arguments(const Launch& launch) const
  {
    return at<ArgumentSpec>(m_job->argument_offset) + launch.first_argument;
  }
  const std::uint64_t* values(const Launch& launch, std::uint32_t set) const
  {
    return at<std::uint64_t>(m_job->value_offset) + std::size_t{set} * m_job->argument_count + launch.first_argument;
  }
  // The first is the main thread.
  std::uint32_t workers() const { return m_job->worker_count; }
  const Worker& worker(std::uint32_t index) const { return at<Worker>(m_job->worker_offset)[index]; }
  const std::uint32_t* set_list() const { return at<std::uint32_t>(m_job->set_list_offset); }

  std::string_view image() const { return {at<char>(m_job->image_offset), m_job->image_bytes}; }
  std::string_view options() const { return {at<char>(m_job->options_offset), m_job->options_bytes}; }
  std::string_view library() const { return {at<char>(m_job->library_offset), m_job->library_bytes}; }
  std::string_view setting() const { return {at<char>(m_job->setting_offset), m_job->setting_bytes}; }

private:
  template <class T> const T* at(std::uint64_t offset) const
  {
    return reinterpret_cast<const T*>(reinterpret_cast<const char*>(m_job) + offset);
  }
  const Job* m_job;
};

// One launch's groups [first, first + count), the last one first when descending.
struct Groups {
  std::uint32_t set;
  std::uint32_t launch;
  std::int64_t first;
  std::int64_t count;
  bool descending;
  bool keeps_shared; // what lies in shared scratch stays there; else it is overwritten before each group
};

enum class LockProfile {
  strict, // seccomp allow-list: futex, clock_gettime, exit, rt_sigreturn; no files, no new memory, no new threads
  loose,  // for drivers and libraries: files read-only in `readable`, private folders writable; no network, no new
          // programs, no looking into other processes, no signals to others
};

struct Platform {
  LockProfile lock = LockProfile::strict;
  bool load_before_lock = false;
  // Loose profile: absolute paths that stay readable / writable (Landlock), ended by nullptr. Missing ones are skipped.
  const char* const* readable = nullptr;
  const char* const* writable = nullptr;

  const char* (*prepare)(const JobView& job) = nullptr; // may be null
  const char* (*load)(const JobView& job) = nullptr;    // may be null
  // Carries out the whole plan once on one set: all launches in order with their fills, finished on return.
  // `index`: in its block. nullptr, or what failed (the candidate's fault).
  const char* (*call)(const JobView& job, std::uint32_t set, std::uint32_t index) = nullptr;
  // Platforms with workers of their own: all of them run until `rest`, so that handing out work costs little.
  // Called before blocks, off the clock where the parent asks for it; no-op when they run already. May be null.
  void (*wake)() = nullptr;
  void (*rest)() = nullptr;
  // May be null where the platform runs groups itself.
  const char* (*run_groups)(const JobView& job, const Groups& groups) = nullptr;
};

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

// Fills a buffer, or `count` elements of it from `first` on, as Fill says; for platforms whose buffers are plain
// memory.
void fill_buffer(const Buffer& buffer, const Fill& fill);
void fill_elements(const Buffer& buffer, const Fill& fill, std::uint64_t first, std::uint64_t count);

} // namespace hone::runner
