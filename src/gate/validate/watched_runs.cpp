#include "gate/validate/watched_runs.h"

#include "inputs/inputs.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>

namespace hone::gate {
namespace {

// In one jail where that goes well; else one by one, so that what fails is known, and the others are looked at all the
// same.
Result<std::vector<JailOutcome>> carry_out(const backend::Inspector& inspector,
                                           const std::vector<backend::CompileJob>& jobs, const JailLimits& limits)
{
  std::vector<JailOutcome> outcomes;
  if (const auto all = jobs.size() > 1 ? inspector.together(jobs) : std::nullopt) {
    HONE_TRY(JailOutcome whole, run_in_jail(*all, limits));
    for (std::size_t i = 0; i < jobs.size() && whole.status == record::Status::correct; ++i) {
      JailOutcome& outcome = outcomes.emplace_back();
      for (const std::string& name : jobs[i].outputs) {
        outcome.outputs[name] = std::move(whole.outputs[backend::Inspector::name_together(i, name)]);
      }
    }
  }
  while (outcomes.size() < jobs.size()) {
    HONE_TRY(outcomes.emplace_back(), run_in_jail(jobs[outcomes.size()], limits));
  }
  return outcomes;
}

// Of a compiler's log the line that names its first error; of the inspector's its first.
std::string first_complaint(const std::string& log)
{
  const std::vector<std::string> lines = split(log, '\n');
  const auto error = std::ranges::find_if(lines, [](const auto& line) { return line.contains("error: "); });
  return error != lines.end() ? *error : lines.front();
}

std::optional<SessionEnd> end_for(const backend::InspectionFinding& finding, const std::string& where)
{
  using Kind = backend::InspectionFinding::Kind;
  const std::string reason = fmt::format("{} ({})", finding.text, where);
  switch (finding.kind) {
  case Kind::race:
    return incorrect("race: " + reason);
  case Kind::read_out_of_bounds:
    return incorrect("reads out of bounds: " + reason);
  case Kind::write_out_of_bounds:
    return rejected("writes out of bounds: " + reason);
  case Kind::unwritten_read:
    return incorrect("reads what it has not written: " + reason);
  case Kind::hidden_code:
    return rejected("hides code: " + reason);
  case Kind::crash:
    return SessionEnd{record::Status::runtime, reason, {}};
  case Kind::other:
    break;
  }
  return std::nullopt;
}

} // namespace

WatchedRuns::WatchedRuns(Validation& validation, const backend::Inspector& inspector,
                         std::span<const WatchedCall> places, std::size_t at_once)
  : m_validation(validation), m_inspector(inspector), m_random(validation.random().next()), m_draw(m_random.next()),
    m_builds(validation, inspector, m_stop.get_token()), m_places(places), m_seen(places.size()),
    m_turns(static_cast<std::ptrdiff_t>(at_once))
{
  if (const auto& forced = validation.setting().forced.values) {
    m_draw.force(*forced);
  }
}

WatchedRuns::~WatchedRuns()
{
  m_stop.request_stop();
}

Result<SessionResult<void>> WatchedRuns::start(std::span<const std::pair<std::size_t, inputs::ValueFamily>> calls)
{
  Starting launches, preparation;
  for (const auto& [place, family] : calls) {
    HONE_SESSION_CHECK(set_up(place, family, launches, preparation));
  }
  begin(std::move(preparation));
  begin(std::move(launches));
  return SessionResult<void>();
}

void WatchedRuns::begin(Starting starting)
{
  if (starting.jobs.empty()) {
    return;
  }
  Run run{std::move(starting.calls), {}};
  run.outcomes =
    std::async(std::launch::async, [this, jobs = std::move(starting.jobs)]() -> Result<std::vector<JailOutcome>> {
      m_turns.acquire();
      auto outcomes = m_stop.stop_requested() ? std::vector<JailOutcome>()
                                              : carry_out(m_inspector, jobs, watched_limits(m_stop.get_token()));
      m_turns.release();
      return outcomes;
    });
  m_runs.push_back(std::move(run));
}

Result<SessionResult<void>> WatchedRuns::set_up(std::size_t place, inputs::ValueFamily family, Starting& launches,
                                                Starting& preparation)
{
  const WatchedCall& call = m_places[place];
  HONE_SESSION(const std::shared_ptr<const Prepared> made, m_validation.setting().prepare(call.sizes));
  const std::uint64_t layout = m_random.next() / k_layout_styles * k_layout_styles + m_next_style++ % k_layout_styles;
  HONE_SESSION(Harness harness, m_validation.open_harness(*made, Layout::canaries, layout, std::exchange(m_former, {}),
                                                          HarnessUse::memory));
  const inputs::InputSet inputs = m_draw.of(family);
  HONE_CHECK(harness.set_up(inputs, m_random.next()));
  if (auto prepared = harness.prepare(); !prepared) {
    return Ended{std::move(prepared.error())};
  }
  std::vector<const kernel::ResolvedPlan*> plans{&harness.prepared().plan};
  if (harness.preparation()) {
    plans.push_back(&harness.preparation()->plan());
  }
  for (const kernel::ResolvedPlan* plan : plans) {
    Call made_call{place, call.sizes, inputs::row_names(m_validation.kernel(), call.sizes, inputs), {}, {}};
    if (call.most_accesses == 0 && !plan->prepares && hands_outputs_back()) {
      for (std::size_t i = 0; i < m_validation.kernel().arguments.size(); ++i) {
        const std::span<const std::byte> bytes = harness.arena().tensor(0, i);
        made_call.inputs.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      }
      HONE_TRY(made_call.expected, m_validation.setting().references->expected(harness.arena(), 0, inputs, false));
    }
    HONE_TRY(Inspection started, inspection(harness, *plan, call.most_accesses));
    if (started) {
      Starting& starting = plan->prepares ? preparation : launches;
      starting.calls.push_back(std::move(made_call));
      starting.jobs.push_back(std::move(*started));
      continue;
    }
    std::promise<Result<std::vector<JailOutcome>>> known;
    known.set_value(std::vector{std::move(started.error())});
    Run ended;
    ended.calls.push_back(std::move(made_call));
    ended.outcomes = known.get_future();
    m_runs.push_back(std::move(ended));
  }
  m_former = Harness::take_rest(std::move(harness));
  return SessionResult<void>();
}

bool WatchedRuns::is_over(const Run& run)
{
  return run.outcomes.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

std::size_t WatchedRuns::going_on() const
{
  return static_cast<std::size_t>(std::ranges::count_if(m_runs, [](const Run& run) { return !is_over(run); }));
}

bool WatchedRuns::is_first_over() const
{
  return !m_runs.empty() && is_over(m_runs.front());
}

Result<void> WatchedRuns::build_ahead(std::size_t place)
{
  HONE_TRY(const auto made, m_validation.setting().prepare(m_places[place].sizes));
  if (!made) {
    return {}; // whoever wants to call it there is told
  }
  const Prepared& prepared = **made;
  HONE_CHECK(m_builds.begin(build_input(prepared, prepared.plan), prepared.build->module));
  if (prepared.preparation) {
    const PreparationBuild& preparation = *prepared.preparation;
    HONE_CHECK(m_builds.begin(build_input(prepared, preparation.plan), preparation.build->module));
  }
  return {};
}

backend::BuildInput WatchedRuns::build_input(const Prepared& prepared, const kernel::ResolvedPlan& plan) const
{
  return {m_validation.kernel(), prepared.contender.candidate, prepared.contender.point, prepared.sizes, plan};
}

// `plan`: the contender's, or its preparation.
Result<WatchedRuns::Inspection> WatchedRuns::inspection(Harness& harness, const kernel::ResolvedPlan& plan,
                                                        std::size_t most_accesses)
{
  const Prepared& prepared = harness.prepared();
  const backend::BuildInput build = build_input(prepared, plan);
  const Build& timed = plan.prepares ? *prepared.preparation->build : *prepared.build;
  HONE_TRY(JailOutcome compiled, m_builds.get(build, timed.module));
  if (compiled.status != record::Status::correct) {
    return Inspection(std::unexpected(std::move(compiled)));
  }
  backend::InspectionInput input{build, std::move(compiled.outputs), {}, {}, most_accesses, m_random.next()};
  for (std::size_t i = 0; i < m_validation.kernel().arguments.size(); ++i) {
    input.arguments.emplace_back(harness.arena().tensor(0, i));
  }
  const std::vector<std::size_t> offsets = scratch_offsets(plan);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const kernel::ResolvedScratch& scratch = plan.scratch[i];
    const bool given = scratch.prepared && !plan.prepares;
    input.scratch.push_back(
      given ? std::span<const std::byte>(harness.arena().prepared(0)).subspan(offsets[i], scratch.bytes())
            : std::span<const std::byte>());
  }
  HONE_TRY(backend::CompileJob job, m_inspector.job(input));
  return Inspection(std::move(job));
}

bool WatchedRuns::hands_outputs_back() const
{
  return std::ranges::none_of(m_validation.kernel().outputs(),
                              [this](std::size_t position) { return m_inspector.output_names(position).empty(); });
}

Result<SessionResult<void>> WatchedRuns::finish_first()
{
  Run run = std::move(m_runs.front());
  m_runs.pop_front();
  HONE_TRY(const std::vector<JailOutcome> outcomes, run.outcomes.get());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    HONE_SESSION_CHECK(judge(run.calls[i], outcomes[i]));
  }
  return SessionResult<void>();
}

Result<SessionResult<void>> WatchedRuns::judge(const Call& call, const JailOutcome& outcome)
{
  Seen& seen = m_seen[call.place];
  if (is_at_fault(outcome) && m_inspector.takes_all()) {
    const std::string why = first_complaint(outcome.log);
    return Ended{SessionEnd{
      record::Status::rejected,
      fmt::format("its accesses to memory cannot be watched: {}", why.empty() ? outcome.reason : why), outcome.log}};
  }
  if (outcome.status != record::Status::correct) { // the candidate is right as far as it can be seen without
    seen.skipped = outcome.reason;
    return SessionResult<void>();
  }
  const auto findings = m_inspector.findings(outcome.outputs);
  if (!findings) {
    seen.skipped = findings.error().message;
    return SessionResult<void>();
  }
  for (const backend::InspectionFinding& finding : *findings) {
    const std::string where =
      fmt::format("{}, sizes {}, values: {}", m_inspector.name(), kernel::to_text(call.sizes), call.values);
    if (auto end = end_for(finding, where)) {
      return Ended{std::move(*end)};
    }
    seen.remarks += "; " + finding.text;
  }
  return check_results(call, outcome.outputs);
}

// Each time that the call was carried out.
Result<SessionResult<void>> WatchedRuns::check_results(const Call& call,
                                                       const std::map<std::string, std::string>& outputs)
{
  if (call.expected == nullptr) {
    return SessionResult<void>();
  }
  const kernel::Kernel& kernel = m_validation.kernel();
  std::vector<const std::byte*> inputs;
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const bool given = kernel.arguments[i].role != kernel::Role::output;
    inputs.push_back(given ? reinterpret_cast<const std::byte*>(call.inputs[i].data()) : nullptr);
  }
  const std::vector<std::size_t> positions = kernel.outputs();
  for (std::size_t time = 0; time < m_inspector.output_names(positions.front()).size(); ++time) {
    std::vector<const std::byte*> arguments = inputs;
    for (const std::size_t position : positions) {
      const auto result = outputs.find(m_inspector.output_names(position)[time]);
      if (result == outputs.end() || result->second.size() != call.inputs[position].size()) {
        return SessionResult<void>(); // it ended before
      }
      arguments[position] = reinterpret_cast<const std::byte*>(result->second.data());
    }
    HONE_TRY(const OutputCheck checked,
             m_validation.setting().references->check(call.sizes, arguments, inputs, call.expected->outputs));
    if (!checked.passed) {
      return Ended{incorrect(fmt::format("{} ({}, sizes {}, values: {}, {})", checked.reason, m_inspector.name(),
                                         kernel::to_text(call.sizes), call.values, m_inspector.way()))};
    }
  }
  return SessionResult<void>();
}

} // namespace hone::gate
