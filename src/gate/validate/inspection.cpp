// One small call under a tool of the platform that watches every access to memory, where it has one and it is here: it
// sees races inside a work-group and reads beyond a tensor, which neither outputs nor guard bands show. In full depth.
#include "backend/inspector.h"
#include "gate/jail.h"
#include "gate/validate/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace hone {
namespace {

constexpr double k_too_much = 10; // times what takes the tool a second
constexpr JailLimits k_limits = {.wall = std::chrono::milliseconds(60'000), .cpu_seconds = 45};

double work_at(const Kernel& kernel, const Sizes& sizes)
{
  const auto work = work_of(kernel, sizes);
  return work ? work->total() : std::numeric_limits<double>::infinity();
}

// Of the hidden sizes that the tool can do in a second those with most odd extents, whose tiles and vectors are cut
// off, and of these the ones with most work; else those with least. And those with most groups beside each other.
std::vector<Sizes> choose_sizes(Validation& validation, const Inspector& inspector)
{
  const std::vector<Sizes>& hidden = validation.hidden_sizes();
  const Sizes& neighbours = validation.probe_sizes();
  if (hidden.empty()) {
    return {neighbours};
  }
  const auto rank = [&](const Sizes& sizes) {
    const double work = work_at(validation.kernel(), sizes);
    const auto odd = std::ranges::count_if(sizes, [](const auto& size) { return size.second % 2 != 0; });
    return work <= inspector.most_work() ? std::pair(static_cast<int>(odd), work) : std::pair(-1, -work);
  };
  const Sizes& cut_off = *std::ranges::max_element(hidden, {}, rank);
  if (neighbours == cut_off || work_at(validation.kernel(), neighbours) > inspector.most_work()) {
    return {cut_off};
  }
  return {cut_off, neighbours};
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

// What a check came to at some sizes: words for its note; empty where the tool gave up, which is said in `skipped`.
struct Seen {
  std::string remarks;
  std::string skipped;
};

Result<LaneResult<Seen>> inspect_at(Validation& validation, const Inspector& inspector, const Sizes& sizes)
{
  HONE_LANE(Bench* const bench, validation.bench(sizes, Layout::canaries));
  HONE_CHECK(bench->set_up({ValueFamily::normal, validation.random().next()}, validation.random().next()));
  if (auto prepared = bench->prepare(); !prepared) {
    return Ended{std::move(prepared.error())};
  }
  std::vector<const ResolvedPlan*> plans{&bench->prepared().plan};
  if (bench->preparation()) {
    plans.push_back(&bench->preparation()->plan());
  }
  Seen seen;
  for (const ResolvedPlan* plan : plans) {
    HONE_TRY(const JailOutcome outcome, inspect(validation, *bench, inspector, *plan));
    if (outcome.status != Status::correct) { // the candidate is right as far as it can be seen without
      return LaneResult<Seen>(Seen{{}, outcome.reason});
    }
    const auto findings = inspector.findings(outcome.outputs);
    if (!findings) {
      return LaneResult<Seen>(Seen{{}, findings.error().message});
    }
    for (const InspectionFinding& finding : *findings) {
      if (auto end = end_for(finding, fmt::format("{}, sizes {}", inspector.name(), to_text(sizes)))) {
        return Ended{std::move(*end)};
      }
      seen.remarks += "; " + finding.text;
    }
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
  std::string where, remarks;
  for (const Sizes& sizes : choose_sizes(validation, *inspector)) {
    if (work_at(validation.kernel(), sizes) > k_too_much * inspector->most_work()) { // specialised to large sizes
      validation.note(check, fmt::format("skipped: sizes {} would take too long", to_text(sizes)));
      return LaneResult<void>();
    }
    HONE_LANE(const std::shared_ptr<const Prepared> prepared, validation.setting().prepare(sizes));
    if (!prepared->contender.library.empty()) {
      return LaneResult<void>();
    }
    HONE_LANE(const Seen seen, inspect_at(validation, *inspector, sizes));
    if (!seen.skipped.empty()) {
      validation.note(check, "skipped: " + seen.skipped);
      return LaneResult<void>();
    }
    where += (where.empty() ? "" : "; ") + to_text(sizes);
    remarks += seen.remarks;
  }
  validation.note(check, fmt::format("no race, nothing out of bounds (sizes {}){}", where, remarks));
  return LaneResult<void>();
}

} // namespace hone
