// A job's compiled program on the device, on memory that the parent shares: from binary to finished launches.
#pragma once

#include "backend/opencl/runner/device.h"
#include "backend/runner/runner_core.h"

#include <vector>

namespace hone::runner {

class Session {
public:
  Trouble open() { return m_device.open(k_opencl_loader); }
  // Loads the job's image and makes one kernel object per launch.
  Trouble load(const JobView& job);
  // Wraps every buffer of every set of the job.
  Trouble wrap_buffers(const JobView& job);
  // Runs the whole plan once on the buffers of `set`, fills included; finished on return.
  Trouble call(const JobView& job, std::uint32_t set);

private:
  Trouble run_launch(const JobView& job, std::uint32_t index, const ClHandle* buffers) const;

  Device m_device;
  ClHandle m_program = nullptr;
  std::vector<ClHandle> m_kernels; // per launch
  std::vector<ClHandle> m_buffers; // [set][buffer]
};

} // namespace hone::runner
