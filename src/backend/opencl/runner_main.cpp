// hone-runner-opencl: calls kernels through an OpenCL driver that runs on the CPU (PoCL).
//
// Such a driver compiles and runs native code in our process, and starts compilers and linkers for it. So everything
// happens twice: a child first builds the program and launches it once on private memory, behind Landlock, which
// leaves the generated code in a private cache; the runner then takes it from there and is locked (no new programs,
// no files but that cache, no network) before any of the candidate's code runs in it.
//
// Called with --probe it describes the device, one "name<TAB>value" per line.
#include "backend/opencl/runner/private_folder.h"
#include "backend/opencl/runner/session.h"
#include "backend/runner/landlock.h"
#include "backend/runner/runner_core.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace hone::runner;

// What drivers, their compilers and linkers read. Neither other people's files nor other processes are among it.
constexpr const char* k_readable[] = {"/usr",          "/lib",          "/lib64",
                                      "/bin",          "/etc/OpenCL",   "/etc/ld.so.cache",
                                      "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system",
                                      nullptr};
const char* g_writable[] = {nullptr, "/dev/null", nullptr}; // the private folder comes first

Session g_session;
Trouble g_call_trouble;

void set_driver_environment(const char* folder)
{
  setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
  setenv("PATH", "/usr/bin:/bin", 1); // the driver's compiler looks for a linker
  for (const char* name : {"POCL_CACHE_DIR", "TMPDIR", "HOME"}) {
    setenv(name, folder, 1);
  }
}

// Landlock holds for a thread and those it starts later: it must come before the driver starts its own.
const char* close_files_before_any_thread()
{
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return "prctl failed while locking the runner down";
  }
  return restrict_files(k_readable, g_writable);
}

// What the child tells, in memory that both see. The candidate's code ran in the child: only words to repeat.
struct ChildReport {
  RefusalKind kind;
  std::uint32_t bytes;
  char text[k_reply_text_bytes];
};

[[noreturn]] void build_and_launch_once(const JobView& job, ChildReport& report)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit seconds = {60, 60};
  setrlimit(RLIMIT_CPU, &seconds);
  Session session;
  Trouble trouble = session.open();
  if (!trouble) {
    trouble = session.build(job);
  }
  if (!trouble) {
    trouble = session.rehearse(job);
  }
  report.kind = trouble.kind;
  report.bytes = std::uint32_t(std::min<std::size_t>(trouble.text.size(), k_reply_text_bytes));
  std::memcpy(report.text, trouble.text.data(), report.bytes);
  _exit(trouble ? k_exit_refused : k_exit_done);
}

void build_and_launch_in_child(const JobView& job)
{
  void* memory = mmap(nullptr, sizeof(ChildReport), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const pid_t child = memory == MAP_FAILED ? -1 : fork();
  if (child < 0) {
    refuse(RefusalKind::setup, "no process for the OpenCL compiler");
  }
  auto& report = *static_cast<ChildReport*>(memory);
  if (child == 0) {
    build_and_launch_once(job, report);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    refuse(RefusalKind::runtime, std::string("the first launch was ended by SIG") + sigabbrev_np(WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) != k_exit_done) {
    const std::uint32_t bytes = std::min(report.bytes, k_reply_text_bytes);
    const bool silent = WEXITSTATUS(status) != k_exit_refused || bytes == 0;
    refuse(silent ? RefusalKind::runtime : report.kind,
           silent ? "the first launch ended its process" : std::string_view(report.text, bytes));
  }
  munmap(memory, sizeof(ChildReport));
}

void stop_on(const Trouble& trouble)
{
  if (trouble) {
    refuse(trouble.kind, trouble.text);
  }
}

const char* prepare(const JobView& job)
{
  g_writable[0] = make_private_folder();
  if (g_writable[0] == nullptr) {
    return "no temporary folder could be made under /tmp";
  }
  set_driver_environment(g_writable[0]);
  if (const char* failure = close_files_before_any_thread()) {
    return failure;
  }
  build_and_launch_in_child(job);
  stop_on(g_session.open());
  stop_on(g_session.build(job));
  stop_on(g_session.wrap_buffers(job));
  return nullptr;
}

const char* load(const JobView& job)
{
  stop_on(g_session.rehearse(job));
  return nullptr;
}

const char* call(const JobView& job, std::uint32_t set)
{
  g_call_trouble = g_session.call(job, set);
  return g_call_trouble ? g_call_trouble.text.c_str() : nullptr;
}

template <class Query> void print_text(const char* name, Query query)
{
  char text[512] = {};
  if (query(sizeof text - 1, text) == k_cl_success) {
    std::printf("%s\t%s\n", name, text);
  }
}

template <class Number> void print_number(const char* name, const Session& session, ClUint fact)
{
  Number value = 0;
  if (session.api().get_device_info(session.device(), fact, sizeof value, &value, nullptr) == k_cl_success) {
    std::printf("%s\t%llu\n", name, static_cast<unsigned long long>(value));
  }
}

int probe()
{
  const char* folder = make_private_folder();
  if (folder == nullptr) {
    std::printf("error\tno temporary folder could be made under /tmp\n");
    return 1;
  }
  set_driver_environment(folder);
  Session session;
  if (const Trouble trouble = session.open()) {
    std::printf("error\t%s\n", trouble.text.c_str());
    return 1;
  }
  const auto device_text = [&](const char* name, ClUint fact) {
    print_text(name, [&](std::size_t bytes, char* text) {
      return session.api().get_device_info(session.device(), fact, bytes, text, nullptr);
    });
  };
  print_text("platform", [&](std::size_t bytes, char* text) {
    return session.api().get_platform_info(session.platform(), k_cl_platform_name, bytes, text, nullptr);
  });
  device_text("device", k_cl_device_name);
  device_text("version", k_cl_device_version);
  device_text("driver", k_cl_driver_version);
  print_number<ClUint>("compute units", session, k_cl_device_max_compute_units);
  print_number<std::size_t>("largest work-group", session, k_cl_device_max_work_group_size);
  print_number<ClBits>("local memory", session, k_cl_device_local_mem_size);
  return 0;
}

} // namespace

int main(int count, char** arguments)
{
  if (count == 2 && std::strcmp(arguments[1], "--probe") == 0) {
    return probe();
  }
  Platform platform;
  platform.lock = LockProfile::loose;
  platform.readable = k_readable;
  platform.writable = g_writable;
  platform.prepare = prepare;
  platform.load = load;
  platform.call = call;
  return hone::runner::run(platform);
}
