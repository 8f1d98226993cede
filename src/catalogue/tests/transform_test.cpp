#include "catalogue/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace hone::catalogue {
namespace {

using testing::HasSubstr;

const std::string k_good = R"(+++
name       = "swap-loops"
intent     = "Walk memory in order"
bottleneck = "cache misses"
speed      = "later"
classes    = ["contraction"]
backends   = ["cpu"]
types      = ["f32", "f64"]
after      = ["first"]
conflicts  = ["other"]

[[parameters]]
name    = "TILE_M"
values  = [16, 32]
meaning = "rows per tile"

[[passes]]
name   = "plan"
region = "launch"

[[passes]]
name   = "swap"
region = "device"
+++

# Swap loops

## Why

Because.

## Pass: plan

Add TILE_M.

## Pass: swap

Swap them:

```cpp
## not a heading
```

## Snippets

None.

## Pitfalls

Few.

## How to check

Run it.
)";

std::string changed(const std::string& from, const std::string& to)
{
  const std::size_t at = k_good.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  std::string text = k_good;
  return text.replace(at, from.size(), to);
}

kernel::Kernel kernel_of(const std::string& name, const std::string& expr, const std::string& arguments,
                         const std::string& sizes)
{
  const std::string toml = "[kernel]\nname = \"" + name + "\"\nsummary = \"for tests\"\n[compute]\nexpr = \"" + expr
                           + "\"\n[arguments]\n" + arguments + "\n[sizes]\ntimed = [ { " + sizes
                           + " } ]\n[accuracy]\naccumulate = \"f32\"\n";
  auto kernel = kernel::parse_kernel(toml, name + ".toml");
  EXPECT_TRUE(kernel) << (kernel ? "" : kernel.error().text());
  return kernel ? *kernel : kernel::Kernel{};
}

kernel::Kernel matmul(const std::string& type = "f32")
{
  const std::string argument = " = { type = \"" + type + "\", shape = ";
  return kernel_of("matmul", "C[m,n] = sum(k, A[m,k] * B[k,n])",
                   "A" + argument + "[\"m\", \"k\"] }\nB" + argument + "[\"k\", \"n\"] }\nC" + argument
                     + "[\"m\", \"n\"], role = \"output\" }",
                   "m = 8, n = 8, k = 8");
}

kernel::Kernel doubling()
{
  return kernel_of(
    "doubling", "Y[n] = X[n] * 2",
    "X = { type = \"f32\", shape = [\"n\"] }\nY = { type = \"f32\", shape = [\"n\"], role = \"output\" }", "n = 8");
}

TEST(ParseTransformation, ReadsHeadAndPasses)
{
  const auto parsed = parse_transformation(k_good, "swap-loops.md");
  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(parsed->name, "swap-loops");
  EXPECT_EQ(parsed->speed, Speed::later);
  EXPECT_EQ(parsed->classes, std::vector{kernel::KernelClass::contraction});
  EXPECT_EQ(parsed->types, (std::vector{kernel::DataType::f32, kernel::DataType::f64}));
  EXPECT_EQ(parsed->after, std::vector<std::string>{"first"});
  ASSERT_EQ(parsed->parameters.size(), 1u);
  EXPECT_EQ(parsed->parameters[0].values, (std::vector<std::int64_t>{16, 32}));
  ASSERT_EQ(parsed->passes.size(), 2u);
  EXPECT_EQ(parsed->passes[0].region, Region::launch);
  EXPECT_EQ(parsed->passes[0].instruction, "Add TILE_M.");
  EXPECT_THAT(parsed->passes[1].instruction, HasSubstr("## not a heading"));
  EXPECT_THAT(parsed->body, HasSubstr("Because."));
}

TEST(ParseTransformation, HashFollowsTheText)
{
  const auto parsed = parse_transformation(k_good, "swap-loops.md");
  const auto other = parse_transformation(changed("Because.", "Why not."), "swap-loops.md");
  ASSERT_TRUE(parsed && other);
  EXPECT_NE(parsed->hash(), other->hash());
}

// One mistake each: what is changed into what, the message, the hint and the line.
struct Mistake {
  std::string from, to, message, hint;
  int line;
};

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreNamedWithPlaceAndWayOut)
{
  const Mistake& mistake = GetParam();
  const auto parsed = parse_transformation(changed(mistake.from, mistake.to), "swap-loops.md");
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().message, HasSubstr(mistake.message));
  EXPECT_THAT(parsed.error().hint, HasSubstr(mistake.hint));
  EXPECT_EQ(parsed.error().place.file, "swap-loops.md");
  EXPECT_EQ(parsed.error().place.line, mistake.line) << parsed.error().text();
  EXPECT_GE(parsed.error().place.column, 1);
}

INSTANTIATE_TEST_SUITE_P(
  All, Mistakes,
  testing::Values(Mistake{"+++\nname", "name", "begins with a TOML head", "between two lines", 1},
                  Mistake{"\"device\"\n+++", "\"device\"", "not closed", "+++", 54},
                  Mistake{"speed ", "speeds = 1\nspeed ", "unknown key 'speeds'", "did you mean 'speed'?", 5},
                  Mistake{"\"later\"", "\"laters\"", "'laters' is not a speed", "did you mean 'later'?", 5},
                  Mistake{"[\"contraction\"]", "[\"contractions\"]", "'contractions'", "'contraction'", 6},
                  Mistake{"\"f64\"", "\"f65\"", "'f65' is not known", "f64", 8},
                  Mistake{"[\"cpu\"]", "[\"cpus\"]", "'cpus' is not known", "cpu", 7},
                  Mistake{"[16, 32]", "[]", "'values'", "[1, 2, 4]", 14},
                  Mistake{"[16, 32]", "[16, 16]", "16 stands twice", "", 14},
                  Mistake{"\"TILE_M\"", "\"tile_m\"", "not a name for a macro", "upper-case", 13},
                  Mistake{"Add TILE_M.", "Add it.", "parameter 'TILE_M' is in no pass", "say in a pass", 13},
                  Mistake{"\"launch\"", "\"lunch\"", "'lunch' is not a region", "did you mean 'launch'?", 19},
                  Mistake{"## Pass: swap", "## Pass: swop", "pass 'swap' has no section", "## Pass: swap", 22},
                  Mistake{"\"swap-loops\"", "\"swap loops\"", "not a name for a transformation", "lower-case", 2},
                  Mistake{"\"swap-loops\"", "\"swap-loop\"", "differs from the file's name", "rename", 2},
                  Mistake{"## Pitfalls", "## Pitfals", "unknown section 'Pitfals'", "'Pitfalls'", 48},
                  Mistake{"Few.", "", "section 'Pitfalls' is empty", "", 48},
                  Mistake{"## Pitfalls", "## Why", "stands twice", "", 48},
                  Mistake{"\"cache misses\"", "\"cache misses", "not valid TOML", "", 4}),
  [](const auto& parameter) { return "n" + std::to_string(parameter.index); });

TEST(CheckTransformation, FindsEveryMistakeInOrder)
{
  auto folder = TemporaryFolder::create("hone-transform");
  ASSERT_TRUE(folder);
  const fs::path file = folder->path() / "swap-loops.md";
  std::string text = changed("\"later\"", "\"soon\"");
  text = text.replace(text.find("## Pitfalls"), 11, "## Pitfall");
  ASSERT_TRUE(write_file(file, text));
  const std::vector<Error> mistakes = check_transformation(file);
  std::vector<std::string> messages;
  for (const Error& mistake : mistakes) {
    messages.push_back(mistake.message);
  }
  EXPECT_THAT(messages, testing::ElementsAre(HasSubstr("'soon' is not a speed"), HasSubstr("'first' is not known"),
                                             HasSubstr("'other' is not known"), HasSubstr("unknown section 'Pitfall'"),
                                             HasSubstr("section 'Pitfalls' is missing")));
}

TEST(CheckTransformation, DraftsAreUnfinished)
{
  auto folder = TemporaryFolder::create("hone-transform");
  ASSERT_TRUE(folder);
  const fs::path file = folder->path() / "use-a-table.md";
  const auto draft = draft_transformation({"Use a table", "cpu", {}, {}, {}});
  ASSERT_TRUE(draft) << draft.error().text();
  ASSERT_TRUE(write_file(file, *draft));
  const std::vector<Error> mistakes = check_transformation(file);
  ASSERT_EQ(mistakes.size(), 6u); // all but the parameter's
  EXPECT_THAT(mistakes.front().message, HasSubstr("what it relieves"));
  EXPECT_EQ(mistakes.front().place.line, 4);
  EXPECT_THAT(mistakes.back().message, HasSubstr("What a right result looks like"));
}

TEST(CheckTransformation, MissingFileIsAMistake)
{
  EXPECT_EQ(check_transformation("/nowhere/at-all.md").size(), 1u);
}

TEST(Catalogue, ShippedFilesAreRight)
{
  const fs::path shipped = fs::path(HONE_SOURCE_ROOT) / "transformations";
  const auto catalogue = load_catalogue(shipped, {});
  ASSERT_TRUE(catalogue) << catalogue.error().text();
  EXPECT_GE(catalogue->size(), 8u);
  EXPECT_TRUE(std::ranges::is_sorted(*catalogue, {}, &Transformation::name));
  const auto softmax = kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / "softmax");
  const auto sums = kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / "cumulative-sum");
  const auto convolution = kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / "conv2d");
  const auto bytes = kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / "matmul-i8");
  ASSERT_TRUE(softmax && sums && convolution && bytes);
  for (const Transformation& transformation : *catalogue) {
    const bool fits = !why_not_applicable(transformation, matmul(), "cpu", transformation.after)
                      || !why_not_applicable(transformation, *softmax, "cpu", transformation.after)
                      || !why_not_applicable(transformation, *sums, "cpu", transformation.after)
                      || !why_not_applicable(transformation, *convolution, "cpu", transformation.after)
                      || !why_not_applicable(transformation, *bytes, "cpu", transformation.after)
                      || !why_not_applicable(transformation, matmul(), "opencl", transformation.after)
                      || !why_not_applicable(transformation, matmul(), "cuda", transformation.after)
                      || !why_not_applicable(transformation, *softmax, "opencl", transformation.after);
    EXPECT_TRUE(fits) << transformation.name;
    EXPECT_EQ(transformation.file.stem(), transformation.name);
  }
}

TEST(Catalogue, KernelsOwnFilesWin)
{
  auto folder = TemporaryFolder::create("hone-transform");
  ASSERT_TRUE(folder);
  const fs::path shipped = folder->path() / "shipped";
  const fs::path own = folder->path() / "kernel" / "transformations";
  fs::create_directories(shipped);
  fs::create_directories(own);
  std::string general = changed("after      = [\"first\"]\nconflicts  = [\"other\"]\n", "");
  ASSERT_TRUE(write_file(shipped / "README.md", "not a transformation"));
  ASSERT_TRUE(write_file(shipped / "swap-loops.md", general));
  std::string special = general;
  special.replace(special.find("Walk memory in order"), 20, "Walk it in my order!");
  ASSERT_TRUE(write_file(own / "swap-loops.md", special));
  const auto catalogue = load_catalogue(shipped, folder->path() / "kernel");
  ASSERT_TRUE(catalogue) << catalogue.error().text();
  ASSERT_EQ(catalogue->size(), 1u);
  EXPECT_EQ(catalogue->front().intent, "Walk it in my order!");
  EXPECT_TRUE(find_transformation(*catalogue, "swap-loops"));
  const auto unknown = find_transformation(*catalogue, "swap-loop");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().hint, HasSubstr("swap-loops"));
}

TEST(Catalogue, UnknownNameInAfterIsAnError)
{
  auto folder = TemporaryFolder::create("hone-transform");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file(folder->path() / "swap-loops.md", k_good));
  const auto catalogue = load_catalogue(folder->path(), {});
  ASSERT_FALSE(catalogue);
  EXPECT_EQ(catalogue.error().place.line, 9);
}

TEST(ReasonAgainst, NamesWhatIsInTheWay)
{
  const auto parsed = parse_transformation(k_good, "swap-loops.md");
  ASSERT_TRUE(parsed) << parsed.error().text();
  const std::vector<std::string> done = {"first"};
  EXPECT_FALSE(why_not_applicable(*parsed, matmul(), "cpu", done));
  EXPECT_THAT(*why_not_applicable(*parsed, matmul(), "opencl", done), HasSubstr("not for opencl"));
  EXPECT_THAT(*why_not_applicable(*parsed, doubling(), "cpu", done), HasSubstr("doubling is a map"));
  EXPECT_THAT(*why_not_applicable(*parsed, matmul(), "cpu", {}), HasSubstr("comes after first"));
  EXPECT_THAT(*why_not_applicable(*parsed, matmul(), "cpu", {"first", "other"}), HasSubstr("together with other"));
  EXPECT_THAT(*why_not_applicable(*parsed, matmul(), "cpu", {"first", "swap-loops"}), HasSubstr("already"));
}

TEST(ReasonAgainst, LooksAtElementTypes)
{
  auto parsed = parse_transformation(k_good, "swap-loops.md");
  ASSERT_TRUE(parsed);
  parsed->types = {kernel::DataType::f64};
  EXPECT_THAT(*why_not_applicable(*parsed, matmul(), "cpu", {"first"}), HasSubstr("A is f32"));
  EXPECT_FALSE(why_not_applicable(*parsed, matmul("f64"), "cpu", {"first"}));
}

TEST(FreeTransformation, IsMadeOfASentence)
{
  EXPECT_TRUE(is_sentence("use a table"));
  EXPECT_FALSE(is_sentence(" cache-tiling "));
  const auto step = free_transformation("  Use a lookup table, for exp()!  ");
  ASSERT_TRUE(step) << step.error().text();
  EXPECT_EQ(step->name, "use-a-lookup-table-for-exp");
  EXPECT_EQ(step->intent, "Use a lookup table, for exp()!");
  ASSERT_EQ(step->passes.size(), 1U);
  EXPECT_TRUE(step->passes.front().others_too);
  EXPECT_THAT(step->passes.front().instruction, HasSubstr("lookup table"));
  EXPECT_NE(step->hash(), free_transformation("Use a lookup table for exp")->hash());
}

TEST(FreeTransformation, NamesAreCutBetweenWordsAndNeverEmpty)
{
  const auto longer =
    free_transformation("keep the running maximum in a register and rescale the sum only when it grows");
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->name, "keep-the-running-maximum-in-a-register-and");
  EXPECT_EQ(free_transformation("one. two.")->intent, "one. two");
  EXPECT_EQ(free_transformation(std::string(100, 'x') + " y")->name.size(), 48U);
  const auto nothing = free_transformation(" ... !! ");
  ASSERT_FALSE(nothing);
  EXPECT_THAT(nothing.error().text(), HasSubstr("says nothing"));
}

TEST(Draft, IsARightFileThatShowsWhatChanged)
{
  Draft draft;
  draft.sentence = "Take rows \"two\" at a time";
  draft.backend = "cpu";
  draft.kernel_class = kernel::KernelClass::contraction;
  draft.difference = "diff --git a/device.cpp b/device.cpp\n--- a/device.cpp\n+++ b/device.cpp\n-one\n+two\n"
                     "diff --git a/launch.toml b/launch.toml\n+ROWS\n"
                     "diff --git a/schedule.toml b/schedule.toml\n+own\n";
  draft.parameters = {{"ROWS", {2, 4}, ""}};
  const auto text = draft_transformation(draft);
  ASSERT_TRUE(text) << text.error().text();
  const auto step = parse_transformation(*text, "take-rows-two-at-a-time.md");
  ASSERT_TRUE(step) << step.error().text();
  EXPECT_EQ(step->intent, draft.sentence);
  ASSERT_EQ(step->passes.size(), 2U);
  EXPECT_EQ(step->passes[0].region, Region::launch);
  EXPECT_EQ(step->passes[1].region, Region::device);
  ASSERT_EQ(step->parameters.size(), 1U);
  EXPECT_EQ(step->parameters.front().values, (std::vector<std::int64_t>{2, 4}));
  EXPECT_THAT(*text, HasSubstr("+two"));
  EXPECT_EQ(text->find("own"), std::string::npos);
}

TEST(Draft, NeedsNoMoreThanASentence)
{
  const auto text = draft_transformation({"use a lookup table", "", {}, {}, {}});
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_EQ(parse_transformation(*text, "use-a-lookup-table.md")->passes.size(), 1U);
  EXPECT_FALSE(draft_transformation({"?!", "", {}, {}, {}}));
}

} // namespace
} // namespace hone::catalogue
