#include "gate/harness.h"

#include "util/random.h"

#include <array>

namespace hone::gate {

SessionEnd rejected(std::string reason)
{
  return {record::Status::rejected, std::move(reason), {}};
}

SessionEnd incorrect(std::string reason)
{
  return {record::Status::correctness, std::move(reason), {}};
}

Result<SessionResult<std::shared_ptr<const Prepared>>>
prepare_candidate(const kernel::Kernel& kernel, BuildCache& builds, const kernel::PlanScope& device_facts,
                  const record::Contender& contender, const kernel::Sizes& sizes)
{
  auto prepared = std::make_shared<Prepared>();
  prepared->contender = contender;
  prepared->sizes = sizes;
  auto plan = kernel::resolve_plan(kernel, contender.candidate, sizes, contender.point, device_facts);
  if (!plan) {
    return Ended{{record::Status::constraints, plan.error().message + " (sizes " + kernel::to_text(sizes) + ")", {}}};
  }
  prepared->plan = std::move(*plan);
  HONE_TRY(prepared->build, builds.get({contender.candidate, contender.point, sizes, prepared->plan}));
  if (prepared->build->status != record::Status::correct) {
    return Ended{{prepared->build->status, prepared->build->reason, prepared->build->log}};
  }
  if (!prepared->plan.preparation.empty()) {
    PreparationBuild preparation{kernel::preparation_of(prepared->plan), nullptr};
    HONE_TRY(preparation.build, builds.get({contender.candidate, contender.point, sizes, preparation.plan}));
    if (preparation.build->status != record::Status::correct) {
      return Ended{{preparation.build->status, "[[prepare]]: " + preparation.build->reason, preparation.build->log}};
    }
    prepared->preparation = std::move(preparation);
  }
  return SessionResult<std::shared_ptr<const Prepared>>(std::move(prepared));
}

SessionSpec session_spec(const backend::Backend& backend, const Prepared& prepared, std::chrono::milliseconds deadline,
                         std::vector<int> cpus)
{
  SessionSpec spec;
  spec.backend = &backend;
  spec.module = prepared.build ? &prepared.build->module : nullptr;
  spec.plan = &prepared.plan;
  spec.library = prepared.contender.library;
  spec.library_setting = prepared.contender.library_setting;
  spec.cpus = std::move(cpus);
  spec.call_deadline = deadline;
  return spec;
}

namespace {

constexpr std::array<std::uint32_t, 1> k_first_set{0};

// A call may take as long as very slow honest code would: a loop without end on a small size is then noticed soon.
std::chrono::milliseconds patience_for(const kernel::Kernel& kernel, const Prepared& prepared,
                                       std::chrono::milliseconds most)
{
  constexpr double k_base_s = 5;
  constexpr double k_slowest_rate = 20e6; // flops or bytes per second
  constexpr double k_group_s = 5e-6;      // of calling one
  const auto work = kernel::work_of(kernel, prepared.sizes);
  if (!work || kernel.reference != kernel::ReferenceKind::expression) { // nothing is known about what must be computed
    return most;
  }
  const double seconds =
    k_base_s + work->total() / k_slowest_rate + k_group_s * static_cast<double>(prepared.plan.groups());
  return std::min(most, std::chrono::milliseconds(static_cast<std::int64_t>(1e3 * std::min(seconds, 1e6))));
}

} // namespace

Harness::Harness(const HarnessSpec& spec, Arena arena, std::optional<RunnerSession> session,
                 std::optional<Preparation> preparation)
  : m_kernel(spec.kernel), m_prepared(spec.prepared), m_rebinds(spec.backend->capabilities().rebinds),
    m_random(spec.layout_seed), m_arena(std::move(arena)), m_session(std::move(session)),
    m_preparation(std::move(preparation))
{
}

Result<SessionResult<Harness>> Harness::open(const HarnessSpec& spec, HarnessRest former)
{
  ArenaSpec arena_spec;
  arena_spec.kernel = spec.kernel;
  arena_spec.sizes = spec.prepared->sizes;
  arena_spec.scratch_bytes = scratch_bytes_of(spec.prepared->plan);
  arena_spec.prepared_bytes = prepared_bytes_of(spec.prepared->plan);
  arena_spec.shared_bytes = shared_bytes_of(spec.prepared->plan);
  arena_spec.workers = spec.cpus.size();
  arena_spec.flush_to_guard = spec.flush_to_guard;
  arena_spec.across_borders = true;
  arena_spec.spare_room = spec.backend->capabilities().rebinds;
  arena_spec.layout_seed = spec.layout_seed;
  HONE_TRY(Arena arena, Arena::create(arena_spec, std::move(former.arena)));
  const auto deadline = spec.backend->capabilities().times
                          ? patience_for(*spec.kernel, *spec.prepared, spec.deadline)
                          : spec.deadline; // nobody knows how long an emulated device takes
  SessionSpec session_request = session_spec(*spec.backend, *spec.prepared, deadline, spec.cpus);
  session_request.layout_seed = spec.layout_seed;
  session_request.stop = spec.stop;
  std::optional<RunnerSession> session;
  if (spec.use == HarnessUse::calls) {
    HONE_SESSION(session, RunnerSession::open(session_request, arena, std::move(former.session)));
  }
  std::optional<Preparation> preparation;
  if (spec.prepared->preparation) {
    HONE_SESSION(preparation, Preparation::open(*spec.prepared->preparation, session_request, arena));
  }
  return SessionResult<Harness>(Harness(spec, std::move(arena), std::move(session), std::move(preparation)));
}

HarnessRest Harness::take_rest(Harness harness)
{
  HarnessRest rest;
  rest.arena = std::move(harness.m_arena); // the other runners end with the rest of the harness
  if (harness.m_rebinds) {
    rest.session = std::move(harness.m_session);
  }
  return rest;
}

Result<void> Harness::set_up(const inputs::InputSet& inputs, std::uint64_t poison_seed)
{
  Random random(poison_seed);
  m_arena.poison(0, random);
  return fill_inputs(*m_kernel, m_arena, 0, inputs);
}

SessionResult<void> Harness::prepare()
{
  if (m_preparation) {
    if (const auto done = m_preparation->run(m_arena, k_first_set, m_random, Store::cached); !done) {
      return std::unexpected(done.error());
    }
  }
  return {};
}

SessionResult<BlockTiming> Harness::call(CallerState caller)
{
  if (const SessionResult<void> prepared = prepare(); !prepared) {
    return std::unexpected(prepared.error());
  }
  SessionResult<BlockTiming> timing = m_session->run_block(k_first_set, caller);
  if (!timing) {
    return timing;
  }
  if (timing->cancelled) {
    return std::unexpected(SessionEnd{record::Status::timeout, "cancelled", {}});
  }
  if (const std::string damage = m_arena.damaged_guard(0); !damage.empty()) {
    return std::unexpected(rejected("wrote out of bounds: " + damage));
  }
  return timing;
}

std::vector<std::byte> Harness::outputs()
{
  std::vector<std::byte> bytes;
  for (const std::size_t position : m_kernel->outputs()) {
    const auto tensor = m_arena.tensor(0, position);
    bytes.insert(bytes.end(), tensor.begin(), tensor.end());
  }
  return bytes;
}

} // namespace hone::gate
