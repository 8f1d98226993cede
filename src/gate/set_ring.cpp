#include "gate/set_ring.h"

#include <algorithm>
#include <numeric>

namespace hone::gate {

SetRing::SetRing(std::size_t sets, std::size_t drawn_from)
  : m_order(sets), m_drawn_from(std::clamp<std::size_t>(drawn_from, 1, sets))
{
  std::iota(m_order.begin(), m_order.end(), 0U);
}

void SetRing::shuffle(Random& random)
{
  for (std::size_t first = 0; first < m_order.size(); first += m_drawn_from) {
    const auto begin = m_order.begin() + static_cast<std::ptrdiff_t>(first);
    std::shuffle(begin, begin + static_cast<std::ptrdiff_t>(std::min(m_drawn_from, m_order.size() - first)), random);
  }
}

std::vector<std::uint32_t> SetRing::next(std::size_t count, Random& random)
{
  std::vector<std::uint32_t> sets(count);
  for (std::uint32_t& set : sets) {
    if (m_next == 0) {
      shuffle(random);
    }
    set = m_order[m_next];
    m_next = (m_next + 1) % m_order.size();
  }
  return sets;
}

} // namespace hone::gate
