#include "backend/runner/landlock.h"

#include <cstdint>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// The kernel's interface, spelled out: Debian 12's headers know only its first versions, and a newer kernel offers
// more.
namespace hone::backend::runner {
namespace {

struct RulesetAttributes {
  std::uint64_t handled_files;
  std::uint64_t handled_network;
  std::uint64_t scoped;
};

struct __attribute__((packed)) PathRule {
  std::uint64_t allowed;
  std::int32_t parent_fd;
};

constexpr int k_path_rule = 1;
constexpr unsigned k_ask_version = 1;

constexpr std::uint64_t k_execute = 1 << 0;
constexpr std::uint64_t k_write_file = 1 << 1;
constexpr std::uint64_t k_read_file = 1 << 2;
constexpr std::uint64_t k_read_folder = 1 << 3;
constexpr std::uint64_t k_truncate = 1 << 14;
constexpr std::uint64_t k_device_control = 1 << 15;

// Rights that exist in each version of the interface.
constexpr std::uint64_t file_rights(long version)
{
  if (version >= 5) {
    return (1 << 16) - 1;
  }
  if (version >= 3) {
    return (1 << 15) - 1;
  }
  return version == 2 ? (1 << 14) - 1 : (1 << 13) - 1;
}

void allow(int ruleset, const char* const* paths, std::uint64_t rights, std::uint64_t handled)
{
  constexpr std::uint64_t k_plain_file_rights = k_execute | k_write_file | k_read_file | k_truncate | k_device_control;
  for (; paths != nullptr && *paths != nullptr; ++paths) {
    const int fd = open(*paths, O_PATH | O_CLOEXEC);
    if (fd < 0) {
      continue;
    }
    PathRule rule = {rights & handled, fd};
    if (syscall(SYS_landlock_add_rule, ruleset, k_path_rule, &rule, 0) != 0) {
      rule.allowed &= k_plain_file_rights; // a file takes no folder rights
      syscall(SYS_landlock_add_rule, ruleset, k_path_rule, &rule, 0);
    }
    close(fd);
  }
}

} // namespace

const char* restrict_files(const char* const* readable, const char* const* writable)
{
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, k_ask_version);
  if (version < 1) {
    return nullptr;
  }
  RulesetAttributes attributes = {file_rights(version), 0, 0};
  std::size_t size = sizeof attributes.handled_files;
  if (version >= 4) {
    attributes.handled_network = 3; // bind and connect
    size += sizeof attributes.handled_network;
  }
  if (version >= 6) {
    attributes.scoped = 3; // abstract sockets and signals
    size += sizeof attributes.scoped;
  }
  const int ruleset = static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, size, 0));
  if (ruleset < 0) {
    return "landlock refused the rule set";
  }
  allow(ruleset, readable, k_execute | k_read_file | k_read_folder, attributes.handled_files);
  allow(ruleset, writable, attributes.handled_files, attributes.handled_files);
  const bool done = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  close(ruleset);
  return done ? nullptr : "landlock could not be switched on";
}

} // namespace hone::backend::runner
