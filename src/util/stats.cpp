#include "util/stats.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace hone {

namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();
constexpr Interval k_unbounded{-k_infinity, k_infinity};

std::vector<double> sorted(std::span<const double> samples)
{
  std::vector<double> copy(samples.begin(), samples.end());
  std::ranges::sort(copy);
  return copy;
}

double quantile_of_sorted(const std::vector<double>& values, double q)
{
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double fraction = position - static_cast<double>(below);
  if (below + 1 >= values.size() || fraction == 0) {
    return values[below];
  }
  return values[below] + fraction * (values[below + 1] - values[below]);
}

// All pairwise means (Walsh averages), each pair once, sorted.
std::vector<double> walsh_averages(std::span<const double> samples)
{
  std::vector<double> averages;
  averages.reserve(samples.size() * (samples.size() + 1) / 2);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t j = i; j < samples.size(); ++j) {
      averages.push_back((samples[i] + samples[j]) / 2);
    }
  }
  std::ranges::sort(averages);
  return averages;
}

// Largest c with P(signed-rank statistic <= c - 1) <= alpha / 2 for n samples; 0 when there is none.
std::size_t signed_rank_cut(std::size_t n, double alpha)
{
  if (n > 25) {
    const double count = static_cast<double>(n);
    const double centre = count * (count + 1) / 4;
    const double spread = std::sqrt(count * (count + 1) * (2 * count + 1) / 24);
    const double z = boost::math::quantile(boost::math::normal(), 1 - alpha / 2);
    return static_cast<std::size_t>(std::max(0.0, std::floor(centre - z * spread)));
  }
  // Exact distribution: number of subsets of {1..n} with each sum.
  const std::size_t largest = n * (n + 1) / 2;
  std::vector<double> ways(largest + 1, 0);
  ways[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t sum = largest; sum >= rank; --sum) {
      ways[sum] += ways[sum - rank];
    }
  }
  const double all = std::pow(2.0, static_cast<double>(n));
  double below = 0;
  std::size_t cut = 0;
  for (std::size_t sum = 0; sum <= largest; ++sum) {
    below += ways[sum] / all;
    if (below > alpha / 2) {
      break;
    }
    cut = sum + 1;
  }
  return cut;
}

} // namespace

double median(std::span<const double> samples)
{
  return quantile(samples, 0.5);
}

double quantile(std::span<const double> samples, double q)
{
  if (samples.empty()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return quantile_of_sorted(sorted(samples), q);
}

double mean(std::span<const double> samples)
{
  double sum = 0;
  for (const double sample : samples) {
    sum += sample;
  }
  return sum / static_cast<double>(samples.size());
}

double standard_deviation(std::span<const double> samples)
{
  if (samples.size() < 2) {
    return 0;
  }
  const double centre = mean(samples);
  double sum = 0;
  for (const double sample : samples) {
    sum += (sample - centre) * (sample - centre);
  }
  return std::sqrt(sum / static_cast<double>(samples.size() - 1));
}

double hodges_lehmann(std::span<const double> samples)
{
  if (samples.empty()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return quantile_of_sorted(walsh_averages(samples), 0.5);
}

Interval t_interval(std::span<const double> samples, double confidence)
{
  if (samples.size() < 2) {
    return k_unbounded;
  }
  const double count = static_cast<double>(samples.size());
  const boost::math::students_t distribution(count - 1);
  const double t = boost::math::quantile(distribution, 0.5 + confidence / 2);
  const double half = t * standard_deviation(samples) / std::sqrt(count);
  const double centre = mean(samples);
  return {centre - half, centre + half};
}

Interval wilcoxon_interval(std::span<const double> samples, double confidence)
{
  const std::size_t cut = signed_rank_cut(samples.size(), 1 - confidence);
  if (cut == 0) {
    return k_unbounded;
  }
  const std::vector<double> averages = walsh_averages(samples);
  return {averages[cut - 1], averages[averages.size() - cut]};
}

double chance_of_heads(int heads, int tails)
{
  if (heads == 0) {
    return 1;
  }
  return boost::math::cdf(boost::math::complement(boost::math::binomial(heads + tails, 0.5), heads - 1));
}

} // namespace hone
