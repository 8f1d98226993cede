#include "cli/command_line.h"

#include "cli/called_as.h"
#include "cli/streams.h"
#include "cli/terminal_observer.h"
#include "cli/unknown_words.h"
#include "util/stop_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <pthread.h>
#include <thread>

namespace hone::cli {

namespace {

constexpr const char* k_footer = R"TEXT(
Examples:
  hone optimize kernels/matmul          take a shipped kernel up its climb
  hone new --expr "C[m,n] = sum(k, A[m,k] * B[k,n])" --name mine
  hone report mine                      write the HTML report of its workflow

docs/cli.md explains settings, exit statuses and JSON schemas.
)TEXT";

std::string footer()
{
  std::string text = std::string(k_footer) + "\nExit status:";
  for (const ExitMeaning& exit : k_exit_meanings) {
    text += fmt::format("\n  {:3}  {}", static_cast<int>(exit.status), exit.meaning);
  }
  return text;
}

// Turns Ctrl-C and SIGTERM into a stop request: the job in flight ends and what was reached is kept. A second one
// ends at once.
class StopOnSignal {
public:
  StopOnSignal()
  {
    sigemptyset(&m_signals);
    sigaddset(&m_signals, SIGINT);
    sigaddset(&m_signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &m_signals, nullptr);
    m_waiter = std::jthread([this](const std::stop_token& ended) { wait(ended); });
  }
  ~StopOnSignal()
  {
    m_waiter.request_stop();
    m_waiter.join();
  }
  std::stop_token token() const { return m_source.get_token(); }
  // Who tells of the first signal; null: standard error.
  void tell_on(const Terminal* terminal) { m_terminal = terminal; }

private:
  void wait(const std::stop_token& ended)
  {
    const timespec tick{0, 100'000'000};
    while (!ended.stop_requested()) {
      if (sigtimedwait(&m_signals, nullptr, &tick) < 0) {
        continue;
      }
      if (m_source.stop_requested()) {
        std::_Exit(static_cast<int>(Exit::interrupted));
      }
      constexpr const char* k_stopping = "hone: stopping; what was reached is kept (once more to stop at once)";
      if (const Terminal* terminal = m_terminal) {
        terminal->warning(k_stopping);
      } else {
        print_err(fmt::format("\n{}\n", k_stopping));
      }
      m_source.request_stop();
      request_stop();
    }
  }

  sigset_t m_signals{};
  std::atomic<const Terminal*> m_terminal = nullptr;
  std::stop_source m_source;
  std::jthread m_waiter;
};

Json error_object(const Error& error)
{
  Json object{{"message", error.message}};
  if (!error.hint.empty()) {
    object["hint"] = error.hint;
  }
  if (!error.place.file.empty()) {
    object["file"] = error.place.file;
    object["line"] = error.place.line;
    object["column"] = error.place.column;
  }
  return Json{{"error", object}};
}

Json version_json()
{
  return Json{{"version", version_number()}, {"commit", version_commit()}};
}

int report_error(Error error, bool json, Exit exit)
{
  error.message = as_called(error.message);
  error.hint = as_called(error.hint);
  if (json) {
    print_out(error_object(error).dump(2) + "\n");
  }
  print_err(fmt::format("hone: {}\n", error.text()));
  return static_cast<int>(exit);
}

void add_all(CommandLine& line)
{
  add_optimize(line);
  add_run(line);
  add_tune(line);
  add_apply(line);
  add_keep(line);
  add_compare(line);
  add_profile(line);
  add_episodes(line);
  add_tools(line);
  add_check(line);
  add_lint(line);
  add_inputs(line);
  add_new(line);
  add_history(line);
  add_branch(line);
  add_ship(line);
  add_program(line);
  add_verify(line);
  add_export(line);
  add_replay(line);
  add_study(line);
  add_mutate(line);
  add_report(line);
  add_open(line);
  add_transforms(line);
  add_knowledge(line);
  add_device(line);
  add_doctor(line);
  add_fsck(line);
  add_clean(line);
  add_mcp(line);
  add_serve(line);
  add_config(line);
  add_completion(line);
}

// The exit status, once what was printed has reached standard output.
int status_after_output(int status)
{
  const Result<void> written = finish_out();
  return written || status != 0 ? status : report_error(written.error(), false, Exit::failed);
}

int run_chosen(const CommandLine& line)
{
  auto settings = Settings::load(line.near());
  if (!settings) {
    return report_error(settings.error(), line.json(), Exit::usage);
  }
  for (const auto& [name, value] : line.overrides()) {
    settings->override_from_flag(name, value);
  }
  if (const auto checked = settings->check(); !checked) {
    return report_error(checked.error(), line.json(), Exit::usage);
  }
  Terminal terminal(line.json(), settings->text("color"), line.telling());
  StopOnSignal signals; // ends before the terminal does
  signals.tell_on(&terminal);
  TerminalObserver observer(terminal);
  Context context{{std::move(*settings), signals.token(), &observer}, terminal};
  const Result<Exit> exit = line.chosen()(context);
  context.terminal.clear_status();
  if (!exit) {
    // A mistake in a person's file has a place; everything else is Hone's or the machine's. What was asked to stop
    // may say that it could not go on.
    const Exit status = context.stop.stop_requested()     ? Exit::interrupted
                        : exit.error().place.file.empty() ? Exit::failed
                                                          : Exit::usage;
    return report_error(exit.error(), line.json(), status);
  }
  return static_cast<int>(*exit);
}

} // namespace

void Context::print_json(const Json& object) const
{
  if (terminal.json()) {
    print_out(object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  }
}

CLI::App* CommandLine::add(const std::string& name, const std::string& summary,
                           const std::vector<std::string>& examples, Action action)
{
  CLI::App* command = m_app.add_subcommand(name, summary);
  command->add_flag("--json", m_json, "print one JSON object on stdout (docs/json.md)");
  command->add_flag("--plain,--no-live", m_plain, "progress as plain lines, on a terminal too");
  command->add_flag("--quiet", m_quiet, "no progress: results, warnings and errors only");
  command->add_flag("--yes", m_yes, "accepted for ./hone, which asks before it installs packages");
  add_setting(command, "color", "auto, always or never");
  command->footer("\nExamples:\n  " + join(examples, "\n  "));
  command->callback([this, action = std::move(action)] { m_chosen = action; });
  return command;
}

void CommandLine::add_setting(CLI::App* command, const std::string& name, const std::string& help)
{
  command->add_option_function<std::string>(
    "--" + name, [this, name](const std::string& value) { m_overrides[name] = value; }, help);
}

int run_command_line(int argc, char** argv)
{
  remember_call(argc > 0 ? argv[0] : nullptr);
  CLI::App app("Hone takes a correct compute kernel and makes it fast, with numbers that can be believed.", "hone");
  app.set_version_flag("--version", "hone " + version_text());
  app.require_subcommand(1);
  app.footer(footer());
  CommandLine line(app);
  add_all(line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    if (std::ranges::find(argv, argv + argc, std::string_view("--json")) == argv + argc) {
      return app.exit(version);
    }
    print_out(version_json().dump(2) + "\n");
    return status_after_output(0);
  } catch (const CLI::Success& success) {
    return app.exit(success); // --help, --version
  } catch (const CLI::ParseError& error) {
    if (const auto unknown = unknown_word(app, std::span(argv + 1, static_cast<std::size_t>(std::max(argc - 1, 0))))) {
      return report_error(*unknown, line.json(), Exit::usage);
    }
    if (const auto unknown = unknown_choice(error)) {
      return report_error(*unknown, line.json(), Exit::usage);
    }
    app.exit(error);
    return static_cast<int>(Exit::usage);
  }
  return status_after_output(run_chosen(line));
}

} // namespace hone::cli
