// A kernel whose time is known up to a factor: a chain of dependent multiply-adds. N units take N times as long as one,
// wherever the code lies and whatever the caches do.
#pragma once

#include "gate/gate.h"

#include <memory>
#include <string>

namespace hone {

struct KnownWork {
  std::string name;  // "chain-50us"
  double call_s = 0; // about, at 3.7 GHz and 4 cycles per unit
  std::shared_ptr<const kernel::Kernel> kernel;
  kernel::Candidate candidate;
  std::int64_t units = 0;

  // So much more work, rounded to whole units.
  std::int64_t units_with(double percent) const;
  record::Contender contender(std::int64_t count) const;
};

// Calls of about 2 us, 50 us, 1 ms and 20 ms, each with these differences as tuning values.
Result<std::vector<KnownWork>> known_work(const std::vector<double>& percent);

} // namespace hone
