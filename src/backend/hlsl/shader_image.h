// SPIR-V of a candidate's kernels on its way to the runner. (internal to the room)
#pragma once

#include "backend/backend.h"

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace hone::backend {

struct Shader {
  std::string kernel;
  std::vector<std::uint32_t> offsets; // bytes among the push constants, one per integer argument of its launches
  std::string code;                   // SPIR-V
};

// Errors, in words: the group's size in the code is not what the plan says, or launches pass other arguments.
std::expected<Shader, std::string> make_shader(const BuildInput& input, const std::string& kernel,
                                               const std::string& code);

// What runner/shaders.h reads: for each shader a head (name, offsets, length of the code), and the code.
std::string image_of(const std::vector<Shader>& shaders);

} // namespace hone::backend
