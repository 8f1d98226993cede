// hone-jail: closes every door behind itself, then becomes a compiler.
//
//   hone-jail --folder DIR [--uid N] --cpu SECONDS --memory BYTES --file BYTES --processes N
//             [--readable PATH]... -- PROGRAM ARGUMENTS...
//
// Exits with 125 and a line on standard error when a lock does not hold: nothing is ever run half locked.
#include "gate/jail_lock.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace {

struct Options {
  std::string folder;
  std::vector<std::string> readable;
  uid_t uid = 0; // 0: stay who we are
  rlim_t cpu_seconds = 0, memory = 0, file = 0, processes = 0;
  char** command = nullptr;
};

[[noreturn]] void give_up(const std::string& why)
{
  std::fprintf(stderr, "hone-jail: %s\n", why.c_str());
  std::exit(125);
}

[[noreturn]] void give_up_on(const char* step)
{
  give_up(std::string(step) + ": " + std::strerror(errno));
}

Options parse(int count, char** words)
{
  Options options;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = words[i];
    const char* value = words[i + 1];
    const auto number = [value] { return static_cast<rlim_t>(std::strtoull(value, nullptr, 10)); };
    if (name == "--folder") {
      options.folder = value;
    } else if (name == "--readable") {
      options.readable.emplace_back(value);
    } else if (name == "--uid") {
      options.uid = static_cast<uid_t>(number());
    } else if (name == "--cpu") {
      options.cpu_seconds = number();
    } else if (name == "--memory") {
      options.memory = number();
    } else if (name == "--file") {
      options.file = number();
    } else if (name == "--processes") {
      options.processes = number();
    } else if (name == "--") {
      options.command = words + i + 1;
      return options;
    } else {
      give_up("unknown option " + std::string(name));
    }
  }
  give_up("no command");
}

void limit(__rlimit_resource resource, rlim_t soft, rlim_t hard)
{
  const rlimit bounds{soft, hard};
  if (::setrlimit(resource, &bounds) != 0) {
    give_up_on("cannot set a limit");
  }
}

void apply_limits(const Options& options)
{
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_CPU, options.cpu_seconds, options.cpu_seconds + 1); // SIGXCPU first, then SIGKILL
  limit(RLIMIT_FSIZE, options.file, options.file);
  limit(RLIMIT_NPROC, options.processes, options.processes);
}

void drop_identity(uid_t uid)
{
  if (uid == 0) {
    if (::geteuid() == 0) {
      give_up("refuses to run a tool as root");
    }
    return;
  }
  if (::setgroups(0, nullptr) != 0 || ::setresgid(uid, uid, uid) != 0 || ::setresuid(uid, uid, uid) != 0) {
    give_up_on("cannot become another user");
  }
}

void enter(const std::string& folder)
{
  if (folder.empty() || ::chdir(folder.c_str()) != 0) {
    give_up_on("cannot enter the job's folder");
  }
  if (::close_range(3, ~0U, 0) != 0) {
    give_up_on("cannot close inherited files");
  }
}

} // namespace

int main(int count, char** words)
{
  const Options options = parse(count, words);
  enter(options.folder); // as root still: the way to the folder may be closed to the other user
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    give_up_on("cannot give up new privileges");
  }
  // The rule for the folder goes through its descriptor's path, so it too is made before the change of user.
  if (const auto held = hone::gate::apply_landlock(".", options.readable); !held) {
    give_up(held.error().message);
  }
  apply_limits(options);
  drop_identity(options.uid);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL); // after the change of user, which clears it
  if (const auto held = hone::gate::apply_seccomp(); !held) {
    give_up(held.error().message);
  }
  // Last: from here on this process may not be able to allocate.
  limit(RLIMIT_AS, options.memory, options.memory);
  ::execv(options.command[0], options.command);
  std::fprintf(stderr, "hone-jail: cannot start %s: %s\n", options.command[0], std::strerror(errno));
  return 126;
}
