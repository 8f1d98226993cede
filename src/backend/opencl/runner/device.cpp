#include "backend/opencl/runner/device.h"

#include <cstdlib>

namespace hone::backend::runner {
namespace {

// The codes that a candidate or its plan can bring about.
const char* words_for(ClInt code)
{
  switch (code) {
  case -4:
    return "the device cannot allocate that much memory";
  case -5:
    return "out of resources";
  case -6:
    return "out of host memory";
  case -49:
    return "the kernel has fewer arguments than launch.toml passes";
  case -50:
  case -51:
    return "the kernel's parameter has another type than what launch.toml passes; sizes are `long`";
  case -52:
    return "the kernel has more arguments than launch.toml passes";
  case -54:
    return "the work-group is larger than the device allows, or not what the kernel requires";
  case -55:
    return "an entry of the block is larger than the device allows";
  case -63:
    return "the grid is larger than the device allows";
  default:
    return nullptr;
  }
}

std::string about(ClInt code)
{
  const std::string number = "OpenCL error " + std::to_string(code);
  const char* words = words_for(code);
  return words == nullptr ? number : std::string(words) + " (" + number + ")";
}

} // namespace

Trouble setup_trouble(const std::string& text, ClInt code)
{
  return {RefusalKind::setup, code == k_cl_success ? text : text + ": " + about(code)};
}

Trouble launch_trouble(const char* what, const char* kernel, ClInt code)
{
  return {RefusalKind::runtime, std::string(what) + " of kernel " + kernel + " failed: " + about(code)};
}

void set_driver_environment(const char* folder)
{
  setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
  setenv("PATH", "/usr/bin:/bin", 1); // the driver's compiler looks for a linker
  for (const char* name : {"POCL_CACHE_DIR", "TMPDIR", "HOME"}) {
    setenv(name, folder, 1);
  }
}

Trouble Device::open(const char* library)
{
  if (const char* missing = open_opencl(library, m_api)) {
    return setup_trouble(std::string(library) + missing);
  }
  constexpr ClUint k_most_platforms = 16;
  ClHandle platforms[k_most_platforms];
  ClUint count = 0;
  if (m_api.get_platform_ids(k_most_platforms, platforms, &count) != k_cl_success) {
    count = 0;
  }
  for (ClUint i = 0; i < count && i < k_most_platforms && m_device == nullptr; ++i) {
    if (m_api.get_device_ids(platforms[i], k_cl_device_type_cpu, 1, &m_device, nullptr) == k_cl_success) {
      m_platform = platforms[i];
    }
  }
  if (m_device == nullptr) {
    return setup_trouble("there is no OpenCL device that runs on this CPU");
  }
  ClInt code = k_cl_success;
  m_context = m_api.create_context(nullptr, 1, &m_device, nullptr, nullptr, &code);
  if (code != k_cl_success) {
    return setup_trouble("no OpenCL context could be made", code);
  }
  m_queue = m_api.create_command_queue(m_context, m_device, 0, &code);
  return code == k_cl_success ? Trouble{} : setup_trouble("no OpenCL queue could be made", code);
}

std::string Device::build_log(ClHandle program) const
{
  std::size_t bytes = 0;
  m_api.get_program_build_info(program, m_device, k_cl_program_build_log, 0, nullptr, &bytes);
  std::string log(bytes, '\0');
  m_api.get_program_build_info(program, m_device, k_cl_program_build_log, bytes, log.data(), nullptr);
  while (!log.empty() && log.back() == '\0') {
    log.pop_back();
  }
  return log.empty() ? "the OpenCL compiler refused the program without saying why" : log;
}

Trouble Device::compile(std::string_view source, const char* options, ClHandle& program) const
{
  ClInt code = k_cl_success;
  const char* text = source.data();
  const std::size_t length = source.size();
  program = m_api.create_program_with_source(m_context, 1, &text, &length, &code);
  if (code != k_cl_success) {
    return setup_trouble("the OpenCL program could not be made", code);
  }
  if (m_api.build_program(program, 1, &m_device, options, nullptr, nullptr) != k_cl_success) {
    return {RefusalKind::compile, build_log(program)};
  }
  return {};
}

Trouble Device::binary_of(ClHandle program, std::string& binary) const
{
  std::size_t size = 0;
  ClInt code = m_api.get_program_info(program, k_cl_program_binary_sizes, sizeof size, &size, nullptr);
  binary.resize(size);
  char* bytes = binary.data();
  if (code == k_cl_success) {
    code = m_api.get_program_info(program, k_cl_program_binaries, sizeof bytes, static_cast<void*>(&bytes), nullptr);
  }
  if (code != k_cl_success || size == 0) {
    return setup_trouble("the driver gave no binary of the program", code);
  }
  return {};
}

Trouble Device::load(std::string_view binary, const char* options, ClHandle& program) const
{
  ClInt code = k_cl_success;
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t length = binary.size();
  program = m_api.create_program_with_binary(m_context, 1, &m_device, &length, &bytes, nullptr, &code);
  if (code != k_cl_success) {
    return setup_trouble("the compiled OpenCL program could not be loaded", code);
  }
  if (m_api.build_program(program, 1, &m_device, options, nullptr, nullptr) != k_cl_success) {
    return setup_trouble("the compiled OpenCL program could not be made ready: " + build_log(program));
  }
  return {};
}

Trouble Device::kernel(ClHandle program, const char* name, ClHandle& kernel) const
{
  ClInt code = k_cl_success;
  kernel = m_api.create_kernel(program, name, &code);
  if (code != k_cl_success) {
    return {RefusalKind::compile, std::string("device.cl: error: launch.toml launches ") + name
                                    + ", which is not defined here as a __kernel\n"};
  }
  return {};
}

} // namespace hone::backend::runner
