// The sizes that will be timed: the whole output against the reference.
#include "gate/validate/validation.h"

#include <fmt/format.h>

namespace hone {
namespace {

// The instrument that judges timed calls must agree with the reference about this output, too.
Result<LaneResult<void>> check_by_projection(Validation& validation, Bench& bench)
{
  HONE_TRY(const ProjectionOutcome outcome, check_projection(validation.kernel(), bench.sizes(),
                                                             bench.arena().arguments(0), validation.random().next()));
  if (!outcome.passed) {
    return Ended{incorrect(
      fmt::format("random projection of the output is off at {} (sizes {})", outcome.where, to_text(bench.sizes())))};
  }
  validation.note("projection", fmt::format("{:.2g} of the threshold", outcome.worst));
  return LaneResult<void>();
}

} // namespace

Result<LaneResult<void>> validate_timed_sizes(Validation& validation)
{
  HONE_LANE(Bench* const bench, validation.bench(validation.setting().recipe->sizes, Layout::canaries));
  HONE_LANE_CHECK(validation.checked_call(*bench, {ValueFamily::normal, validation.random().next()}));
  validation.note("timed sizes", "every element against the reference");
  if (has_projection(validation.kernel())) {
    HONE_LANE_CHECK(check_by_projection(validation, *bench));
  }
  return LaneResult<void>();
}

} // namespace hone
