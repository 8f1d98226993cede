// Which of the groups of a launch that are carried out in turns goes on next: of half of the launches a drawn one, so
// that all change places with each other; of the others one group is held up at each of its atomic operations while so
// many others come and go.
#pragma once

#include "backend/cpu/watch/fibers.h"
#include "util/random.h"

#include <bitset>
#include <cstdint>
#include <optional>

namespace hone::cpu {

class TurnOrder {
public:
  using UnderWay = std::bitset<Turns::k_most>;

  enum class Kind {
    drawn,   // and new groups begin now and then
    crowded, // the same, but they begin as soon as a turn is free
    held,    // the first turn's group is held up; others begin and end, one after the other
  };

  explicit TurnOrder(Random& random);
  // `between`: how many come and go each time where one is held up, else drawn for each that is.
  TurnOrder(Kind kind, Random& random, std::optional<std::int64_t> between = std::nullopt);

  // One that is under way, or one that is free: there a new group is to begin, which happens only where one
  // `may_begin`. Nothing where all are over.
  std::optional<std::size_t> next(const UnderWay& under_way, bool may_begin);

  // In the middle of the group whose turn it is, at an atomic operation: whether others go on.
  bool makes_way();

private:
  std::optional<std::size_t> next_drawn(const UnderWay& under_way, bool may_begin);
  std::optional<std::size_t> next_beside_held(const UnderWay& under_way, bool may_begin);

  Random& m_random;
  Kind m_kind;
  std::optional<std::int64_t> m_fixed_between;
  std::int64_t m_between = 0; // groups that come and go while one is held up
  std::int64_t m_gone = 0;    // of them
  std::size_t m_at_hand = 0;  // whose turn it is
};

} // namespace hone::cpu
