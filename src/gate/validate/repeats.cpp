// The same inputs give the same bytes, call after call: a result that varies is a race or keeps state between calls.
#include "gate/validate/validation.h"

#include <fmt/format.h>

namespace hone::gate {

Result<LaneResult<void>> validate_repeats(Validation& validation)
{
  const int rounds = validation.promote() ? 5 : 3;
  HONE_LANE(Bench* const bench, validation.bench(validation.probe_sizes(), Layout::canaries));
  const inputs::InputSet inputs = validation.draw_inputs(inputs::ValueFamily::normal);
  std::vector<std::byte> first;
  for (int round = 0; round < rounds; ++round) {
    HONE_LANE_CHECK(validation.checked_call(*bench, inputs, false));
    std::vector<std::byte> outputs = bench->outputs();
    if (round > 0 && outputs != first) {
      return Ended{incorrect(fmt::format("call {} on the same inputs gave other bytes than the first (sizes {})",
                                         round + 1, kernel::to_text(bench->sizes())))};
    }
    first = std::move(outputs);
    if (round + 1 == rounds) {
      break;
    }
    // Between the repeats other values pass through, so that remembering the last call is not enough.
    HONE_LANE_CHECK(validation.checked_call(*bench, validation.draw_inputs(inputs::ValueFamily::uniform)));
  }
  validation.note("repeats", fmt::format("{} calls, bitwise the same", rounds));
  return LaneResult<void>();
}

} // namespace hone::gate
