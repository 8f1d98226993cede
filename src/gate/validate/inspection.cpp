// Calls under a tool of the platform that watches every access to memory, where it has one and it is here: it sees
// races, reads beyond a tensor and looks at what an earlier call left, which neither outputs nor guard bands show. In
// full depth.
#include "backend/inspector.h"
#include "gate/hard_values.h"
#include "gate/inputs.h"
#include "gate/jail.h"
#include "gate/validate/validation.h"
#include "gate/validate/watched_sizes.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace hone {
namespace {

constexpr JailLimits k_limits = {.wall = std::chrono::milliseconds(60'000), .cpu_seconds = 45};

constexpr std::size_t k_tried_often = 2; // sizes at which calls are watched whole
constexpr std::size_t k_families_there = 6;

bool is_at_fault(const JailOutcome& outcome)
{
  return outcome.status != Status::correct && !outcome.broke_limit;
}

// Of a compiler's log the line that names its first error; of the inspector's its first.
std::string first_complaint(const std::string& log)
{
  const std::vector<std::string> lines = split(log, '\n');
  const auto error = std::ranges::find_if(lines, [](const auto& line) { return line.contains("error: "); });
  return error != lines.end() ? *error : lines.front();
}

// The inspector, and what it had compiled: mostly the same for all sizes.
class Watch {
public:
  explicit Watch(const Inspector& inspector) : m_inspector(inspector) {}
  const Inspector& inspector() const { return m_inspector; }

  Result<JailOutcome> built(Validation& validation, const BuildInput& input)
  {
    HONE_TRY(JailOutcome outcome, built(validation, input, false));
    if (is_at_fault(outcome)) {
      HONE_TRY(outcome, built(validation, input, true));
    }
    return outcome;
  }

private:
  Result<JailOutcome> built(Validation& validation, const BuildInput& input, bool bare)
  {
    HONE_TRY(const CompileJob job, m_inspector.build_job(input, bare));
    if (job.commands.empty()) {
      return JailOutcome{};
    }
    for (const auto& [earlier, outcome] : m_built) {
      if (earlier == job) {
        return outcome;
      }
    }
    HONE_TRY(JailOutcome outcome, run_in_jail(job, k_limits));
    validation.add_build_time(outcome.seconds);
    m_built.emplace_back(job, outcome);
    return outcome;
  }

  const Inspector& m_inspector;
  std::vector<std::pair<CompileJob, JailOutcome>> m_built;
};

// `plan`: the contender's, or its preparation.
Result<JailOutcome> inspect(Validation& validation, Bench& bench, Watch& watch, const ResolvedPlan& plan,
                            std::size_t most_accesses)
{
  const Prepared& prepared = bench.prepared();
  const BuildInput build{validation.kernel(), prepared.contender.candidate, prepared.contender.point, prepared.sizes,
                         plan};
  HONE_TRY(JailOutcome compiled, watch.built(validation, build));
  if (compiled.status != Status::correct) {
    return compiled;
  }
  InspectionInput input{build, std::move(compiled.outputs), {}, {}, most_accesses, validation.random().next()};
  for (std::size_t i = 0; i < validation.kernel().arguments.size(); ++i) {
    input.arguments.emplace_back(bench.arena().tensor(0, i));
  }
  const std::vector<std::size_t> offsets = scratch_offsets(plan);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const ResolvedScratch& scratch = plan.scratch[i];
    const bool given = scratch.prepared && !plan.prepares;
    input.scratch.push_back(
      given ? std::span<const std::byte>(bench.arena().prepared(0)).subspan(offsets[i], scratch.bytes())
            : std::span<const std::byte>());
  }
  HONE_TRY(const CompileJob job, watch.inspector().job(input));
  return run_in_jail(job, k_limits);
}

std::optional<LaneEnd> end_for(const InspectionFinding& finding, const std::string& where)
{
  using Kind = InspectionFinding::Kind;
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
    return LaneEnd{Status::runtime, reason, {}};
  case Kind::other:
    break;
  }
  return std::nullopt;
}

// What the call computed while it was watched must be right, too, each time. `inputs`: what it was given.
Result<LaneResult<void>> check_results(Validation& validation, Bench& bench, const Inspector& inspector,
                                       const std::map<std::string, std::string>& outputs, const InputSet& inputs)
{
  const std::vector<std::size_t> positions = validation.kernel().outputs();
  for (const std::size_t position : positions) {
    const std::size_t bytes = bench.arena().tensor(0, position).size();
    const std::vector<std::string> names = inspector.output_names(position);
    const auto is_there = [&](const std::string& name) {
      const auto result = outputs.find(name);
      return result != outputs.end() && result->second.size() == bytes;
    };
    if (names.empty() || !std::ranges::all_of(names, is_there)) {
      return LaneResult<void>();
    }
  }
  // Before the outputs are put in place: some are inputs, too.
  HONE_TRY(const ExpectedOutputs expected, validation.setting().references->expected(bench.arena(), 0, inputs, false));
  for (std::size_t time = 0; time < inspector.output_names(positions.front()).size(); ++time) {
    for (const std::size_t position : positions) {
      const std::string& result = outputs.at(inspector.output_names(position)[time]);
      std::ranges::copy(std::as_bytes(std::span(result)), bench.arena().tensor(0, position).begin());
    }
    HONE_TRY(const auto checked, validation.setting().references->check(bench.arena(), 0, *expected));
    if (!checked.passed) {
      return Ended{incorrect(fmt::format("{} ({}, sizes {}, {})", checked.reason, inspector.name(),
                                         to_text(bench.sizes()), inspector.way()))};
    }
  }
  return LaneResult<void>();
}

// What a check came to at some sizes: words for its note; empty where the tool gave up, which is said in `skipped`.
struct Seen {
  std::string remarks;
  std::string skipped;
};

Result<LaneResult<Seen>> inspect_at(Validation& validation, Watch& watch, const WatchedCall& place, ValueFamily family)
{
  const Inspector& inspector = watch.inspector();
  HONE_LANE(Bench* const bench, validation.bench(place.sizes, Layout::canaries));
  const InputSet inputs{family, validation.random().next()};
  HONE_CHECK(bench->set_up(inputs, validation.random().next()));
  if (auto prepared = bench->prepare(); !prepared) {
    return Ended{std::move(prepared.error())};
  }
  std::vector<const ResolvedPlan*> plans{&bench->prepared().plan};
  if (bench->preparation()) {
    plans.push_back(&bench->preparation()->plan());
  }
  Seen seen;
  for (const ResolvedPlan* plan : plans) {
    HONE_TRY(const JailOutcome outcome, inspect(validation, *bench, watch, *plan, place.most_accesses));
    if (is_at_fault(outcome) && inspector.takes_all()) {
      const std::string why = first_complaint(outcome.log);
      return Ended{LaneEnd{
        Status::rejected,
        fmt::format("its accesses to memory cannot be watched: {}", why.empty() ? outcome.reason : why), outcome.log}};
    }
    if (outcome.status != Status::correct) { // the candidate is right as far as it can be seen without
      return LaneResult<Seen>(Seen{{}, outcome.reason});
    }
    const auto findings = inspector.findings(outcome.outputs);
    if (!findings) {
      return LaneResult<Seen>(Seen{{}, findings.error().message});
    }
    for (const InspectionFinding& finding : *findings) {
      const std::string where =
        fmt::format("{}, sizes {}, {} values", inspector.name(), to_text(place.sizes), name_of(family));
      if (auto end = end_for(finding, where)) {
        return Ended{std::move(*end)};
      }
      seen.remarks += "; " + finding.text;
    }
    HONE_LANE_CHECK(check_results(validation, *bench, inspector, outcome.outputs, inputs));
  }
  return LaneResult<Seen>(std::move(seen));
}

// A candidate may do on some values what it does not on others: kinds of values, none again before all had their turn.
class FamilyDraw {
public:
  explicit FamilyDraw(Validation& validation) : m_validation(validation) {}

  // Where what is computed is checked, too, and sums are long, not all kinds are fit; where a tool is slow, there is no
  // time for them.
  std::vector<ValueFamily> families_for(const Inspector& inspector, const WatchedCall& place)
  {
    const bool quick = inspector.most_accesses() > 0, whole = place.most_accesses == 0;
    const bool often = whole && m_places++ < k_tried_often;
    if (!quick || (whole && has_long_sums(m_validation.kernel(), place.sizes))) {
      return {ValueFamily::normal};
    }
    std::vector<ValueFamily> families;
    if (often) {
      families.push_back(ValueFamily::normal);
    }
    while (families.size() < (often ? k_families_there : 1)) {
      families.push_back(draw());
    }
    return families;
  }

private:
  ValueFamily draw()
  {
    if (m_left.empty()) {
      const auto all = all_value_families();
      m_left.assign(all.begin(), all.end());
      std::shuffle(m_left.begin(), m_left.end(), m_validation.random());
    }
    const ValueFamily family = m_left.back();
    m_left.pop_back();
    return family;
  }

  Validation& m_validation;
  std::size_t m_places = 0;
  std::vector<ValueFamily> m_left;
};

} // namespace

Result<LaneResult<void>> validate_memory_accesses(Validation& validation)
{
  const Inspector* inspector = validation.setting().backend->inspector();
  if (inspector == nullptr) {
    return LaneResult<void>();
  }
  const std::string check = fmt::format("memory accesses ({})", inspector->name());
  if (const std::string missing = inspector->missing(); !missing.empty()) {
    validation.note(check, "skipped: " + missing);
    return LaneResult<void>();
  }
  Watch watch(*inspector);
  std::string where, remarks;
  HONE_TRY(const std::vector<WatchedCall> places, choose_watched_calls(validation, *inspector));
  if (places.empty()) {
    validation.note(check, "skipped: every size on which the kernel means something would take too long");
  }
  FamilyDraw draw(validation);
  for (const WatchedCall& place : places) {
    HONE_LANE(const std::shared_ptr<const Prepared> prepared, validation.setting().prepare(place.sizes));
    if (!prepared->contender.library.empty()) {
      return LaneResult<void>();
    }
    Seen seen;
    for (const ValueFamily family : draw.families_for(*inspector, place)) {
      if (seen.skipped.empty()) {
        HONE_LANE(seen, inspect_at(validation, watch, place, family));
      }
    }
    if (!seen.skipped.empty()) {
      validation.note(check, fmt::format("skipped at sizes {}: {}", to_text(place.sizes), seen.skipped));
      continue;
    }
    where += (where.empty() ? "" : "; ") + to_text(place.sizes);
    remarks += seen.remarks;
  }
  if (!where.empty()) {
    validation.note(check, fmt::format("no race, nothing out of bounds (sizes {}){}", where, remarks));
  }
  return LaneResult<void>();
}

} // namespace hone
