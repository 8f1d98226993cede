// From a candidate's files to the one text that an OpenCL driver compiles.
#pragma once

#include "backend/backend.h"

#include <expected>
#include <string>

namespace hone::backend {

// Tuning values and (where the kernel is specialised) sizes (HONE_SIZE_n) as macros, then macros.h, then device.cl,
// with line markers so that compiler messages name the candidate's own lines. Refuses what would leave OpenCL C: other
// files, assembly.
std::expected<std::string, LoadFailure> opencl_program_text(const BuildInput& input);

// Messages of the driver's compiler as other compilers write them: place first, without its temporary paths.
std::string translate_opencl_log(std::string_view log);

namespace opencl {
// The same for every candidate.
inline constexpr const char* k_build_options = "-cl-std=CL1.2";
} // namespace opencl

} // namespace hone::backend
