// hone-opencl-compiler: compiles a program and generates the code for its launches. Runs in the jail, in the job's
// folder: program.cl and launches.txt in, program.bin out, messages on standard error.
//
// Drivers on the CPU generate code for a work-group size when it is launched first. So every launch is carried out
// here once, on dummy buffers and without calling anything of the candidate.
#include "backend/opencl/launch_list.h"
#include "backend/opencl/runner/device.h"
#include "backend/opencl/runner/no_code.h"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using namespace hone::runner;
using hone::opencl::ListedLaunch;

std::string text_of(const char* name)
{
  std::ostringstream text;
  text << std::ifstream(name, std::ios::binary).rdbuf();
  return text.str();
}

class Compilation {
public:
  Trouble run(const char* options)
  {
    if (Trouble trouble = m_device.open()) {
      return trouble;
    }
    if (Trouble trouble = m_device.compile(text_of("program.cl"), options, m_program)) {
      return trouble;
    }
    ClInt code = k_cl_success;
    m_buffer = m_device.api().create_buffer(m_device.context(), k_cl_mem_read_write, 64, nullptr, &code);
    if (code != k_cl_success) {
      return setup_trouble("no buffer could be made", code);
    }
    for (const ListedLaunch& launch : hone::opencl::launches_from(text_of("launches.txt"))) {
      if (Trouble trouble = generate(launch)) {
        return trouble;
      }
    }
    return keep();
  }

private:
  Trouble generate(const ListedLaunch& launch)
  {
    const char* name = launch.kernel.c_str();
    ClHandle kernel = nullptr;
    if (Trouble trouble = m_device.kernel(m_program, name, kernel)) {
      return trouble;
    }
    if (Trouble trouble = set_arguments(kernel, launch)) {
      return trouble;
    }
    std::size_t items[3];
    std::size_t group[3];
    for (std::size_t i = 0; i < 3; ++i) {
      group[i] = std::size_t(launch.block[i]);
      items[i] = std::size_t(launch.groups[i]) * group[i];
    }
    const ClInt code =
      m_device.api().enqueue_nd_range_kernel(m_device.queue(), kernel, 3, nullptr, items, group, 0, nullptr, nullptr);
    if (code != k_cl_success) {
      return launch_trouble("launch.toml: error: the launch", name, code);
    }
    return m_device.api().finish(m_device.queue()) == k_cl_success
             ? Trouble{}
             : Trouble{RefusalKind::compile, std::string("no code could be generated for kernel ") + name};
  }

  Trouble set_arguments(ClHandle kernel, const ListedLaunch& launch) const
  {
    constexpr std::uint64_t k_integer = 0;
    ClUint index = 0;
    for (const char kind : launch.arguments) {
      const void* value = kind == 'b' ? static_cast<const void*>(&m_buffer) : &k_integer;
      if (const ClInt code = m_device.api().set_kernel_arg(kernel, index, sizeof k_integer, value);
          code != k_cl_success) {
        return launch_trouble(("launch.toml: error: argument " + std::to_string(index + 1)).c_str(),
                              launch.kernel.c_str(), code);
      }
      ++index;
    }
    if (launch.shared_bytes > 0) {
      if (const ClInt code = m_device.api().set_kernel_arg(kernel, index, std::size_t(launch.shared_bytes), nullptr);
          code != k_cl_success) {
        return launch_trouble("launch.toml: error: `shared` asks for a __local pointer as the last parameter, which",
                              launch.kernel.c_str(), code);
      }
    }
    return {};
  }

  Trouble keep() const
  {
    std::string binary;
    if (Trouble trouble = m_device.binary_of(m_program, binary)) {
      return trouble;
    }
    std::ofstream file("program.bin", std::ios::binary);
    file.write(binary.data(), std::streamsize(binary.size()));
    return file.flush() ? Trouble{} : setup_trouble("program.bin could not be written");
  }

  Device m_device;
  ClHandle m_program = nullptr;
  ClHandle m_buffer = nullptr;
};

} // namespace

int main(int count, char** words)
{
  char folder[4096];
  if (count != 2 || getcwd(folder, sizeof folder - 8) == nullptr) {
    std::fputs("usage: hone-opencl-compiler OPTIONS, in the folder of a compile job\n", stderr);
    return 2;
  }
  const std::string cache = std::string(folder) + "/cache";
  mkdir(cache.c_str(), 0700);
  set_driver_environment(cache.c_str());
  load_no_code_from(cache.c_str());
  Compilation compilation;
  if (const Trouble trouble = compilation.run(words[1])) {
    std::fprintf(stderr, "%s\n", trouble.text.c_str());
    return 1;
  }
  std::fflush(stdout);
  _exit(0); // without the driver's destructors, which would wait for its threads
}
