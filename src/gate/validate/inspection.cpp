// Calls under a tool of the platform that watches every access to memory, where it has one and it is here: it sees
// races, reads beyond a tensor and looks at what an earlier call left, which neither outputs nor guard bands show. In
// full depth.
#include "backend/inspector.h"
#include "gate/hard_values.h"
#include "gate/inputs.h"
#include "gate/validate/validation.h"
#include "gate/validate/watched_runs.h"
#include "gate/validate/watched_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace hone {
namespace {

constexpr std::size_t k_tried_often = 2; // sizes at which calls are watched whole
constexpr std::size_t k_families_there = 6;

// A candidate may do on some values what it does not on others: kinds of values, none again before all had their turn.
class FamilyDraw {
public:
  explicit FamilyDraw(Validation& validation) : m_validation(validation) {}

  // Where what is computed is checked, too, and sums are long, not all kinds are fit; where a tool is slow, there is no
  // time for them.
  std::vector<ValueFamily> families_for(const Inspector& inspector, const WatchedCall& place)
  {
    const bool quick = inspector.most_accesses() > 0, whole = place.most_accesses == 0;
    const bool often = whole && m_places++ < k_tried_often;
    if (!quick || (whole && has_long_sums(m_validation.kernel(), place.sizes))) {
      return {ValueFamily::normal};
    }
    std::vector<ValueFamily> families;
    if (often) {
      families.push_back(ValueFamily::normal);
    }
    while (families.size() < (often ? k_families_there : 1)) {
      families.push_back(draw());
    }
    return families;
  }

private:
  ValueFamily draw()
  {
    if (m_left.empty()) {
      const auto all = all_value_families();
      m_left.assign(all.begin(), all.end());
      std::shuffle(m_left.begin(), m_left.end(), m_validation.random());
    }
    const ValueFamily family = m_left.back();
    m_left.pop_back();
    return family;
  }

  Validation& m_validation;
  std::size_t m_places = 0;
  std::vector<ValueFamily> m_left;
};

} // namespace

Result<LaneResult<void>> validate_memory_accesses(Validation& validation)
{
  const Inspector* inspector = validation.setting().backend->inspector();
  if (inspector == nullptr) {
    return LaneResult<void>();
  }
  const std::string check = fmt::format("memory accesses ({})", inspector->name());
  if (const std::string missing = inspector->missing(); !missing.empty()) {
    validation.note(check, "skipped: " + missing);
    return LaneResult<void>();
  }
  HONE_TRY(const std::vector<WatchedCall> places, choose_watched_calls(validation, *inspector));
  if (places.empty()) {
    validation.note(check, "skipped: every size on which the kernel means something would take too long");
  }
  FamilyDraw draw(validation);
  WatchedRuns runs(validation, *inspector, places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    HONE_LANE(const std::shared_ptr<const Prepared> prepared, validation.setting().prepare(places[i].sizes));
    if (!prepared->contender.library.empty()) {
      return LaneResult<void>();
    }
    for (const ValueFamily family : draw.families_for(*inspector, places[i])) {
      if (runs.seen(i).skipped.empty()) {
        HONE_LANE_CHECK(runs.start(i, family));
      }
    }
  }
  HONE_LANE_CHECK(runs.finish());
  std::string where, remarks;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& [seen, skipped] = runs.seen(i);
    if (!skipped.empty()) {
      validation.note(check, fmt::format("skipped at sizes {}: {}", to_text(places[i].sizes), skipped));
      continue;
    }
    where += (where.empty() ? "" : "; ") + to_text(places[i].sizes);
    remarks += seen;
  }
  if (!where.empty()) {
    validation.note(check, fmt::format("no race, nothing out of bounds (sizes {}){}", where, remarks));
  }
  return LaneResult<void>();
}

} // namespace hone
