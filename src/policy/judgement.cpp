#include "policy/judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hone::policy {

namespace {

// A refactoring is kept while it is not measured to be slower and its estimate is no further off than noise explains.
constexpr double k_neutral_band = 0.05;
// An ambiguous ratio of at least 1 + k_promise, with a lower end of at least 1 - k_promise_band, is worth later steps.
constexpr double k_promise = 0.02;
constexpr double k_promise_band = 0.05;

} // namespace

Judgement judgement_of(const record::Verdict& verdict, record::Regime regime)
{
  Judgement result;
  result.correct = verdict.status == record::Status::correct;
  const auto& all = verdict.comparisons;
  const auto found = std::ranges::find(all, regime, &record::ComparisonResult::regime);
  if (!result.correct || found == all.end()) {
    return result;
  }
  result.comparison = found->verdict;
  result.ratio = found->ratio;
  result.least =
    found->pair_ratios.empty() ? found->ratio : std::min(found->ratio, std::ranges::min(found->pair_ratios));
  // An interval from one or two pairs is unbounded or nearly so; the pairs themselves are then all there is.
  const bool few = !found->pair_ratios.empty() && found->pair_ratios.size() <= 2;
  const bool bounded = !few && std::isfinite(found->ci95.low) && found->ci95.low > 0;
  result.low = bounded ? std::min(found->ci95.low, found->ratio) : result.least;
  return result;
}

Gain Gain::times(const Judgement& step) const
{
  return {ratio * step.ratio, low * step.low};
}

bool is_confirmed_gain(const Gain& later, const Gain& earlier)
{
  return later.low > earlier.low;
}

Decision decide(catalogue::Speed speed, const record::Verdict& verdict, record::Regime regime)
{
  const Judgement judgement = judgement_of(verdict, regime);
  if (!judgement.correct) {
    return {Choice::reject, verdict.reason.empty() ? std::string(record::name_of(verdict.status)) : verdict.reason};
  }
  if (judgement.comparison == record::Comparison::fast) {
    return {Choice::accept, ""};
  }
  const std::string seen = fmt::format("{} at {:.3f}x", record::name_of(judgement.comparison), judgement.ratio);
  if (speed == catalogue::Speed::later) {
    return {Choice::keep_open, seen + ": no gain alone, kept open for later steps"};
  }
  // On a busy machine one pair may disagree although all pairs together are clear.
  if (judgement.comparison == record::Comparison::ambiguous && judgement.low > 1) {
    return {Choice::accept, seen + ": kept, the lower end of its interval is above 1"};
  }
  const bool costs_nothing = judgement.comparison != record::Comparison::slow && judgement.ratio >= 1 - k_neutral_band;
  if (speed == catalogue::Speed::neutral && costs_nothing) {
    return {Choice::accept, seen + ": kept, other steps need it"};
  }
  const bool promises = judgement.ratio >= 1 + k_promise && judgement.low >= 1 - k_promise_band;
  if (judgement.comparison == record::Comparison::ambiguous && promises) {
    return {Choice::keep_open, seen + ": kept open, later steps may decide"};
  }
  return {Choice::reject, seen + ": not proven faster, dropped"};
}

} // namespace hone::policy
