#include "rewrite/builtin/device/item_edits.h"

#include <algorithm>

namespace hone::rewrite {

// An item's columns are LANES neighbours, loaded, computed and stored as vectors.
Result<void> vector_loads(lower::Schedule& schedule, const RewriteSubject& subject)
{
  if (schedule.has_done("matrix-instructions")) {
    return fail("matrix instructions load and store as their fragments lie", "choose another step");
  }
  if (schedule.form != "group-rows") { // rows have vectors too
    HONE_CHECK(make_items(schedule));
  }
  const bool wide = std::ranges::any_of(
    subject.kernel.arguments, [](const kernel::Argument& argument) { return argument.type == kernel::DataType::f64; });
  std::vector<std::int64_t> lanes;
  for (std::int64_t one = 1; one <= std::min(subject.dialect.most_lanes, wide ? 8 : 16); one *= 2) {
    lanes.push_back(one);
  }
  const std::int64_t most = lanes.back();
  add_parameter(schedule, "LANES", std::move(lanes), std::min<std::int64_t>(most, wide ? 4 : 8));
  for (kernel::TuningParameter& parameter : schedule.tuning) {
    if (parameter.name == "TILE_N") { // counts vectors from here on
      parameter.default_value = std::min<std::int64_t>(parameter.default_value, 2);
    }
  }
  return {};
}

} // namespace hone::rewrite
