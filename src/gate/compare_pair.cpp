#include "gate/compare_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace hone::gate {
namespace {

// CPU time after the answer. Going back to sleep takes a few microseconds, an interrupt or a stolen time slice that is
// booked on the runner can be a millisecond. It is charged to the block, so that it gains nothing; beyond these limits
// it is no accident.
constexpr double k_late_s = 5e-3;
constexpr double k_late_share = 0.2;
// What an honest runner uses without being asked to: going back to sleep.
constexpr double k_falling_asleep_s = 20e-6;
// What settling calls may take beyond as many timed ones: the first call after the other arm finds code and predictors
// cold, and in the hot regime data, too.
constexpr double k_settling_s = 20e-6;
constexpr double k_settling_when_hot = 2;         // times a timed call
constexpr std::uint64_t k_settling_looked_at = 4; // one block in so many: its settling calls' outputs, too

std::size_t code_bytes(const CompareArm& arm)
{
  return arm.module == nullptr ? 0 : arm.module->image.size();
}

SessionSpec session_spec(const CompareRequest& request, const PairSpec& pair, const CodePages& code, Arm arm)
{
  const CompareArm& side = request.side(arm);
  SessionSpec spec;
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
  spec.pulls_scratch = false; // nobody looks at it between timed calls
  spec.stop = request.stop;
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
  spec.shared_inputs = request.regime == record::Regime::hot;
  spec.layout_seed = pair.layout_seed;
  return spec;
}

ArmFailure rejected_arm(Arm arm, std::string reason)
{
  return {arm, {record::Status::rejected, std::move(reason), {}}};
}

// The arms' blocks of the same number find the same in registers.
std::uint32_t seed_of_block(std::uint32_t seed, std::uint32_t block)
{
  return std::max(1U, seed + block * backend::runner::k_most_block_calls);
}

// While settling calls run, the data of the timed ones lie there already: work that is done for these ahead of the
// clock is charged to them.
void charge_work_ahead(const CompareRequest& request, const BlockTiming& settling, std::uint32_t calls,
                       BlockRecord& record)
{
  const bool several_threads = request.cpus.size() > 1; // the CPU time is that of the first
  const double used = several_threads ? settling.wall_s : settling.child_cpu_s;
  const double timed = several_threads ? record.wall_s : record.child_cpu_s;
  const double slower = request.regime == record::Regime::hot ? k_settling_when_hot : 1;
  const double ahead = std::max(0.0, used - slower * calls * timed / record.calls - k_settling_s);
  record.wall_s += ahead;
  record.child_cpu_s += several_threads ? 0 : ahead;
}

} // namespace

RunnerPair::RunnerPair(const CompareRequest& request, const TimingHooks& hooks, const PairSpec& spec, Arena arena,
                       Random& random)
  : m_request(&request), m_hooks(&hooks), m_random(&random), m_arena(std::move(arena)),
    m_registers_seed(static_cast<std::uint32_t>(random.next())), m_ring(spec.sets, spec.drawn_from),
    m_waiting(spec.sets)
{
}

Result<RunnerPair::Opened> RunnerPair::open(const CompareRequest& request, const TimingHooks& hooks,
                                            const PairSpec& spec, Random& random, std::optional<Arena> former)
{
  HONE_TRY(Arena arena, Arena::create(arena_spec(request, spec), std::move(former)));
  HONE_TRY(const CodePages code,
           make_code_pages(spec.code_offset + std::max(code_bytes(request.candidate), code_bytes(request.incumbent))));
  RunnerPair pair(request, hooks, spec, std::move(arena), random);
  for (const Arm arm : {Arm::candidate, Arm::incumbent}) {
    HONE_TRY(RunnerSession session, RunnerSession::start(session_spec(request, spec, code, arm), pair.m_arena));
    pair.m_sessions.push_back(std::move(session));
  }
  for (const Arm arm : {Arm::candidate, Arm::incumbent}) {
    HONE_TRY(SessionResult<void> loaded, pair.session(arm).finish_loading());
    if (!loaded) {
      return Opened(std::unexpected(ArmFailure{arm, std::move(loaded.error())}));
    }
    if (const PreparationBuild* preparation = request.side(arm).preparation) {
      HONE_TRY(auto opened, Preparation::open(*preparation, session_spec(request, spec, code, arm), pair.m_arena));
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
  pair.m_sessions.clear();
  pair.m_preparations = {};
  return std::move(pair.m_arena);
}

// Hot: all sets share their inputs, which are filled now and stay.
Result<void> RunnerPair::fill_once()
{
  if (m_request->regime != record::Regime::hot) {
    return {};
  }
  std::vector<std::uint32_t> all(m_arena.sets());
  std::iota(all.begin(), all.end(), 0U);
  HONE_CHECK(m_hooks->refill(m_arena, all, Arm::candidate));
  for (std::size_t a = 0; a < m_request->kernel->arguments.size(); ++a) {
    if (m_request->kernel->arguments[a].role == kernel::Role::inout) {
      const auto bytes = m_arena.tensor(0, a);
      m_pristine.emplace_back(a, std::vector<std::byte>(bytes.begin(), bytes.end()));
    }
  }
  return {};
}

// Hot means outputs in the cache too. Sent around it, they are fetched from memory by the stores of the calls, and some
// processes stay several percent slower at that for as long as they live.
void RunnerPair::overwrite_outputs(Arm arm, std::span<const std::uint32_t> sets)
{
  const bool hot = m_request->regime == record::Regime::hot;
  const Store store = hot ? Store::cached : Store::streaming;
  const std::int64_t scratch = hot ? scratch_bytes_of(*m_request->side(arm).plan) : m_request->larger(scratch_bytes_of);
  for (const std::uint32_t set : sets) {
    m_arena.poison(set, *m_random, store, static_cast<std::size_t>(scratch));
  }
}

Result<void> RunnerPair::renew(Arm arm, std::span<const std::uint32_t> sets)
{
  overwrite_outputs(arm, sets);
  for (const std::uint32_t set : sets) {
    for (const auto& [argument, bytes] : m_pristine) {
      std::ranges::copy(bytes, m_arena.tensor(set, argument).begin());
    }
  }
  return m_request->regime == record::Regime::hot ? Result<void>() : m_hooks->refill(m_arena, sets, arm);
}

SessionResult<double> RunnerPair::prepare_weights(Arm arm, std::span<const std::uint32_t> sets)
{
  std::optional<Preparation>& preparation = m_preparations[static_cast<std::size_t>(arm)];
  if (!preparation || m_prepared_for == arm) {
    return 0.0;
  }
  if (m_request->regime == record::Regime::cold) {
    return preparation->run(m_arena, sets, *m_random, Store::streaming);
  }
  m_prepared_for = arm;
  return preparation->run(m_arena, sets.first(1), *m_random, Store::cached); // all sets share it
}

// CPU time since the last look at a runner that has answered and was asked for nothing since.
double RunnerPair::unasked_s(Arm arm)
{
  const double late = session(arm).late_cpu_s();
  return late - std::exchange(m_late_seen[static_cast<std::size_t>(arm)], late);
}

SessionResult<BlockTiming> RunnerPair::run_calls(Arm arm, std::span<const std::uint32_t> sets)
{
  double& owed = m_owed[static_cast<std::size_t>(arm)];
  owed += unasked_s(arm);
  CallerState caller;
  caller.registers_seed = seed_of_block(m_registers_seed, m_blocks[static_cast<std::size_t>(arm)]++);
  auto timing = session(arm).run_block(sets, caller);
  m_late_seen[static_cast<std::size_t>(arm)] = 0;
  if (timing && timing->cancelled) {
    return std::unexpected(SessionEnd{record::Status::timeout, "cancelled", {}});
  }
  return timing;
}

// An answer given before the work is done, or a runner that keeps the CPU busy while the other one is timed, or while
// the data of its next block are written.
std::optional<ArmFailure> RunnerPair::look_for_late_work(Arm arm, BlockRecord& record)
{
  const auto is_too_much = [&](double seconds) { return seconds > std::max(k_late_s, k_late_share * record.wall_s); };
  const double late = unasked_s(arm);
  const double owed = std::exchange(m_owed[static_cast<std::size_t>(arm)], 0);
  const double charge = late + std::max(0.0, owed - k_falling_asleep_s);
  record.wall_s += charge;
  record.child_cpu_s += charge;
  if (is_too_much(late)) {
    return rejected_arm(arm, fmt::format("worked on for {:.0f} us after it had answered", 1e6 * late));
  }
  if (is_too_much(owed)) {
    return rejected_arm(arm, fmt::format("used {:.0f} us of the CPU before it was called", 1e6 * owed));
  }
  const Arm other = arm == Arm::candidate ? Arm::incumbent : Arm::candidate;
  const double growth = unasked_s(other);
  m_owed[static_cast<std::size_t>(other)] += growth;
  if (is_too_much(growth)) {
    return rejected_arm(other, fmt::format("used {:.0f} us of the CPU while the other runner was timed", 1e6 * growth));
  }
  for (const Arm side : {arm, other}) {
    const std::optional<Preparation>& preparation = m_preparations[static_cast<std::size_t>(side)];
    if (preparation && preparation->late_cpu_s() > k_late_s) {
      return rejected_arm(side, "went on working after it had prepared the weights");
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

// Hot: renewed now, so that outputs are in cache. Cold: sets that do not wait already.
Result<void> RunnerPair::make_ready(Arm arm, std::span<const std::uint32_t> sets, std::size_t settling)
{
  if (m_request->regime == record::Regime::hot) {
    return renew(arm, sets);
  }
  std::vector<std::uint32_t> unused;
  for (const std::uint32_t set : sets) {
    if (!m_waiting[set]) {
      unused.push_back(set);
      m_waiting[set] = true;
    }
  }
  if (!unused.empty()) {
    HONE_CHECK(renew(arm, unused));
  }
  return m_hooks->ensure_known ? m_hooks->ensure_known(m_arena, sets.subspan(settling), arm) : Result<void>();
}

// Cold: sets of blocks of several calls get fresh data as soon as their block is over; were it only before the next
// one, a candidate that remembers addresses would see in its first call which sets come next. A call that is a block by
// itself finds no others' data, and by its turn it is late for its own: nothing is written that a pair may never need.
Result<void> RunnerPair::put_away(Arm arm, std::span<const std::uint32_t> sets)
{
  if (sets.size() > 1) {
    return renew(arm, sets);
  }
  m_waiting[sets.front()] = false;
  if (m_request->repeats_inputs) { // the result must not be there when its inputs come again
    overwrite_outputs(arm, sets);
  }
  return {};
}

Result<RunnerPair::Block> RunnerPair::run_block(Arm arm, std::uint32_t calls, std::uint32_t settle)
{
  const std::vector<std::uint32_t> sets = m_ring.next(settle + calls, *m_random);
  HONE_CHECK(make_ready(arm, sets, settle));
  HONE_TRY(Block block, run_renewed(arm, std::span(sets).first(settle), std::span(sets).subspan(settle)));
  if (block && m_request->regime == record::Regime::cold) {
    HONE_CHECK(put_away(arm, sets));
  }
  return block;
}

Result<RunnerPair::Block> RunnerPair::run_stress_block(Arm arm, std::uint32_t calls, std::uint32_t settle)
{
  const bool hot = m_request->regime == record::Regime::hot;
  if (!m_hooks->write_stress || (hot && !m_pristine.empty())) {
    return Block(BlockRecord{});
  }
  const std::vector<std::uint32_t> sets = m_ring.next(settle + calls, *m_random);
  HONE_CHECK(make_ready(arm, sets, settle));
  HONE_TRY(const bool written, m_hooks->write_stress(m_arena, hot ? 0 : sets[settle + m_random->below(calls)]));
  if (!written) {
    return Block(BlockRecord{});
  }
  m_prepared_for.reset();
  return run_renewed(arm, std::span(sets).first(settle), std::span(sets).subspan(settle));
}

// What the other arm threw out of the caches behind itself is not for this one to fetch.
void RunnerPair::read_shared_inputs()
{
  constexpr std::size_t k_line = 64;
  [[maybe_unused]] volatile std::byte seen{}; // so that it is read
  for (std::size_t a = 0; a < m_request->kernel->arguments.size(); ++a) {
    if (!kernel::is_written(m_request->kernel->arguments[a].role)) {
      const std::span<const std::byte> bytes = m_arena.tensor(0, a);
      for (std::size_t i = 0; i < bytes.size(); i += k_line) {
        seen = bytes[i];
      }
    }
  }
}

Result<RunnerPair::Block> RunnerPair::run_renewed(Arm arm, std::span<const std::uint32_t> settling,
                                                  std::span<const std::uint32_t> timed)
{
  std::vector<std::uint32_t> sets(settling.begin(), settling.end());
  sets.insert(sets.end(), timed.begin(), timed.end());
  const SessionResult<double> preparing = prepare_weights(arm, sets);
  if (!preparing) {
    return Block(std::unexpected(ArmFailure{arm, preparing.error()}));
  }
  SessionResult<BlockTiming> settled;
  if (settling.empty() && m_request->regime == record::Regime::hot) {
    read_shared_inputs();
  }
  if (!settling.empty()) {
    settled = run_calls(arm, settling);
    if (!settled) {
      return Block(std::unexpected(ArmFailure{arm, settled.error()}));
    }
  }
  const auto timing = run_calls(arm, timed);
  if (!timing) {
    return Block(std::unexpected(ArmFailure{arm, timing.error()}));
  }
  if (const auto found = damage(timed)) {
    return Block(std::unexpected(rejected_arm(arm, "wrote " + *found)));
  }
  // Settling calls must not be idle, and work for others in place of their own.
  const bool all = !settling.empty() && m_random->below(k_settling_looked_at) == 0;
  for (const std::span<const std::uint32_t> calls : {timed, all ? settling : timed.first(0)}) {
    if (calls.empty()) {
      continue;
    }
    HONE_TRY(const SessionResult<void> checked, m_hooks->check(m_arena, calls, arm));
    if (!checked) {
      return Block(std::unexpected(ArmFailure{arm, checked.error()}));
    }
  }
  BlockRecord record{static_cast<std::uint32_t>(timed.size()),
                     timing->counted_s(),
                     timing->child_cpu_s,
                     timing->stamps_s,
                     timing->waited_s,
                     *preparing};
  if (timing->device_s > 0) { // what the runner's own thread did meanwhile says nothing
    record.child_cpu_s = record.stamps_s = timing->device_s;
    record.waited_s = 0;
  }
  charge_work_ahead(*m_request, *settled, static_cast<std::uint32_t>(settling.size()), record);
  if (auto failure = look_for_late_work(arm, record)) {
    return Block(std::unexpected(std::move(*failure)));
  }
  return Block(record);
}

Result<RunnerPair::Block> RunnerPair::run_unseen(Arm arm)
{
  const std::uint32_t first_set[] = {0};
  HONE_CHECK(m_hooks->write_unseen(m_arena, 0));
  for (std::size_t a = 0; a < m_request->kernel->arguments.size(); ++a) {
    const std::span<std::byte> tensor = m_arena.tensor(0, a);
    const std::vector<std::byte> copy(tensor.begin(), tensor.end());
    std::ranges::copy(copy, tensor.begin()); // they were written around the caches
  }
  m_arena.poison(0, *m_random, Store::cached, static_cast<std::size_t>(scratch_bytes_of(*m_request->side(arm).plan)));
  m_prepared_for.reset();
  return run_renewed(arm, {}, first_set);
}

} // namespace hone::gate
