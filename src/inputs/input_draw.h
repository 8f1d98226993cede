// Seeds for the calls of one validation: what a family's seeds choose between comes in turn, where seeds drawn one by
// one would now and then leave a kind out of all calls.
#pragma once

#include "inputs/inputs.h"
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

  // Two of three calls of whole numbers get one of these for their top, in turn.
  void set_tops(std::vector<std::int64_t> tops);
  // So many calls of whole numbers have all of them, or a dozen.
  std::size_t calls_for_all_tops() const;

  // Another seed each time.
  InputSet of(ValueFamily family);

private:
  struct Turn {
    std::uint64_t base;
    std::vector<std::uint64_t> left; // of this round
  };

  Random m_random;
  std::map<ValueFamily, Turn> m_turns;
  std::vector<std::int64_t> m_tops;
  std::size_t m_whole = 0, m_topped = 0; // calls of whole numbers, and those with a top
};

} // namespace hone
