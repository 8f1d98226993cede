// One program on one OpenCL device that shares our memory: from source to finished launches.
#pragma once

#include "backend/opencl/runner/api.h"
#include "backend/runner/runner_core.h"

#include <string>
#include <vector>

namespace hone::runner {

// Whose fault a failure is, and what it was. An empty text: all is well.
struct Trouble {
  RefusalKind kind = RefusalKind::setup;
  std::string text;
  explicit operator bool() const { return !text.empty(); }
};

class Session {
public:
  // The first CPU device there is, with one in-order queue.
  Trouble open();
  // Compiles the job's image and makes one kernel object per launch.
  Trouble build(const JobView& job);
  // Wraps every buffer of every set of the job.
  Trouble wrap_buffers(const JobView& job);
  // Runs the whole plan once on the buffers of `set`, fills included; finished on return.
  Trouble call(const JobView& job, std::uint32_t set);
  // The same on private memory in place of everything writable. Drivers generate code on a launch's first run.
  Trouble rehearse(const JobView& job);

  const ClApi& api() const { return m_api; }
  ClHandle device() const { return m_device; }
  ClHandle platform() const { return m_platform; }

private:
  Trouble wrap(const Buffer& buffer, void* memory, ClHandle& wrapped) const;
  Trouble run_launch(const JobView& job, std::uint32_t index, const ClHandle* buffers) const;

  ClApi m_api = {};
  ClHandle m_platform = nullptr;
  ClHandle m_device = nullptr;
  ClHandle m_context = nullptr;
  ClHandle m_queue = nullptr;
  ClHandle m_program = nullptr;
  std::vector<ClHandle> m_kernels; // per launch
  std::vector<ClHandle> m_buffers; // [set][buffer]
};

} // namespace hone::runner
