#include "gate/jail_lock.h"

#include <seccomp.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <memory>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hone::gate {

namespace {

// Rights and fields that are younger than the oldest kernel headers we build with.
constexpr std::uint64_t k_truncate = 1ULL << 14;             // ABI 3
constexpr std::uint64_t k_ioctl_device = 1ULL << 15;         // ABI 5
constexpr std::uint64_t k_tcp = (1ULL << 0) | (1ULL << 1);   // ABI 4: bind, connect
constexpr std::uint64_t k_scope = (1ULL << 0) | (1ULL << 1); // ABI 6: abstract sockets, signals

struct RulesetAttributes {
  std::uint64_t files;
  std::uint64_t network; // ABI 4
  std::uint64_t scoped;  // ABI 6
};

constexpr std::uint64_t k_read =
  LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t k_build = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR
                                  | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG
                                  | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE
                                  | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REFER | k_truncate;
constexpr std::uint64_t k_file_only = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE
                                      | LANDLOCK_ACCESS_FS_WRITE_FILE | k_truncate | k_ioctl_device;

// Every right that this ABI can withhold.
std::uint64_t known_rights(int abi)
{
  std::uint64_t rights = (1ULL << 13) - 1;
  if (abi >= 2) {
    rights |= LANDLOCK_ACCESS_FS_REFER;
  }
  if (abi >= 3) {
    rights |= k_truncate;
  }
  if (abi >= 5) {
    rights |= k_ioctl_device;
  }
  return rights;
}

std::size_t attributes_size(int abi)
{
  return abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
}

std::unexpected<Error> system_failure(const std::string& what)
{
  return fail(what + ": " + std::strerror(errno));
}

// A path that does not exist needs no rule; a path that cannot be added only takes rights away.
Result<void> allow(int ruleset, const std::string& path, std::uint64_t rights, int abi)
{
  const int fd = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) {
    return {};
  }
  struct stat about {};
  ::fstat(fd, &about);
  landlock_path_beneath_attr rule{};
  rule.parent_fd = fd;
  rule.allowed_access = rights & known_rights(abi) & (S_ISDIR(about.st_mode) ? ~0ULL : k_file_only);
  const long added = ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  const int code = errno;
  ::close(fd);
  if (added != 0) {
    errno = code;
    return system_failure("Landlock refuses a rule for " + path);
  }
  return {};
}

constexpr int k_denied_calls[] = {
  SCMP_SYS(socket),
  SCMP_SYS(socketpair),
  SCMP_SYS(connect),
  SCMP_SYS(bind),
  SCMP_SYS(listen),
  SCMP_SYS(accept),
  SCMP_SYS(accept4),
  SCMP_SYS(sendto),
  SCMP_SYS(sendmsg),
  SCMP_SYS(sendmmsg),
  SCMP_SYS(ptrace),
  SCMP_SYS(process_vm_readv),
  SCMP_SYS(process_vm_writev),
  SCMP_SYS(process_madvise),
  SCMP_SYS(pidfd_getfd),
  SCMP_SYS(pidfd_open),
  SCMP_SYS(kcmp),
  SCMP_SYS(mount),
  SCMP_SYS(umount2),
  SCMP_SYS(pivot_root),
  SCMP_SYS(chroot),
  SCMP_SYS(open_tree),
  SCMP_SYS(move_mount),
  SCMP_SYS(fsopen),
  SCMP_SYS(fsconfig),
  SCMP_SYS(fsmount),
  SCMP_SYS(fspick),
  SCMP_SYS(mount_setattr),
  SCMP_SYS(unshare),
  SCMP_SYS(setns),
  SCMP_SYS(swapon),
  SCMP_SYS(swapoff),
  SCMP_SYS(bpf),
  SCMP_SYS(perf_event_open),
  SCMP_SYS(userfaultfd),
  SCMP_SYS(io_uring_setup),
  SCMP_SYS(io_uring_enter),
  SCMP_SYS(io_uring_register),
  SCMP_SYS(fanotify_init),
  SCMP_SYS(name_to_handle_at),
  SCMP_SYS(open_by_handle_at),
  SCMP_SYS(lookup_dcookie),
  SCMP_SYS(keyctl),
  SCMP_SYS(add_key),
  SCMP_SYS(request_key),
  SCMP_SYS(kexec_load),
  SCMP_SYS(kexec_file_load),
  SCMP_SYS(init_module),
  SCMP_SYS(finit_module),
  SCMP_SYS(delete_module),
  SCMP_SYS(reboot),
  SCMP_SYS(syslog),
  SCMP_SYS(acct),
  SCMP_SYS(quotactl),
  SCMP_SYS(settimeofday),
  SCMP_SYS(clock_settime),
  SCMP_SYS(clock_adjtime),
  SCMP_SYS(adjtimex),
  SCMP_SYS(sethostname),
  SCMP_SYS(setdomainname),
  SCMP_SYS(iopl),
  SCMP_SYS(ioperm),
  SCMP_SYS(personality),
  SCMP_SYS(shmget),
  SCMP_SYS(shmat),
  SCMP_SYS(semget),
  SCMP_SYS(msgget),
  SCMP_SYS(mq_open),
  SCMP_SYS(memfd_create),
  SCMP_SYS(memfd_secret),
  SCMP_SYS(execveat),
  SCMP_SYS(mknod),
  SCMP_SYS(mknodat),
  // The deadline kills by process group: nothing may leave its group.
  SCMP_SYS(setsid),
  SCMP_SYS(setpgid),
};

constexpr int k_signal_calls[] = {SCMP_SYS(kill),
                                  SCMP_SYS(tkill),
                                  SCMP_SYS(tgkill),
                                  SCMP_SYS(rt_sigqueueinfo),
                                  SCMP_SYS(rt_tgsigqueueinfo),
                                  SCMP_SYS(pidfd_send_signal)};

constexpr unsigned k_namespace_flags[] = {CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,   CLONE_NEWNET,
                                          CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP};

bool deny_all(scmp_filter_ctx filter)
{
  for (const int call : k_denied_calls) {
    // Calls that this architecture does not have are negative numbers here.
    if (call >= 0 && ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0) != 0) {
      return false;
    }
  }
  for (const unsigned flag : k_namespace_flags) {
    if (::seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag))
        != 0) {
      return false;
    }
  }
  // Its flags lie in memory, where a filter cannot see them; libc falls back to clone.
  if (::seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) != 0) {
    return false;
  }
  if (landlock_abi() < 6) { // later ABIs keep signals inside, and tools may then signal their own children
    for (const int call : k_signal_calls) {
      if (::seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0) != 0) {
        return false;
      }
    }
  }
  return true;
}

} // namespace

int landlock_abi()
{
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return abi > 0 ? static_cast<int>(abi) : 0;
}

bool seccomp_available()
{
  std::uint32_t action = SECCOMP_RET_ERRNO;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

Result<void> apply_landlock(const std::string& folder, const std::vector<std::string>& readable)
{
  const int abi = landlock_abi();
  if (abi == 0) {
    return fail("this kernel has no Landlock");
  }
  const RulesetAttributes attributes{known_rights(abi), k_tcp, k_scope};
  const int ruleset = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, attributes_size(abi), 0));
  if (ruleset < 0) {
    return system_failure("cannot make a Landlock ruleset");
  }
  std::vector<std::string> seen{"/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives"};
  seen.insert(seen.end(), readable.begin(), readable.end());
  for (const std::string& path : seen) {
    HONE_CHECK(allow(ruleset, path, k_read, abi));
  }
  HONE_CHECK(allow(ruleset, folder, k_build, abi));
  HONE_CHECK(allow(ruleset, "/dev/null", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE, abi));
  if (::syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) {
    return system_failure("Landlock does not hold");
  }
  ::close(ruleset);
  return {};
}

Result<void> apply_seccomp()
{
  const std::unique_ptr<void, void (*)(void*)> filter{::seccomp_init(SCMP_ACT_ALLOW), ::seccomp_release};
  if (!filter || !deny_all(filter.get())) {
    return fail("cannot make a seccomp filter");
  }
  if (const int code = ::seccomp_load(filter.get()); code != 0) {
    errno = -code;
    return system_failure("seccomp does not hold");
  }
  return {};
}

} // namespace hone::gate
