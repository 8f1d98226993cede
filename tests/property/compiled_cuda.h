// CUDA texts that belong to no kernel, compiled in the jail as candidates are.
#pragma once

#include "backend/cuda/device_compiler.h"
#include "gate/jail.h"
#include "kernel/kernel.h"
#include "util/util.h"

#include <string>

namespace hone {

// PTX of `device`, the text of device.cu, with `macros` as macros.h. The error holds the compiler's log.
inline Result<std::string> compiled_cuda(std::string device, const std::string& arch = "sm_90a",
                                         std::string macros = "")
{
  HONE_TRY(const kernel::Kernel kernel, kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels/matmul"));
  kernel::Candidate candidate;
  candidate.files["device.cu"] = std::move(device);
  candidate.files["macros.h"] = std::move(macros);
  const kernel::ResolvedPlan plan;
  HONE_TRY(const backend::CompileJob job,
           backend::device_compile_job({kernel, candidate, {}, {}, plan}, *backend::find_device_target(arch)));
  HONE_TRY(gate::JailOutcome outcome, gate::run_in_jail(job, {}));
  return outcome.status == record::Status::correct ? Result<std::string>(std::move(outcome.outputs["program.ptx"]))
                                                   : fail(outcome.reason + "\n" + outcome.log);
}

} // namespace hone
