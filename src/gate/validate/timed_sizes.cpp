// The sizes that will be timed: the whole output against the reference, on values that were never used before.
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
  const ValidationSetting& setting = validation.setting();
  HONE_LANE(Bench* const bench, validation.bench(setting.recipe->sizes, Layout::canaries));
  // One evaluation of the reference serves all candidates; scaling makes other inputs of it for each.
  const InputSet inputs{ValueFamily::normal, setting.pool_seed};
  HONE_CHECK(bench->set_up(inputs, validation.random().next()));
  HONE_TRY(ExpectedOutputs expected, setting.references->expected(bench->arena(), 0, inputs, true));
  HONE_CHECK(expect_bounds(validation.kernel(), bench->sizes(), *expected));
  if (const auto scaling = BilinearScaling::of(validation.kernel())) {
    HONE_TRY(expected, scaling->apply(bench->arena(), 0, expected->front(), validation.random().next()));
  }
  if (auto checked = validation.check(*bench, inputs, expected); !checked) {
    return Ended{std::move(checked.error())};
  }
  validation.note("timed sizes", "every element against the reference");
  if (has_projection(validation.kernel())) {
    HONE_LANE_CHECK(check_by_projection(validation, *bench));
  }
  return LaneResult<void>();
}

} // namespace hone
