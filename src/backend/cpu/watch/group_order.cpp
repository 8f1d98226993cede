#include "backend/cpu/watch/group_order.h"

#include <algorithm>
#include <numeric>

namespace hone::backend::cpu {

GroupOrder::GroupOrder(const std::array<std::int64_t, 3>& groups, std::uint64_t seed)
  : m_groups(groups), m_shuffled(static_cast<std::size_t>(groups[0] * groups[1] * groups[2])),
    m_queued(m_shuffled.size())
{
  std::iota(m_shuffled.begin(), m_shuffled.end(), 0);
  Random random(seed);
  std::shuffle(m_shuffled.begin(), m_shuffled.end(), random);
}

std::optional<std::int64_t> GroupOrder::take_next()
{
  while (m_waiting.empty() && !m_shuffled.empty()) {
    add_with_partners(m_shuffled.back());
    m_shuffled.pop_back();
  }
  return take_waiting();
}

std::optional<std::int64_t> GroupOrder::take_next_of_rest()
{
  if (const auto group = take_waiting()) {
    return group;
  }
  while (m_rest_position < m_queued.size()) {
    if (!m_queued[m_rest_position++]) {
      return static_cast<std::int64_t>(m_rest_position) - 1;
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> GroupOrder::take_waiting()
{
  if (m_waiting.empty()) {
    return std::nullopt;
  }
  const std::int64_t group = m_waiting.back();
  m_waiting.pop_back();
  return group;
}

// Along each axis: the next group, the one half the extent away, the mirrored one. And the next one on the diagonal.
void GroupOrder::add_with_partners(std::int64_t group)
{
  const std::array<std::int64_t, 3> at{group % m_groups[0], group / m_groups[0] % m_groups[1],
                                       group / m_groups[0] / m_groups[1]};
  add(at);
  std::array<std::int64_t, 3> corner = at;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t extent = m_groups[axis];
    for (const std::int64_t partner : {at[axis] + 1, at[axis] + extent / 2, extent - 1 - at[axis]}) {
      std::array<std::int64_t, 3> other = at;
      other[axis] = partner % extent;
      add(other);
    }
    corner[axis] = (at[axis] + 1) % extent;
  }
  add(corner);
}

void GroupOrder::add(std::array<std::int64_t, 3> at)
{
  const std::int64_t group = at[0] + m_groups[0] * (at[1] + m_groups[1] * at[2]);
  if (!m_queued[static_cast<std::size_t>(group)]) {
    m_queued[static_cast<std::size_t>(group)] = true;
    m_waiting.push_back(group);
  }
}

} // namespace hone::backend::cpu
