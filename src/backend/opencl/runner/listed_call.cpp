#include "backend/opencl/runner/listed_call.h"

#include <fstream>
#include <sstream>

namespace hone::backend::runner {
namespace {

Trouble set_arguments(const Device& device, ClHandle kernel, const ListedLaunch& launch,
                      const std::vector<ClHandle>& buffers)
{
  const char* name = launch.kernel.c_str();
  ClUint index = 0;
  for (const ListedArgument& argument : launch.arguments) {
    const void* value = argument.buffer ? static_cast<const void*>(&buffers[std::size_t(argument.value)])
                                        : static_cast<const void*>(&argument.value);
    if (const ClInt code = device.api().set_kernel_arg(kernel, index, sizeof argument.value, value);
        code != k_cl_success) {
      return launch_trouble(("launch.toml: error: argument " + std::to_string(index + 1)).c_str(), name, code);
    }
    ++index;
  }
  if (launch.shared_bytes > 0) {
    const ClInt code = device.api().set_kernel_arg(kernel, index, std::size_t(launch.shared_bytes), nullptr);
    if (code != k_cl_success) {
      return launch_trouble("launch.toml: error: `shared` asks for a __local pointer as the last parameter, which",
                            name, code);
    }
  }
  return {};
}

} // namespace

std::string text_of(const char* name)
{
  std::ostringstream text;
  text << std::ifstream(name, std::ios::binary).rdbuf();
  return text.str();
}

Trouble run_listed(const Device& device, ClHandle program, const ListedLaunch& launch,
                   const std::vector<ClHandle>& buffers)
{
  const char* name = launch.kernel.c_str();
  ClHandle kernel = nullptr;
  if (Trouble trouble = device.kernel(program, name, kernel)) {
    return trouble;
  }
  if (Trouble trouble = set_arguments(device, kernel, launch, buffers)) {
    return trouble;
  }
  std::size_t items[3];
  std::size_t group[3];
  for (std::size_t i = 0; i < 3; ++i) {
    group[i] = std::size_t(launch.block[i]);
    items[i] = std::size_t(launch.groups[i]) * group[i];
  }
  ClInt code =
    device.api().enqueue_nd_range_kernel(device.queue(), kernel, 3, nullptr, items, group, 0, nullptr, nullptr);
  if (code == k_cl_success) {
    code = device.api().finish(device.queue());
  }
  return code == k_cl_success ? Trouble{} : launch_trouble("launch.toml: error: the launch", name, code);
}

} // namespace hone::backend::runner
