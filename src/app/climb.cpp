#include "app/climb.h"

#include "app/climb_request.h"
#include "app/climb_setup.h"
#include "app/figures.h"
#include "app/model_setup.h"
#include "app/report_files.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::app {

namespace {

// The checkpoint that the climb goes on from; "" for its start. A new name begins at --from.
Result<std::string> climbs_from(const ClimbOrder& order, Workflow& workflow, const Kernel& kernel)
{
  if (order.branch.empty()) {
    if (order.from.empty()) {
      return std::string();
    }
    HONE_TRY(const Checkpoint from, workflow.find(order.from));
    return from.id;
  }
  HONE_TRY(const auto branches, workflow.branches());
  const auto known = branches.find(order.branch);
  if (known != branches.end() && !order.from.empty()) {
    return fail(fmt::format("branch '{}' exists already: it names {}", order.branch, short_id(known->second)),
                fmt::format("leave --from out to go on from there, or move it: hone branch {} {} {} --force",
                            kernel.folder.string(), order.branch, order.from),
                Place{"--from", 0, 0});
  }
  if (known != branches.end()) {
    return known->second;
  }
  if (order.from.empty()) {
    std::vector<std::string> names;
    for (const auto& [name, id] : branches) {
      names.push_back(name);
    }
    const std::string nearest = nearest_name(order.branch, names);
    return fail(fmt::format("there is no branch '{}'", order.branch),
                nearest.empty() ? "name also what it shall begin at: --from best"
                                : fmt::format("did you mean '{}'?", nearest),
                Place{"--branch", 0, 0});
  }
  HONE_TRY(const Checkpoint from, workflow.find(order.from));
  HONE_CHECK(workflow.set_branch(order.branch, from.id));
  return from.id;
}

// Libraries, the policy's climb, and at its end the figures of the best.
Result<void> climb_up(Context& context, const ClimbOrder& order, Climb& climb, PolicyContext& policy,
                      ClimbResult& result)
{
  const auto begin = std::chrono::steady_clock::now();
  std::vector<ScoutedBaseline> scouted;
  if (!order.no_baselines) {
    HONE_TRY(scouted, scout_baselines(policy));
    const auto fastest =
      std::ranges::min_element(scouted, {}, [](const ScoutedBaseline& baseline) { return baseline.time.median; });
    climb.scale.library_s = fastest != scouted.end() ? fastest->time.median : 0;
  }
  // The budget is for the whole climb, the libraries included.
  policy.budget -= std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin);
  HONE_TRY(const auto chosen, make_policy(context.settings.text("policy"), order.steps));
  HONE_TRY(const PolicyOutcome outcome, chosen->run(policy));
  HONE_TRY(result.start, climb.workflow.find(outcome.start));
  HONE_TRY(result.best, climb.workflow.find(outcome.best));
  result.final_record = outcome.final_record;
  result.stopped = outcome.stopped;
  result.note = outcome.note;
  if (!order.branch.empty()) {
    HONE_CHECK(climb.workflow.set_branch(order.branch, outcome.best));
  }
  if (context.stop.stop_requested()) {
    return {};
  }
  const Contender best{result.best.candidate, result.best.point, {}, {}};
  HONE_TRY(result.baselines, compare_with_baselines(policy, best, scouted));
  Job band{.kind = Job::Kind::measure, .contender = best, .recipe = climb.bench.recipe, .both_regimes = true};
  HONE_TRY(result.band_record, climb.executor->run(band));
  return climb.workflow.append(*result.band_record);
}

// Fills in what the climb was begun with, where no flag says otherwise; the checkpoint it went on from is an id.
Result<ClimbRequest> take_up(Context& context, ClimbOrder& order)
{
  HONE_TRY(const Workbench bench, open_workbench(context, order.kernel));
  HONE_TRY(const Workflow workflow, open_existing_workflow(bench)); // refuses where there is nothing to resume
  HONE_TRY(ClimbRequest request, remembered(workflow));
  adopt(context.settings, request);
  if (order.kernel.sizes.empty()) {
    order.kernel.sizes = request.sizes;
  }
  if (order.steps.empty() && !context.settings.is_from_flag("policy")) {
    order.steps = request.steps;
  }
  order.no_baselines = order.no_baselines || request.no_baselines;
  order.from = request.from;
  order.branch = request.branch;
  return request;
}

ClimbRequest request_of(const Context& context, const ClimbOrder& order, const std::string& from)
{
  ClimbRequest request;
  request.settings = climb_settings(context.settings);
  request.sizes = order.kernel.sizes;
  std::error_code error;
  request.steps = order.steps.empty() ? "" : fs::absolute(order.steps, error).string();
  request.no_baselines = order.no_baselines;
  request.from = from;
  request.branch = order.branch;
  return request;
}

ClimbResult conditions_of(const Climb& climb)
{
  ClimbResult result;
  result.kernel = climb.bench.kernel->name;
  result.backend = climb.bench.backend->name();
  result.device = climb.executor->device().name;
  result.kernel_folder = climb.bench.kernel->folder;
  result.recipe = climb.bench.recipe;
  result.workflow = climb.workflow.folder();
  return result;
}

void note_conditions(const Context& context, const ClimbResult& result)
{
  context.observer->note(fmt::format("{} on {} ({}), {}, {}, {} regime decides", result.kernel, result.device,
                                     result.backend, to_text(result.recipe.sizes), threads_text(result.recipe.threads),
                                     name_of(result.recipe.regime)));
}

// `earlier`: the request of the climb that goes on; null: it begins.
Result<ClimbResult> run_climb(Context& context, const ClimbOrder& order, const ClimbRequest* earlier)
{
  HONE_TRY(Climb climb, open_climb(context, order.kernel));
  ClimbResult result = conditions_of(climb);
  result.branch = order.branch;
  note_conditions(context, result);
  HONE_TRY(const std::string from, earlier != nullptr ? Result<std::string>(earlier->from)
                                                      : climbs_from(order, climb.workflow, *climb.bench.kernel));
  ClimbRequest request = request_of(context, order, from);
  request.reached = earlier != nullptr ? earlier->reached : "";
  HONE_CHECK(remember(climb.workflow, request));
  if (earlier != nullptr) {
    context.observer->note(fmt::format("as it was begun: {}", as_flags(request)));
  }
  if (!from.empty()) {
    context.observer->note(fmt::format("going on from {}{}", short_id(from),
                                       order.branch.empty() ? "" : fmt::format(" (branch {})", order.branch)));
  }
  climb.scale.begin = std::chrono::steady_clock::now();
  context.observer->climb_begins(climb.scale);
  HONE_TRY(climb.model, open_model_engine(context, climb.bench, climb.workflow));
  HONE_TRY(PolicyContext policy, policy_context(context, climb));
  policy.from = from;
  policy.reached = request.reached;
  HONE_CHECK(climb_up(context, order, climb, policy, result));
  if (!from.empty()) {
    request.reached = result.best.id;
    HONE_CHECK(remember(climb.workflow, request));
  }
  result.scale = climb.scale;
  HONE_TRY(result.report, write_html_report(climb.bench, climb.workflow, climb.scale.floor_s, {}));
  HONE_TRY(result.steps, climb.workflow.steps());
  HONE_TRY(result.spent, climb.workflow.spent());
  return result;
}

} // namespace

Result<ClimbResult> climb(Context& context, const ClimbOrder& order)
{
  return run_climb(context, order, nullptr);
}

Result<ClimbResult> resume_climb(Context& context, const ClimbOrder& order)
{
  ClimbOrder complete = order;
  HONE_TRY(const ClimbRequest earlier, take_up(context, complete));
  return run_climb(context, complete, &earlier);
}

} // namespace hone::app
