// In which order the groups of a launch are watched, where not all of them may be: each with those beside it, and with
// those that lie as far off as a plan is likely to split things.
#pragma once

#include "util/random.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace hone::cpu {

class WatchOrder {
public:
  WatchOrder(const std::array<std::int64_t, 3>& groups, std::uint64_t seed);

  std::optional<std::int64_t> next();         // every group once, x first
  std::optional<std::int64_t> next_of_rest(); // every group that `next` has not named once, as memory lies: fast

private:
  std::optional<std::int64_t> next_waiting();
  void add_with_partners(std::int64_t group);
  void add(std::array<std::int64_t, 3> at);

  std::array<std::int64_t, 3> m_groups;
  std::vector<std::int32_t> m_drawn; // all groups in random order
  std::vector<bool> m_known;
  std::vector<std::int64_t> m_waiting; // a stack
  std::size_t m_before_rest = 0;       // groups that `next_of_rest` has passed
};

} // namespace hone::cpu
