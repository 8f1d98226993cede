// One small call under a tool of the platform that watches every access to memory, where it has one and it is here: it
// sees races inside a work-group and reads beyond a tensor, which neither outputs nor guard bands show. In full depth.
#include "backend/inspector.h"
#include "gate/jail.h"
#include "gate/validate/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace hone {
namespace {

constexpr double k_most_work = 2e5; // flops + bytes of the call: such tools are a thousand times slower
constexpr double k_too_much_work = 2e6;
constexpr JailLimits k_limits = {.wall = std::chrono::milliseconds(60'000), .cpu_seconds = 45};

double work_at(const Kernel& kernel, const Sizes& sizes)
{
  const auto work = work_of(kernel, sizes);
  return work ? work->total() : std::numeric_limits<double>::infinity();
}

// The hidden sizes with most work that the tool can do in a few seconds; else those with least.
const Sizes& choose_sizes(Validation& validation)
{
  const std::vector<Sizes>& hidden = validation.hidden_sizes();
  if (hidden.empty()) {
    return validation.probe_sizes();
  }
  const auto rank = [&](const Sizes& sizes) { // small ones by their work, large ones below them
    const double work = work_at(validation.kernel(), sizes);
    return work <= k_most_work ? work : -work;
  };
  return *std::ranges::max_element(hidden, {}, rank);
}

// `plan`: the contender's, or its preparation.
Result<JailOutcome> inspect(Validation& validation, Bench& bench, const Inspector& inspector, const ResolvedPlan& plan)
{
  const Prepared& prepared = bench.prepared();
  const BuildInput build{validation.kernel(), prepared.contender.candidate, prepared.contender.point, prepared.sizes,
                         plan};
  InspectionInput input{build, {}, {}};
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
  HONE_TRY(const CompileJob job, inspector.job(input));
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
  case Kind::other:
    break;
  }
  return std::nullopt;
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
  const Sizes& sizes = choose_sizes(validation);
  if (work_at(validation.kernel(), sizes) > k_too_much_work) { // a kernel that is specialised to large sizes
    validation.note(check, fmt::format("skipped: sizes {} would take too long", to_text(sizes)));
    return LaneResult<void>();
  }
  HONE_LANE(Bench* const bench, validation.bench(sizes, Layout::canaries));
  if (!bench->prepared().contender.library.empty()) {
    return LaneResult<void>();
  }
  HONE_CHECK(bench->set_up({ValueFamily::normal, validation.random().next()}, validation.random().next()));
  HONE_LANE_CHECK(Result<LaneResult<void>>(bench->prepare()));
  std::string remarks;
  std::vector<const ResolvedPlan*> plans{&bench->prepared().plan};
  if (bench->preparation()) {
    plans.push_back(&bench->preparation()->plan());
  }
  for (const ResolvedPlan* plan : plans) {
    HONE_TRY(const JailOutcome outcome, inspect(validation, *bench, *inspector, *plan));
    if (outcome.status != Status::correct) { // the candidate is right as far as it can be seen without
      validation.note(check, fmt::format("skipped: {}", outcome.reason));
      return LaneResult<void>();
    }
    const auto findings = inspector->findings(outcome.outputs);
    if (!findings) {
      validation.note(check, "skipped: " + findings.error().message);
      return LaneResult<void>();
    }
    for (const InspectionFinding& finding : *findings) {
      if (auto end = end_for(finding, fmt::format("{}, sizes {}", inspector->name(), to_text(sizes)))) {
        return Ended{std::move(*end)};
      }
      remarks += "; " + finding.text;
    }
  }
  validation.note(check, fmt::format("no race, nothing out of bounds (sizes {}){}", to_text(sizes), remarks));
  return LaneResult<void>();
}

} // namespace hone
