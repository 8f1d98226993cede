// A job as a runner program sees it, and what a platform must provide to carry jobs out.
#pragma once

#include "backend/runner_abi.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hone::backend::runner {

// The job as a platform sees it: read-only views into shared memory. They stay valid for the life of the process.
// Wide because each field of the job has a method that reads it.
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
  std::uint32_t maps() const { return m_job->map_count; }
  const TensorMap& map(std::uint32_t index) const { return at<TensorMap>(m_job->map_offset)[index]; }
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
  const MemoryRequest* memory_requests() const { return at<MemoryRequest>(m_job->memory_request_offset); }
  std::uint32_t mappings() const { return m_job->mapping_count; }
  const Mapping& mapping(std::uint32_t index) const { return at<Mapping>(m_job->mapping_offset)[index]; }

  // The platform's own area; its offsets count from the start of the job, as all others do.
  template <class T> const T& extension() const { return *at<T>(m_job->extension_offset); }

  std::string_view image() const { return {at<char>(m_job->image_offset), m_job->image_bytes}; }
  std::string_view options() const { return {at<char>(m_job->options_offset), m_job->options_bytes}; }
  std::string_view library() const { return {at<char>(m_job->library_offset), m_job->library_bytes}; }
  std::string_view setting() const { return {at<char>(m_job->setting_offset), m_job->setting_bytes}; }

  template <class T> const T* at(std::uint64_t offset) const
  {
    return reinterpret_cast<const T*>(reinterpret_cast<const char*>(m_job) + offset);
  }

private:
  const Job* m_job;
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
  // Waits for what calls left on the device: at the end of every block, on the clock. Null: calls are over on return.
  const char* (*synchronise)() = nullptr;
  // What the device's own clock says about the calls of the block that has just been waited for. Null: it has none.
  std::uint64_t (*device_ns)() = nullptr;
  // Looks for Job::cancelled_sequence before each call. Not where that would show in the time of short calls.
  bool cancellable = false;

  // Command::memory. Null: memory is shared.
  const char* (*memory)(const JobView& job, Reply& reply) = nullptr;
  // Forgets the job for good; prepare() stays as it is and load() follows, with another job. Null: no Command::rebind.
  const char* (*unload)() = nullptr;
  // Commands from Command::extension on. Null: there are none.
  const char* (*extension)(const JobView& job, Command command) = nullptr;
};

} // namespace hone::backend::runner
