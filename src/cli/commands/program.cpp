// hone program: whole programs with a region of interest.
#include "app/programs.h"
#include "cli/command_line.h"
#include "cli/format.h"
#include "cli/model_options.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

struct ProgramOptions {
  std::string verb, folder, region;
  std::vector<std::string> sizes;
  bool no_timing = false, text_only = false, patch = false;
};

Result<Exit> check_program_at(Context& context, const ProgramOptions& options)
{
  HONE_TRY(const program::ProgramCheck check, check_program(context, options.folder));
  const Terminal& terminal = context.terminal;
  terminal.out(fmt::format("{}: region {} ({} lines), tier C", check.program, check.region, check.lines));
  terminal.out(check.repeats ? "repeats: yes, within the tolerance" : "repeats: NO; " + check.difference);
  terminal.out(fmt::format("a timed run: {}, of which {} start it; the region: {} ({:.0f} %) in {:.0f} entries, as the "
                           "program's own process reports",
                           format_seconds(check.whole_s), format_seconds(check.started_s),
                           format_seconds(check.region_s), 100 * check.share, check.entries));
  terminal.out("without the region: " + check.without_region);
  for (const std::string& warning : check.warnings) {
    terminal.out(terminal.paint(Tone::warning, "warning: " + warning));
  }
  if (check.notices_nothing) {
    terminal.out("the outputs do not depend on the region: compare more of what the program computes");
  }
  if (check.entries <= 0) {
    terminal.out("the region is not entered in a timed run");
  }
  terminal.out(check.sound() ? terminal.paint(Tone::good, "sound") : terminal.paint(Tone::bad, "not sound"));
  context.print_json(to_json(check));
  return check.sound() ? Exit::ok : Exit::negative;
}

void print_program_record(const Terminal& terminal, const program::ProgramRecord& record)
{
  const Tone tone = record.status != record::Status::correct ? Tone::bad : record.accepted() ? Tone::good : Tone::plain;
  if (record.status != record::Status::correct) {
    terminal.out(fmt::format("{}: {}", terminal.paint(tone, name_of(record.status)), record.reason));
    if (!record.log.empty()) {
      terminal.out(record.log);
    }
    return;
  }
  terminal.out(terminal.paint(tone, to_text(record)));
  const double worst =
    record.compared.empty() ? 0 : std::ranges::max(record.compared, {}, &program::ComparedInput::worst).worst;
  terminal.out(fmt::format("verified on {} inputs and in {} timed pairs; largest error: {:.2g} of what is allowed",
                           record.compared.size(), record.pairs.size(), worst));
  if (record.within) {
    terminal.out(fmt::format("the region is {:.0f} % of the original's time", 100 * record.share));
  }
  for (const std::string& flag : record.flags) {
    terminal.out("note: " + flag);
  }
}

Result<Exit> run_program_at(Context& context, const ProgramOptions& options)
{
  if (options.region.empty()) {
    return fail("which text takes the region's place?", "give --region FILE", Place{"--region", 0, 0});
  }
  HONE_TRY(const JudgedProgram judged, judge_program(context, options.folder, options.region, !options.no_timing));
  print_program_record(context.terminal, judged.record);
  if (judged.best) {
    context.terminal.out(fmt::format("kept; `hone program show {} --patch` prints it", judged.folder.string()));
  }
  context.print_json(to_json(judged));
  return judged.record.status == record::Status::correct ? Exit::ok : Exit::negative;
}

Result<Exit> show_program_at(Context& context, const ProgramOptions& options)
{
  HONE_TRY(const ProgramHistory history, program_history(options.folder));
  const Terminal& terminal = context.terminal;
  if ((options.patch || options.text_only) && !history.best) {
    return fail("no replacement was accepted yet", "judge one: hone program run DIR --region FILE");
  }
  if (options.patch || options.text_only) {
    terminal.out(trim(options.patch ? history.patch : history.best->text));
  } else {
    std::vector<std::vector<std::string>> rows{{"when", "replacement", "verdict"}};
    for (const program::ProgramRecord& record : history.records) {
      const bool best = history.best && history.best->record.replacement == record.replacement && record.accepted();
      const std::string reason = record.reason.substr(0, record.reason.find('\n'));
      rows.push_back({record.time_utc, record.replacement.substr(0, 10),
                      to_text(record) + (reason.empty() ? "" : ": " + reason) + (best ? "; best" : "")});
    }
    terminal.out(history.region);
    terminal.out(history.records.empty() ? "nothing was judged yet" : aligned_table(rows));
  }
  context.print_json(to_json(history));
  return Exit::ok;
}

Result<Exit> optimize_program_at(Context& context, const ProgramOptions& options)
{
  HONE_TRY(const ImprovedProgram improved, improve_program(context, options.folder, options.sizes));
  for (const program::ImproveAnswer& answer : improved.answers) {
    print_program_record(context.terminal, answer.record);
  }
  context.terminal.out(improved.best ? "best: " + to_text(improved.best->record) : "nothing was accepted");
  context.print_json(to_json(improved));
  return improved.best ? Exit::ok : Exit::negative;
}

Result<Exit> run_program_verb(Context& context, const ProgramOptions& options)
{
  return options.verb == "check"  ? check_program_at(context, options)
         : options.verb == "run"  ? run_program_at(context, options)
         : options.verb == "show" ? show_program_at(context, options)
                                  : optimize_program_at(context, options);
}

} // namespace

void add_program(CommandLine& line)
{
  auto options = std::make_shared<ProgramOptions>();
  CLI::App* command = line.add(
    "program", "Replace one region of a whole program, verified and timed as a whole (tier C)",
    {"hone program check programs/heat", "hone program run programs/heat --region programs/heat/regions/better.cpp",
     "hone program optimize programs/heat --model openai/gpt-5", "hone program optimize mine --budget 60",
     "hone program show programs/heat --patch"},
    [options](Context& context) { return run_program_verb(context, *options); });
  command->add_option("VERB", options->verb, "check, run, optimize or show")
    ->required()
    ->check(CLI::IsMember({"check", "run", "optimize", "show"}));
  command->add_option("DIR", options->folder, "the folder with program.toml")->required();
  command->add_option("--region", options->region, "run: the file whose text takes the region's place");
  command->add_option("--size", options->sizes,
                      "optimize: sizes at which the built-in engine measures, as in n=1024,m=64");
  line.add_setting(command, "budget", "optimize: seconds for the built-in engine");
  command->add_flag("--no-timing", options->no_timing, "run: verify only");
  command->add_flag("--text", options->text_only, "show: the best region's text");
  command->add_flag("--patch", options->patch, "show: what the best region changes, as a unified diff");
  line.add_setting(command, "seed", "of drawn inputs and the order of runs; default from the operating system");
  add_model_options(line, command);
}

} // namespace hone::cli
