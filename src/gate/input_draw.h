// Seeds for the calls of one validation: what a family's seeds choose between comes in turn, where seeds drawn one by
// one would now and then leave a kind out of all calls. (internal to the gate)
#pragma once

#include "gate/references.h"
#include "util/random.h"

#include <cstdint>
#include <map>
#include <vector>

namespace hone {

class InputDraw {
public:
  // As many calls of a family as this differ by every remainder of their seeds that divides it, and nearly so by other
  // small numbers and by later bits.
  static constexpr std::uint64_t k_round = 12;

  explicit InputDraw(std::uint64_t seed) : m_random(seed) {}

  // Another seed each time.
  InputSet of(ValueFamily family);

private:
  struct Turn {
    std::uint64_t base;
    std::vector<std::uint64_t> left; // of this round
  };

  Random m_random;
  std::map<ValueFamily, Turn> m_turns;
};

} // namespace hone
