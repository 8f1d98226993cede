#include "policy/attempt.h"

#include "lower/lower.h"
#include "policy/trial.h"
#include "util/text.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace hone::policy {

std::expected<Attempt, std::string> attempt(const PolicyContext& context, const SearchNode& from,
                                            const catalogue::Transformation& transformation, record::Depth depth,
                                            std::string advice)
{
  const kernel::Kernel& kernel = *context.kernel;
  if (auto reason = catalogue::why_not_applicable(transformation, kernel, context.backend.name(), from.done)) {
    return std::unexpected(std::move(*reason));
  }
  const kernel::Candidate& current = from.checkpoint.candidate;
  const lower::Dialect dialect = context.backend.dialect();
  const rewrite::OptimizationTarget target{context.recipe.sizes, context.recipe.threads, context.device_facts};
  GateTrial trial(context, current, depth);
  auto candidate = context.engine.apply({kernel, current, transformation, dialect, &target, &trial, std::move(advice)});
  if (!candidate) {
    return std::unexpected(candidate.error().message);
  }
  if (candidate->hash() == current.hash()) {
    return std::unexpected("changes nothing here");
  }
  Attempt result;
  result.transformation = &transformation;
  result.contender.point =
    with_groups_for_threads(*candidate, inherited_point(*candidate, from.checkpoint, context), context);
  result.contender.candidate = std::move(*candidate);
  return result;
}

std::expected<Attempt, std::string> promising_attempt(const PolicyContext& context, const SearchNode& from,
                                                      const catalogue::Transformation& transformation,
                                                      std::string advice)
{
  const rewrite::OptimizationTarget target{context.recipe.sizes, context.recipe.threads, context.device_facts};
  std::string useless =
    context.engine.why_useless(transformation.name, *context.kernel, context.backend.dialect(), target);
  if (!useless.empty()) {
    return std::unexpected(std::move(useless));
  }
  return attempt(context, from, transformation, record::Depth::screen, std::move(advice));
}

std::optional<kernel::Candidate> reordered_loops(const PolicyContext& context)
{
  const lower::Dialect dialect = context.backend.dialect();
  const auto naive = lower::naive_candidate(*context.kernel, dialect);
  const auto step = catalogue::find_transformation(context.catalogue, rewrite::k_reorder_step);
  if (!naive || !step || catalogue::why_not_applicable(**step, *context.kernel, context.backend.name(), {})) {
    return {};
  }
  auto candidate = rewrite::builtin_engine().apply({*context.kernel, *naive, **step, dialect});
  return candidate ? std::optional(std::move(*candidate)) : std::nullopt;
}

kernel::TuningPoint inherited_point(const kernel::Candidate& candidate, const store::Checkpoint& before,
                                    const PolicyContext& context)
{
  const kernel::TuningSpace& space = candidate.plan.tuning;
  const kernel::TuningPoint untuned = before.candidate.plan.tuning.defaults();
  kernel::TuningPoint point = space.defaults();
  for (const kernel::TuningParameter& parameter : space.parameters) {
    const auto old = before.point.find(parameter.name);
    const auto was_default = untuned.find(parameter.name);
    const bool tuned = old != before.point.end() && was_default != untuned.end() && old->second != was_default->second;
    if (tuned && std::ranges::find(parameter.values, old->second) != parameter.values.end()) {
      point[parameter.name] = old->second;
    }
  }
  const auto legal = tune::is_legal(point, space, context.recipe.sizes, context.device_facts);
  return legal && *legal ? point : space.defaults();
}

namespace {

// Groups of the launch that has most of them; 0 where the plan does not hold at this point.
std::int64_t most_groups(const kernel::Candidate& candidate, const kernel::TuningPoint& point,
                         const PolicyContext& context)
{
  const auto plan = kernel::resolve_plan(*context.kernel, candidate, context.recipe.sizes, point, context.device_facts);
  std::int64_t most = 0;
  for (const kernel::ResolvedLaunch& launch : plan ? plan->launches : std::vector<kernel::ResolvedLaunch>{}) {
    most = std::max(most, launch.groups());
  }
  return most;
}

} // namespace

kernel::TuningPoint with_groups_for_threads(const kernel::Candidate& candidate, kernel::TuningPoint point,
                                            const PolicyContext& context)
{
  const std::int64_t threads = context.recipe.threads;
  const std::int64_t now = most_groups(candidate, point, context);
  if (threads == 1 || now == 0 || now >= threads) {
    return point;
  }
  const std::vector<kernel::TuningParameter>& parameters = candidate.plan.tuning.parameters;
  std::optional<std::tuple<bool, std::int64_t, std::size_t, std::int64_t>> best; // uneven, groups, parameter, value
  kernel::TuningPoint chosen = point;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    for (const std::int64_t value : parameters[i].values) {
      kernel::TuningPoint other = point;
      other[parameters[i].name] = value;
      const std::int64_t groups = most_groups(candidate, other, context);
      const std::tuple rank{groups % threads != 0, groups, i, value};
      if (groups >= threads && (!best || rank < *best)) {
        best = rank;
        chosen = std::move(other);
      }
    }
  }
  return chosen;
}

Result<record::Record> judge(SearchRun& search, const SearchNode& from, const Attempt& attempt)
{
  return search.run(
    judge_job(search.context(), from, attempt.contender, attempt.transformation->name, record::Depth::screen));
}

std::string why_nothing_applies(const PolicyContext& context)
{
  const kernel::Kernel& kernel = *context.kernel;
  bool any = false;
  for (const catalogue::Transformation& transformation : context.catalogue) {
    // A transformation that must come first is no obstacle: it is in the list, too.
    if (catalogue::why_not_applicable(transformation, kernel, context.backend.name(), transformation.after)) {
      continue;
    }
    if (context.engine.knows(transformation.name)) {
      return "";
    }
    any = true;
  }
  const std::string spoken = replace_all(std::string(kernel::name_of(kernel::classify(kernel))), "-", " ");
  const std::string what = "a " + spoken + " on " + std::string(context.backend.name());
  return any ? "the transformations that apply to " + what + " need a language model: add --model (docs/models.md)"
             : "no transformation in the catalogue applies to " + what;
}

} // namespace hone::policy
