#include "backend/runner/faults.h"

#include "backend/runner/system.h"

#include <csignal>
#include <initializer_list>
#include <sys/syscall.h>
#include <ucontext.h>

namespace hone::backend::runner {
namespace {

Reply* g_reply = nullptr;
alignas(64) char g_alternate_stack[k_fault_stack_bytes];

constexpr greg_t k_page_fault_write = 2;
constexpr greg_t k_page_fault_fetch = 16;

void report(State state)
{
  g_reply->state = state;
  publish(&g_reply->sequence, k_sequence_ended);
}

void on_fault(int signal, siginfo_t* info, void* context)
{
  const greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  g_reply->signal = static_cast<std::uint32_t>(signal);
  g_reply->fault_address = reinterpret_cast<std::uint64_t>(info->si_addr);
  g_reply->fault_write = (registers[REG_ERR] & k_page_fault_write) != 0;
  g_reply->fault_fetch = (registers[REG_ERR] & k_page_fault_fetch) != 0;
  report(State::faulted);
  // SA_RESETHAND: the instruction runs again and now kills the process.
}

// abort() in a candidate is a crash, not an attack: it masks signals and then signals itself.
bool is_abort(const greg_t* registers)
{
  const greg_t call = registers[REG_RAX];
  return (call == SYS_tkill && registers[REG_RSI] == SIGABRT) || (call == SYS_tgkill && registers[REG_RDX] == SIGABRT);
}

void on_blocked_call(int, siginfo_t* info, void* context)
{
  greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  // The kernel leaves the call's number in RAX when a filter traps it.
  if (info->si_syscall == SYS_rt_sigprocmask) {
    registers[REG_RAX] = 0; // pretended, so that abort() gets as far as its signal
    return;
  }
  if (info->si_syscall == SYS_exit) { // of one thread: the others would wait for it
    exit_now(static_cast<int>(registers[REG_RDI]));
  }
  if (is_abort(registers)) {
    g_reply->signal = SIGABRT;
    report(State::faulted);
  } else {
    g_reply->blocked_call = static_cast<std::uint32_t>(info->si_syscall);
    report(State::blocked);
  }
  exit_now(k_exit_blocked);
}

void handle(int signal, void (*handler)(int, siginfo_t*, void*), int extra_flags)
{
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | extra_flags;
  sigaction(signal, &action, nullptr);
}

} // namespace

void set_fault_stack(char* memory)
{
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = k_fault_stack_bytes;
  sigaltstack(&stack, nullptr);
}

void install_fault_handlers(Reply* reply)
{
  g_reply = reply;
  set_fault_stack(g_alternate_stack);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) {
    handle(signal, on_fault, static_cast<int>(SA_RESETHAND));
  }
  handle(SIGSYS, on_blocked_call, 0);
}

} // namespace hone::backend::runner
