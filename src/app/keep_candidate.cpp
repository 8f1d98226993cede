#include "app/keep_candidate.h"

#include "app/climb_setup.h"
#include "app/figures.h"

#include <fmt/format.h>

namespace hone::app {
namespace {

// Words become the name of a step, as for a sentence that a model carries out.
Result<std::string> step_name(const Climb& climb, const std::string& words)
{
  if (words.empty()) {
    return std::string(policy::k_edit_step);
  }
  const Place flag{"--step", 0, 0};
  Result<catalogue::Transformation> step = catalogue::free_transformation(words);
  if (!step) {
    return fail(fmt::format("'{}' holds no word", words), "say what was done: \"unroll k by hand\"", flag);
  }
  if (catalogue::find_transformation(climb.catalogue, step->name)) {
    return fail(fmt::format("'{}' is a step of the catalogue, and this candidate was written by hand", step->name),
                "say in other words what was done", flag);
  }
  return step->name;
}

} // namespace

Result<KeptCandidate> keep_candidate(Context& context, const KeepRequest& request)
{
  HONE_TRY(Climb climb, open_climb(context, request.kernel));
  HONE_TRY(policy::PolicyContext policy, policy_context(context, climb));
  KeptCandidate kept;
  HONE_TRY(kept.step, step_name(climb, request.step));
  HONE_TRY(record::Contender contender, contender_named(climb.bench, nullptr, request.candidate));
  context.observer->status("through the gate ...");
  HONE_TRY(kept.judged, policy::keep_candidate(policy, std::move(contender), kept.step, request.onto));
  context.observer->clear_status();
  if (!kept.judged.checkpoint.empty()) {
    HONE_TRY(const auto best, climb.workflow.best());
    kept.is_best = best && best->id == kept.judged.checkpoint;
  }
  return kept;
}

std::string text_of(const KeptCandidate& kept)
{
  const record::Verdict& verdict = kept.judged.record.verdict;
  if (kept.judged.checkpoint.empty()) {
    return fmt::format("{}: {}; not kept", record::name_of(verdict.status), verdict.reason);
  }
  return fmt::format("checkpoint {} on {}{}", short_id(kept.judged.checkpoint), short_id(kept.judged.parent),
                     kept.is_best ? ", the best now" : "");
}

Json to_json(const KeptCandidate& kept)
{
  return {{"step", kept.step},
          {"parent", kept.judged.parent},
          {"checkpoint", kept.judged.checkpoint},
          {"best", kept.is_best},
          {"record", record::to_json(kept.judged.record)}};
}

} // namespace hone::app
