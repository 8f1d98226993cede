// The order in which the groups of a launch are watched when the budget may not cover all of them: random groups, each
// followed by its neighbours and by groups at distances at which plans often split work. Races are likely among these.
#pragma once

#include "util/random.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace hone::backend::cpu {

class GroupOrder {
public:
  GroupOrder(const std::array<std::int64_t, 3>& groups, std::uint64_t seed);

  // Flat index of the next group, x fastest; nothing after the last one.
  std::optional<std::int64_t> take_next();
  // The same for the groups that remain, in index order, which is faster.
  std::optional<std::int64_t> take_next_of_rest();

private:
  std::optional<std::int64_t> take_waiting();
  void add_with_partners(std::int64_t group);
  void add(std::array<std::int64_t, 3> at);

  std::array<std::int64_t, 3> m_groups;
  std::vector<std::int32_t> m_shuffled; // all groups; taken from the end
  std::vector<bool> m_queued;           // by group, also after it was taken
  std::vector<std::int64_t> m_waiting;  // a stack
  std::size_t m_rest_position = 0;      // groups that take_next_of_rest has passed
};

} // namespace hone::backend::cpu
