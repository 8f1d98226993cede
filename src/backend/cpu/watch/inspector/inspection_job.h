// The files of one inspection job, in the working directory: watch.txt, launches.txt, buffers.txt and bufferN
// (contents) in; findings.txt, instrumentedN and resultN (contents of result N after instrumented.so and device.so)
// out.
#pragma once

#include "backend/cpu/watch/watched_memory.h"
#include "backend/launch_list.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hone::backend::cpu {

std::string file_contents(const std::string& path); // "" if it cannot be read

// watch.txt: these values, separated by spaces.
struct InspectionOptions {
  std::uint64_t seed = 0;           // of the order of groups
  std::size_t max_accesses = 0;     // that are checked in device.so; 0: all
  std::size_t arguments = 0;        // the first so many buffers are the call's arguments, the others scratch
  std::vector<std::size_t> results; // buffers whose contents after the call are written out

  bool covers_call() const { return max_accesses == 0; }
  // For one of the libraries; 0: all.
  std::size_t max_accesses_of(Instrumentation instrumentation) const;
};

class InspectionJob {
public:
  // `prefix`: of the names of its files, where the files of several jobs lie in one folder.
  explicit InspectionJob(std::string prefix) : m_prefix(std::move(prefix)) {}

  std::string findings_file() const { return path("findings.txt"); }
  std::string result_file(Instrumentation instrumentation, std::size_t buffer) const;
  InspectionOptions options() const;
  std::vector<ListedLaunch> launches() const;
  // buffers.txt, a line for each: bytes, bytes of an element, whether launches may write it, whether it is undefined
  // before the call, name.
  std::vector<BufferFacts> buffers() const;
  void load_contents(WatchedMemory& memory) const;
  void write_results(WatchedMemory& memory) const;

private:
  std::string path(const std::string& name) const { return m_prefix + name; }

  std::string m_prefix;
};

} // namespace hone::backend::cpu
