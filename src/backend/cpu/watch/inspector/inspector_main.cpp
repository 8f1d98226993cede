// hone-cpu-inspector: the program of the CPU watch (watch.h). It runs in the jail, in the job's folder, with the
// libraries instrumented.so, device.so and guarded.so. Modes:
//   (none)               inspects one job (inspection_job.h)
//   --each PREFIX...     inspects several jobs that share the libraries; PREFIX begins the names of a job's other files
//   --count              runs counted.so and counts its accesses (counted_call.h)
//   --instrument FROM TO instruments assembly text (instrumentation.h)
//   --verify INSTRUMENTED PLAIN  compares two objects (verify_instrumentation.h)
#include "backend/cpu/watch/code_map.h"
#include "backend/cpu/watch/guarded_variables.h"
#include "backend/cpu/watch/inspector/counted_call.h"
#include "backend/cpu/watch/inspector/inspection_job.h"
#include "backend/cpu/watch/inspector/inspector_state.h"
#include "backend/cpu/watch/inspector/launch_execution.h"
#include "backend/cpu/watch/inspector/state_leakage.h"
#include "backend/cpu/watch/instrumentation.h"
#include "backend/cpu/watch/instrumented_library.h"
#include "backend/cpu/watch/verify_instrumentation.h"
#include "util/huge_pages.h"

#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <link.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace hone::backend::cpu {
namespace {

constexpr int k_max_heap = 512 << 20; // bytes
constexpr std::int64_t k_max_groups = 1 << 24;
constexpr unsigned k_deadline_s = 20; // a group may wait for one that has not started

// Executes the call with one of its libraries. Returns "" or what is wrong with the job.
std::string inspect(const InspectionJob& job, const char* library, WatchedMemory& memory)
{
  const Instrumentation instrumentation = memory.instrumentation();
  if (std::string why = why_unwatchable(library); !why.empty()) {
    return why;
  }
  void* code = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (code == nullptr) {
    return dlerror();
  }
  link_map* loaded = nullptr;
  if (instrumentation == Instrumentation::assembly && dlinfo(code, RTLD_DI_LINKMAP, &loaded) == 0) {
    g_inspector.code = CodeMap(file_contents(library), loaded->l_addr);
  }
  g_inspector.call = &memory;
  job.load_contents(memory);
  const InspectionOptions options = job.options();
  const std::vector<ListedLaunch> launches = job.launches();
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const ListedLaunch& launch = launches[i];
    void* entry = dlsym(code, launch.kernel.c_str());
    if (entry == nullptr || launch.arguments.size() > k_max_launch_arguments) {
      return "a launch names a missing kernel, or has too many arguments";
    }
    apply_fills(launch, memory);
    const std::int64_t groups = groups_of(launch);
    if (groups > k_max_groups) {
      return "a launch has too many groups";
    }
    LaunchExecution execution(launch, i, entry, memory, options.seed, options.covers_call());
    g_inspector.launch = &execution;
    const bool may_skip_rest =
      instrumentation == Instrumentation::address_sanitizer || (i + 1 == launches.size() && options.results.empty());
    const std::int64_t watched =
      execution.run(options.max_accesses_of(instrumentation) / launches.size(), may_skip_rest);
    g_inspector.launch = nullptr;
    if (watched < groups && instrumentation == Instrumentation::thread_sanitizer) {
      *g_inspector.findings << "part " << watched << " of " << groups << " groups (" << launch.kernel << ")\n";
    }
  }
  g_inspector.call = nullptr;
  memory.end_call();
  write_findings(memory);
  if (instrumentation != Instrumentation::address_sanitizer) {
    job.write_results(memory);
  }
  return {};
}

// guarded.so runs in the memory that device.so leaves: its groups do not all run, and others read their results.
std::string inspect_libraries(const InspectionJob& job)
{
  constexpr std::size_t k_depth = 32 << 20;
  const auto* const top = static_cast<const std::byte*>(__builtin_frame_address(0));
  if (!guarded_variables().add_stack(top - k_depth, top)) {
    return "the shadow memory for local variables cannot be mapped: its addresses are taken";
  }
  {
    WatchedMemory memory(job.buffers(), Instrumentation::assembly);
    if (std::string trouble = inspect(job, "./instrumented.so", memory); !trouble.empty()) {
      return trouble;
    }
  }
  *g_inspector.findings << find_state_leakage(job, "./instrumented.so");
  WatchedMemory memory(job.buffers(), Instrumentation::thread_sanitizer);
  if (std::string trouble = inspect(job, "./device.so", memory); !trouble.empty()) {
    return trouble;
  }
  memory.check_variables_only();
  return inspect(job, "./guarded.so", memory);
}

[[noreturn]] void run_job(const std::string& prefix)
{
  keep_heap_in_huge_pages(k_max_heap); // shadow memory of large tensors takes many pages
  const InspectionJob job(prefix);
  std::ofstream findings(job.findings_file()); // exists also if nothing is found
  g_inspector.findings = &findings;
  for (const std::size_t i : job.options().results) {
    for (const Instrumentation instrumentation : {Instrumentation::assembly, Instrumentation::thread_sanitizer}) {
      std::ofstream(job.result_file(instrumentation, i)); // exists also after a crash
    }
  }
  install_signal_handlers();
  alarm(k_deadline_s);
  std::string trouble = inspect_libraries(job);
  if (!trouble.empty()) {
    std::fprintf(stderr, "%s\n", trouble.c_str());
  }
  findings << k_end_of_findings << std::flush;
  _exit(trouble.empty() ? 0 : 1);
}

// Each job in a process of its own: no state of one must be there for the next.
int run_each(std::span<char* const> prefixes)
{
  for (const char* prefix : prefixes) {
    const pid_t child = fork();
    if (child == 0) {
      run_job(prefix);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      return 1; // the caller repeats the jobs one by one to learn which failed, and why
    }
  }
  return 0;
}

int instrument(const char* from, const char* to)
{
  std::ofstream(to, std::ios::binary) << instrumented_assembly(file_contents(from));
  return 0;
}

int verify(const char* instrumented, const char* plain)
{
  const std::string trouble = verify_instrumentation(file_contents(instrumented), file_contents(plain));
  if (!trouble.empty()) {
    std::fprintf(stderr, "error: %s\n", trouble.c_str());
  }
  return trouble.empty() ? 0 : 1;
}

} // namespace
} // namespace hone::backend::cpu

int main(int count, char** words)
{
  using namespace hone::backend::cpu;
  const std::string_view mode = count > 1 ? words[1] : "";
  if (count == 4 && mode == "--instrument") {
    return instrument(words[2], words[3]);
  }
  if (count == 4 && mode == "--verify") {
    return verify(words[2], words[3]);
  }
  if (count == 2 && mode == "--count") {
    count_call();
  }
  if (count > 2 && mode == "--each") {
    return run_each(std::span(words, static_cast<std::size_t>(count)).subspan(2));
  }
  run_job("");
}
