#include "gate/preparation.h"

#include "inputs/inputs.h"

#include <utility>

namespace hone::gate {
namespace {

SessionEnd while_preparing(SessionEnd end)
{
  end.reason = "while preparing weights: " + end.reason;
  return end;
}

} // namespace

Result<SessionResult<Preparation>> Preparation::open(const PreparationBuild& build, SessionSpec calls, Arena& arena)
{
  calls.module = &build.build->module;
  calls.plan = &build.plan;
  calls.code = {}; // pages of its own: the arms' lie at one place in turn
  HONE_TRY(SessionResult<RunnerSession> session, RunnerSession::open(calls, arena));
  if (!session) {
    return SessionResult<Preparation>(std::unexpected(while_preparing(std::move(session.error()))));
  }
  return SessionResult<Preparation>(Preparation(build, std::move(*session)));
}

SessionResult<double> Preparation::run(Arena& arena, std::span<const std::uint32_t> sets, Random& random, Store store)
{
  for (const std::uint32_t set : sets) {
    arena.poison_prepared(set, random);
  }
  const SessionResult<BlockTiming> timing = m_session.run_block(sets);
  if (!timing) {
    return std::unexpected(while_preparing(timing.error()));
  }
  for (const std::uint32_t set : sets) {
    if (const std::string damage = arena.damaged_prepared_guard(set); !damage.empty()) {
      return std::unexpected(
        SessionEnd{record::Status::rejected, "while preparing weights: wrote out of bounds: " + damage, {}});
    }
    if (store == Store::streaming) {
      drop_from_caches(arena.prepared(set));
      for (const std::size_t weight : arena.weights()) {
        drop_from_caches(arena.tensor(set, weight));
      }
    }
  }
  return timing->wall_s / static_cast<double>(sets.size());
}

} // namespace hone::gate
