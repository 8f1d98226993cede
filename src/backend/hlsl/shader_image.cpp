#include "backend/hlsl/shader_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace hone::backend {
namespace {

constexpr std::uint32_t k_magic = 0x07230203;
constexpr std::size_t k_header_words = 5;
constexpr std::uint32_t k_op_execution_mode = 16, k_local_size = 17;

std::vector<std::uint32_t> words_in(const std::string& code)
{
  std::vector<std::uint32_t> out(code.size() / 4);
  std::memcpy(out.data(), code.data(), out.size() * 4);
  return out;
}

// From [numthreads(x, y, z)].
std::optional<std::array<std::int64_t, 3>> local_size(const std::string& code)
{
  const std::vector<std::uint32_t> words = words_in(code);
  if (words.size() < k_header_words || words[0] != k_magic) {
    return std::nullopt;
  }
  for (std::size_t at = k_header_words; at < words.size();) {
    const std::size_t length = words[at] >> 16;
    if ((words[at] & 0xffff) == k_op_execution_mode && length >= 6 && words[at + 2] == k_local_size) {
      return std::array<std::int64_t, 3>{words[at + 3], words[at + 4], words[at + 5]};
    }
    at += std::max<std::size_t>(length, 1);
  }
  return std::nullopt;
}

// A launch of the candidate with this kernel names the sizes that it passes.
std::expected<std::vector<std::uint32_t>, std::string> offsets_of(const BuildInput& input, const std::string& kernel)
{
  std::optional<std::vector<std::string>> args;
  for (const auto* launches : {&input.candidate.plan.launches, &input.candidate.plan.preparation}) {
    for (const kernel::LaunchSpec& launch : *launches) {
      if (launch.kernel != kernel) {
        continue;
      }
      if (args && *args != launch.args) {
        return std::unexpected(fmt::format("launch.toml: launches of {} pass different arguments; give them kernels of "
                                           "different names",
                                           kernel));
      }
      args = launch.args;
    }
  }
  std::vector<std::uint32_t> out;
  for (const std::string& name : args.value_or(std::vector<std::string>())) {
    const auto symbol = std::ranges::find(input.kernel.symbols, name);
    const auto position = static_cast<std::uint32_t>(symbol - input.kernel.symbols.begin());
    if (symbol != input.kernel.symbols.end() || name == "repeat_index") { // repeat_index stands behind all sizes
      out.push_back(4 * position);
    }
  }
  return out;
}

void put(std::string& out, std::uint32_t word)
{
  out.append(reinterpret_cast<const char*>(&word), sizeof word);
}

} // namespace

std::expected<Shader, std::string> make_shader(const BuildInput& input, const std::string& kernel,
                                               const std::string& code)
{
  const auto size = local_size(code);
  if (!size) {
    return std::unexpected(fmt::format("device.hlsl: error: {} has no [numthreads(x, y, z)]", kernel));
  }
  for (const kernel::ResolvedLaunch& launch : input.plan.launches) {
    if (launch.kernel != kernel) {
      continue;
    }
    if (launch.block != *size) {
      return std::unexpected(
        fmt::format("launch.toml: {} has the block {} x {} x {}, and [numthreads] says {} x {} x {}", kernel,
                    launch.block[0], launch.block[1], launch.block[2], (*size)[0], (*size)[1], (*size)[2]));
    }
    if (launch.shared_bytes > 0) {
      return std::unexpected(
        fmt::format("launch.toml: {} has `shared`; in HLSL local memory is declared with groupshared", kernel));
    }
  }
  auto offsets = offsets_of(input, kernel);
  if (!offsets) {
    return std::unexpected(offsets.error());
  }
  return Shader{kernel, std::move(*offsets), code};
}

std::string image_of(const std::vector<Shader>& shaders)
{
  std::string out;
  put(out, static_cast<std::uint32_t>(shaders.size()));
  for (const Shader& shader : shaders) {
    const std::size_t padded = (shader.kernel.size() + 4) / 4 * 4; // ends with a NUL at least
    put(out, static_cast<std::uint32_t>(padded));
    out += shader.kernel;
    out.append(padded - shader.kernel.size(), '\0');
    put(out, static_cast<std::uint32_t>(shader.offsets.size()));
    for (const std::uint32_t offset : shader.offsets) {
      put(out, offset);
    }
    put(out, static_cast<std::uint32_t>(shader.code.size()));
    out += shader.code;
  }
  return out;
}

} // namespace hone::backend
