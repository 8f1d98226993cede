#include "gate/jail.h"

#include "gate/isolation.h"
#include "util/disk.h"
#include "util/fs.h"
#include "util/process.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace hone::gate {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int k_helper_failed = 125;
constexpr int k_cannot_start = 126;                                  // the command
constexpr int k_killed = 128;                                        // and the signal's number
constexpr std::uint64_t k_room_to_compile = std::uint64_t{16} << 20; // bytes that one job's files may well take

Result<void> require_isolation(const Isolation& layers)
{
  if (layers.helper_works) {
    return {};
  }
  return fail(fmt::format("candidates cannot be compiled safely here: {}", layers.helper_detail),
              "Landlock and seccomp must work (Linux 5.13 or later with both switched on), and hone-jail must lie "
              "beside the hone program; `hone doctor` shows what holds");
}

// Files of a job lie flat in its folder: no name can lead out of it.
bool is_plain_name(std::string_view name)
{
  return !name.empty() && name[0] != '.' && name[0] != '-' && name.find('/') == std::string_view::npos
         && name.find('\0') == std::string_view::npos;
}

Result<void> write_files(const backend::CompileJob& job, const fs::path& folder, uid_t uid)
{
  for (const auto& [name, text] : job.files) {
    if (!is_plain_name(name)) {
      return fail(fmt::format("a compile job wants to write '{}', which is not a plain file name", name));
    }
    std::ofstream file(folder / name, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.flush()) {
      return fail(fmt::format("cannot write {}: {}", (folder / name).string(), std::strerror(errno)),
                  make_room_hint(folder) + ", or point TMPDIR elsewhere");
    }
    // Readable for the jail's user whatever our umask is.
    std::error_code ignored;
    fs::permissions(folder / name, fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read, ignored);
  }
  if (uid != 0 && ::chown(folder.c_str(), uid, uid) != 0) {
    return fail(fmt::format("cannot hand {} to uid {}: {}", folder.string(), uid, std::strerror(errno)));
  }
  return {};
}

// What a tool left behind is looked at as what it is: a link or a device under the expected name is refused.
Result<std::string> read_output(const fs::path& path, std::int64_t cap, std::string& refusal)
{
  const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat about {};
  if (fd < 0 || ::fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
    refusal = fd < 0 && errno == ENOENT ? "was not written" : "is not a regular file";
    if (fd >= 0) {
      ::close(fd);
    }
    return std::string();
  }
  std::string bytes;
  if (about.st_size > cap) {
    refusal = fmt::format("is larger than {}", format_bytes(static_cast<double>(cap)));
  } else {
    bytes.resize(static_cast<std::size_t>(about.st_size));
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t got = ::read(fd, bytes.data() + done, bytes.size() - done);
      if (got <= 0) {
        break;
      }
      done += static_cast<std::size_t>(got);
    }
    bytes.resize(done);
  }
  ::close(fd);
  return bytes;
}

bool has(std::string_view text, std::string_view part)
{
  return text.find(part) != std::string_view::npos;
}

struct Failure {
  std::string reason; // in one line
  bool broke_limit = false;
};

// The compiler's driver reports its parts' deaths only in its log.
Failure failure_of(const std::string& tool, const ProcessOutcome& outcome, const JailLimits& limits)
{
  if (outcome.stopped) {
    return {fmt::format("{} was stopped", tool), true};
  }
  if (outcome.timed_out) {
    return {fmt::format("{} ran longer than {} s", tool, static_cast<double>(limits.wall.count()) / 1000), true};
  }
  if (outcome.signal == SIGALRM) {
    return {fmt::format("{} gave up after its own time limit", tool), true};
  }
  if (outcome.signal == SIGXCPU || outcome.signal == SIGKILL || has(outcome.err, "CPU time limit exceeded")
      || has(outcome.err, "Killed signal terminated")) {
    return {fmt::format("{} used more than {} s of CPU time", tool, limits.cpu_seconds), true};
  }
  if (has(outcome.err, "out of memory") || has(outcome.err, "memory exhausted") || has(outcome.err, "std::bad_alloc")
      || has(outcome.err, "Cannot allocate memory")) {
    return {
      fmt::format("{} needed more than {} of memory", tool, format_bytes(static_cast<double>(limits.address_space))),
      true};
  }
  if (outcome.signal == SIGXFSZ || has(outcome.err, "File size limit exceeded") || has(outcome.err, "File too large")) {
    return {fmt::format("{} wrote a file larger than {}", tool, format_bytes(static_cast<double>(limits.file_size))),
            true};
  }
  if (outcome.signal != 0) {
    return {fmt::format("{} was killed by {}", tool, ::strsignal(outcome.signal))};
  }
  return {fmt::format("{} reported errors", tool)};
}

// Bubblewrap ends as the command did, and where that was killed as shells do. Statuses beyond all signals are a
// command's own: ptxas ends with 255.
void undo_shell_status(ProcessOutcome& outcome)
{
  if (outcome.exit_status > k_killed && outcome.exit_status <= k_killed + SIGRTMAX) {
    outcome.signal = outcome.exit_status - k_killed;
    outcome.exit_status = -1;
  }
}

// What a full disk made fail says nothing about the candidate, and must not be kept against it. That the disk is nearly
// full is asked of the system, since a candidate can make a compiler print anything.
bool failed_for_want_of_room(const ProcessOutcome& outcome, const fs::path& folder)
{
  const bool sounds_like_it = outcome.signal == SIGBUS || has(outcome.err, "No space left on device")
                              || has(outcome.err, "Bus error") || has(outcome.err, "Disk quota exceeded");
  return sounds_like_it && has_less_room_than(folder, k_room_to_compile);
}

std::string scrubbed(std::string log, const fs::path& folder)
{
  log = replace_all(std::move(log), folder.string() + "/", "");
  log = replace_all(std::move(log), folder.string(), "");
  return replace_all(std::move(log), std::string(k_jail_folder) + "/", "");
}

void append_log(JailOutcome& result, const ProcessOutcome& outcome, const fs::path& folder, std::size_t cap)
{
  constexpr std::string_view cut = "\n[cut]\n";
  result.log += scrubbed(outcome.out, folder);
  result.log += scrubbed(outcome.err, folder);
  if (outcome.output_cut || result.log.size() > cap) {
    result.log.resize(std::min(result.log.size(), cap - std::min(cap, cut.size())));
    result.log += cut;
  }
}

Result<void> run_commands(const backend::CompileJob& job, const JailLimits& limits, const Isolation& layers,
                          const fs::path& folder, JailOutcome& result)
{
  const auto deadline = Clock::now() + limits.wall;
  for (const std::vector<std::string>& command : job.commands) {
    const std::string tool = fs::path(command.at(0)).filename();
    ProcessRequest request;
    request.argv = jail_command_line(
      layers, {folder, job.readable, command, limits.cpu_seconds, limits.address_space, limits.file_size});
    request.environment = jail_environment();
    request.output_cap = limits.log_cap;
    request.stop = limits.stop;
    request.deadline = std::max(std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()),
                                std::chrono::milliseconds(1));
    HONE_TRY(ProcessOutcome outcome, run_process(request));
    if (layers.bubblewrap) {
      undo_shell_status(outcome);
    }
    if (outcome.exit_status == k_helper_failed && has(outcome.err, "hone-jail: ")) {
      return fail(fmt::format("the jail does not hold: {}", trim(outcome.err)), "see `hone doctor`");
    }
    if (outcome.exit_status == k_cannot_start && outcome.err.starts_with("hone-jail: cannot start")) {
      return fail(std::string(trim(outcome.err)),
                  "see `hone doctor`; HONE_LIBEXEC, where it is set, names the folder of Hone's helpers");
    }
    if (!outcome.ok() && failed_for_want_of_room(outcome, folder)) {
      return fail(fmt::format("there is no room to compile a candidate in '{}'", folder.string()),
                  make_room_hint(folder) + ", or point TMPDIR elsewhere");
    }
    append_log(result, outcome, folder, limits.log_cap);
    if (!outcome.ok()) {
      result.status = record::Status::compile;
      Failure failure = failure_of(tool, outcome, limits);
      result.reason = std::move(failure.reason);
      result.broke_limit = failure.broke_limit;
      return {};
    }
  }
  return {};
}

} // namespace

Result<JailOutcome> run_in_jail(const backend::CompileJob& job, const JailLimits& limits)
{
  return run_in_jail(job, limits, isolation());
}

Result<JailOutcome> run_in_jail(const backend::CompileJob& job, const JailLimits& limits, const Isolation& layers)
{
  HONE_CHECK(require_isolation(layers));
  const auto start = Clock::now();
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("hone-job"));
  HONE_CHECK(write_files(job, folder.path(), layers.uid));
  JailOutcome result;
  HONE_CHECK(run_commands(job, limits, layers, folder.path(), result));
  for (const std::string& name : job.outputs) {
    if (result.status != record::Status::correct) {
      break;
    }
    std::string refusal = is_plain_name(name) ? "" : "is not a plain file name";
    if (refusal.empty()) {
      HONE_TRY(result.outputs[name], read_output(folder.path() / name, limits.file_size, refusal));
    }
    if (!refusal.empty()) {
      result.status = record::Status::compile;
      result.reason = fmt::format("the compiler's output {} {}", name, refusal);
      result.outputs.clear();
    }
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

} // namespace hone::gate
