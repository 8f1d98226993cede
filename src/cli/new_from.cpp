#include "cli/new_from.h"

#include "cli/format.h"
#include "cli/streams.h"
#include "import/import.h"

#include <fmt/format.h>

#include <iostream>
#include <unistd.h>

namespace hone::cli {

namespace {

// "x=n,m": the extents of one argument.
Result<void> take_shape(const std::string& text, ForeignFunction& request)
{
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return fail(fmt::format("'{}' is not a shape", text), "write shapes as --shape x=n,2*m, the outermost extent first",
                Place{"--shape", 0, 0});
  }
  for (const std::string& extent : split(text.substr(equals + 1), ',')) {
    request.shapes[text.substr(0, equals)].emplace_back(trim(extent));
  }
  return {};
}

Result<ForeignFunction> request_from(const FromOptions& options)
{
  ForeignFunction request;
  request.file = options.file;
  request.function = options.function;
  request.name = options.name;
  HONE_TRY(request.sizes, parse_sizes(options.sizes));
  for (const std::string& shape : options.shapes) {
    HONE_CHECK(take_shape(shape, request));
  }
  for (const std::string& folder : options.include_folders) {
    request.flags.push_back("-I" + folder);
  }
  for (const std::string& definition : options.definitions) {
    request.flags.push_back("-D" + definition);
  }
  return request;
}

bool someone_is_there(const Terminal& terminal)
{
  return !terminal.json() && terminal.live() && ::isatty(STDIN_FILENO) == 1;
}

// Asks for the shapes that are missing. False: no answer.
bool ask(const Context& context, const std::vector<Question>& questions, ForeignFunction& request)
{
  bool answered = false;
  for (const Question& question : questions) {
    if (question.argument.empty() || request.shapes.contains(question.argument)) {
      continue;
    }
    context.terminal.note(question.what.text());
    print_err(
      fmt::format("shape of {}, the outermost extent first (such as n,m; empty: give up): ", question.argument));
    std::string line;
    if (!std::getline(std::cin, line) || trim(line).empty()) {
      return false;
    }
    answered = take_shape(fmt::format("{}={}", question.argument, trim(line)), request).has_value();
  }
  return answered;
}

bool can_be_asked(const std::vector<Question>& questions)
{
  return std::ranges::all_of(questions, [](const Question& question) { return !question.argument.empty(); });
}

Exit print_questions(const Context& context, const ForeignFunction& request, const std::vector<Question>& questions)
{
  Json list = Json::array();
  for (const Question& question : questions) {
    Json entry = mistake_json(question.what);
    entry["argument"] = question.argument.empty() ? Json(nullptr) : Json(question.argument);
    list.push_back(entry);
    print_err(fmt::format("hone: {}\n", question.what.text()));
  }
  print_err(fmt::format("hone: no kernel was written: {} in '{}' {} open (docs/new-from.md says what is understood)\n",
                        questions.size() == 1 ? "one question" : fmt::format("{} questions", questions.size()),
                        request.file.string(), questions.size() == 1 ? "is" : "are"));
  context.print_json({{"questions", list}});
  return Exit::usage;
}

Result<fs::path> write_folder(const FromOptions& options, const ForeignKernel& kernel)
{
  HONE_TRY(const fs::path folder, new_kernel_folder(options.folder, kernel.name));
  HONE_CHECK(write_file(folder / "kernel.toml", kernel.toml));
  HONE_TRY(const Kernel loaded, load_kernel(folder));
  HONE_TRY(const Candidate start, make_candidate(loaded, kernel.start));
  HONE_CHECK(save_candidate(start, start_folder(folder, "cpu")));
  return folder;
}

// The user's function against the reference that was derived from it: a wrong understanding shows here.
Result<Record> through_the_gate(Context& context, const fs::path& folder)
{
  context.settings.override_from_flag("backend", "cpu");
  KernelOptions options;
  options.kernel = folder.string();
  HONE_TRY(const Workbench bench, open_workbench(context, options));
  HONE_TRY(const Contender contender, contender_named(bench, nullptr, start_folder(folder, "cpu").string()));
  HONE_TRY(const auto executor, open_executor(bench, context));
  Job job;
  job.kind = Job::Kind::validate;
  job.contender = contender;
  job.recipe = bench.recipe;
  job.depth = Depth::promote;
  context.terminal.status("your function, through the gate ...");
  auto record = executor->run(job);
  context.terminal.clear_status();
  return record;
}

void print_made(const Context& context, const ForeignKernel& kernel, const fs::path& folder)
{
  context.terminal.out(kernel.toml);
  context.terminal.out(fmt::format("wrote {} and its first candidate, {}: your function",
                                   (folder / "kernel.toml").string(), start_folder(folder, "cpu").string()));
}

Exit print_verdict(const Context& context, const ForeignKernel& kernel, const fs::path& folder, const Verdict& verdict)
{
  const bool right = verdict.status == Status::correct;
  const Terminal& terminal = context.terminal;
  terminal.out(
    fmt::format("{}{}", terminal.paint(tone_of(verdict.status), name_of(verdict.status)),
                right ? fmt::format(": your function computes what kernel.toml says ({} checks)", verdict.checks.size())
                      : ": " + verdict.reason));
  if (const std::string evidence = evidence_text(terminal, verdict); !right && !evidence.empty()) {
    terminal.out(evidence);
  }
  terminal.out(
    right ? fmt::format("next: hone optimize {}", folder.string())
          : fmt::format("kernel.toml and the function disagree: look at what was taken for granted in {}, mend "
                        "it, then: hone run {} --kernel {}",
                        (folder / "kernel.toml").string(), start_folder(folder, "cpu").string(), folder.string()));
  context.print_json({{"kernel", kernel.name},
                      {"folder", folder.string()},
                      {"file", (folder / "kernel.toml").string()},
                      {"start", start_folder(folder, "cpu").string()},
                      {"notes", kernel.notes},
                      {"toml", kernel.toml},
                      {"status", name_of(verdict.status)},
                      {"reason", verdict.reason}});
  return right ? Exit::ok : Exit::negative;
}

} // namespace

Result<fs::path> new_kernel_folder(const std::string& wanted, const std::string& name)
{
  const fs::path folder = wanted.empty() ? fs::path(name) : fs::path(wanted);
  const fs::path file = folder / "kernel.toml";
  std::error_code error;
  if (fs::exists(file, error)) {
    return fail(fmt::format("'{}' exists already", file.string()),
                "choose another folder with --out, or edit that file", Place{file.string(), 0, 0});
  }
  fs::create_directories(folder, error);
  if (error) {
    return fail(fmt::format("cannot make folder '{}': {}", folder.string(), error.message()),
                "choose another folder with --out");
  }
  return folder;
}

Result<Exit> new_from(Context& context, const FromOptions& options)
{
  HONE_TRY(ForeignFunction request, request_from(options));
  HONE_TRY(ForeignAnswer answer, kernel_from(request));
  while (!answer.questions.empty() && can_be_asked(answer.questions) && someone_is_there(context.terminal)
         && ask(context, answer.questions, request)) {
    HONE_TRY(answer, kernel_from(request));
  }
  if (!answer.questions.empty()) {
    return print_questions(context, request, answer.questions);
  }
  HONE_TRY(const fs::path folder, write_folder(options, answer.kernel));
  print_made(context, answer.kernel, folder);
  HONE_TRY(const Record record, through_the_gate(context, folder));
  if (context.stop.stop_requested()) {
    return Exit::interrupted;
  }
  return print_verdict(context, answer.kernel, folder, record.verdict);
}

} // namespace hone::cli
