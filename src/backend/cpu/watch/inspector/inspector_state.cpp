#include "backend/cpu/watch/inspector/inspector_state.h"

#include "backend/cpu/watch/access_callback.h"

#include <array>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sys/time.h>
#include <unistd.h>

namespace hone::backend::cpu {
namespace {

// Nothing else runs in this process, so the handler may allocate and write.
void end_by_signal(int signal)
{
  InspectorState& state = g_inspector;
  if (signal == SIGALRM && state.is_recording) {
    state.is_expired = true;
    return;
  }
  if (state.call != nullptr && state.findings != nullptr && state.is_group_running && !state.is_recording) {
    state.is_group_running = false;
    if (signal != SIGALRM) {
      *state.findings << "crash killed by " << strsignal(signal) << '\n';
    }
    if (signal != SIGALRM || !state.call->findings().empty()) {
      exit_with_findings();
    }
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void mark_yield_due(int)
{
  if (g_inspector.is_group_running && !g_inspector.is_recording) {
    g_inspector.is_yield_due = true;
    set_callback_mode(CallbackMode::all);
  }
}

} // namespace

InspectorState g_inspector;

void write_findings(const WatchedMemory& memory)
{
  for (const std::string& finding : memory.findings()) {
    *g_inspector.findings << finding << '\n';
  }
}

void exit_with_findings()
{
  write_findings(*g_inspector.call);
  *g_inspector.findings << k_end_of_findings << std::flush;
  _exit(0);
}

void install_signal_handlers()
{
  static std::array<std::byte, 64 << 10> stack;
  const stack_t other{stack.data(), 0, stack.size()};
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = end_by_signal;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGALRM}) {
    sigaction(signal, &action, nullptr);
  }
  action.sa_handler = mark_yield_due;
  sigaction(SIGVTALRM, &action, nullptr);
}

void set_yield_timer(long microseconds)
{
  const itimerval timer{{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_VIRTUAL, &timer, nullptr);
  g_inspector.is_yield_due = false;
}

} // namespace hone::backend::cpu
