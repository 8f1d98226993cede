// A job's compiled program on the device, on memory that the parent shares, or on the device's own: from binary to
// finished launches.
#pragma once

#include "backend/opencl/runner/device.h"
#include "backend/opencl/runner/device_blocks.h"
#include "backend/runner/runner_core.h"

#include <vector>

namespace hone::backend::runner {

class Session {
public:
  Trouble open() { return m_device.open(k_opencl_loader); }
  // Loads the job's image and makes one kernel object per launch.
  Trouble load(const JobView& job);
  // Makes every buffer of every set of the job, or wraps those that the parent shares.
  Trouble make_buffers(const JobView& job);
  // Lets go of the job: program, kernels, buffers.
  void unload();
  // Command::memory.
  const char* execute_requests(const JobView& job, Reply& reply) { return m_copies.execute(job, reply); }
  // Runs the whole plan once on the buffers of `set`, fills included; finished on return.
  Trouble call(const JobView& job, std::uint32_t set);

private:
  Trouble wrap_buffers(const JobView& job);
  Trouble fill(const JobView& job, std::uint32_t set, const Fill& fill) const;
  Trouble run_launch(const JobView& job, std::uint32_t index, const ClHandle* buffers) const;

  Device m_device;
  ClHandle m_program = nullptr;
  std::vector<ClHandle> m_kernels; // per launch
  std::vector<ClHandle> m_buffers; // [set][buffer]
  DeviceBlocks m_blocks{m_device}; // where the device's memory is its own
  DeviceBuffers m_copies{m_blocks};
};

} // namespace hone::backend::runner
