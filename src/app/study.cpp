#include "app/study.h"

#include "app/blaster_setup.h"
#include "app/climb_setup.h"
#include "app/figures.h"
#include "app/model_setup.h"
#include "app/study_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace hone::app {

namespace {

// Where a file was asked for.
Result<void> write_to(const fs::path& file, const std::string& text)
{
  return file.empty() ? Result<void>() : write_file(file, text);
}

std::optional<Error> error_of(Result<void> result)
{
  return result ? std::nullopt : std::optional(std::move(result.error()));
}

std::string sample_text(const policy::StepSample& sample)
{
  const std::string how =
    sample.right ? sample.ratio > 0
                     ? fmt::format("right, {} {}", record::name_of(sample.comparison), ratio_text(sample.ratio))
                     : "right"
                 : fmt::format("{}: {}", sample.fault, sample.report);
  return fmt::format("{} {}: {} ({} answers)", sample.step, sample.sample + 1, how, sample.answers);
}

// Who is asked and how, in words that change with the prompts: numbers of others are other numbers.
Result<std::string> asked_how(const Context& context)
{
  std::vector<fs::path> prompts;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(share_folder() / "prompts", ignored)) {
    if (entry.is_regular_file(ignored)) {
      prompts.push_back(entry.path());
    }
  }
  std::ranges::sort(prompts);
  std::string text;
  for (const char* name : {"model", "model-url", "repairs", "answers", "prompt", "temperature", "model-seed"}) {
    text += context.settings.text(name) + "\n";
  }
  for (const fs::path& file : prompts) {
    HONE_TRY(const std::string prompt, read_file(file));
    text += prompt;
  }
  return sha256(text);
}

// What a job's comparison says of the time that its incumbent needs.
void take_ratio(const record::Verdict& verdict, policy::StudiedRun& run)
{
  if (verdict.status == record::Status::correct && !verdict.comparisons.empty()) {
    run.ratio = verdict.comparisons.front().ratio;
    run.ci95 = verdict.comparisons.front().ci95;
  }
}

Result<policy::StudiedRun> climb_once(Context& context, const StudyRequest& request, policy::StudiedRun run)
{
  HONE_TRY(Climb climb, open_climb(context, request.kernel));
  HONE_TRY(climb.model, open_model_engine(context, climb.bench, climb.workflow));
  HONE_TRY(policy::PolicyContext policy, policy_context(context, climb));
  std::unique_ptr<BlasterSetup> blaster;
  if (context.settings.text("policy") == "blaster") {
    HONE_TRY(blaster, open_blaster(context, climb));
    policy.blaster = &blaster->setting();
  }
  HONE_TRY(const auto chosen, policy::make_policy(context.settings.text("policy"), {}));
  HONE_TRY(const policy::PolicyOutcome outcome, chosen->run(policy));
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
Result<policy::StudiedRun> tune_once(Context& context, const StudyRequest& request, const store::Checkpoint& from,
                                     int budget, policy::StudiedRun run)
{
  HONE_TRY(Climb climb, open_climb(context, request.kernel));
  HONE_TRY(policy::PolicyContext policy, policy_context(context, climb));
  policy.budget = std::chrono::seconds(budget);
  record::Record root = from.record;
  root.parent.clear();
  HONE_CHECK(climb.workflow.append(root));
  HONE_TRY(const store::Checkpoint start, climb.workflow.add_checkpoint(*climb.bench.kernel, from.candidate, root, ""));
  HONE_TRY(const std::string best, policy::tune_checkpoint(policy, start.id, std::numeric_limits<std::size_t>::max()));
  if (best == start.id) {
    run.ratio = 1;
    run.ci95 = {1, 1};
    run.note = "nothing was faster";
    return run;
  }
  HONE_TRY(const store::Checkpoint tuned, climb.workflow.find(best));
  // Its own record compares it with what the session had found before it.
  record::Job job;
  job.kind = record::Job::Kind::judge;
  job.contender = {tuned.candidate, tuned.point, {}, {}};
  job.incumbent = record::Contender{from.candidate, from.point, {}, {}};
  job.recipe = climb.bench.recipe;
  job.depth = record::Depth::promote;
  HONE_TRY(const record::Record whole, climb.executor->run(job));
  take_ratio(whole.verdict, run);
  run.note = kernel::to_text(tuned.point);
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
Result<RunStudy> study_runs(Context& context, const StudyRequest& request, const std::string& runs_are,
                            const std::vector<std::string>& groups, Once once)
{
  HONE_TRY(const Workbench bench, open_workbench(context, request.kernel));
  const fs::path made = fresh_folder(bench.state / "study");
  RunStudy study;
  study.kernel = bench.kernel->name;
  study.backend = bench.backend->name();
  std::string csv = csv_of_runs();
  HONE_CHECK(write_to(request.html, "")); // told before hours are spent
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (int number = 0; number < request.runs && !context.stop.stop_requested(); ++number) {
      const fs::path state = made / fmt::format("{}-{}", group + 1, number + 1);
      context.settings.set("state", state.string(), "the study");
      context.settings.set("seed", std::to_string(number + 1), "the study");
      context.observer->note(fmt::format("{}, run {} of {}", groups[group], number + 1, request.runs));
      const auto begin = std::chrono::steady_clock::now();
      const policy::StudiedRun empty{.group = groups[group], .number = number + 1};
      auto made_run = once(group, empty);
      if (context.stop.stop_requested()) {
        break; // what was broken off says nothing
      }
      policy::StudiedRun run = made_run ? std::move(*made_run) : empty;
      run.note = made_run ? run.note : made_run.error().message;
      run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      context.observer->clear_status();
      csv += csv_line_of(bench, run);
      HONE_CHECK(write_to(request.csv, csv)); // a study may be broken off
      study.runs.push_back(std::move(run));
    }
  }
  study.page = page_of(context, bench, runs_are, study.runs);
  study.not_written = error_of(write_to(request.html, report::study_page(study.page)));
  return study;
}

} // namespace

Result<SuccessStudy> study_steps(Context& context, const StudyRequest& request)
{
  HONE_TRY(Climb climb, open_climb(context, request.kernel));
  HONE_TRY(const auto setting, model_engine_setting(context, climb.bench, climb.workflow));
  if (!setting) {
    return fail("a study of success asks a model, and none is named", "add --model (docs/models.md)",
                Place{"--model", 0, 0});
  }
  for (const std::string& step : request.steps) {
    if (auto found = catalogue::find_transformation(climb.catalogue, step); !found) {
      found.error().place = Place{"--step", 0, 0};
      return std::unexpected(std::move(found.error()));
    }
  }
  HONE_TRY(policy::PolicyContext policy, policy_context(context, climb));
  const auto engine = [&](int sample, rewrite::ModelEngineObserver observer) {
    rewrite::ModelEngineSetting one = *setting;
    one.samples = 1;
    one.first_sample = sample;
    return rewrite::make_model_engine(std::move(one), std::move(observer));
  };
  std::string csv = csv_of_attempts();
  HONE_CHECK(write_to(request.csv, csv)); // a place that cannot be written to is told before anything is asked
  HONE_CHECK(write_to(request.html, ""));
  SuccessStudy study;
  const auto tell = [&](const policy::StepSample& sample) {
    context.observer->clear_status();
    context.observer->note(sample_text(sample));
    csv += csv_line_of(context, climb.bench, sample);
    if (auto unwritten = error_of(write_to(request.csv, csv))) {
      study.not_written = std::move(unwritten);
    }
  };
  HONE_TRY(const std::string who, asked_how(context));
  const policy::SuccessPlan plan{policy, request.steps, who, request.runs, !request.no_timing, engine, tell};
  HONE_TRY(policy::SuccessOutcome outcome, policy::study_success(plan));
  context.observer->clear_status();
  study.kernel = climb.bench.kernel->name;
  study.backend = climb.bench.backend->name();
  study.model = context.settings.text("model");
  study.steps = policy::success_rates(outcome.samples);
  study.samples = std::move(outcome.samples);
  study.note = outcome.note;
  study.page = page_of(context, climb.bench, study.steps);
  study.page.note = outcome.note.empty() ? "" : "Ended early: " + outcome.note;
  const auto page = error_of(write_to(request.html, report::study_page(study.page)));
  study.not_written = study.not_written ? study.not_written : page;
  return study;
}

Result<RunStudy> study_climbs(Context& context, const StudyRequest& request)
{
  const std::string& model = context.settings.text("model");
  const std::string group = context.settings.text("policy") + (model.empty() ? "" : ", " + model);
  return study_runs(context, request, "climbs", {group},
                    [&](std::size_t, policy::StudiedRun run) { return climb_once(context, request, std::move(run)); });
}

Result<RunStudy> study_tuning(Context& context, const StudyRequest& request)
{
  HONE_TRY(const Workbench bench, open_workbench(context, request.kernel));
  HONE_TRY(const store::Workflow workflow, open_existing_workflow(bench));
  HONE_TRY(const store::Checkpoint from, workflow.find(request.checkpoint));
  if (from.candidate.plan.tuning.parameters.empty()) {
    return fail(fmt::format("checkpoint {} has no tuning parameters", short_id(from.id)),
                "study another checkpoint (hone log shows them)");
  }
  std::vector<std::string> groups;
  for (const int budget : request.budgets) {
    groups.push_back(fmt::format("{} s", budget));
  }
  return study_runs(context, request, "sessions", groups, [&](std::size_t group, policy::StudiedRun run) {
    return tune_once(context, request, from, request.budgets[group], std::move(run));
  });
}

Json to_json(const SuccessStudy& study)
{
  Json steps = Json::array();
  for (const policy::StepSuccess& success : study.steps) {
    steps.push_back(to_json(success));
  }
  Json samples = Json::array();
  for (const policy::StepSample& sample : study.samples) {
    samples.push_back(policy::to_json(sample));
  }
  return {{"kernel", study.kernel}, {"backend", study.backend}, {"model", study.model},
          {"steps", steps},         {"samples", samples},       {"note", study.note}};
}

Json to_json(const RunStudy& study)
{
  Json list = Json::array();
  for (const policy::StudiedRun& run : study.runs) {
    list.push_back(to_json(run));
  }
  return {{"kernel", study.kernel}, {"backend", study.backend}, {"runs", list}};
}

} // namespace hone::app
