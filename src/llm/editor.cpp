// A person answers in an editor: the request lies in a file, the answer goes below a line in it.
#include "llm/providers.h"
#include "llm/request_text.h"
#include "util/text.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace hone::llm {
namespace {

constexpr std::string_view k_line =
  "===== write the answer below this line; with nothing there the step is left out =====";

using Kind = ModelFailure::Kind;

std::unexpected<ModelFailure> failure(Kind kind, std::string message, std::string hint)
{
  return std::unexpected(ModelFailure{kind, {std::move(message), std::move(hint), {}}});
}

std::string chosen_editor()
{
  for (const char* name : {"VISUAL", "EDITOR"}) {
    if (const char* value = std::getenv(name); value != nullptr && !trim(value).empty()) {
      return value;
    }
  }
  return "";
}

// Keys of providers are nobody else's business.
std::vector<char*> environment_without_keys()
{
  std::vector<char*> variables;
  for (char** variable = ::environ; *variable != nullptr; ++variable) {
    const std::string_view name = std::string_view(*variable).substr(0, std::string_view(*variable).find('='));
    if (!name.ends_with("_API_KEY")) {
      variables.push_back(*variable);
    }
  }
  variables.push_back(nullptr);
  return variables;
}

// On this terminal, to its end; false where it could not be started or failed. $EDITOR may be several words.
bool edit(const std::string& editor, const fs::path& file)
{
  std::string shell = "sh", option = "-c", script = editor + " \"$1\"", path = file.string();
  std::array<char*, 6> arguments{shell.data(), option.data(), script.data(), shell.data(), path.data(), nullptr};
  std::vector<char*> variables = environment_without_keys();
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none); // whoever asks blocks Ctrl-C for itself
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int outcome = posix_spawnp(&child, shell.c_str(), nullptr, &attributes, arguments.data(), variables.data());
  posix_spawnattr_destroy(&attributes);
  int status = 0;
  while (outcome == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return outcome == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class Editor final : public ModelProvider {
public:
  std::string_view name() const override { return "editor"; }

  ModelResult<ModelAnswer> ask(const ModelRequest& request, const ModelListener& listener) override
  {
    const std::string editor = chosen_editor();
    if (editor.empty()) {
      return failure(Kind::configuration, "no editor is chosen",
                     "set EDITOR, or let --model manual:FOLDER wait for a file");
    }
    if (listener.stop.stop_requested()) {
      return failure(Kind::stopped, "stopped", "");
    }
    // Not a temporary one: what somebody wrote is not lost with a slip.
    const fs::path file = cache_folder() / "editor" / (request.hash().substr(0, 12) + ".md");
    std::error_code failed;
    fs::create_directories(file.parent_path(), failed);
    const std::string before = read_file(file).value_or(text_of(request)); // what was begun is gone on with
    if (!before.contains(k_line)) {
      if (auto written = write_file(file, fmt::format("{}\n{}\n", before, k_line)); !written) {
        return std::unexpected(ModelFailure{Kind::configuration, std::move(written.error())});
      }
    }
    if (listener.progress) {
      listener.progress(fmt::format("waiting for {}", editor));
    }
    if (!edit(editor, file)) {
      return failure(
        Kind::stopped, fmt::format("the editor '{}' failed, or was ended", editor),
        fmt::format("{} is kept, and opened again by `hone resume`; or set EDITOR to another one", file.string()));
    }
    const auto text = read_file(file);
    const std::size_t line = text ? text->rfind(k_line) : std::string::npos;
    if (line == std::string::npos) {
      return failure(Kind::answer, fmt::format("the line above the answer is gone from {}", file.string()),
                     "write below it, and leave it there; the file is kept");
    }
    ModelAnswer answer;
    answer.text = trim(std::string_view(*text).substr(line + k_line.size()));
    if (answer.text.empty()) {
      return failure(Kind::answer, "nothing was answered",
                     "an editor in a window must be told to wait, as in EDITOR=\"code --wait\"");
    }
    fs::remove(file, failed); // the answer is kept elsewhere
    answer.text += '\n';
    answer.usage = {estimate_prompt_tokens(request), 0, estimate_tokens(answer.text), true};
    answer.model = "editor";
    return answer;
  }

  ModelResult<std::vector<std::string>> models(std::stop_token) override { return std::vector<std::string>(); }
};

} // namespace

Result<std::unique_ptr<ModelProvider>> make_editor(const ModelSetting&, const ModelServices&)
{
  return std::make_unique<Editor>();
}

} // namespace hone::llm
