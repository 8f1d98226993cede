#include "catalogue/catalogue.h"
#include "policy/recipe_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::policy {
namespace {

using testing::HasSubstr;

TEST(StepListFile, ReadsStepsInOrder)
{
  const auto list = parse_step_list(R"(summary = "two things"
look_ahead = 3
[[step]]
apply = "reorder-loops"
[[step]]
tune = 12
seconds = 5
)",
                                    "recipe.toml");
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_EQ(list->look_ahead, 3);
  ASSERT_EQ(list->steps.size(), 2u);
  EXPECT_EQ(list->steps[0].apply, "reorder-loops");
  EXPECT_EQ(list->steps[0].place.line, 3);
  EXPECT_EQ(list->steps[1].tune, 12u);
  EXPECT_EQ(list->steps[1].seconds, 5);
}

void expect_mistake(const std::string& text, const std::string& message, int line)
{
  const auto list = parse_step_list(text, "recipe.toml");
  ASSERT_FALSE(list) << text;
  EXPECT_THAT(list.error().text(), HasSubstr(message));
  EXPECT_EQ(list.error().place.line, line) << list.error().text();
}

TEST(StepListFile, NamesMistakesWithTheirPlace)
{
  expect_mistake("[[steps]]\napply = \"a\"\n", "did you mean 'step'?", 1);
  expect_mistake("[[step]]\naply = \"a\"\n", "did you mean 'apply'?", 2);
  expect_mistake("[[step]]\napply = \"a\"\ntune = 3\n", "either 'apply' or 'tune'", 1);
  expect_mistake("[[step]]\n", "either 'apply' or 'tune'", 1);
  expect_mistake("[[step]]\ntune = 0\n", "at least 1", 2);
  expect_mistake("[[step]]\napply = \"a\"\npays = \"soon\"\n", "can only be \"later\"", 3);
  expect_mistake("[[step]]\ntune = 4\npays = \"later\"\n", "can only be \"later\"", 3);
  expect_mistake("summary = \"nothing\"\n", "at least one step", 1);
  expect_mistake("[[step]\n", "not valid TOML", 1);
}

TEST(StepListFile, ShippedOnesNameTransformationsThatExist)
{
  const fs::path root = HONE_SOURCE_ROOT;
  const auto catalogue = catalogue::load_catalogue(root / "transformations", {});
  ASSERT_TRUE(catalogue) << catalogue.error().text();
  for (const auto& file : fs::directory_iterator(root / "recipes")) {
    if (file.path().extension() != ".toml") {
      continue;
    }
    const auto list = load_step_list(file.path());
    ASSERT_TRUE(list) << list.error().text();
    for (const RecipeStep& step : list->steps) {
      EXPECT_TRUE(step.apply.empty() || catalogue::find_transformation(*catalogue, step.apply)) << step.apply;
    }
  }
}

} // namespace
} // namespace hone::policy
