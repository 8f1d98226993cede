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
#include <deque>
#include <future>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hone {
namespace {

constexpr JailLimits k_limits = {.wall = std::chrono::milliseconds(60'000), .cpu_seconds = 45};

constexpr std::size_t k_at_once = 2;     // calls under watch
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

// `plan`: the contender's, or its preparation. What the jail came to, then or later: other calls go on beside it.
Result<std::future<Result<JailOutcome>>> inspect(Validation& validation, Bench& bench, Watch& watch,
                                                 const ResolvedPlan& plan, std::size_t most_accesses)
{
  const Prepared& prepared = bench.prepared();
  const BuildInput build{validation.kernel(), prepared.contender.candidate, prepared.contender.point, prepared.sizes,
                         plan};
  HONE_TRY(JailOutcome compiled, watch.built(validation, build));
  if (compiled.status != Status::correct) {
    std::promise<Result<JailOutcome>> known;
    known.set_value(std::move(compiled));
    return known.get_future();
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
  HONE_TRY(CompileJob job, watch.inspector().job(input));
  return std::async(std::launch::async, [job = std::move(job)] { return run_in_jail(job, k_limits); });
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

// A call under watch. What it computes there must be right, too, where that is asked for: `expected`.
struct WatchedRun {
  std::size_t place = 0; // of the list
  Sizes sizes;
  ValueFamily family = ValueFamily::normal;
  std::vector<std::string> inputs; // the bytes of each argument before the call
  ExpectedOutputs expected;
  std::future<Result<JailOutcome>> outcome;
};

// What a check came to at some sizes: words for its note; where the tool gave up, that is said in `skipped`.
struct Seen {
  std::string remarks;
  std::string skipped;
};

// Carries calls out under watch, a few at a time, each in a jail of its own.
class WatchedRuns {
public:
  WatchedRuns(Validation& validation, const Inspector& inspector, std::span<const WatchedCall> places)
    : m_validation(validation), m_watch(inspector), m_places(places), m_seen(places.size())
  {
  }

  Result<LaneResult<void>> start(std::size_t place, ValueFamily family)
  {
    const WatchedCall& call = m_places[place];
    HONE_LANE(Bench* const bench, m_validation.bench(call.sizes, Layout::canaries));
    const InputSet inputs{family, m_validation.random().next()};
    HONE_CHECK(bench->set_up(inputs, m_validation.random().next()));
    if (auto prepared = bench->prepare(); !prepared) {
      return Ended{std::move(prepared.error())};
    }
    std::vector<const ResolvedPlan*> plans{&bench->prepared().plan};
    if (bench->preparation()) {
      plans.push_back(&bench->preparation()->plan());
    }
    for (const ResolvedPlan* plan : plans) {
      if (m_runs.size() == k_at_once) {
        HONE_LANE_CHECK(finish_first());
      }
      WatchedRun run{place, call.sizes, family, {}, {}, {}};
      if (call.most_accesses == 0 && !plan->prepares && hands_outputs_back()) {
        for (std::size_t i = 0; i < m_validation.kernel().arguments.size(); ++i) {
          const std::span<const std::byte> bytes = bench->arena().tensor(0, i);
          run.inputs.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        }
        HONE_TRY(run.expected, m_validation.setting().references->expected(bench->arena(), 0, inputs, false));
      }
      HONE_TRY(run.outcome, inspect(m_validation, *bench, m_watch, *plan, call.most_accesses));
      m_runs.push_back(std::move(run));
    }
    return LaneResult<void>();
  }

  Result<LaneResult<void>> finish()
  {
    while (!m_runs.empty()) {
      HONE_LANE_CHECK(finish_first());
    }
    return LaneResult<void>();
  }

  const Seen& seen(std::size_t place) const { return m_seen[place]; }

private:
  const Inspector& inspector() const { return m_watch.inspector(); }

  bool hands_outputs_back() const
  {
    return std::ranges::none_of(m_validation.kernel().outputs(),
                                [this](std::size_t position) { return inspector().output_names(position).empty(); });
  }

  Result<LaneResult<void>> finish_first()
  {
    WatchedRun run = std::move(m_runs.front());
    m_runs.pop_front();
    HONE_TRY(const JailOutcome outcome, run.outcome.get());
    Seen& seen = m_seen[run.place];
    if (is_at_fault(outcome) && inspector().takes_all()) {
      const std::string why = first_complaint(outcome.log);
      return Ended{LaneEnd{
        Status::rejected,
        fmt::format("its accesses to memory cannot be watched: {}", why.empty() ? outcome.reason : why), outcome.log}};
    }
    if (outcome.status != Status::correct) { // the candidate is right as far as it can be seen without
      seen.skipped = outcome.reason;
      return LaneResult<void>();
    }
    const auto findings = inspector().findings(outcome.outputs);
    if (!findings) {
      seen.skipped = findings.error().message;
      return LaneResult<void>();
    }
    for (const InspectionFinding& finding : *findings) {
      const std::string where =
        fmt::format("{}, sizes {}, {} values", inspector().name(), to_text(run.sizes), name_of(run.family));
      if (auto end = end_for(finding, where)) {
        return Ended{std::move(*end)};
      }
      seen.remarks += "; " + finding.text;
    }
    return check_results(run, outcome.outputs);
  }

  // Each time that the call was carried out.
  Result<LaneResult<void>> check_results(const WatchedRun& run, const std::map<std::string, std::string>& outputs)
  {
    if (run.expected == nullptr) {
      return LaneResult<void>();
    }
    const Kernel& kernel = m_validation.kernel();
    std::vector<const std::byte*> inputs;
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
      const bool given = kernel.arguments[i].role != Role::output;
      inputs.push_back(given ? reinterpret_cast<const std::byte*>(run.inputs[i].data()) : nullptr);
    }
    const std::vector<std::size_t> positions = kernel.outputs();
    for (std::size_t time = 0; time < inspector().output_names(positions.front()).size(); ++time) {
      std::vector<const std::byte*> arguments = inputs;
      for (const std::size_t position : positions) {
        const auto result = outputs.find(inspector().output_names(position)[time]);
        if (result == outputs.end() || result->second.size() != run.inputs[position].size()) {
          return LaneResult<void>(); // it ended before
        }
        arguments[position] = reinterpret_cast<const std::byte*>(result->second.data());
      }
      HONE_TRY(const OutputCheck checked,
               m_validation.setting().references->check(run.sizes, arguments, inputs, *run.expected));
      if (!checked.passed) {
        return Ended{incorrect(fmt::format("{} ({}, sizes {}, {})", checked.reason, inspector().name(),
                                           to_text(run.sizes), inspector().way()))};
      }
    }
    return LaneResult<void>();
  }

  Validation& m_validation;
  Watch m_watch;
  std::span<const WatchedCall> m_places;
  std::vector<Seen> m_seen;
  std::deque<WatchedRun> m_runs;
};

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
  HONE_TRY(const std::vector<WatchedCall> places, choose_watched_calls(validation, *inspector));
  if (places.empty()) {
    validation.note(check, "skipped: every size on which the kernel means something would take too long");
  }
  FamilyDraw draw(validation);
  WatchedRuns runs(validation, *inspector, places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    HONE_LANE(const std::shared_ptr<const Prepared> prepared, validation.setting().prepare(places[i].sizes));
    if (!prepared->contender.library.empty()) {
      return LaneResult<void>();
    }
    for (const ValueFamily family : draw.families_for(*inspector, places[i])) {
      if (runs.seen(i).skipped.empty()) {
        HONE_LANE_CHECK(runs.start(i, family));
      }
    }
  }
  HONE_LANE_CHECK(runs.finish());
  std::string where, remarks;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& [seen, skipped] = runs.seen(i);
    if (!skipped.empty()) {
      validation.note(check, fmt::format("skipped at sizes {}: {}", to_text(places[i].sizes), skipped));
      continue;
    }
    where += (where.empty() ? "" : "; ") + to_text(places[i].sizes);
    remarks += seen;
  }
  if (!where.empty()) {
    validation.note(check, fmt::format("no race, nothing out of bounds (sizes {}){}", where, remarks));
  }
  return LaneResult<void>();
}

} // namespace hone
