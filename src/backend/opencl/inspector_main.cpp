// hone-opencl-inspector: runs a whole plan once on oclgrind, a simulated device that watches every access to memory.
// Runs in the jail, in the job's folder: program.cl, launches.txt, buffers.txt and the contents of buffers in,
// findings.txt out, and resultN, what the buffers hold afterwards. With "count" as a third word it counts instructions
// instead: counts.txt out.
#include "backend/opencl/runner/listed_call.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace {

using namespace hone::backend::runner;
using hone::backend::ListedFill;
using hone::backend::ListedLaunch;

// Limits as generous as a driver's on the CPU: what does not fit there was refused before.
void set_inspector_environment(const char* findings)
{
  constexpr const char* k_settings[][2] = {
    {"OCLGRIND_DATA_RACES", "1"},       {"OCLGRIND_MAX_ERRORS", "4096"},
    {"OCLGRIND_MAX_WGSIZE", "1048576"}, {"OCLGRIND_LOCAL_MEM_SIZE", "1073741824"},
    {"OCLGRIND_NUM_THREADS", "1"}, // no OCLGRIND_UNINITIALIZED: it gives up on instructions of plain kernels
  };
  for (const auto& [name, value] : k_settings) {
    setenv(name, value, 1);
  }
  setenv("OCLGRIND_LOG", findings, 1);
}

// oclgrind prints what it counts at the end of each launch.
bool set_counting(const char* file)
{
  setenv("OCLGRIND_INST_COUNTS", "1", 1);
  unsetenv("OCLGRIND_DATA_RACES");
  return std::freopen(file, "w", stdout) != nullptr;
}

class Inspection {
public:
  Trouble run(const char* library, const char* options)
  {
    if (Trouble trouble = m_device.open(library)) {
      return trouble;
    }
    ClHandle program = nullptr;
    if (Trouble trouble = m_device.compile(text_of("program.cl"), options, program)) {
      return trouble;
    }
    if (Trouble trouble = make_buffers()) {
      return trouble;
    }
    for (const ListedLaunch& launch : hone::backend::launches_from(text_of("launches.txt"))) {
      for (const ListedFill& fill : launch.fills) {
        if (Trouble trouble = carry_out(fill)) {
          return trouble;
        }
      }
      if (Trouble trouble = run_listed(m_device, program, launch, m_buffers)) {
        return trouble;
      }
    }
    return write_results();
  }

private:
  // A line per buffer: its size in bytes. Its contents lie in bufferN, where it has any.
  Trouble make_buffers()
  {
    std::istringstream sizes(text_of("buffers.txt"));
    for (std::size_t bytes = 0; sizes >> bytes;) {
      std::string contents = text_of(("buffer" + std::to_string(m_buffers.size())).c_str());
      const ClBits flags = k_cl_mem_read_write | (contents.empty() ? 0 : k_cl_mem_copy_host_ptr);
      contents.resize(contents.empty() ? 0 : bytes);
      ClInt code = k_cl_success;
      m_buffers.push_back(m_device.api().create_buffer(m_device.context(), flags, bytes,
                                                       contents.empty() ? nullptr : contents.data(), &code));
      m_bytes.push_back(bytes);
      if (code != k_cl_success) {
        return setup_trouble("a buffer could not be made", code);
      }
    }
    return {};
  }

  Trouble write_results() const
  {
    for (std::size_t i = 0; i < m_buffers.size(); ++i) {
      std::vector<char> contents(m_bytes[i]);
      const ClInt code = m_device.api().enqueue_read_buffer(m_device.queue(), m_buffers[i], 1, 0, m_bytes[i],
                                                            contents.data(), 0, nullptr, nullptr);
      if (code != k_cl_success) {
        return setup_trouble("a buffer could not be read", code);
      }
      std::ofstream("result" + std::to_string(i), std::ios::binary)
        .write(contents.data(), static_cast<std::streamsize>(contents.size()));
    }
    return {};
  }

  Trouble carry_out(const ListedFill& fill) const
  {
    const auto index = std::size_t(fill.buffer);
    const ClInt code =
      m_device.api().enqueue_fill_buffer(m_device.queue(), m_buffers[index], &fill.pattern,
                                         std::size_t(fill.element_bytes), 0, m_bytes[index], 0, nullptr, nullptr);
    return code == k_cl_success ? Trouble{} : setup_trouble("a buffer could not be filled", code);
  }

  Device m_device;
  std::vector<ClHandle> m_buffers;
  std::vector<std::size_t> m_bytes;
};

} // namespace

int main(int count, char** words)
{
  constexpr const char* k_findings = "findings.txt";
  const bool counts = count == 4 && std::string_view(words[3]) == "count";
  if (count != 3 && !counts) {
    std::fputs("usage: hone-opencl-inspector LIBRARY OPTIONS [count], in the folder of a job\n", stderr);
    return 2;
  }
  std::ofstream(k_findings).flush(); // there also when nothing is found
  set_inspector_environment(k_findings);
  if (counts && !set_counting("counts.txt")) {
    std::fputs("counts.txt cannot be written\n", stderr);
    return 1;
  }
  Inspection inspection;
  const Trouble trouble = inspection.run(words[1], words[2]);
  if (trouble) {
    std::fprintf(stderr, "%s\n", trouble.text.c_str());
  }
  std::fflush(nullptr);
  _exit(trouble ? 1 : 0);
}
