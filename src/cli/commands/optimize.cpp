// hone optimize and hone resume: the whole climb, from the naive candidate to the report.
#include "cli/climb_request.h"
#include "cli/climb_view.h"
#include "cli/format.h"
#include "cli/model_options.h"
#include "cli/optimizer.h"
#include "cli/report_files.h"
#include "policy/baselines.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::cli {

namespace {

struct OptimizeOptions {
  KernelOptions kernel;
  std::string steps;  // a recipe file for the sequence policy
  std::string from;   // checkpoint to go on from
  std::string branch; // name to go on from, which moves along
  bool no_baselines = false;
  bool resume = false;
};

struct ClimbResult {
  Checkpoint start, best;
  std::optional<Record> final_record; // best against start, in fresh processes
  std::optional<Record> band_record;  // best against a copy of itself
  std::vector<BaselineResult> baselines;
  bool stopped = false;
  std::string note;
};

// The best's verdict with the times of both regimes: a start of seconds is compared in one regime only.
Verdict best_verdict(const ClimbResult& result)
{
  Verdict verdict = result.final_record ? result.final_record->verdict : result.best.record.verdict;
  if (result.band_record) {
    verdict.cold = result.band_record->verdict.cold;
    verdict.hot = result.band_record->verdict.hot;
  }
  return verdict;
}

std::optional<TimeEstimate> deciding_time(const Verdict& verdict, Regime regime)
{
  return regime == Regime::cold ? verdict.cold : verdict.hot;
}

Json end_json(const Climb& climb, const Checkpoint& checkpoint, const Verdict& verdict)
{
  const Regime regime = climb.bench.recipe.regime;
  const auto time = deciding_time(verdict, regime);
  const bool timed = time && time->median > 0;
  return {{"checkpoint", checkpoint.id},
          {"candidate", checkpoint.record.candidate},
          {"transformation", checkpoint.transformation},
          {"point", point_json(checkpoint.point)},
          {"status", name_of(verdict.status)},
          {"time_s", time_json(time)},
          {"cold_s", time_json(verdict.cold)},
          {"hot_s", time_json(verdict.hot)},
          {"gflops", timed ? Json(climb.work.flops / time->median / 1e9) : Json(nullptr)},
          {"ceiling_fraction", timed && climb.floor_s > 0 ? Json(climb.floor_s / time->median) : Json(nullptr)}};
}

Json steps_json(const std::vector<Step>& steps)
{
  Json list = Json::array();
  for (const Step& step : steps) {
    const Record& record = step.record;
    if (record.transformation.empty() || is_baseline(step)) {
      continue;
    }
    const bool compared = !record.verdict.comparisons.empty();
    list.push_back(
      {{"transformation", record.transformation},
       {"engine", record.engine},
       {"point", point_json(record.point)},
       {"status", name_of(record.verdict.status)},
       {"reason", record.verdict.reason},
       {"comparison", compared ? Json(name_of(record.verdict.comparisons.front().verdict)) : Json(nullptr)},
       {"ratio", compared ? Json(record.verdict.comparisons.front().ratio) : Json(nullptr)},
       {"ci95", compared ? interval_json(record.verdict.comparisons.front().ci95) : Json(nullptr)},
       {"checkpoint", step.checkpoint},
       {"record", record.id}});
  }
  return list;
}

Json baselines_json(const std::vector<BaselineResult>& baselines)
{
  Json list = Json::array();
  for (const BaselineResult& result : baselines) {
    list.push_back({{"name", result.baseline.name},
                    {"setting", result.baseline.setting},
                    {"ratio", result.comparison.ratio},
                    {"ci95", interval_json(result.comparison.ci95)},
                    {"regime", name_of(result.comparison.regime)}});
  }
  return list;
}

// The comparison of a record in the deciding regime, which comes first.
const ComparisonResult* deciding(const std::optional<Record>& record)
{
  return record && !record->verdict.comparisons.empty() ? &record->verdict.comparisons.front() : nullptr;
}

Result<Json> result_json(const Climb& climb, const ClimbResult& result)
{
  HONE_TRY(const std::vector<Step> steps, climb.workflow.steps());
  HONE_TRY(const auto spent, climb.workflow.spent());
  const Verdict best = best_verdict(result);
  const ComparisonResult* speedup = deciding(result.final_record);
  const ComparisonResult* band = deciding(result.band_record);
  Json sizes = Json::object();
  for (const auto& [name, value] : climb.bench.recipe.sizes) {
    sizes[name] = value;
  }
  Json phases = Json::object();
  for (const auto& [phase, seconds] : spent) {
    phases[phase] = seconds;
  }
  return Json{
    {"kernel", climb.bench.kernel->name},
    {"backend", climb.bench.backend->name()},
    {"device", climb.executor->gate().device().name},
    {"threads", climb.bench.recipe.threads},
    {"sizes", sizes},
    {"regime", name_of(climb.bench.recipe.regime)},
    {"recipe", to_json(climb.bench.recipe)},
    {"start", end_json(climb, result.start, result.start.record.verdict)},
    {"best", end_json(climb, result.best, best)},
    {"speedup",
     speedup != nullptr
       ? Json{{"ratio", speedup->ratio}, {"ci95", interval_json(speedup->ci95)}, {"verdict", name_of(speedup->verdict)}}
       : Json(nullptr)},
    {"baselines", baselines_json(result.baselines)},
    {"steps", steps_json(steps)},
    {"band", band != nullptr
               ? Json{{"ratio", band->ratio}, {"ci95", interval_json(band->ci95)}, {"verdict", name_of(band->verdict)}}
               : Json(nullptr)},
    {"spent", phases},
    {"workflow", climb.workflow.folder().string()},
    {"stopped", result.stopped},
    {"note", result.note}};
}

void print_result(const Terminal& terminal, const Climb& climb, const ClimbResult& result, const fs::path& report)
{
  const Verdict best = best_verdict(result);
  const auto time = deciding_time(best, climb.bench.recipe.regime);
  if (const ComparisonResult* speedup = deciding(result.final_record)) {
    terminal.out(fmt::format("\n{} over the start ({}, {} regime): {} per call cold, {} hot",
                             terminal.paint(Tone::strong, ratio_text(speedup->ratio, speedup->ci95)),
                             name_of(speedup->verdict), name_of(speedup->regime), time_text(best.cold),
                             time_text(best.hot)));
    if (speedup->candidate_preparation) {
      terminal.out(preparation_text("weights", *speedup->candidate_preparation));
    }
  }
  if (time && time->median > 0) {
    terminal.out(fmt::format("{:.1f} GFLOP/s on {}, {:.1f} % of this device's measured ceiling",
                             climb.work.flops / time->median / 1e9, threads_text(climb.bench.recipe.threads),
                             100 * climb.floor_s / time->median));
  }
  for (const BaselineResult& baseline : result.baselines) {
    terminal.out(fmt::format("{} the speed of {} ({})", ratio_text(baseline.comparison.ratio, baseline.comparison.ci95),
                             baseline.baseline.name, baseline.baseline.setting));
  }
  if (const ComparisonResult* band = deciding(result.band_record)) {
    terminal.out(fmt::format("a copy of itself measured the same way: {}", ratio_text(band->ratio, band->ci95)));
  }
  if (!result.note.empty()) {
    terminal.out(result.note);
  }
  terminal.out(fmt::format("best checkpoint {}; report: {}", short_id(result.best.id), report.string()));
  if (result.stopped) {
    terminal.out(
      fmt::format("stopped before its end; go on with: hone resume {}", climb.bench.kernel->folder.string()));
  }
}

// The checkpoint that the climb goes on from; "" for its start. A new name begins at --from.
Result<std::string> climbs_from(const OptimizeOptions& options, Workflow& workflow, const Kernel& kernel)
{
  if (options.branch.empty()) {
    if (options.from.empty()) {
      return std::string();
    }
    HONE_TRY(const Checkpoint from, workflow.find(options.from));
    return from.id;
  }
  HONE_TRY(const auto branches, workflow.branches());
  const auto known = branches.find(options.branch);
  if (known != branches.end() && !options.from.empty()) {
    return fail(fmt::format("branch '{}' exists already: it names {}", options.branch, short_id(known->second)),
                fmt::format("leave --from out to go on from there, or move it: hone branch {} {} {} --force",
                            kernel.folder.string(), options.branch, options.from),
                Place{"--from", 0, 0});
  }
  if (known != branches.end()) {
    return known->second;
  }
  if (options.from.empty()) {
    std::vector<std::string> names;
    for (const auto& [name, id] : branches) {
      names.push_back(name);
    }
    const std::string nearest = nearest_name(options.branch, names);
    return fail(fmt::format("there is no branch '{}'", options.branch),
                nearest.empty() ? "name also what it shall begin at: --from best"
                                : fmt::format("did you mean '{}'?", nearest),
                Place{"--branch", 0, 0});
  }
  HONE_TRY(const Checkpoint from, workflow.find(options.from));
  HONE_CHECK(workflow.set_branch(options.branch, from.id));
  return from.id;
}

Result<ClimbResult> climb_up(Context& context, const OptimizeOptions& options, Climb& climb, PolicyContext& policy,
                             ClimbView& view)
{
  const auto begin = std::chrono::steady_clock::now();
  ClimbResult result;
  std::vector<ScoutedBaseline> scouted;
  if (!options.no_baselines) {
    HONE_TRY(scouted, scout_baselines(policy));
    const auto fastest =
      std::ranges::min_element(scouted, {}, [](const ScoutedBaseline& baseline) { return baseline.time.median; });
    view.set_library_time(fastest != scouted.end() ? fastest->time.median : 0);
  }
  // The budget is for the whole climb, the libraries included.
  policy.budget -= std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin);
  HONE_TRY(const auto chosen, make_policy(context.settings.text("policy"), options.steps));
  HONE_TRY(const PolicyOutcome outcome, chosen->run(policy));
  HONE_TRY(result.start, climb.workflow.find(outcome.start));
  HONE_TRY(result.best, climb.workflow.find(outcome.best));
  result.final_record = outcome.final_record;
  result.stopped = outcome.stopped;
  result.note = outcome.note;
  if (!options.branch.empty()) {
    HONE_CHECK(climb.workflow.set_branch(options.branch, outcome.best));
  }
  if (context.stop.stop_requested()) {
    return result;
  }
  const Contender best{result.best.candidate, result.best.point, {}, {}};
  HONE_TRY(result.baselines, compare_with_baselines(policy, best, scouted));
  Job band{.kind = Job::Kind::measure, .contender = best, .recipe = climb.bench.recipe, .both_regimes = true};
  HONE_TRY(result.band_record, climb.executor->run(band));
  HONE_CHECK(climb.workflow.append(*result.band_record));
  return result;
}

// Fills in what the climb was begun with, where no flag says otherwise; the checkpoint it went on from is an id.
Result<ClimbRequest> take_up(Context& context, OptimizeOptions& options)
{
  HONE_TRY(const Workbench bench, open_workbench(context, options.kernel));
  HONE_TRY(const Workflow workflow, open_existing_workflow(bench)); // refuses where there is nothing to resume
  HONE_TRY(ClimbRequest request, remembered(workflow));
  adopt(context.settings, request);
  if (options.kernel.sizes.empty()) {
    options.kernel.sizes = request.sizes;
  }
  if (options.steps.empty() && !context.settings.is_from_flag("policy")) {
    options.steps = request.steps;
  }
  options.no_baselines = options.no_baselines || request.no_baselines;
  options.from = request.from;
  options.branch = request.branch;
  return request;
}

ClimbRequest request_of(const Context& context, const OptimizeOptions& options, const std::string& from)
{
  ClimbRequest request;
  request.settings = climb_settings(context.settings);
  request.sizes = options.kernel.sizes;
  std::error_code error;
  request.steps = options.steps.empty() ? "" : fs::absolute(options.steps, error).string();
  request.no_baselines = options.no_baselines;
  request.from = from;
  request.branch = options.branch;
  return request;
}

Result<Exit> optimize(Context& context, OptimizeOptions options)
{
  ClimbRequest earlier;
  if (options.resume) {
    HONE_TRY(earlier, take_up(context, options));
  }
  HONE_TRY(Climb climb, open_climb(context, options.kernel));
  const Kernel& kernel = *climb.bench.kernel;
  const DeviceInfo& device = climb.executor->gate().device();
  context.terminal.note(fmt::format("{} on {} ({}), {}, {}, {} regime decides", kernel.name, device.name,
                                    climb.bench.backend->name(), to_text(climb.bench.recipe.sizes),
                                    threads_text(climb.bench.recipe.threads), name_of(climb.bench.recipe.regime)));
  HONE_TRY(const std::string from,
           options.resume ? Result<std::string>(earlier.from) : climbs_from(options, climb.workflow, kernel));
  ClimbRequest request = request_of(context, options, from);
  request.reached = earlier.reached;
  HONE_CHECK(remember(climb.workflow, request));
  if (options.resume) {
    context.terminal.note(fmt::format("as it was begun: {}", as_flags(request)));
  }
  if (!from.empty()) {
    context.terminal.note(fmt::format("going on from {}{}", short_id(from),
                                      options.branch.empty() ? "" : fmt::format(" (branch {})", options.branch)));
  }
  ClimbView view(context.terminal, climb.bench.recipe.regime, climb.work.flops, climb.floor_s);
  view.heading();
  HONE_TRY(climb.model, open_model_engine(context, climb.bench, climb.workflow));
  HONE_TRY(PolicyContext policy, policy_context(context, climb, view));
  policy.from = from;
  policy.reached = request.reached;
  HONE_TRY(const ClimbResult result, climb_up(context, options, climb, policy, view));
  if (!from.empty()) {
    request.reached = result.best.id;
    HONE_CHECK(remember(climb.workflow, request));
  }
  HONE_TRY(const fs::path report, write_html_report(climb.bench, climb.workflow, climb.floor_s, {}));
  context.terminal.clear_status();
  print_result(context.terminal, climb, result, report);
  HONE_TRY(Json object, result_json(climb, result));
  object["report"] = report.string();
  object["branch"] = options.branch;
  context.print_json(object);
  return context.stop.stop_requested() ? Exit::interrupted : Exit::ok;
}

void add_climb(CommandLine& line, const std::string& name, const std::string& summary,
               const std::vector<std::string>& examples, bool resume)
{
  auto options = std::make_shared<OptimizeOptions>();
  options->resume = resume;
  CLI::App* command =
    line.add(name, summary, examples, [options](Context& context) { return optimize(context, *options); });
  add_kernel_options(line, command, options->kernel);
  line.add_setting(command, "policy", "sequence (a recipe's steps), greedy (looks ahead) or beam (several at once)");
  line.add_setting(command, "strategy", "how tuning parameters are searched; see hone tune --help");
  line.add_setting(command, "budget", "seconds for the whole climb (110)");
  line.add_setting(command, "max-minutes", "minutes of all its runs together, resumed ones too");
  line.add_setting(command, "max-device-seconds", "seconds of validating and measuring, likewise");
  add_model_options(line, command);
  command->add_option("--steps", options->steps, "recipe file for the sequence policy");
  if (!resume) {
    command->add_option("--from", options->from, "go on from this checkpoint: id, prefix, branch, best or start");
    command->add_option("--branch", options->branch, "go on from this branch and move it along; new with --from");
  }
  command->add_flag("--no-baselines", options->no_baselines, "do not measure the vendor libraries");
}

} // namespace

void add_optimize(CommandLine& line)
{
  add_climb(line, "optimize", "Take a kernel from its naive form up the climb",
            {"hone optimize kernels/matmul", "hone optimize kernels/matmul --size m=512,n=512,k=512 --policy greedy",
             "hone optimize kernels/matmul --branch wide-tiles --from start --steps my-steps.toml",
             "hone optimize matmul --state /tmp/state --json > result.json"},
            false);
  add_climb(line, "resume", "Go on with an optimisation that was stopped or killed", {"hone resume kernels/matmul"},
            true);
}

} // namespace hone::cli
