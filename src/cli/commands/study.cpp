// hone study: the same thing several times, and how it went: steps that a model carries out, climbs, tuning sessions.
#include "cli/format.h"
#include "cli/model_options.h"
#include "cli/optimizer.h"
#include "cli/study_output.h"
#include "policy/spread.h"
#include "policy/success.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace hone::cli {

namespace {

struct StudyOptions {
  std::string verb;
  KernelOptions kernel;
  std::string checkpoint = "best";
  std::vector<std::string> steps;
  std::vector<int> budgets{15, 30, 60};
  int runs = 5;
  bool no_timing = false;
  std::string csv, html;
};

// Where a file was asked for.
Result<void> write_to(const fs::path& file, const std::string& text)
{
  return file.empty() ? Result<void>() : write_file(file, text);
}

// Who is asked and how, in words that change with the prompts: numbers of others are other numbers.
Result<std::string> asked_how(const Context& context)
{
  std::vector<fs::path> prompts;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(share_folder() / "prompts", ignored)) {
    prompts.push_back(entry.path());
  }
  std::ranges::sort(prompts);
  std::string text;
  for (const char* name : {"model", "model-url", "repairs", "answers"}) {
    text += context.settings.text(name) + "\n";
  }
  for (const fs::path& file : prompts) {
    HONE_TRY(const std::string prompt, read_file(file));
    text += prompt;
  }
  return sha256(text);
}

Result<Exit> study_steps(Context& context, const StudyOptions& options)
{
  HONE_TRY(Climb climb, open_climb(context, options.kernel));
  HONE_TRY(const auto setting, model_engine_setting(context, climb.bench, climb.workflow));
  if (!setting) {
    return fail("a study of success asks a model, and none is named", "add --model (docs/models.md)",
                Place{"--model", 0, 0});
  }
  for (const std::string& step : options.steps) {
    if (auto found = find_transformation(climb.catalogue, step); !found) {
      found.error().place = Place{"--step", 0, 0};
      return std::unexpected(std::move(found.error()));
    }
  }
  ClimbView view(context.terminal, climb.bench.recipe.regime, climb.work.flops, climb.floor_s);
  HONE_TRY(PolicyContext policy, policy_context(context, climb, view));
  const auto engine = [&](int sample, ModelEngineObserver observer) {
    ModelEngineSetting one = *setting;
    one.samples = 1;
    one.first_sample = sample;
    return make_model_engine(std::move(one), std::move(observer));
  };
  std::string csv = csv_of_attempts();
  HONE_CHECK(write_to(options.csv, csv)); // a place that cannot be written to is told before anything is asked
  HONE_CHECK(write_to(options.html, ""));
  Result<void> written;
  const auto tell = [&](const StepSample& sample) {
    const std::string how =
      sample.right
        ? sample.ratio > 0 ? fmt::format("right, {} {}", name_of(sample.comparison), ratio_text(sample.ratio)) : "right"
        : fmt::format("{}: {}", sample.fault, sample.report);
    context.terminal.clear_status();
    context.terminal.note(fmt::format("{} {}: {} ({} answers)", sample.step, sample.sample + 1, how, sample.answers));
    csv += csv_line_of(context, climb.bench, sample);
    if (auto now = write_to(options.csv, csv); !now) { // told at the end: what was paid for is told first
      written = std::move(now);
    }
  };
  HONE_TRY(const std::string who, asked_how(context));
  const SuccessPlan plan{policy, options.steps, who, options.runs, !options.no_timing, engine, tell};
  HONE_TRY(const SuccessOutcome outcome, study_success(plan));
  context.terminal.clear_status();
  const std::vector<StepSuccess> all = successes(outcome.samples);
  StudyPage page = page_of(context, climb.bench, all);
  page.note = outcome.note.empty() ? "" : "Ended early: " + outcome.note;
  context.terminal.out(aligned_table(page.table));
  if (!outcome.note.empty()) {
    context.terminal.out("ended early: " + outcome.note);
  }
  Json steps = Json::array();
  for (const StepSuccess& success : all) {
    steps.push_back(to_json(success));
  }
  Json samples = Json::array();
  for (const StepSample& sample : outcome.samples) {
    samples.push_back(to_json(sample));
  }
  context.print_json({{"kernel", climb.bench.kernel->name},
                      {"backend", climb.bench.backend->name()},
                      {"model", context.settings.text("model")},
                      {"steps", std::move(steps)},
                      {"samples", std::move(samples)},
                      {"note", outcome.note}});
  HONE_CHECK(written);
  HONE_CHECK(write_to(options.html, study_page(page)));
  return context.stop.stop_requested() ? Exit::interrupted : Exit::ok;
}

// What a job's comparison says of the time that its incumbent needs.
void take_ratio(const Verdict& verdict, StudiedRun& run)
{
  if (verdict.status == Status::correct && !verdict.comparisons.empty()) {
    run.ratio = verdict.comparisons.front().ratio;
    run.ci95 = verdict.comparisons.front().ci95;
  }
}

Result<StudiedRun> climb_once(Context& context, const StudyOptions& options, StudiedRun run)
{
  HONE_TRY(Climb climb, open_climb(context, options.kernel));
  ClimbView view(context.terminal, climb.bench.recipe.regime, climb.work.flops, climb.floor_s);
  HONE_TRY(climb.model, open_model_engine(context, climb.bench, climb.workflow));
  HONE_TRY(PolicyContext policy, policy_context(context, climb, view));
  HONE_TRY(const auto chosen, make_policy(context.settings.text("policy"), {}));
  HONE_TRY(const PolicyOutcome outcome, chosen->run(policy));
  if (outcome.final_record) {
    take_ratio(outcome.final_record->verdict, run);
  }
  if (outcome.best == outcome.start) { // nothing is faster than the start
    run.ratio = 1;
    run.ci95 = {1, 1};
  }
  run.note = outcome.note;
  return run;
}

// A workflow of its own, which begins at the checkpoint.
Result<StudiedRun> tune_once(Context& context, const StudyOptions& options, const Checkpoint& from, int budget,
                             StudiedRun run)
{
  HONE_TRY(Climb climb, open_climb(context, options.kernel));
  ClimbView view(context.terminal, climb.bench.recipe.regime, climb.work.flops, climb.floor_s);
  HONE_TRY(PolicyContext policy, policy_context(context, climb, view));
  policy.budget = std::chrono::seconds(budget);
  Record root = from.record;
  root.parent.clear();
  HONE_CHECK(climb.workflow.append(root));
  HONE_TRY(const Checkpoint start, climb.workflow.add_checkpoint(*climb.bench.kernel, from.candidate, root, ""));
  HONE_TRY(const std::string best, tune_checkpoint(policy, start.id, std::numeric_limits<std::size_t>::max()));
  if (best == start.id) {
    run.ratio = 1;
    run.ci95 = {1, 1};
    run.note = "nothing was faster";
    return run;
  }
  HONE_TRY(const Checkpoint tuned, climb.workflow.find(best));
  // Its own record compares it with what the session had found before it.
  Job job;
  job.kind = Job::Kind::judge;
  job.contender = {tuned.candidate, tuned.point, {}, {}};
  job.incumbent = Contender{from.candidate, from.point, {}, {}};
  job.recipe = climb.bench.recipe;
  job.depth = Depth::promote;
  HONE_TRY(const Record whole, climb.executor->run(job));
  take_ratio(whole.verdict, run);
  run.note = to_text(tuned.point);
  return run;
}

// FOLDER/1, FOLDER/2, ...: the first that is not there.
fs::path fresh_folder(const fs::path& folder)
{
  std::error_code ignored;
  int number = 1;
  while (fs::exists(folder / std::to_string(number), ignored)) {
    ++number;
  }
  return folder / std::to_string(number);
}

// Each run works below the kernel's workflows, in a folder of its own: what it found there is not found again.
template <class Once>
Result<Exit> study_runs(Context& context, const StudyOptions& options, const std::string& runs_are,
                        const std::vector<std::string>& groups, Once once)
{
  HONE_TRY(const Workbench bench, open_workbench(context, options.kernel));
  const fs::path made = fresh_folder(bench.state / "study");
  std::vector<StudiedRun> runs;
  std::string csv = csv_of_runs();
  HONE_CHECK(write_to(options.html, "")); // told before hours are spent
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (int number = 0; number < options.runs && !context.stop.stop_requested(); ++number) {
      const fs::path state = made / fmt::format("{}-{}", group + 1, number + 1);
      context.settings.set("state", state.string(), "the study");
      context.settings.set("seed", std::to_string(number + 1), "the study");
      context.terminal.note(fmt::format("{}, run {} of {}", groups[group], number + 1, options.runs));
      const auto begin = std::chrono::steady_clock::now();
      const StudiedRun empty{.group = groups[group], .number = number + 1};
      auto made_run = once(group, empty);
      if (context.stop.stop_requested()) {
        break; // what was broken off says nothing
      }
      StudiedRun run = made_run ? std::move(*made_run) : empty;
      run.note = made_run ? run.note : made_run.error().message;
      run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      context.terminal.clear_status();
      csv += csv_line_of(bench, run);
      HONE_CHECK(write_to(options.csv, csv)); // a study may be broken off
      runs.push_back(std::move(run));
    }
  }
  const StudyPage page = page_of(context, bench, runs_are, runs);
  context.terminal.out(aligned_table(page.table));
  Json list = Json::array();
  for (const StudiedRun& run : runs) {
    list.push_back(to_json(run));
  }
  context.print_json({{"kernel", bench.kernel->name}, {"backend", bench.backend->name()}, {"runs", std::move(list)}});
  HONE_CHECK(write_to(options.html, study_page(page)));
  return context.stop.stop_requested() ? Exit::interrupted : Exit::ok;
}

Result<Exit> study_climbs(Context& context, const StudyOptions& options)
{
  const std::string& model = context.settings.text("model");
  const std::string group = context.settings.text("policy") + (model.empty() ? "" : ", " + model);
  return study_runs(context, options, "climbs", {group},
                    [&](std::size_t, StudiedRun run) { return climb_once(context, options, std::move(run)); });
}

Result<Exit> study_tuning(Context& context, const StudyOptions& options)
{
  HONE_TRY(const Workbench bench, open_workbench(context, options.kernel));
  HONE_TRY(const Workflow workflow, open_existing_workflow(bench));
  HONE_TRY(const Checkpoint from, workflow.find(options.checkpoint));
  if (from.candidate.plan.tuning.parameters.empty()) {
    return fail(fmt::format("checkpoint {} has no tuning parameters", short_id(from.id)),
                "study another checkpoint (hone log shows them)");
  }
  std::vector<std::string> groups;
  for (const int budget : options.budgets) {
    groups.push_back(fmt::format("{} s", budget));
  }
  return study_runs(context, options, "sessions", groups, [&](std::size_t group, StudiedRun run) {
    return tune_once(context, options, from, options.budgets[group], std::move(run));
  });
}

Result<Exit> study(Context& context, const StudyOptions& options)
{
  if (options.verb == "success") {
    return study_steps(context, options);
  }
  return options.verb == "climb" ? study_climbs(context, options) : study_tuning(context, options);
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
  command->add_option("VERB", options->verb, "success, climb or tuning")
    ->check(CLI::IsMember({"success", "climb", "tuning"}))
    ->required();
  add_kernel_options(line, command, options->kernel);
  command->add_option("CHECKPOINT", options->checkpoint, "tuning: whose parameters");
  command->add_option("--step", options->steps, "success: only this step; may be given several times");
  command->add_option("--runs", options->runs, "how often: attempts at a step, climbs, sessions of each budget (5)")
    ->check(CLI::Range(1, 1000));
  command->add_option("--budgets", options->budgets, "tuning: seconds of a session, several (15,30,60)")
    ->delimiter(',')
    ->check(CLI::Range(1, 86400));
  command->add_flag("--no-timing", options->no_timing, "success: only whether attempts are right");
  command->add_option("--csv", options->csv, "a file for every attempt or run");
  command->add_option("--html", options->html, "a page with the table and a chart");
  line.add_setting(command, "policy", "climb: who chooses the next step");
  line.add_setting(command, "strategy", "climb, tuning: how tuning parameters are searched");
  line.add_setting(command, "budget", "climb: seconds for each");
  add_model_options(line, command);
}

} // namespace hone::cli
