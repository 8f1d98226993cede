#include "gate/jailed_folder.h"

#include "gate/isolation.h"
#include "util/text.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <unistd.h>

namespace hone::gate {

namespace {

constexpr int k_lock_failed = 125;
constexpr int k_not_started = 126;
constexpr int k_ended_by_signal = 128; // and its number, as bubblewrap and shells tell it

} // namespace

Result<void> hand_to_jail(const fs::path& folder)
{
  const uid_t uid = isolation().uid;
  if (uid == 0) {
    return {};
  }
  const auto hand = [uid](const fs::path& path) -> Result<void> {
    if (::lchown(path.c_str(), uid, uid) != 0) {
      return fail(fmt::format("cannot hand {} to uid {}: {}", path.string(), uid, std::strerror(errno)));
    }
    return {};
  };
  HONE_CHECK(hand(folder));
  std::error_code code;
  for (auto entry = fs::recursive_directory_iterator(folder, code); !code && entry != fs::end(entry);
       entry.increment(code)) {
    HONE_CHECK(hand(entry->path()));
  }
  return {};
}

Result<ProcessOutcome> run_in_folder(const FolderCommand& command)
{
  const Isolation& layers = isolation();
  if (!layers.helper_works) {
    return fail(fmt::format("programs cannot be run safely here: {}", layers.helper_detail),
                "Landlock and seccomp must work; `hone doctor` shows what holds");
  }
  JailedCommand jailed;
  jailed.folder = command.folder;
  for (const fs::path& path : command.readable) {
    jailed.readable.push_back(path);
  }
  jailed.command = command.command;
  jailed.cpu_seconds = command.cpu_seconds;
  jailed.memory = command.address_space;
  jailed.file = command.file_size;
  ProcessRequest request;
  request.argv = jail_command_line(layers, jailed);
  request.environment = jail_environment();
  request.input = command.input;
  request.deadline = command.deadline;
  request.output_cap = command.output_cap;
  request.stop = command.stop;
  HONE_TRY(ProcessOutcome outcome, run_process(request));
  const bool helper_speaks = outcome.err.starts_with("hone-jail: ");
  if (helper_speaks && (outcome.exit_status == k_lock_failed || outcome.exit_status == k_not_started)) {
    return fail(std::string(trim(outcome.err)), "see `hone doctor`; a command of a program is a file that its build "
                                                "made (./NAME) or a whole path of the system's");
  }
  if (layers.bubblewrap && outcome.exit_status > k_ended_by_signal
      && outcome.exit_status <= k_ended_by_signal + SIGRTMAX) {
    outcome.signal = outcome.exit_status - k_ended_by_signal;
    outcome.exit_status = -1;
  }
  return outcome;
}

} // namespace hone::gate
