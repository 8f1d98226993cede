// Inputs for the calls of one validation: the rows of a family come in rounds, where seeds drawn one by one would now
// and then leave a row out of all calls.
#pragma once

#include "inputs/catalogue.h"
#include "inputs/inputs.h"
#include "util/random.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace hone::inputs {

class InputDraw {
public:
  explicit InputDraw(std::uint64_t seed) : m_random(seed) {}

  // From now on calls of that family get these values, and calls of other families plain ones: not all values are fit
  // for all sizes.
  void force(const ForcedValues& forced) { m_forced = forced; }

  // Two of three calls of whole numbers get one of these for their top, in turn.
  void set_max_magnitudes(std::vector<std::int64_t> tops);
  // So many calls of whole numbers have all of them, or a dozen.
  std::size_t calls_for_all_tops() const;

  // Another seed each time. As many calls of a family as its round is long hold every row for every tensor as often as
  // the row's share says.
  InputSet of(ValueFamily family);

private:
  struct Round {
    std::uint64_t number = 0;
    std::vector<std::uint64_t> left; // places
  };

  std::uint64_t next_seed(ValueFamily family);

  Random m_random;
  std::map<ValueFamily, Round> m_rounds;
  std::optional<ForcedValues> m_forced;
  std::vector<std::int64_t> m_tops;
  std::size_t m_whole = 0, m_topped = 0; // calls of whole numbers, and those with a top
};

} // namespace hone::inputs
