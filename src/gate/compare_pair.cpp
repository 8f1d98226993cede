#include "gate/compare_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace hone {
namespace {

// CPU time after the answer. Going back to sleep takes a few microseconds, an interrupt or a stolen time slice that is
// booked on the runner can be a millisecond. It is charged to the block, so that it gains nothing; beyond these limits
// it is no accident.
constexpr double k_late_s = 5e-3;
constexpr double k_late_share = 0.2;

std::size_t code_bytes(const CompareArm& arm)
{
  return arm.module == nullptr ? 0 : arm.module->image.size();
}

LaneSpec lane_spec(const CompareRequest& request, const PairSpec& pair, const CodePages& code, Arm arm)
{
  const CompareArm& side = request.side(arm);
  LaneSpec spec;
  spec.backend = side.backend;
  spec.module = side.module;
  spec.plan = side.plan;
  spec.library = side.library;
  spec.library_setting = side.library_setting;
  spec.cpus = request.cpus;
  spec.layout_seed = pair.layout_seed;
  spec.code_offset = pair.code_offset;
  spec.code = code;
  spec.call_deadline = request.call_deadline;
  return spec;
}

ArenaSpec arena_spec(const CompareRequest& request, const PairSpec& pair)
{
  ArenaSpec spec;
  spec.kernel = request.kernel;
  spec.sizes = request.recipe.sizes;
  spec.sets = pair.sets;
  spec.scratch_bytes = request.larger(scratch_bytes_of);
  spec.prepared_bytes = request.larger(prepared_bytes_of);
  spec.shared_bytes = request.larger(shared_bytes_of);
  spec.workers = request.cpus.size();
  spec.shared_inputs = request.regime == Regime::hot;
  spec.layout_seed = pair.layout_seed;
  return spec;
}

ArmFailure rejected(Arm arm, std::string reason)
{
  return {arm, {Status::rejected, std::move(reason), {}}};
}

} // namespace

RunnerPair::RunnerPair(const CompareRequest& request, const TimingHooks& hooks, Arena arena, Random& random)
  : m_request(&request), m_hooks(&hooks), m_random(&random), m_arena(std::move(arena))
{
}

Result<RunnerPair::Opened> RunnerPair::open(const CompareRequest& request, const TimingHooks& hooks,
                                            const PairSpec& spec, Random& random, std::optional<Arena> former)
{
  HONE_TRY(Arena arena, Arena::create(arena_spec(request, spec), std::move(former)));
  HONE_TRY(const CodePages code,
           make_code_pages(spec.code_offset + std::max(code_bytes(request.candidate), code_bytes(request.incumbent))));
  RunnerPair pair(request, hooks, std::move(arena), random);
  for (const Arm arm : {Arm::candidate, Arm::incumbent}) {
    HONE_TRY(LaneResult<Lane> lane, Lane::open(lane_spec(request, spec, code, arm), pair.m_arena));
    if (!lane) {
      return Opened(std::unexpected(ArmFailure{arm, std::move(lane.error())}));
    }
    pair.m_lanes.push_back(std::move(*lane));
    if (const PreparationBuild* preparation = request.side(arm).preparation) {
      HONE_TRY(auto opened, Preparation::open(*preparation, lane_spec(request, spec, code, arm), pair.m_arena));
      if (!opened) {
        return Opened(std::unexpected(ArmFailure{arm, std::move(opened.error())}));
      }
      pair.m_preparations[static_cast<std::size_t>(arm)] = std::move(*opened);
    }
  }
  if (hooks.begin) {
    hooks.begin(pair.m_arena);
  }
  HONE_CHECK(pair.fill_once());
  return Opened(std::move(pair));
}

Arena RunnerPair::take_arena(RunnerPair pair)
{
  pair.m_lanes.clear();
  pair.m_preparations = {};
  return std::move(pair.m_arena);
}

// Hot: all sets share their inputs, which are filled now and stay.
Result<void> RunnerPair::fill_once()
{
  if (m_request->regime != Regime::hot) {
    return {};
  }
  std::vector<std::uint32_t> all(m_arena.sets());
  std::iota(all.begin(), all.end(), 0U);
  HONE_CHECK(m_hooks->refill(m_arena, all));
  for (std::size_t a = 0; a < m_request->kernel->arguments.size(); ++a) {
    if (m_request->kernel->arguments[a].role == Role::inout) {
      const auto bytes = m_arena.tensor(0, a);
      m_pristine.emplace_back(a, std::vector<std::byte>(bytes.begin(), bytes.end()));
    }
  }
  return {};
}

// The ring of sets, in order: a set comes round again only after all others.
std::vector<std::uint32_t> RunnerPair::next_sets(std::size_t count)
{
  std::vector<std::uint32_t> sets(count);
  for (std::uint32_t& set : sets) {
    set = m_next_set;
    m_next_set = (m_next_set + 1) % static_cast<std::uint32_t>(m_arena.sets());
  }
  return sets;
}

Result<void> RunnerPair::renew(Arm arm, std::span<const std::uint32_t> sets)
{
  // Hot means outputs in the cache too. Sent around it, they are fetched from memory by the stores of the calls, and
  // some processes stay several percent slower at that for as long as they live.
  const Store store = m_request->regime == Regime::hot ? Store::cached : Store::streaming;
  const std::int64_t scratch = scratch_bytes_of(*m_request->side(arm).plan);
  for (const std::uint32_t set : sets) {
    m_arena.poison(set, *m_random, store, static_cast<std::size_t>(scratch));
    for (const auto& [argument, bytes] : m_pristine) {
      std::ranges::copy(bytes, m_arena.tensor(set, argument).begin());
    }
  }
  return m_request->regime == Regime::hot ? Result<void>() : m_hooks->refill(m_arena, sets);
}

LaneResult<double> RunnerPair::prepare_weights(Arm arm, std::span<const std::uint32_t> sets)
{
  std::optional<Preparation>& preparation = m_preparations[static_cast<std::size_t>(arm)];
  if (!preparation || m_prepared_for == arm) {
    return 0.0;
  }
  if (m_request->regime == Regime::cold) {
    return preparation->run(m_arena, sets, *m_random, Store::streaming);
  }
  m_prepared_for = arm;
  return preparation->run(m_arena, sets.first(1), *m_random, Store::cached); // all sets share it
}

// An answer given before the work is done, or a runner that keeps the CPU busy while the other one is timed.
std::optional<ArmFailure> RunnerPair::look_for_late_work(Arm arm, BlockRecord& record)
{
  const double late = lane(arm).late_cpu_s();
  record.wall_s += late;
  record.child_cpu_s += late;
  m_late_seen[static_cast<std::size_t>(arm)] = late;
  if (late > std::max(k_late_s, k_late_share * record.wall_s)) {
    return rejected(arm, fmt::format("worked on for {:.0f} us after it had answered", 1e6 * late));
  }
  const Arm other = arm == Arm::candidate ? Arm::incumbent : Arm::candidate;
  double& seen = m_late_seen[static_cast<std::size_t>(other)];
  const double growth = lane(other).late_cpu_s() - seen;
  seen += growth;
  if (growth > std::max(k_late_s, k_late_share * record.wall_s)) {
    return rejected(other, fmt::format("used {:.0f} us of the CPU while the other runner was timed", 1e6 * growth));
  }
  for (const Arm side : {arm, other}) {
    const std::optional<Preparation>& preparation = m_preparations[static_cast<std::size_t>(side)];
    if (preparation && preparation->late_cpu_s() > k_late_s) {
      return rejected(side, "went on working after it had prepared the weights");
    }
  }
  return std::nullopt;
}

std::optional<std::string> RunnerPair::damage(std::span<const std::uint32_t> sets)
{
  for (const std::uint32_t set : sets) {
    if (std::string found = m_arena.damaged_guard(set); !found.empty()) {
      return found;
    }
  }
  return std::nullopt;
}

Result<RunnerPair::Block> RunnerPair::run_block(Arm arm, std::uint32_t calls, std::uint32_t settle)
{
  const std::vector<std::uint32_t> sets = next_sets(settle + calls);
  const auto settling = std::span(sets).first(settle);
  const auto timed = std::span(sets).subspan(settle);
  HONE_CHECK(renew(arm, sets));
  const LaneResult<double> preparing = prepare_weights(arm, sets);
  if (!preparing) {
    return Block(std::unexpected(ArmFailure{arm, preparing.error()}));
  }
  if (settle > 0) {
    if (const auto settled = lane(arm).run_block(settling); !settled) {
      return Block(std::unexpected(ArmFailure{arm, settled.error()}));
    }
  }
  const auto timing = lane(arm).run_block(timed);
  if (!timing) {
    return Block(std::unexpected(ArmFailure{arm, timing.error()}));
  }
  if (const auto found = damage(timed)) {
    return Block(std::unexpected(rejected(arm, "wrote " + *found)));
  }
  HONE_TRY(const LaneResult<void> checked, m_hooks->check(m_arena, timed, arm));
  if (!checked) {
    return Block(std::unexpected(ArmFailure{arm, checked.error()}));
  }
  BlockRecord record{calls, timing->wall_s, timing->child_cpu_s, timing->stamps_s, timing->waited_s, *preparing};
  if (auto failure = look_for_late_work(arm, record)) {
    return Block(std::unexpected(std::move(*failure)));
  }
  return Block(record);
}

} // namespace hone
