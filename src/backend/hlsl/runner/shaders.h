// What hlsl/shader_image.h packed, in the runner.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone::backend::runner {

struct PackedShader {
  std::string kernel;
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> code;
};

// Empty where the image is not whole.
std::vector<PackedShader> shaders_in(std::string_view image);

} // namespace hone::backend::runner
