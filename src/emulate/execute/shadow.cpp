#include "emulate/execute/shadow.h"

#include <algorithm>

namespace hone::emulate::execute {

LoadSet& Shadow::loads_of(Cell& cell)
{
  if (cell.set == 0) {
    if (m_free.empty()) {
      cell.set = static_cast<std::uint32_t>(m_sets.size());
      m_sets.emplace_back();
    } else {
      cell.set = m_free.back();
      m_free.pop_back();
    }
    LoadSet& out = m_sets[cell.set];
    out.first_actor = 0;
    out.near.assign(m_warps, {});
    out.far.clear();
  }
  return m_sets[cell.set];
}

void Shadow::put(LoadSet& set, const Actor& load)
{
  if (load.warp >= set.first_actor && load.warp - set.first_actor < m_warps && !load.asynchronous) {
    set.near[load.warp - set.first_actor] = load;
    return;
  }
  // Of one actor the last is enough, as long as none is under way.
  const auto same =
    std::ranges::find_if(set.far, [&](const Actor& one) { return one.warp == load.warp && one.clock != k_pending; });
  if (load.clock != k_pending && same != set.far.end()) {
    *same = load;
  } else {
    set.far.push_back(load);
  }
}

void Shadow::add_load(Cell& cell, const Actor& load, std::uint64_t first_actor)
{
  const bool known = cell.load.warp == 0 || cell.load.warp - first_actor < m_actors;
  // Nothing ever makes an order between clusters; strong loads need none against strong stores.
  if (!m_keeps_far && (cell.foreign || (!known && (load.scope == 0 || cell.load.scope == 0)))) {
    cell.foreign = true;
    cell.load = load.clock != k_pending ? load : cell.load;
    return;
  }
  const bool fresh = cell.set == 0;
  LoadSet& set = loads_of(cell);
  if (set.first_actor != first_actor) {
    set.first_actor = first_actor;
    for (Actor& one : set.near) {
      if (one.warp != 0) {
        const Actor moved = one;
        one = {};
        put(set, moved);
      }
    }
  }
  if (fresh && cell.load.warp != 0) {
    put(set, cell.load);
    cell.load = cell.load.clock == k_pending ? Actor{} : cell.load; // the set has it
  }
  put(set, load);
  cell.load = load.clock != k_pending ? load : cell.load;
}

void Shadow::end_load(Cell& cell, std::uint64_t warp, std::uint32_t clock)
{
  if (cell.set == 0) {
    if (cell.load.warp == warp && cell.load.clock == k_pending) {
      cell.load.clock = clock;
    }
    return;
  }
  LoadSet& set = m_sets[cell.set];
  const auto pending =
    std::ranges::find_if(set.far, [&](const Actor& one) { return one.warp == warp && one.clock == k_pending; });
  if (pending == set.far.end()) {
    return;
  }
  Actor done = *pending;
  done.clock = clock;
  set.far.erase(pending);
  put(set, done);
}

} // namespace hone::emulate::execute
