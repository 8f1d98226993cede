// hone study: the same thing several times, and how it went: steps that a model carries out, climbs, tuning sessions.
#include "app/study.h"

#include "cli/format.h"
#include "cli/kernel_options.h"
#include "cli/model_options.h"

namespace hone::cli {

namespace {

struct StudyOptions {
  std::string verb;
  StudyRequest request;
};

// What both kinds of study end with: their table, their object, and what could not be written.
template <class Study> Result<Exit> print_study(Context& context, const Study& study, const std::string& note)
{
  context.terminal.out(aligned_table(study.page.table));
  if (!note.empty()) {
    context.terminal.out("ended early: " + note);
  }
  context.print_json(to_json(study));
  if (study.not_written) {
    return std::unexpected(*study.not_written);
  }
  return context.stop.stop_requested() ? Exit::interrupted : Exit::ok;
}

Result<Exit> study(Context& context, const StudyOptions& options)
{
  if (options.verb == "success") {
    HONE_TRY(const SuccessStudy found, study_steps(context, options.request));
    return print_study(context, found, found.note);
  }
  HONE_TRY(const RunStudy found,
           options.verb == "climb" ? study_climbs(context, options.request) : study_tuning(context, options.request));
  return print_study(context, found, {});
}

} // namespace

void add_study(CommandLine& line)
{
  auto options = std::make_shared<StudyOptions>();
  CLI::App* command =
    line.add("study", "Do the same several times and tell how it went: steps of a model, climbs, tuning",
             {"hone study success kernels/softmax --model openai/gpt-5-mini --runs 10",
              "hone study success kernels/matmul --step cache-tiling --step pack-panels --model openai/gpt-5-mini",
              "hone study climb kernels/softmax --runs 5 --policy greedy --budget 60",
              "hone study tuning kernels/matmul best --budgets 10,30,90 --runs 3"},
             [options](Context& context) { return study(context, *options); });
  StudyRequest& request = options->request;
  command->add_option("VERB", options->verb, "success, climb or tuning")
    ->check(CLI::IsMember({"success", "climb", "tuning"}))
    ->required();
  add_kernel_options(line, command, request.kernel);
  command->add_option("CHECKPOINT", request.checkpoint, "tuning: whose parameters");
  command->add_option("--step", request.steps, "success: only this step; may be given several times");
  command->add_option("--runs", request.runs, "how often: attempts at a step, climbs, sessions of each budget (5)")
    ->check(CLI::Range(1, 1000));
  command->add_option("--budgets", request.budgets, "tuning: seconds of a session, several (15,30,60)")
    ->delimiter(',')
    ->check(CLI::Range(1, 86400));
  command->add_flag("--no-timing", request.no_timing, "success: only whether attempts are right");
  command->add_option("--csv", request.csv, "a file for every attempt or run");
  command->add_option("--html", request.html, "a page with the table and a chart");
  line.add_setting(command, "policy", "climb: who chooses the next step");
  line.add_setting(command, "strategy", "climb, tuning: how tuning parameters are searched");
  line.add_setting(command, "budget", "climb: seconds for each");
  add_model_options(line, command);
}

} // namespace hone::cli
