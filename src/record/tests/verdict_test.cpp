#include "record/verdict.h"

#include <gtest/gtest.h>

#include <limits>

namespace hone::record {
namespace {

Recipe some_recipe()
{
  Recipe recipe;
  recipe.sizes = {{"m", 3}, {"n", 5}};
  recipe.regime = Regime::hot;
  return recipe;
}

TEST(Verdict, SurvivesTheRoundTripThroughJson)
{
  Verdict verdict;
  verdict.status = Status::correctness;
  verdict.reason = "last column of every row";
  verdict.log = "device.cpp:1:1: warning";
  verdict.errors = {std::numeric_limits<double>::infinity(), 0.25, "C[1, 4]"};
  verdict.checks = {{"guard bands", true, ""}, {"repeats", false, "differs"}};
  verdict.cold = TimeEstimate{1e-3, {0.9e-3, 1.1e-3}, 64};
  ComparisonResult comparison;
  comparison.verdict = Comparison::slow;
  comparison.pair_ratios = {0.5, 0.6};
  comparison.ci95 = {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  verdict.comparisons = {comparison};
  verdict.spent = {{"build", 0.5}};
  verdict.module_hash = "abc";

  const Json json = to_json(verdict);
  const auto text = parse_json(json.dump(), "test");
  ASSERT_TRUE(text);
  const auto back = verdict_from_json(*text);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(to_json(*back), json);
  EXPECT_EQ(back->status, Status::correctness);
  EXPECT_EQ(back->errors.worst_normalised, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(back->hot);
}

TEST(Verdict, UnknownWordsAndMissingMembersAreErrors)
{
  Json json = to_json(Verdict{});
  json["status"] = "splendid";
  EXPECT_FALSE(verdict_from_json(json));
  EXPECT_FALSE(verdict_from_json(Json::object()));
}

TEST(Recipe, HashDependsOnEveryMember)
{
  const Recipe recipe = some_recipe();
  const auto back = recipe_from_json(to_json(recipe));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->hash(), recipe.hash());

  Recipe other = recipe;
  other.threads = 2;
  EXPECT_NE(other.hash(), recipe.hash());
  other = recipe;
  other.sizes["m"] = 4;
  EXPECT_NE(other.hash(), recipe.hash());
  other = recipe;
  other.regime = Regime::cold;
  EXPECT_NE(other.hash(), recipe.hash());
}

} // namespace
} // namespace hone::record
