#include "app/agreement.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone::app {
namespace {

record::ComparisonResult measured(double low, double high, record::Comparison verdict = record::Comparison::fast)
{
  record::ComparisonResult result;
  result.verdict = verdict;
  result.ratio = (low + high) / 2;
  result.ci95 = {low, high};
  return result;
}

// Words were compared: FAST 1.073x and AMBG 1.074x differed, 1.050x and 0.777x did not.
TEST(Agreement, IsOfIntervalsNotOfWords)
{
  EXPECT_TRUE(agrees(measured(1.070, 1.076), measured(1.068, 1.080, record::Comparison::ambiguous)));
  EXPECT_TRUE(agrees(measured(1.070, 1.076), measured(1.090, 1.095))); // sessions differ by as much
  EXPECT_FALSE(agrees(measured(1.045, 1.055), measured(0.770, 0.784, record::Comparison::ambiguous)));
  EXPECT_FALSE(holds(measured(1.045, 1.055), measured(0.770, 0.784, record::Comparison::ambiguous)));
}

TEST(Agreement, AClaimHoldsWhereTheGainIsLarger)
{
  EXPECT_TRUE(holds(measured(2.9, 3.1), measured(3.9, 4.1)));
  EXPECT_FALSE(agrees(measured(2.9, 3.1), measured(3.9, 4.1)));
  EXPECT_FALSE(holds(measured(3.9, 4.1), measured(2.9, 3.1)));
  EXPECT_TRUE(agrees(measured(0, INFINITY), measured(1, 1.1)));
}

} // namespace
} // namespace hone::app
