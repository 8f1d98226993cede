// The same inputs give the same bytes, call after call: a result that varies is a race or keeps state between calls.
#include "gate/validate/validation.h"

#include <fmt/format.h>

namespace hone::gate {

Result<SessionResult<void>> validate_repeats(Validation& validation)
{
  const int rounds = validation.promote() ? 5 : 3;
  HONE_SESSION(Harness* const harness, validation.harness(validation.probe_sizes(), Layout::canaries));
  const inputs::InputSet inputs = validation.draw_inputs(inputs::ValueFamily::normal);
  std::vector<std::byte> first;
  for (int round = 0; round < rounds; ++round) {
    HONE_SESSION_CHECK(validation.checked_call(*harness, inputs, false));
    std::vector<std::byte> outputs = harness->outputs();
    if (round > 0 && outputs != first) {
      return Ended{incorrect(fmt::format("call {} on the same inputs gave other bytes than the first (sizes {})",
                                         round + 1, kernel::to_text(harness->sizes())))};
    }
    first = std::move(outputs);
    if (round + 1 == rounds) {
      break;
    }
    // Between the repeats other values pass through, so that remembering the last call is not enough.
    HONE_SESSION_CHECK(validation.checked_call(*harness, validation.draw_inputs(inputs::ValueFamily::uniform)));
  }
  validation.note("repeats", fmt::format("{} calls, bitwise the same", rounds));
  return SessionResult<void>();
}

} // namespace hone::gate
