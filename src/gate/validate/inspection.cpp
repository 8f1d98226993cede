// Calls under a tool of the platform that watches every access to memory, where it has one and it is here: it sees
// races and reads beyond a tensor, which neither outputs nor guard bands show. Small calls whole; where the tool can,
// a part of one at the timed sizes, for which a plan may hold launches of their own. In full depth.
#include "backend/inspector.h"
#include "gate/jail.h"
#include "gate/validate/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

namespace hone {
namespace {

constexpr double k_too_much = 10; // times what takes the tool a second
constexpr std::size_t k_most_named_watched = 6;
constexpr JailLimits k_limits = {.wall = std::chrono::milliseconds(60'000), .cpu_seconds = 45};

double work_at(const Kernel& kernel, const Sizes& sizes)
{
  const auto work = work_of(kernel, sizes);
  return work ? work->total() : std::numeric_limits<double>::infinity();
}

struct WatchedCall {
  Sizes sizes;
  bool part = false; // too much to be watched whole
};

// Of the hidden sizes that the tool can do in a second those with fewest extents of 1, where nobody has a neighbour; of
// these those with most odd extents, whose tiles and vectors are cut off, and with most work; else those with least.
// And those with most groups beside each other.
std::vector<Sizes> choose_sizes(Validation& validation, const Inspector& inspector)
{
  const std::vector<Sizes>& hidden = validation.hidden_sizes();
  const Sizes& neighbours = validation.probe_sizes();
  if (hidden.empty()) {
    return {neighbours};
  }
  const auto rank = [&](const Sizes& sizes) {
    const double work = work_at(validation.kernel(), sizes);
    const auto several = std::ranges::count_if(sizes, [](const auto& size) { return size.second > 1; });
    const auto odd = std::ranges::count_if(sizes, [](const auto& size) { return size.second % 2 != 0; });
    return work <= inspector.most_work() ? std::tuple(several, odd, work)
                                         : std::tuple(std::ptrdiff_t{-1}, std::ptrdiff_t{0}, -work);
  };
  const Sizes& cut_off = *std::ranges::max_element(hidden, {}, rank);
  if (neighbours == cut_off || work_at(validation.kernel(), neighbours) > inspector.most_work()) {
    return {cut_off};
  }
  return {cut_off, neighbours};
}

// Of the sizes that the candidate names some at which several groups run: first those with launches that none of the
// others has, since a plan may hold some for a few sizes only.
Result<std::vector<Sizes>> choose_named(Validation& validation, const Inspector& inspector)
{
  std::set<std::vector<std::string>> seen;
  std::vector<Sizes> first, others;
  for (const Sizes& sizes : validation.named_sizes()) {
    if (work_at(validation.kernel(), sizes) > inspector.most_work()) {
      continue;
    }
    HONE_TRY(const auto prepared, validation.setting().prepare(sizes));
    if (!prepared) {
      continue; // which the calls there have said
    }
    std::vector<std::string> launches;
    std::int64_t groups = 0;
    for (const ResolvedLaunch& launch : (*prepared)->plan.launches) {
      launches.push_back(launch.kernel);
      groups = std::max(groups, launch.groups());
    }
    if (groups > 1) {
      (seen.insert(launches).second ? first : others).push_back(sizes);
    }
  }
  first.insert(first.end(), others.begin(), others.end());
  first.resize(std::min(first.size(), k_most_named_watched));
  return first;
}

Result<std::vector<WatchedCall>> choose_places(Validation& validation, const Inspector& inspector)
{
  const Sizes& timed = validation.setting().recipe->sizes;
  const bool in_parts = inspector.most_accesses() > 0;
  std::vector<WatchedCall> places;
  std::vector<Sizes> whole = choose_sizes(validation, inspector);
  if (in_parts) { // a tool that is quick enough
    HONE_TRY(const std::vector<Sizes> named, choose_named(validation, inspector));
    whole.insert(whole.end(), named.begin(), named.end());
  }
  for (const Sizes& sizes : whole) {
    if (sizes != timed || !in_parts) {
      places.push_back({sizes, false});
    }
  }
  if (in_parts) {
    places.push_back({timed, true});
  }
  return places;
}

// The inspector, and what it had compiled: mostly the same for all sizes.
class Watch {
public:
  explicit Watch(const Inspector& inspector) : m_inspector(inspector) {}
  const Inspector& inspector() const { return m_inspector; }

  Result<JailOutcome> built(Validation& validation, const BuildInput& input)
  {
    HONE_TRY(JailOutcome outcome, built(validation, input, false));
    if (outcome.reported_errors) {
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
Result<JailOutcome> inspect(Validation& validation, Bench& bench, Watch& watch, const ResolvedPlan& plan, bool part)
{
  const Prepared& prepared = bench.prepared();
  const BuildInput build{validation.kernel(), prepared.contender.candidate, prepared.contender.point, prepared.sizes,
                         plan};
  HONE_TRY(JailOutcome compiled, watch.built(validation, build));
  if (compiled.status != Status::correct) {
    return compiled;
  }
  InspectionInput input{build, std::move(compiled.outputs), {}, {}, part, validation.random().next()};
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
  case Kind::crash:
    return LaneEnd{Status::runtime, reason, {}};
  case Kind::other:
    break;
  }
  return std::nullopt;
}

// What the call computed while it was watched must be right, too. `inputs`: what it was given.
Result<LaneResult<void>> check_results(Validation& validation, Bench& bench, const Inspector& inspector,
                                       const std::map<std::string, std::string>& outputs, const InputSet& inputs)
{
  for (const std::size_t position : validation.kernel().outputs()) {
    const std::span<std::byte> tensor = bench.arena().tensor(0, position);
    const auto result = outputs.find(inspector.output_name(position));
    if (result == outputs.end() || result->second.size() != tensor.size()) {
      return LaneResult<void>();
    }
  }
  // Before the outputs are put in place: some are inputs, too.
  HONE_TRY(const ExpectedOutputs expected, validation.setting().references->expected(bench.arena(), 0, inputs, false));
  for (const std::size_t position : validation.kernel().outputs()) {
    std::ranges::copy(std::as_bytes(std::span(outputs.at(inspector.output_name(position)))),
                      bench.arena().tensor(0, position).begin());
  }
  HONE_TRY(const auto checked, validation.setting().references->check(bench.arena(), 0, *expected));
  if (!checked.passed) {
    return Ended{
      incorrect(fmt::format("{} (sizes {}, groups one after another in any order, every third atomic exchange "
                            "in vain)",
                            checked.reason, to_text(bench.sizes())))};
  }
  return LaneResult<void>();
}

// What a check came to at some sizes: words for its note; empty where the tool gave up, which is said in `skipped`.
struct Seen {
  std::string remarks;
  std::string skipped;
};

Result<LaneResult<Seen>> inspect_at(Validation& validation, Watch& watch, const WatchedCall& place)
{
  const Inspector& inspector = watch.inspector();
  HONE_LANE(Bench* const bench, validation.bench(place.sizes, Layout::canaries));
  const InputSet inputs{ValueFamily::normal, validation.random().next()};
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
    HONE_TRY(const JailOutcome outcome, inspect(validation, *bench, watch, *plan, place.part));
    if (outcome.reported_errors && inspector.takes_all()) {
      return Ended{
        LaneEnd{Status::rejected, "its accesses to memory cannot be watched: " + outcome.reason, outcome.log}};
    }
    if (outcome.status != Status::correct) { // the candidate is right as far as it can be seen without
      return LaneResult<Seen>(Seen{{}, outcome.reason});
    }
    const auto findings = inspector.findings(outcome.outputs);
    if (!findings) {
      return LaneResult<Seen>(Seen{{}, findings.error().message});
    }
    for (const InspectionFinding& finding : *findings) {
      if (auto end = end_for(finding, fmt::format("{}, sizes {}", inspector.name(), to_text(place.sizes)))) {
        return Ended{std::move(*end)};
      }
      seen.remarks += "; " + finding.text;
    }
    HONE_LANE_CHECK(check_results(validation, *bench, inspector, outcome.outputs, inputs));
  }
  return LaneResult<Seen>(std::move(seen));
}

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
  HONE_TRY(const std::vector<WatchedCall> places, choose_places(validation, *inspector));
  for (const WatchedCall& place : places) {
    if (!place.part && work_at(validation.kernel(), place.sizes) > k_too_much * inspector->most_work()) {
      validation.note(check, fmt::format("skipped: sizes {} would take too long", to_text(place.sizes)));
      continue; // the only ones on which the kernel means something
    }
    HONE_LANE(const std::shared_ptr<const Prepared> prepared, validation.setting().prepare(place.sizes));
    if (!prepared->contender.library.empty()) {
      return LaneResult<void>();
    }
    HONE_LANE(const Seen seen, inspect_at(validation, watch, place));
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
