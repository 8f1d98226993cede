#include "gate/isolation.h"

#include "gate/gate.h"
#include "gate/jail_lock.h"
#include "util/fs.h"
#include "util/process.h"
#include "util/text.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <pwd.h>
#include <sched.h>
#include <set>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hone::gate {

namespace {

constexpr const char* k_bubblewrap = "/usr/bin/bwrap";
constexpr const char* k_helper_inside = "/.hone-jail";
constexpr int k_processes_of_jobs = 256; // of several at once, which share a user; oclgrind alone has dozens of threads

// Another one per process, so that one Hone's process limit does not count against another's.
uid_t unused_uid()
{
  constexpr uid_t first = 60'000;
  constexpr uid_t count = 5'000;
  const auto start = static_cast<uid_t>(::getpid()) % count;
  for (uid_t step = 0; step < count; ++step) {
    const uid_t uid = first + (start + step) % count;
    if (::getpwuid(uid) == nullptr) {
      return uid;
    }
  }
  return 65'534;
}

// Threads that this user has already: the process limit counts them too.
int threads_of_user(uid_t uid)
{
  int threads = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    struct stat about {};
    const fs::path tasks = entry.path() / "task";
    if (::stat(tasks.c_str(), &about) == 0 && about.st_uid == uid) {
      threads += static_cast<int>(about.st_nlink) - 2;
    }
  }
  return threads;
}

int process_limit(const Isolation& layers)
{
  return k_processes_of_jobs + (layers.uid == 0 ? threads_of_user(::geteuid()) : 0);
}

bool can_make_user_namespace(std::string& detail)
{
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(::unshare(CLONE_NEWUSER) == 0 ? 0 : errno);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
    detail = "cannot be tried";
    return false;
  }
  if (WEXITSTATUS(status) != 0) {
    detail = std::strerror(WEXITSTATUS(status));
  }
  return WEXITSTATUS(status) == 0;
}

// The folders that lead to what a job may read, outermost first: bubblewrap would make them closed to the jail's user.
std::vector<std::string> folders_above(const std::vector<std::string>& paths)
{
  std::set<std::string> folders;
  for (const fs::path path : paths) {
    for (fs::path above = path.parent_path(); above.has_relative_path(); above = above.parent_path()) {
      folders.insert(above);
    }
  }
  return {folders.begin(), folders.end()};
}

std::vector<std::string> bubblewrap_words(const Isolation& layers, const JailedCommand& jailed)
{
  std::vector<std::string> words{k_bubblewrap,    "--die-with-parent", "--unshare-pid",       "--unshare-net",
                                 "--unshare-ipc", "--unshare-uts",     "--unshare-cgroup-try"};
  const auto add = [&words](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
  add({"--perms", "0755", "--dir", "/etc"}); // closed, it would let every program search for its libraries
  for (const std::string& folder : folders_above(jailed.readable)) {
    add({"--perms", "0755", "--dir", folder});
  }
  add({"--ro-bind", "/usr", "/usr", "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--ro-bind-try",
       "/etc/alternatives", "/etc/alternatives", "--dev-bind", "/dev/null", "/dev/null"});
  for (const char* name : {"bin", "lib", "lib64"}) {
    const std::string path = fmt::format("/{}", name);
    if (fs::is_symlink(path)) {
      add({"--symlink", fmt::format("usr/{}", name), path});
    } else {
      add({"--ro-bind-try", path, path});
    }
  }
  for (const std::string& path : jailed.readable) {
    add({"--ro-bind-try", path, path});
  }
  add({"--bind", jailed.folder, k_jail_folder, "--ro-bind", layers.helper, k_helper_inside});
  if (layers.uid == 0) {
    add({"--unshare-user"});
  } else { // the helper changes the user inside, and loses these with it
    add(
      {"--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_DAC_READ_SEARCH"});
  }
  words.emplace_back("--");
  return words;
}

// Runs a command that does nothing through all the layers; says why it did not come to its end.
bool trial(const Isolation& layers, std::string& detail)
{
  const auto folder = TemporaryFolder::create("hone-trial");
  if (!folder) {
    detail = folder.error().message;
    return false;
  }
  if (layers.uid != 0 && ::chown(folder->path().c_str(), layers.uid, layers.uid) != 0) {
    detail = std::strerror(errno);
    return false;
  }
  ProcessRequest request;
  request.argv =
    jail_command_line(layers, {folder->path(), {}, {"/usr/bin/true"}, 2, std::int64_t{1} << 30, std::int64_t{1} << 20});
  request.environment = jail_environment();
  request.deadline = std::chrono::seconds(10);
  const auto outcome = run_process(request);
  if (!outcome) {
    detail = outcome.error().message;
    return false;
  }
  if (!outcome->ok()) {
    detail = outcome->timed_out ? "no answer in 10 s" : std::string(trim(outcome->err));
  }
  return outcome->ok();
}

Isolation find_out()
{
  Isolation layers;
  layers.landlock_abi = landlock_abi();
  layers.seccomp = seccomp_available();
  layers.user_namespaces = can_make_user_namespace(layers.user_namespaces_detail);
  layers.helper = libexec_folder() / "hone-jail";
  layers.uid = ::geteuid() == 0 ? unused_uid() : 0;
  layers.helper_works = trial(layers, layers.helper_detail);
  if (!fs::exists(k_bubblewrap)) {
    layers.bubblewrap_detail = "not installed (Debian package bubblewrap)";
  } else if (layers.helper_works) {
    layers.bubblewrap = true;
    layers.bubblewrap = trial(layers, layers.bubblewrap_detail);
  }
  return layers;
}

} // namespace

const Isolation& isolation()
{
  static const Isolation layers = find_out();
  return layers;
}

std::vector<std::string> jail_command_line(const Isolation& layers, const JailedCommand& jailed)
{
  std::vector<std::string> words;
  if (layers.bubblewrap) {
    words = bubblewrap_words(layers, jailed);
  }
  const auto add = [&words](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
  add({layers.bubblewrap ? k_helper_inside : layers.helper});
  add({"--folder", layers.bubblewrap ? std::string(k_jail_folder) : jailed.folder});
  if (layers.uid != 0) {
    add({"--uid", std::to_string(layers.uid)});
  }
  add({"--cpu", std::to_string(jailed.cpu_seconds), "--memory", std::to_string(jailed.memory), "--file",
       std::to_string(jailed.file), "--processes", std::to_string(process_limit(layers))});
  for (const std::string& path : jailed.readable) {
    add({"--readable", path});
  }
  add({"--"});
  words.insert(words.end(), jailed.command.begin(), jailed.command.end());
  return words;
}

std::vector<std::string> jail_environment()
{
  // Programs of ours find the libraries that a relocatable package carries relative to their own folder, which the
  // dynamic linker cannot find out where there is no /proc.
  return {"PATH=/usr/bin:/bin", "LANG=C", "LC_ALL=C", "TMPDIR=.", "LD_ORIGIN_PATH=" + libexec_folder().string()};
}

std::vector<IsolationLayer> isolation_layers()
{
  const Isolation& found = isolation();
  std::vector<IsolationLayer> layers;
  layers.push_back({"landlock", found.landlock_abi > 0,
                    found.landlock_abi > 0 ? fmt::format("ABI {}", found.landlock_abi)
                                           : "this kernel does not have it, or it is switched off"});
  layers.push_back({"seccomp", found.seccomp, found.seccomp ? "filters" : "this kernel does not have filters"});
  layers.push_back({"jail helper", found.helper_works, found.helper_works ? found.helper : found.helper_detail});
  layers.push_back({"user namespace", found.user_namespaces, found.user_namespaces_detail});
  layers.push_back({"bubblewrap", found.bubblewrap, found.bubblewrap_detail});
  layers.push_back(
    {"separate uid", found.uid != 0, found.uid != 0 ? fmt::format("uid {}", found.uid) : "Hone does not run as root"});
  return layers;
}

} // namespace hone::gate
