// One verdict from several sizes: what the mean says, unless something at one of them forbids it.
#include "gate/sizes_together.h"

#include <gmock/gmock.h>

#include <cmath>

namespace hone::gate {
namespace {

using record::Comparison;
using testing::HasSubstr;

record::SizedComparison at(std::int64_t n, double weight, Comparison verdict, std::vector<double> pairs,
                           double limit = 0.005)
{
  record::SizedComparison one;
  one.sizes = {{"n", n}};
  one.weight = weight;
  one.result.verdict = verdict;
  one.result.reason = verdict == Comparison::ambiguous ? "why not" : "";
  double logs = 0;
  for (const double ratio : pairs) {
    logs += std::log(ratio);
  }
  one.result.ratio = std::exp(logs / static_cast<double>(pairs.size()));
  one.result.pair_ratios = std::move(pairs);
  one.result.candidate.median = static_cast<double>(n);
  one.result.explanation = record::Explanation{};
  one.result.explanation->agreement = limit;
  return one;
}

// A gain at one size must not hide a loss at another, beyond what the weights say.
TEST(SizesTogether, TheMeanIsGeometricAndWeighted)
{
  const auto even =
    together({at(10, 1, Comparison::fast, {2, 2, 2, 2}), at(20, 1, Comparison::slow, {0.5, 0.5, 0.5, 0.5})});
  EXPECT_NEAR(even.ratio, 1, 1e-12);
  EXPECT_EQ(even.verdict, Comparison::ambiguous);
  EXPECT_THAT(even.reason, HasSubstr("over all sizes"));
  const auto heavy =
    together({at(10, 3, Comparison::fast, {2, 2, 2, 2}), at(20, 1, Comparison::slow, {0.5, 0.5, 0.5, 0.5})});
  EXPECT_NEAR(heavy.ratio, std::sqrt(2.0), 1e-12);
  EXPECT_EQ(heavy.verdict, Comparison::fast);
  ASSERT_NE(record::worst_size(heavy), nullptr);
  EXPECT_EQ(record::worst_size(heavy)->sizes.at("n"), 20);
  EXPECT_EQ(heavy.candidate.median, 10) << "times are those of the first size";
}

// Every pair of the mean must agree, not the mean alone.
TEST(SizesTogether, AllPairsMustAgree)
{
  const auto split =
    together({at(10, 1, Comparison::ambiguous, {1.3, 0.9, 1.3, 1.3}), at(20, 1, Comparison::same, {1, 1, 1, 1})});
  EXPECT_GT(split.ratio, 1.005);
  EXPECT_EQ(split.verdict, Comparison::ambiguous);
  const auto slow =
    together({at(10, 1, Comparison::slow, {0.8, 0.9, 0.8, 0.8}), at(20, 1, Comparison::same, {1, 1, 1, 1})});
  EXPECT_EQ(slow.verdict, Comparison::slow);
  const auto fewer = together({at(10, 1, Comparison::fast, {1.3, 1.2}), at(20, 1, Comparison::same, {1, 1, 1, 1})});
  EXPECT_EQ(fewer.pair_ratios.size(), 2U);
}

// A busy machine at one size raises the limit of the mean by its share.
TEST(SizesTogether, DisturbancesRaiseTheLimit)
{
  const std::vector<double> gain{1.04, 1.04, 1.04, 1.04};
  EXPECT_EQ(together({at(10, 1, Comparison::fast, gain), at(20, 1, Comparison::fast, gain)}).verdict, Comparison::fast);
  EXPECT_EQ(together({at(10, 1, Comparison::fast, gain), at(20, 1, Comparison::ambiguous, gain, 0.1)}).verdict,
            Comparison::ambiguous);
}

// Pairs that agree while the size's verdict is open: rare slow calls, or a speed beyond the ceiling.
TEST(SizesTogether, WhatHoldsOneSizeBackHoldsAll)
{
  const std::vector<double> gain{1.2, 1.2, 1.2, 1.2};
  const auto held = together({at(10, 1, Comparison::fast, gain), at(20, 1, Comparison::ambiguous, gain)});
  EXPECT_EQ(held.verdict, Comparison::ambiguous);
  EXPECT_EQ(held.reason, "at n=20: why not");
}

TEST(SizesTogether, TheSameEverywhereIsTheSame)
{
  const std::vector<double> none{1.001, 0.999, 1, 1};
  EXPECT_EQ(together({at(10, 1, Comparison::same, none), at(20, 1, Comparison::same, none)}).verdict, Comparison::same);
  EXPECT_EQ(together({at(10, 1, Comparison::same, none), at(20, 1, Comparison::ambiguous, none)}).verdict,
            Comparison::ambiguous);
}

// What a record says of several sizes comes back from it, and one of a single size is what it was.
TEST(SizesTogether, RecordsKeepThem)
{
  record::Verdict verdict;
  verdict.comparisons.push_back(together({at(10, 3, Comparison::fast, {2, 2}), at(20, 1, Comparison::same, {1, 1})}));
  const auto back = record::verdict_from_json(record::to_json(verdict));
  ASSERT_TRUE(back) << back.error().text();
  const auto& by_size = back->comparisons.front().by_size;
  ASSERT_EQ(by_size.size(), 2U);
  EXPECT_EQ(by_size[0].weight, 3);
  EXPECT_EQ(by_size[1].sizes.at("n"), 20);
  EXPECT_EQ(by_size[0].result.verdict, Comparison::fast);

  record::Recipe recipe;
  recipe.sizes = {{"n", 10}};
  const std::string single = recipe.hash();
  EXPECT_FALSE(record::to_json(recipe).contains("further"));
  recipe.further.push_back({{{"n", 20}}, 0.5});
  EXPECT_NE(recipe.hash(), single);
  const auto read = record::recipe_from_json(record::to_json(recipe));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->further, recipe.further);
  EXPECT_EQ(recipe.at({{"n", 10}}).hash(), single);
}

} // namespace
} // namespace hone::gate
