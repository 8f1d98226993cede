// Builds and runs in the jail.
#include "gate/jailed_folder.h"
#include "program/machine.h"
#include "util/text.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hone::program {

namespace {

constexpr double k_build_limit_s = 300;
constexpr std::size_t k_log_cap = 16 << 10;
constexpr std::int64_t k_largest_file = std::int64_t{64} << 20;

class JailBuilt final : public BuiltProgram {
public:
  explicit JailBuilt(TemporaryFolder made) : m_folder(std::move(made)) {}
  const fs::path& folder() const { return m_folder.path(); }

private:
  TemporaryFolder m_folder;
};

// The calling thread, and what it starts, on a few CPUs until the end of the scope.
class FewCpus {
public:
  explicit FewCpus(int count)
  {
    sched_getaffinity(0, sizeof m_before, &m_before);
    cpu_set_t few;
    CPU_ZERO(&few);
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&few) < count; ++cpu) {
      if (CPU_ISSET(cpu, &m_before)) {
        CPU_SET(cpu, &few);
      }
    }
    sched_setaffinity(0, sizeof few, &few);
  }
  FewCpus(const FewCpus&) = delete;
  FewCpus& operator=(const FewCpus&) = delete;
  ~FewCpus() { sched_setaffinity(0, sizeof m_before, &m_before); }

private:
  cpu_set_t m_before{};
};

Result<void> put(const fs::path& folder, const std::map<std::string, std::string>& files)
{
  for (const auto& [name, text] : files) {
    const fs::path path = folder / name;
    std::error_code code;
    fs::create_directories(path.parent_path(), code);
    if (code) {
      return fail(fmt::format("cannot make {}: {}", path.parent_path().string(), code.message()));
    }
    HONE_CHECK(write_file(path, text));
  }
  return gate::hand_to_jail(folder);
}

// What a program left behind, looked at as what it is: a link or a device under the name is not there.
std::optional<std::string> regular_file(const fs::path& path)
{
  const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat about {};
  std::optional<std::string> bytes;
  if (fd >= 0 && ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= k_largest_file) {
    bytes.emplace(static_cast<std::size_t>(about.st_size), '\0');
    std::size_t done = 0;
    for (ssize_t got = 1; got > 0 && done < bytes->size();
         done += static_cast<std::size_t>(std::max<ssize_t>(got, 0))) {
      got = ::read(fd, bytes->data() + done, bytes->size() - done);
    }
    bytes->resize(done);
  }
  if (fd >= 0) {
    ::close(fd);
  }
  return bytes;
}

// The jail starts a file, and searches no PATH.
std::string whole_path(const std::string& word)
{
  if (word.find('/') != word.npos) {
    return word;
  }
  std::error_code ignored;
  for (const char* folder : {"/usr/bin", "/bin"}) {
    if (fs::path path = fs::path(folder) / word; fs::exists(path, ignored)) {
      return path;
    }
  }
  return word;
}

class JailMachine final : public Machine {
public:
  explicit JailMachine(std::stop_token asked) : m_stop(std::move(asked)) {}

  Result<BuildOutcome> build(const Tree& tree, const std::vector<std::string>& words) override
  {
    HONE_TRY(TemporaryFolder folder, TemporaryFolder::create("hone-program"));
    HONE_CHECK(put(folder.path(), tree));
    gate::FolderCommand command;
    command.folder = folder.path();
    command.command = words;
    command.command[0] = whole_path(words[0]);
    command.deadline = std::chrono::seconds(static_cast<int>(k_build_limit_s));
    command.output_cap = k_log_cap;
    command.stop = m_stop;
    HONE_TRY(const ProcessOutcome outcome, gate::run_in_folder(command));
    if (outcome.stopped) {
      return fail("stopped");
    }
    BuildOutcome built;
    built.log = replace_all(outcome.out + outcome.err, folder.path().string() + "/", "");
    built.seconds = outcome.seconds;
    if (outcome.ok()) {
      built.program = std::make_shared<JailBuilt>(std::move(folder));
    } else if (outcome.timed_out) {
      built.log += fmt::format("\nthe build took more than {} s", k_build_limit_s);
    }
    return built;
  }

  Result<RunOutcome> run(const BuiltProgram& program, const RunRequest& request) override
  {
    const fs::path& tree = static_cast<const JailBuilt&>(program).folder();
    HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("hone-run"));
    HONE_CHECK(put(folder.path(), request.files));
    gate::FolderCommand command;
    command.folder = folder.path();
    command.readable = {tree};
    for (const std::string& word : request.command) {
      command.command.push_back(replace_all(word, "{tree}", tree.string()));
    }
    std::string& name = command.command[0];
    name = name.starts_with("./") ? (tree / name.substr(2)).string() : whole_path(name);
    command.input = request.input;
    command.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(request.limit_s * 1000));
    command.cpu_seconds = static_cast<int>(std::ceil(request.limit_s)) * request.cpus + 1;
    command.stop = m_stop;
    const FewCpus few(request.cpus);
    HONE_TRY(ProcessOutcome outcome, gate::run_in_folder(command));
    if (outcome.stopped) {
      return fail("stopped");
    }
    RunOutcome result{outcome.exit_status,
                      outcome.signal,
                      outcome.timed_out,
                      outcome.output_cut,
                      std::move(outcome.out),
                      std::move(outcome.err),
                      {},
                      outcome.seconds};
    for (const std::string& wanted : request.collect) {
      if (auto bytes = regular_file(folder.path() / wanted)) {
        result.files[wanted] = std::move(*bytes);
      }
    }
    return result;
  }

private:
  std::stop_token m_stop;
};

} // namespace

std::unique_ptr<Machine> make_jail_machine(std::stop_token stop)
{
  return std::make_unique<JailMachine>(std::move(stop));
}

} // namespace hone::program
