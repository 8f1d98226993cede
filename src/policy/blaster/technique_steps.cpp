#include "policy/blaster/technique_steps.h"

#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace hone::policy {
namespace {

constexpr double k_for_accuracy = 0.1;  // reward, where the measured gain is in the interval that was expected
constexpr double k_for_failure = 0.2;   // taken off
constexpr double k_of_a_second = 0.002; // taken off

} // namespace

double expected_without_evidence(const catalogue::Transformation& step, const ProfiledState& state)
{
  constexpr double k_faster = 0.1, k_later = 0.05, k_relieves = 0.5;
  const double own = step.speed == catalogue::Speed::faster  ? k_faster
                     : step.speed == catalogue::Speed::later ? k_later
                                                             : 0;
  const auto relief = state.relief.find(step.name);
  return own + (relief == state.relief.end() ? 0 : k_relieves * relief->second);
}

std::vector<std::string> parts_of(const std::string& technique)
{
  return split(technique, '+');
}

std::string step_of(const std::string& part)
{
  return part.substr(0, part.find('@'));
}

kernel::TuningPoint values_in(const std::string& part)
{
  kernel::TuningPoint values;
  const std::size_t at = part.find('@');
  for (const std::string& one :
       at == std::string::npos ? std::vector<std::string>() : split(part.substr(at + 1), ',')) {
    const std::size_t equals = one.find('=');
    std::int64_t value = 0;
    if (equals != std::string::npos
        && std::from_chars(one.data() + equals + 1, one.data() + one.size(), value).ec == std::errc()) {
      values[one.substr(0, equals)] = value;
    }
  }
  return values;
}

std::expected<void, std::string> set_values(const PolicyContext& context, Attempt& attempt,
                                            const kernel::TuningPoint& values)
{
  const kernel::TuningSpace& space = attempt.contender.candidate.plan.tuning;
  kernel::TuningPoint point = attempt.contender.point;
  for (const auto& [name, value] : values) {
    const auto found = std::ranges::find(space.parameters, name, &kernel::TuningParameter::name);
    if (found == space.parameters.end() || std::ranges::find(found->values, value) == found->values.end()) {
      return std::unexpected(fmt::format("{}={} is not possible here", name, value));
    }
    point[name] = value;
  }
  const auto legal = tune::is_legal(point, space, context.recipe.sizes, context.device_facts);
  if (!legal || !*legal) {
    return std::unexpected("its values of parameters are not possible here");
  }
  attempt.contender.point = std::move(point);
  return {};
}

double reward_of(const knowledge::Evidence& evidence)
{
  const double cost = k_of_a_second * evidence.seconds;
  if (!evidence.gain) {
    return -k_for_failure - cost;
  }
  const double gain = evidence.gain->value;
  double accuracy = 0;
  if (evidence.predicted) {
    const Interval& interval = evidence.predicted->interval;
    const bool within = interval.low <= gain && gain <= interval.high;
    accuracy = within ? k_for_accuracy : -k_for_accuracy * std::min(1.0, std::abs(gain - evidence.predicted->value));
  }
  return gain + accuracy - cost;
}

knowledge::Gain measured_gain(const record::Verdict& verdict, const Judgement& judgement, record::Regime regime)
{
  const double low = std::max(1e-9, judgement.low);
  double high = judgement.ratio * judgement.ratio / low;
  const auto found = std::ranges::find(verdict.comparisons, regime, &record::ComparisonResult::regime);
  if (found != verdict.comparisons.end() && std::isfinite(found->ci95.high) && found->ci95.high >= judgement.ratio) {
    high = found->ci95.high;
  }
  return {std::log(judgement.ratio), {std::log(low), std::log(high)}};
}

} // namespace hone::policy
