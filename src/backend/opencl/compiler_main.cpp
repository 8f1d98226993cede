// hone-opencl-compiler: compiles a program and generates the code for its launches. Runs in the jail, in the job's
// folder: program.cl and launches.txt in, program.bin out, messages on standard error.
//
// Drivers on the CPU generate code for a work-group size when it is launched first. So every launch is carried out
// here once, on a dummy buffer and without calling anything of the candidate.
#include "backend/opencl/runner/listed_call.h"
#include "backend/opencl/runner/no_code.h"

#include <cstdio>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using namespace hone::backend::runner;

Trouble compile(const char* options)
{
  Device device;
  if (Trouble trouble = device.open(k_opencl_loader)) {
    return trouble;
  }
  ClHandle program = nullptr;
  if (Trouble trouble = device.compile(text_of("program.cl"), options, program)) {
    return trouble;
  }
  ClInt code = k_cl_success;
  const ClHandle dummy = device.api().create_buffer(device.context(), k_cl_mem_read_write, 64, nullptr, &code);
  if (code != k_cl_success) {
    return setup_trouble("no buffer could be made", code);
  }
  for (const hone::backend::ListedLaunch& launch : hone::backend::launches_from(text_of("launches.txt"))) {
    if (Trouble trouble = run_listed(device, program, launch, {dummy})) {
      return trouble;
    }
  }
  std::string binary;
  if (Trouble trouble = device.binary_of(program, binary)) {
    return trouble;
  }
  std::ofstream file("program.bin", std::ios::binary);
  file.write(binary.data(), std::streamsize(binary.size()));
  return file.flush() ? Trouble{} : setup_trouble("program.bin could not be written");
}

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
  const Trouble trouble = compile(words[1]);
  if (trouble) {
    std::fprintf(stderr, "%s\n", trouble.text.c_str());
  }
  _exit(trouble ? 1 : 0); // without the driver's destructors, which would wait for its threads
}
