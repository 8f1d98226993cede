// What a verdict means for the climb. (internal to the policy room)
#pragma once

#include "catalogue/catalogue.h"
#include "record/verdict.h"

#include <string>

namespace hone::policy {

// A verdict's comparison in the regime that decides.
struct Judgement {
  bool correct = false;
  record::Comparison comparison = record::Comparison::ambiguous;
  double ratio = 1; // > 1: faster than what it was compared with
  double low = 1;   // lower end of the ratio's interval
  double least = 1; // the smallest ratio of a pair: what disturbed one arm of one pair does not raise it
};

Judgement judgement_of(const record::Verdict& verdict, record::Regime regime);

// A ratio over the start with a cautious lower end: products of the steps' ratios and of their lower ends.
struct Gain {
  double ratio = 1;
  double low = 1;

  Gain times(const Judgement& step) const;
};

// True when `later`, which was reached from `earlier`, is faster beyond the intervals of the steps between.
bool is_confirmed_gain(const Gain& later, const Gain& earlier);

enum class Choice {
  accept,    // becomes part of the path
  keep_open, // slower by itself; worth a checkpoint to try the steps that follow
  reject,
};

struct Decision {
  Choice choice = Choice::reject;
  std::string reason; // one line for people
};

Decision decide(catalogue::Speed speed, const record::Verdict& verdict, record::Regime regime);

} // namespace hone::policy
