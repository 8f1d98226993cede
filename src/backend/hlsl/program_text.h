// From a candidate's files to the one text that glslang compiles.
#pragma once

#include "backend/backend.h"

#include <expected>
#include <string>

namespace hone::backend {

// Tuning values as macros; tensors, scratch buffers and sizes by their names: buffer i of the job has binding i, and
// the kernel's size symbols are push constants of 32 bits in their order. Then macros.h and device.hlsl, with line
// markers. Refuses other files, and element types that shaders do not have.
std::expected<std::string, LoadFailure> hlsl_program_text(const BuildInput& input);

// Messages of glslang as other compilers write them: place first.
std::string translate_hlsl_log(std::string_view log);

} // namespace hone::backend
