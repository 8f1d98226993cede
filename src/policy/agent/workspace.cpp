#include "policy/agent/workspace.h"

#include "policy/judgement.h"
#include "policy/spent.h"
#include "util/text.h"

#include <fmt/format.h>

namespace hone::policy {
namespace {

constexpr std::size_t k_id_characters = 10;
constexpr std::size_t k_longest_log = 3000; // characters: compilers can go on for ever

std::string comparison_text(const Workspace& workspace, const record::Verdict& verdict, const SearchNode& from,
                            const Gain& gain)
{
  const record::Regime regime = workspace.search.context().recipe.regime;
  const Judgement judgement = judgement_of(verdict, regime);
  std::string text = fmt::format("correct; {:.3g}x the speed of {} (at least {:.3g}x), {:.3g}x that of the start",
                                 judgement.ratio, short_id(from.checkpoint.id), judgement.low, gain.ratio);
  const auto& time = regime == record::Regime::cold ? verdict.cold : verdict.hot;
  if (time) {
    text += fmt::format("; {} per call, {}", time_text(time->median), record::name_of(regime));
  }
  return text;
}

// Why a ratio above 1 proves nothing: the pairs of measurements lie too far apart, on a busy machine above all.
std::string doubt_of(const record::Verdict& verdict, const Judgement& judgement)
{
  if (judgement.comparison != record::Comparison::ambiguous || verdict.comparisons.empty()
      || verdict.comparisons.front().reason.empty()) {
    return {};
  }
  return fmt::format(" ({})", verdict.comparisons.front().reason);
}

std::string wrong_text(const record::Verdict& verdict)
{
  std::string text = fmt::format("{}: {}\n", record::name_of(verdict.status), verdict.reason);
  if (!verdict.errors.worst_where.empty() && !verdict.reason.contains(verdict.errors.worst_where)) {
    text += verdict.errors.worst_where + "\n";
  }
  if (!verdict.log.empty()) {
    text += verdict.log.substr(0, k_longest_log);
    text += verdict.log.size() > k_longest_log ? "\n(and so on)\n" : "\n";
  }
  return text;
}

} // namespace

Result<SearchNode> node_named(const Workspace& workspace, const std::string& name)
{
  if (name.empty() || name == "current") {
    return workspace.current;
  }
  if (name == "start") {
    return workspace.start;
  }
  if (name == "best") {
    const std::vector<SearchNode> offered = workspace.search.offered();
    return offered.empty() ? workspace.start : offered.front();
  }
  auto checkpoint = workspace.search.context().workflow.find(name);
  if (!checkpoint) {
    return fail(fmt::format("there is no candidate '{}': name one by its id, or current, start, best", name));
  }
  return workspace.search.node(checkpoint->id);
}

Result<agent::ActionOutcome> judge_candidate(Workspace& workspace, const SearchNode& from, record::Contender contender,
                                             const std::string& step)
{
  SearchRun& search = workspace.search;
  if (search.end_if_due(search.step_s())) {
    return refused(fmt::format("There is no time for another measurement ({}). Ask for finish.", search.end_reason()));
  }
  search.notify_started(step);
  record::Job job = judge_job(search.context(), from, contender, step, record::Depth::screen);
  job.engine = step == k_edit_step ? "agent" : job.engine;
  HONE_TRY(const record::Record record, search.run(job));
  const record::Verdict& verdict = record.verdict;
  agent::ActionOutcome outcome;
  outcome.device_s = seconds_spent(verdict);
  TriedStep tried{step, from.checkpoint.id, std::string(record::name_of(verdict.status))};
  if (verdict.status != record::Status::correct) {
    search.notify_finished(record, {}, false, verdict.reason);
    workspace.tried.push_back(std::move(tried));
    outcome.text = wrong_text(verdict) + "It was dropped; the current candidate is still "
                   + short_id(workspace.current.checkpoint.id) + ".";
    return outcome;
  }
  const Judgement judgement = judgement_of(verdict, search.context().recipe.regime);
  HONE_TRY(SearchNode node, search.add_checkpoint(from, contender.candidate, record));
  tried.ratio = judgement.ratio;
  tried.checkpoint = node.checkpoint.id;
  workspace.tried.push_back(std::move(tried));
  const bool faster =
    judgement.comparison == record::Comparison::fast && is_confirmed_gain(node.gain, workspace.current.gain);
  search.notify_finished(record, node.gain, faster, faster ? "" : "not proven faster", node.checkpoint.id);
  outcome.text = comparison_text(workspace, verdict, from, node.gain) + ".\n";
  if (faster) {
    HONE_CHECK(search.offer(node));
    workspace.current = node;
    workspace.draft = node.checkpoint.candidate.files;
    outcome.text += fmt::format("It is the current candidate now: {}.", short_id(node.checkpoint.id));
  } else {
    outcome.text += fmt::format("Not proven faster{}. It is kept as {}, which you may name as candidate; the current "
                                "candidate is still {}.",
                                doubt_of(verdict, judgement), short_id(node.checkpoint.id),
                                short_id(workspace.current.checkpoint.id));
  }
  return outcome;
}

agent::ActionOutcome refused(std::string text)
{
  return {.text = std::move(text), .failed = true};
}

std::string short_id(const std::string& id)
{
  return id.substr(0, k_id_characters);
}

std::string time_text(double seconds)
{
  constexpr double k_milli = 1e-3, k_micro = 1e-6;
  return seconds < k_milli ? fmt::format("{:.3g} us", seconds / k_micro)
         : seconds < 1     ? fmt::format("{:.3g} ms", seconds / k_milli)
                           : fmt::format("{:.3g} s", seconds);
}

} // namespace hone::policy
