#include "backend/runner/seccomp_filter.h"

#include <cerrno>
#include <cstddef>
#include <initializer_list>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

// Plain BPF instead of libseccomp: the strict runner is a small static program without allocations.
namespace hone::backend::runner {
namespace {

constexpr std::uint32_t k_refuse = SECCOMP_RET_ERRNO | EPERM;
constexpr std::uint32_t k_x32_calls = 0x40000000; // the same calls under other numbers
constexpr std::uint32_t k_pretend_missing = SECCOMP_RET_ERRNO | ENOSYS;

class Program {
public:
  Program()
  {
    load(offsetof(seccomp_data, arch));
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
    answer(SECCOMP_RET_KILL_PROCESS); // 32-bit calls
    load(offsetof(seccomp_data, nr));
    add(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, k_x32_calls, 0, 1));
    answer(SECCOMP_RET_KILL_PROCESS);
  }

  // When the call has this number, the answer is `action`. Expects the number to be loaded.
  void on_call(long number, std::uint32_t action)
  {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 1));
    answer(action);
  }

  void answer(std::uint32_t action) { add(BPF_STMT(BPF_RET | BPF_K, action)); }

  // Allows a call only when (argument & mask) == wanted, looking at the lower half of the argument; else traps it.
  void on_argument(long number, unsigned argument, std::uint32_t mask, std::uint32_t wanted)
  {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 5));
    load(static_cast<std::uint32_t>(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t)));
    add(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, wanted, 0, 1));
    answer(SECCOMP_RET_ALLOW);
    answer(SECCOMP_RET_TRAP);
  }

  // On all threads of the process.
  const char* install()
  {
    if (m_size == k_most) {
      return "the seccomp filter is too long";
    }
    const sock_fprog program = {static_cast<unsigned short>(m_size), m_code};
    const long answer = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    return answer == 0 ? nullptr : "seccomp could not be switched on";
  }

private:
  static constexpr std::size_t k_most = 128;

  void load(std::uint32_t offset) { add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)); }
  void add(sock_filter instruction)
  {
    if (m_size < k_most) {
      m_code[m_size++] = instruction;
    }
  }

  sock_filter m_code[k_most];
  std::size_t m_size = 0;
};

const char* install_strict()
{
  Program program;
  for (const long number : {SYS_futex, SYS_clock_gettime, SYS_exit_group, SYS_rt_sigreturn}) {
    program.on_call(number, SECCOMP_RET_ALLOW);
  }
  program.answer(SECCOMP_RET_TRAP);
  return program.install();
}

const char* install_loose()
{
  Program program;
  for (const long number :
       {SYS_execve, SYS_execveat, SYS_fork, SYS_vfork, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev,
        SYS_kill, SYS_tkill, SYS_pidfd_open, SYS_pidfd_send_signal, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo}) {
    program.on_call(number, SECCOMP_RET_TRAP);
  }
  for (const long number :
       {SYS_socket, SYS_socketpair, SYS_mount, SYS_umount2, SYS_unshare, SYS_setns, SYS_bpf, SYS_perf_event_open,
        SYS_add_key, SYS_keyctl, SYS_request_key, SYS_io_uring_setup, SYS_userfaultfd, SYS_chroot, SYS_pivot_root,
        // Where and how eagerly this process and others run, and where their memory lies.
        SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr, SYS_setpriority,
        SYS_process_madvise, SYS_move_pages, SYS_migrate_pages}) {
    program.on_call(number, k_refuse);
  }
  program.on_call(SYS_clone3, k_pretend_missing); // its flags are out of a filter's sight; libc falls back to clone
  program.on_argument(SYS_clone, 0, CLONE_THREAD, CLONE_THREAD);
  program.on_argument(SYS_tgkill, 0, ~0U, static_cast<std::uint32_t>(getpid()));
  program.answer(SECCOMP_RET_ALLOW);
  return program.install();
}

} // namespace

const char* install_seccomp_filter(LockProfile profile)
{
  return profile == LockProfile::strict ? install_strict() : install_loose();
}

} // namespace hone::backend::runner
