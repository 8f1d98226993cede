// How a command plugs into the command line. (internal to the cli)
#pragma once

#include "app/context.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "util/json.h"
#include "util/util.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace hone::cli {

using namespace app; // what commands do are the use cases of that room

struct ExitMeaning {
  Exit status;
  const char* meaning;
};
constexpr ExitMeaning k_exit_meanings[] = {
  {Exit::ok, "done"},
  {Exit::negative, "the answer is no (not correct, a mistake found)"},
  {Exit::usage, "wrong arguments or a mistake in a file"},
  {Exit::missing, "something is missing on this machine"},
  {Exit::failed, "Hone could not do its work"},
  {Exit::interrupted, "interrupted; what was reached is kept"},
};

// What every command gets when it runs. Stopped by Ctrl-C or SIGTERM; its observer writes to the terminal.
struct Context : app::Context {
  Terminal& terminal;

  // Prints the one documented object in JSON mode; does nothing otherwise.
  void print_json(const Json& object) const;
};

using Action = std::function<Result<Exit>(Context&)>;

// Declares commands: each `add_*` function makes one (or a family) and registers what it does.
class CommandLine {
public:
  explicit CommandLine(CLI::App& app) : m_app(app) {}

  // A command with the flags that all have (--json, --backend, --state, ...). `examples`: whole lines.
  CLI::App* add(const std::string& name, const std::string& summary, const std::vector<std::string>& examples,
                Action action);
  // A flag that overrides a setting of the same name.
  void add_setting(CLI::App* command, const std::string& name, const std::string& help);

  const CLI::App& app() const { return m_app; }
  const Action& chosen() const { return m_chosen; }
  bool json() const { return m_json; }
  Telling telling() const { return m_quiet ? Telling::quiet : m_plain ? Telling::plain : Telling::live; }
  bool yes() const { return m_yes; }
  const std::map<std::string, std::string>& overrides() const { return m_overrides; }
  const std::string& near() const { return m_near; }
  // Where project settings are looked for: the kernel's folder, when the command has one.
  std::string& near() { return m_near; }

private:
  CLI::App& m_app;
  Action m_chosen;
  bool m_json = false;
  bool m_plain = false;
  bool m_quiet = false;
  bool m_yes = false; // of `clean`; ./hone looks at it, too, before this program starts
  std::map<std::string, std::string> m_overrides;
  std::string m_near = ".";
};

// One per file in commands/.
void add_optimize(CommandLine& line);
void add_run(CommandLine& line);
void add_tune(CommandLine& line);
void add_apply(CommandLine& line);
void add_keep(CommandLine& line);
void add_compare(CommandLine& line);
void add_profile(CommandLine& line);
void add_episodes(CommandLine& line);
void add_tools(CommandLine& line);
void add_check(CommandLine& line);
void add_lint(CommandLine& line);
void add_inputs(CommandLine& line);
void add_new(CommandLine& line);
void add_history(CommandLine& line); // log, show, diff, checkout
void add_branch(CommandLine& line);
void add_ship(CommandLine& line);
void add_program(CommandLine& line);
void add_verify(CommandLine& line);
void add_export(CommandLine& line);
void add_replay(CommandLine& line);
void add_study(CommandLine& line);
void add_mutate(CommandLine& line);
void add_report(CommandLine& line);
void add_open(CommandLine& line);
void add_transforms(CommandLine& line);
void add_knowledge(CommandLine& line);
void add_device(CommandLine& line);
void add_doctor(CommandLine& line);
void add_fsck(CommandLine& line);
void add_clean(CommandLine& line);
void add_mcp(CommandLine& line);
void add_serve(CommandLine& line);
void add_config(CommandLine& line);
void add_completion(CommandLine& line); // completion, man

} // namespace hone::cli
