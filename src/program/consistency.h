// What pairs of times say, and whether the region's own account agrees with the time of whole runs. (internal to the
// room)
#pragma once

#include "program/record.h"

#include <optional>
#include <span>
#include <string>

namespace hone::program {

struct Summary {
  Ratio whole;
  record::Comparison verdict = record::Comparison::ambiguous;
  std::optional<Ratio> within; // nothing where a run did not report its region
  std::optional<Interval> unexplained;
  double share = 0;
  std::string contradiction; // "" where the accounts agree
};

// `slack`: see TimeSetting. A region cannot save more than it took, nor more than the whole program saved.
Summary summary_of(std::span<const PairTimes> pairs, double slack);

} // namespace hone::program
