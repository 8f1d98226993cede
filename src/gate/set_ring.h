// In which order the sets of an arena are called: round and round, but so that the next one cannot be foretold.
// (internal to the gate)
#pragma once

#include "util/random.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hone::gate {

// A candidate that knew where the next call's inputs lie could fetch them during this call, for which its incumbent
// pays. So stretches of `drawn_from` sets are shuffled each time round. A set comes again after at least
// `sets - drawn_from` others: that is how cold its data are, and how many calls a block may have.
class SetRing {
public:
  SetRing(std::size_t sets, std::size_t drawn_from);
  std::vector<std::uint32_t> next(std::size_t count, Random& random);

private:
  void shuffle(Random& random);

  std::vector<std::uint32_t> m_order;
  std::size_t m_drawn_from;
  std::size_t m_next = 0;
};

} // namespace hone::gate
