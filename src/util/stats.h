// The few statistics that verdicts rest on. All take samples by span and leave them unchanged.
#pragma once

#include <span>

namespace hone {

struct Interval {
  double low = 0;
  double high = 0;
};

double median(std::span<const double> samples);             // of an empty span: NaN
double quantile(std::span<const double> samples, double q); // linear interpolation, q in [0, 1]
double mean(std::span<const double> samples);
double standard_deviation(std::span<const double> samples); // n - 1; fewer than two samples: 0

// Hodges-Lehmann estimate: median of all pairwise means.
double hodges_lehmann(std::span<const double> samples);

// Student t interval of the mean at the given confidence (0.95). Fewer than two samples: unbounded.
Interval t_interval(std::span<const double> samples, double confidence);

// Interval of the pseudo-median from the Wilcoxon signed-rank statistic (exact for n <= 25, else normal
// approximation). Too few samples for the confidence: unbounded.
Interval wilcoxon_interval(std::span<const double> samples, double confidence);

// Sign test: how likely at least `heads` of `heads + tails` tosses of a fair coin are heads. Of none: 1.
double chance_of_heads(int heads, int tails);

} // namespace hone
