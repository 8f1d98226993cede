#include "emulate/execute/shadow.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace hone::emulate::execute {

LoadSet& Shadow::loads_of(Cell& cell)
{
  if (cell.set == 0) {
    if (m_free.empty()) {
      cell.set = static_cast<std::uint32_t>(m_sets.size());
      m_sets.emplace_back();
      m_near.resize(m_near.size() + m_warps);
    } else {
      cell.set = m_free.back();
      m_free.pop_back();
    }
    m_sets[cell.set].first_actor = 0;
    m_sets[cell.set].far.clear();
    std::ranges::fill(near_of(cell), Actor{});
  }
  return m_sets[cell.set];
}

void Shadow::copy_set(Cell& cell, std::uint32_t from)
{
  cell.set = 0;
  loads_of(cell);
  m_sets[cell.set] = m_sets[from];
  std::copy_n(m_near.begin() + static_cast<std::ptrdiff_t>(from * m_warps), m_warps,
              m_near.begin() + static_cast<std::ptrdiff_t>(cell.set * m_warps));
}

void Shadow::put(const Cell& cell, const Actor& load)
{
  LoadSet& set = m_sets[cell.set];
  if (load.warp >= set.first_actor && load.warp - set.first_actor < m_warps && !load.asynchronous) {
    near_of(cell)[load.warp - set.first_actor] = load;
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
    for (Actor& one : near_of(cell)) {
      if (!fresh && one.warp != 0) {
        put(cell, std::exchange(one, {}));
      }
    }
  }
  if (fresh && cell.load.warp != 0) {
    put(cell, cell.load);
    cell.load = cell.load.clock == k_pending ? Actor{} : cell.load; // the set has it
  }
  put(cell, load);
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
  put(cell, done);
}

} // namespace hone::emulate::execute
