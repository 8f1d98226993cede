#include "policy/blaster/choice.h"

#include "util/did_you_mean.h"
#include "util/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace hone::policy {
namespace {

constexpr std::array<std::pair<ChoiceRule, std::string_view>, 4> k_rules{{{ChoiceRule::weighted, "weighted"},
                                                                          {ChoiceRule::softmax, "softmax"},
                                                                          {ChoiceRule::ucb, "ucb"},
                                                                          {ChoiceRule::greedy, "greedy"}}};

constexpr double k_least_worth = 0.02; // logarithm of a gain: nothing is so hopeless that it is never tried
constexpr double k_power = 2;          // of weights: what promises twice as much is tried four times as often
constexpr double k_temperature = 0.15; // of the softmax, as a logarithm of a gain
constexpr double k_exploration = 0.5;  // of UCB1, in units of rewards
constexpr double k_again = 0.3;        // for each time that others took the same: trajectories are to differ

// What a technique promises: what it gains or leads to, if it does not fail. What is uncertain may turn out better.
double promise(const Choosable& option)
{
  const knowledge::Estimate& of = *option.estimate;
  const double uncertainty = (1 - of.confidence) * (of.gain.interval.high - of.gain.value);
  const double worth = of.worth() + 0.25 * (1 - of.failing) * uncertainty;
  return worth * (0.5 + option.relevance) * std::pow(k_again, option.taken);
}

std::size_t at_random(std::span<const double> weights, Random& random)
{
  double sum = 0;
  for (const double weight : weights) {
    sum += weight;
  }
  double point = random.uniform() * sum;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    point -= weights[i];
    if (point < 0) {
      return i;
    }
  }
  return weights.size() - 1;
}

std::size_t largest(std::span<const double> values)
{
  return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
}

double ucb(const Choosable& option, double all_tries)
{
  const knowledge::Estimate& of = *option.estimate;
  const double tries = of.tries + option.taken;
  // Before the first try here the reward is what is expected; it counts as one.
  const double reward = (of.reward * of.tries + promise(option)) / (of.tries + 1);
  return reward + k_exploration * std::sqrt(std::log(2 + all_tries) / (tries + 1));
}

} // namespace

std::string_view name_of(ChoiceRule rule)
{
  return std::ranges::find(k_rules, rule, &std::pair<ChoiceRule, std::string_view>::first)->second;
}

std::vector<std::string> choice_rule_names()
{
  std::vector<std::string> names;
  for (const auto& [rule, name] : k_rules) {
    names.emplace_back(name);
  }
  return names;
}

Result<ChoiceRule> choice_rule_named(std::string_view name)
{
  for (const auto& [rule, word] : k_rules) {
    if (word == name) {
      return rule;
    }
  }
  const std::vector<std::string> names = choice_rule_names();
  return fail("there is no choice rule '" + std::string(name) + "'",
              did_you_mean(name, names, "choose one of: " + join(names, ", ")), Place{"--choice", 0, 0});
}

std::size_t choose(ChoiceRule rule, std::span<const Choosable> options, Random& random)
{
  std::vector<double> values;
  double all_tries = 0;
  for (const Choosable& option : options) {
    all_tries += option.estimate->tries + option.taken;
  }
  for (const Choosable& option : options) {
    switch (rule) {
    case ChoiceRule::weighted:
      values.push_back(std::pow(std::max(promise(option), k_least_worth * std::pow(k_again, option.taken)), k_power));
      break;
    case ChoiceRule::softmax:
      values.push_back(std::exp(promise(option) / k_temperature));
      break;
    case ChoiceRule::ucb:
      values.push_back(ucb(option, all_tries));
      break;
    case ChoiceRule::greedy:
      values.push_back(promise(option));
      break;
    }
  }
  const bool draws = rule == ChoiceRule::weighted || rule == ChoiceRule::softmax;
  return draws ? at_random(values, random) : largest(values);
}

} // namespace hone::policy
