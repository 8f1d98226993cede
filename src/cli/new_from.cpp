#include "cli/new_from.h"

#include "cli/format.h"
#include "cli/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <unistd.h>

namespace hone::cli {

namespace {

bool someone_is_there(const Terminal& terminal)
{
  return !terminal.json() && terminal.interactive() && ::isatty(STDIN_FILENO) == 1;
}

// Asks for the shapes that are missing. False: no answer.
bool ask(const Context& context, const std::vector<import::Question>& questions, ImportRequest& request)
{
  bool answered = false;
  for (const import::Question& question : questions) {
    if (question.argument.empty() || knows_shape(request, question.argument)) {
      continue;
    }
    context.terminal.note(question.what.text());
    print_err(
      fmt::format("shape of {}, the outermost extent first (such as n,m; empty: give up): ", question.argument));
    std::string line;
    if (!std::getline(std::cin, line) || trim(line).empty()) {
      return false;
    }
    request.shapes.push_back(fmt::format("{}={}", question.argument, trim(line)));
    answered = true;
  }
  return answered;
}

bool can_be_asked(const std::vector<import::Question>& questions)
{
  return std::ranges::all_of(questions, [](const import::Question& question) { return !question.argument.empty(); });
}

Exit print_questions(const Context& context, const ImportRequest& request,
                     const std::vector<import::Question>& questions)
{
  for (const import::Question& question : questions) {
    print_err(fmt::format("hone: {}\n", question.what.text()));
  }
  print_err(fmt::format("hone: no kernel was written: {} in '{}' {} open (docs/new-from.md says what is understood)\n",
                        questions.size() == 1 ? "one question" : fmt::format("{} questions", questions.size()),
                        request.file, questions.size() == 1 ? "is" : "are"));
  context.print_json(to_json(questions));
  return Exit::usage;
}

// Which values to ask the user for; empty where they are not at fault.
std::string values_text(const ImportedKernel& imported)
{
  const std::vector<std::string> asked = values_to_ask_for(imported);
  if (asked.empty()) {
    return "";
  }
  return fmt::format("the values may be at fault, not the code: they are drawn from all finite numbers, and a square "
                     "root, a logarithm, a power, a divisor or a conversion to integers makes no sense for some of "
                     "them\n  say which values {} take{}: hone new --from ... --domain {}=LOW,HIGH",
                     join(asked, ", "), asked.size() == 1 ? "s" : "", join(asked, "=LOW,HIGH --domain "));
}

// What to do after the gate has looked at the function.
std::string next_text(const ImportedKernel& imported, record::Status status)
{
  const std::string& backend = imported.kernel.backend;
  const bool device = backend != "cpu";
  const std::string folder = imported.folder.string();
  const std::string start = imported.start.string();
  const std::string run = fmt::format("hone run {} --kernel {}{}", start, folder,
                                      device ? fmt::format(" --backend {} --no-timing", backend) : "");
  if (status == record::Status::correct) {
    return device ? fmt::format("next: edit {}, then: {}", start, run) : fmt::format("next: hone optimize {}", folder);
  }
  if (status == record::Status::compile) {
    return fmt::format("what was taken out of the file does not compile as a candidate: mend it in {}, then: {}", start,
                       run);
  }
  return fmt::format(
    "kernel.toml and the function disagree: look at {}what was taken for granted in {}, mend it, then: {}",
    device ? "the launch, the guards and " : "", imported.file.string(), run);
}

Exit print_verdict(const Context& context, const ImportedKernel& imported, const record::Verdict& verdict)
{
  const bool right = verdict.status == record::Status::correct;
  const Terminal& terminal = context.terminal;
  terminal.out(
    fmt::format("{}{}", terminal.paint(tone_of(verdict.status), record::name_of(verdict.status)),
                right ? fmt::format(": your function computes what kernel.toml says ({} checks)", verdict.checks.size())
                      : ": " + verdict.reason));
  if (const std::string evidence = evidence_text(terminal, verdict); !right && !evidence.empty()) {
    terminal.out(evidence);
  }
  if (const std::string values = right ? "" : values_text(imported); !values.empty()) {
    terminal.out(values);
  }
  terminal.out(next_text(imported, verdict.status));
  context.print_json(to_json(imported, verdict));
  return right ? Exit::ok : Exit::negative;
}

} // namespace

Result<Exit> new_from(Context& context, ImportRequest request)
{
  HONE_TRY(import::ForeignAnswer answer, understand_function(request));
  while (!answer.questions.empty() && can_be_asked(answer.questions) && someone_is_there(context.terminal)
         && ask(context, answer.questions, request)) {
    HONE_TRY(answer, understand_function(request));
  }
  if (!answer.questions.empty()) {
    return print_questions(context, request, answer.questions);
  }
  HONE_TRY(const ImportedKernel imported, write_imported(request, answer.kernel));
  context.terminal.out(imported.kernel.toml);
  context.terminal.out(fmt::format("wrote {} and its first candidate, {}: your function", imported.file.string(),
                                   imported.start.string()));
  const auto record = judge_imported(context, imported);
  if (!record) {
    if (const std::string values = values_text(imported); !values.empty()) {
      context.terminal.out(values);
    }
    return std::unexpected(record.error());
  }
  if (context.stop.stop_requested()) {
    return Exit::interrupted;
  }
  return print_verdict(context, imported, record->verdict);
}

} // namespace hone::cli
