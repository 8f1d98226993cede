#include "app/climb.h"

#include "app/agent_setup.h"
#include "app/blaster_setup.h"
#include "app/climb_setup.h"
#include "app/figures.h"
#include "app/model_setup.h"
#include "app/remembered_climb.h"
#include "app/report_files.h"
#include "execute/quiet.h"
#include "util/did_you_mean.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::app {

namespace {

constexpr double k_share_of_scouting = 0.15; // of the budget: a look at every setting of the libraries
constexpr std::chrono::milliseconds k_for_report{500};
constexpr double k_tolerance = 0.05; // of the budget: what may end so much later still begins

// The checkpoint that the climb goes on from; "" for its start. A new name begins at --from.
Result<std::string> climbs_from(const ClimbRequest& request, store::Workflow& workflow, const kernel::Kernel& kernel)
{
  if (request.branch.empty()) {
    if (request.from.empty()) {
      return std::string();
    }
    HONE_TRY(const store::Checkpoint from, workflow.find(request.from));
    return from.id;
  }
  HONE_TRY(const auto branches, workflow.branches());
  const auto known = branches.find(request.branch);
  if (known != branches.end() && !request.from.empty()) {
    return fail(fmt::format("branch '{}' exists already: it names {}", request.branch, short_id(known->second)),
                fmt::format("leave --from out to go on from there, or move it: hone branch {} {} {} --force",
                            kernel.folder.string(), request.branch, request.from),
                Place{"--from", 0, 0});
  }
  if (known != branches.end()) {
    return known->second;
  }
  if (request.from.empty()) {
    std::vector<std::string> names;
    for (const auto& [name, id] : branches) {
      names.push_back(name);
    }
    return fail(fmt::format("there is no branch '{}'", request.branch),
                did_you_mean(request.branch, names, "name also what it shall begin at: --from best"),
                Place{"--branch", 0, 0});
  }
  HONE_TRY(const store::Checkpoint from, workflow.find(request.from));
  HONE_CHECK(workflow.set_branch(request.branch, from.id));
  return from.id;
}

std::vector<std::string> not_compared(const Climb& climb, const std::vector<policy::BaselineResult>& compared)
{
  std::vector<std::string> names;
  for (const gate::Baseline& baseline :
       gate::baselines_for(*climb.bench.kernel, climb.bench.recipe.sizes, *climb.bench.backend)) {
    const bool known =
      std::ranges::any_of(compared, [&](const auto& one) { return one.baseline.name == baseline.name; });
    if (!known && std::ranges::find(names, baseline.name) == names.end()) {
      names.push_back(baseline.name);
    }
  }
  return names;
}

// Libraries, the policy's climb, and at its end the figures of the best.
Result<void> climb_up(Context& context, const ClimbRequest& request, Climb& climb, policy::PolicyContext& policy,
                      ClimbResult& result)
{
  std::vector<policy::ScoutedBaseline> scouted;
  const auto budget = std::chrono::duration<double>(policy.budget).count();
  const bool has_time_for_libraries = budget >= k_shortest_with_libraries_s;
  if (!request.no_baselines && has_time_for_libraries) {
    HONE_TRY(scouted, policy::scout_baselines(policy, k_share_of_scouting * budget));
    policy.rivals = policy::count_rivals(policy, scouted);
    const auto fastest = std::ranges::min_element(
      scouted, {}, [](const policy::ScoutedBaseline& baseline) { return baseline.time.median; });
    climb.scale.library_s = fastest != scouted.end() ? fastest->time.median : 0;
  }
  // The budget is for everything between the command and its last line.
  const auto end = climb.scale.begin + policy.budget - k_for_report;
  policy.lost_share = climb.scale.lost_at_begin;
  policy.budget = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  HONE_TRY(const auto chosen, policy::make_policy(context.settings.text("policy"), request.steps));
  HONE_TRY(const policy::PolicyOutcome outcome, chosen->run(policy));
  HONE_TRY(result.start, climb.workflow.find(outcome.start));
  HONE_TRY(result.best, climb.workflow.find(outcome.best));
  result.final_record = outcome.final_record;
  result.stopped = outcome.stopped;
  result.note = outcome.note;
  if (!request.branch.empty()) {
    HONE_CHECK(climb.workflow.set_branch(request.branch, outcome.best));
  }
  if (context.stop.stop_requested()) {
    return {};
  }
  const record::Contender best{result.best.candidate, result.best.point, {}, {}};
  const auto latest = end + std::chrono::duration_cast<std::chrono::milliseconds>(k_tolerance * climb.scale.budget);
  if (!request.no_baselines) {
    HONE_TRY(result.baselines,
             policy::compare_with_baselines(policy, best, std::move(scouted), {latest, outcome.comparison_s}));
  }
  if (!request.no_baselines) {
    result.left_out = not_compared(climb, result.baselines);
  }
  // In both regimes.
  if (std::chrono::steady_clock::now() + std::chrono::duration<double>(2 * outcome.comparison_s) > latest) {
    return {};
  }
  record::Job band{
    .kind = record::Job::Kind::measure, .contender = best, .recipe = climb.bench.recipe, .both_regimes = true};
  HONE_TRY(result.band_record, climb.executor->run(band));
  return climb.workflow.append(*result.band_record);
}

// Fills in what the climb was begun with, where no flag says otherwise; the checkpoint it went on from is an id.
Result<RememberedClimb> take_up(Context& context, ClimbRequest& request)
{
  HONE_TRY(const Workbench bench, open_workbench(context, request.kernel));
  HONE_TRY(const store::Workflow workflow,
           open_existing_workflow(bench)); // refuses where there is nothing to resume
  HONE_TRY(RememberedClimb earlier_climb, remembered(workflow));
  adopt(context.settings, earlier_climb);
  if (request.kernel.sizes.empty()) {
    request.kernel.sizes = earlier_climb.sizes;
  }
  if (request.steps.empty() && !context.settings.is_from_flag("policy")) {
    request.steps = earlier_climb.steps;
  }
  request.no_baselines = request.no_baselines || earlier_climb.no_baselines;
  request.from = earlier_climb.from;
  request.branch = earlier_climb.branch;
  return earlier_climb;
}

RememberedClimb to_remember(const Context& context, const ClimbRequest& request, const std::string& from)
{
  RememberedClimb climb;
  climb.settings = climb_settings(context.settings);
  climb.sizes = request.kernel.sizes;
  std::error_code error;
  climb.steps = request.steps.empty() ? "" : fs::absolute(request.steps, error).string();
  climb.no_baselines = request.no_baselines;
  climb.from = from;
  climb.branch = request.branch;
  return climb;
}

ClimbResult conditions_of(const Climb& climb)
{
  ClimbResult result;
  result.kernel = climb.bench.kernel->name;
  result.backend = climb.bench.backend->name();
  result.device = climb.executor->device().name;
  result.kernel_folder = climb.bench.kernel->folder;
  result.recipe = climb.bench.recipe;
  result.accuracy = kernel::accuracy_text(*climb.bench.kernel);
  result.workflow = climb.workflow.folder();
  return result;
}

void note_conditions(const Context& context, const ClimbResult& result)
{
  context.observer->note(fmt::format("{} on {} ({}), {}, {}, {} regime decides", result.kernel, result.device,
                                     result.backend, record::sizes_text(result.recipe),
                                     threads_text(result.recipe.threads), record::name_of(result.recipe.regime)));
}

// Waits for others to end their work, if that was asked for: no time of this climb.
void look_at_machine(const Context& context, const ClimbRequest& request, Climb& climb)
{
  const int threads = climb.bench.recipe.threads;
  if (request.wait_for_quiet_s > 0) {
    const auto begin = std::chrono::steady_clock::now();
    const bool quiet =
      execute::wait_for_quiet({.most = std::chrono::seconds(request.wait_for_quiet_s),
                               .look = [threads] { return execute::probe_lost_share(threads); },
                               .told =
                                 [&](double share) {
                                   context.observer->status(fmt::format(
                                     "waiting for a quiet machine: others take {:.0f} % of the CPU time", 100 * share));
                                 },
                               .stop = context.stop});
    context.observer->clear_status();
    if (!quiet && !context.stop.stop_requested()) {
      context.observer->warning(
        fmt::format("the machine did not become quiet in {} s; the climb begins", request.wait_for_quiet_s));
    }
    climb.scale.begin += std::chrono::steady_clock::now() - begin;
  }
  climb.scale.lost_at_begin = execute::probe_lost_share(threads);
}

// Ends the view of a climb however the climb ends.
class ShownClimb {
public:
  ShownClimb(Observer& observer, const ClimbScale& scale) : m_observer(observer) { observer.climb_begins(scale); }
  ShownClimb(const ShownClimb&) = delete;
  ShownClimb& operator=(const ShownClimb&) = delete;
  ~ShownClimb() { m_observer.climb_ends(); }

private:
  Observer& m_observer;
};

// `earlier`: what is remembered of the climb that goes on; null: it begins.
Result<ClimbResult> run_climb(Context& context, const ClimbRequest& request, const RememberedClimb* earlier)
{
  HONE_TRY(Climb climb, open_climb(context, request.kernel));
  std::vector<kernel::Sizes> swept;
  if (!request.sweep.empty()) {
    HONE_TRY(swept, parse_sweep(*climb.bench.kernel, climb.bench.recipe.sizes, request.sweep));
  }
  ClimbResult result = conditions_of(climb);
  result.branch = request.branch;
  note_conditions(context, result);
  HONE_TRY(const std::string from, earlier != nullptr ? Result<std::string>(earlier->from)
                                                      : climbs_from(request, climb.workflow, *climb.bench.kernel));
  RememberedClimb remembered = to_remember(context, request, from);
  remembered.reached = earlier != nullptr ? earlier->reached : "";
  HONE_CHECK(remember(climb.workflow, remembered));
  if (earlier != nullptr) {
    context.observer->note(fmt::format("as it was begun: {}", as_flags(remembered)));
  }
  if (!from.empty()) {
    context.observer->note(fmt::format("going on from {}{}", short_id(from),
                                       request.branch.empty() ? "" : fmt::format(" (branch {})", request.branch)));
  }
  look_at_machine(context, request, climb);
  const ShownClimb shown(*context.observer, climb.scale);
  std::unique_ptr<AgentSetup> agent;
  if (context.settings.text("policy")
      == "agent") { // it asks the model itself, and applies steps by the built-in engine
    HONE_TRY(agent, open_agent(context, climb));
  } else {
    HONE_TRY(climb.model, open_model_engine(context, climb.bench, climb.workflow));
  }
  std::unique_ptr<BlasterSetup> blaster;
  if (context.settings.text("policy") == "blaster") {
    HONE_TRY(blaster, open_blaster(context, climb));
  }
  HONE_TRY(policy::PolicyContext policy, policy_context(context, climb));
  policy.blaster = blaster ? &blaster->setting() : nullptr;
  policy.agent = agent ? &agent->setting() : nullptr;
  policy.from = from;
  policy.reached = remembered.reached;
  HONE_CHECK(climb_up(context, request, climb, policy, result));
  if (!from.empty()) {
    remembered.reached = result.best.id;
    HONE_CHECK(remember(climb.workflow, remembered));
  }
  if (!swept.empty() && !context.stop.stop_requested()) {
    HONE_TRY(result.sweep, sweep_sizes(context, climb.bench, *climb.executor,
                                       {{result.best.candidate, result.best.point, {}, {}},
                                        {result.start.candidate, result.start.point, {}, {}},
                                        "best",
                                        "start",
                                        std::move(swept)}));
  }
  result.scale = climb.scale;
  result.library_versions = library_versions();
  HONE_TRY(result.report, write_html_report(climb.bench, climb.workflow, climb.scale.floor_s, {}));
  HONE_TRY(result.steps, climb.workflow.steps());
  HONE_TRY(result.spent, climb.workflow.spent());
  return result;
}

} // namespace

Result<ClimbResult> climb(Context& context, const ClimbRequest& request)
{
  return run_climb(context, request, nullptr);
}

Result<ClimbResult> resume_climb(Context& context, const ClimbRequest& request)
{
  ClimbRequest complete = request;
  HONE_TRY(const RememberedClimb earlier, take_up(context, complete));
  return run_climb(context, complete, &earlier);
}

} // namespace hone::app
