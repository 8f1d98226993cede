// Use cases without a terminal: what they take and give is data.
#include "app/compare.h"
#include "app/import_function.h"
#include "app/new_kernel.h"
#include "app/replay.h"
#include "app/run_candidate.h"
#include "app/verify.h"
#include "util/util.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace hone;
using namespace hone::app;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const fs::path k_matmul = fs::path(HONE_SOURCE_ROOT) / "kernels" / "matmul";

TemporaryFolder a_folder()
{
  auto folder = TemporaryFolder::create("hone-app");
  EXPECT_TRUE(folder);
  return std::move(*folder);
}

record::Record record_with(record::Status status, std::optional<record::Comparison> comparison = {})
{
  record::Record record;
  record.kind = record::Job::Kind::judge;
  record.verdict.status = status;
  if (comparison) {
    record::ComparisonResult result;
    result.verdict = *comparison;
    record.verdict.comparisons = {result};
  }
  return record;
}

policy::ReplayedStep replayed(record::Record then, record::Record here)
{
  policy::ReplayedStep step;
  step.recorded.record = std::move(then);
  step.here = std::move(here);
  return step;
}

} // namespace

// A size would be read as another one, or a mistake in it be ignored.
TEST(Sizes, AreReadFromItems)
{
  const auto sizes = parse_sizes({"m=1024,n=512", "k=8"});
  ASSERT_TRUE(sizes) << sizes.error().text();
  EXPECT_EQ(*sizes, (std::map<std::string, std::int64_t>{{"k", 8}, {"m", 1024}, {"n", 512}}));
  for (const char* wrong : {"m", "=4", "m=", "m=0", "m=-1", "m=4x"}) {
    const auto refused = parse_sizes({wrong});
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().place.file, "--size") << wrong;
  }
}

// An agent that sends a wrong folder would get an error in place of an answer.
TEST(RunCandidate, AnswersWithARefusalWhereTheFolderIsNoCandidate)
{
  const TemporaryFolder folder = a_folder();
  Context context{.settings = Settings::defaults()};
  const auto run =
    run_candidate(context, {.kernel = {.kernel = k_matmul.string()}, .candidate = folder.path().string()});
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_FALSE(run->record);
  const Json json = to_json(*run);
  EXPECT_EQ(json.at("kernel"), "matmul");
  EXPECT_EQ(json.at("backend"), "cpu");
  EXPECT_EQ(json.at("status"), "constraints");
  EXPECT_THAT(json.at("reason").get<std::string>(), HasSubstr("is not a candidate folder"));
  EXPECT_TRUE(json.at("errors").is_null());
}

// A kernel that is there would be overwritten.
TEST(NewKernel, WritesAFolderOnce)
{
  const TemporaryFolder folder = a_folder();
  const NewKernelRequest request{.expression = "Y[i] = a * X[i]",
                                 .name = "scale",
                                 .folder = (folder.path() / "scale").string(),
                                 .types = {"X=f64"},
                                 .sizes = {"i=64"}};
  const auto made = new_kernel(request);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->kernel, "scale");
  EXPECT_TRUE(fs::exists(made->file));
  EXPECT_EQ(to_json(*made).at("toml"), made->toml);
  EXPECT_FALSE(new_kernel(request));
}

// A person would be asked for a shape twice, or never.
TEST(ImportFunction, KnowsWhichShapesTheOrderSays)
{
  const ImportRequest request{.shapes = {"x=n,2*m", "long=n"}};
  EXPECT_TRUE(knows_shape(request, "x"));
  EXPECT_FALSE(knows_shape(request, "lo"));
  EXPECT_FALSE(knows_shape(request, "y"));
}

// A person's answer could not be told from what only the code can answer.
TEST(ImportFunction, QuestionsAreData)
{
  const Json json = to_json(std::vector<import::Question>{{.what = {.message = "how long is x?"}, .argument = "x"},
                                                          {.what = {.message = "a goto"}}});
  EXPECT_EQ(json.at("questions").at(0).at("argument"), "x");
  EXPECT_TRUE(json.at("questions").at(1).at("argument").is_null());
  EXPECT_EQ(json.at("questions").at(1).at("message"), "a goto");
}

// Scripts read one object for one rival, and a list for libraries.
TEST(Compare, OneRivalIsOneObjectAndLibrariesAreAList)
{
  CompareResult result{
    .kernel = "matmul", .backend = "cpu", .a = "best", .rivals = {{"start", record_with(record::Status::correct), {}}}};
  result.single = true;
  EXPECT_EQ(to_json(result).at("b"), "start");
  result.single = false;
  EXPECT_EQ(to_json(result).at("against").size(), 1u);
}

// The band would be lost, or stand at the other regime's comparison.
TEST(Compare, TheBandStandsInTheExplanationOfItsRegime)
{
  CompareResult result{.rivals = {{"start", record_with(record::Status::correct, record::Comparison::fast), {}}},
                       .single = true};
  EXPECT_FALSE(to_json(result).at("comparisons").at(0).contains("/explanation/band"_json_pointer));
  result.rivals.front().bands[record::Regime::hot] = {};
  EXPECT_FALSE(to_json(result).at("comparisons").at(0).contains("/explanation/band"_json_pointer));
  result.rivals.front().bands[result.rivals.front().record.verdict.comparisons.front().regime] = {};
  EXPECT_TRUE(to_json(result).at("comparisons").at(0).contains("/explanation/band"_json_pointer));
}

// A replay would count as right though a step is wrong here, or as the same though files differ.
TEST(Replay, SaysWhetherStepsAreRightAndTheSame)
{
  ReplayResult result;
  EXPECT_TRUE(result.same());
  EXPECT_TRUE(result.correct());
  result.steps = {replayed(record_with(record::Status::correct), record_with(record::Status::correct))};
  EXPECT_TRUE(result.correct());
  result.steps.push_back(replayed(record_with(record::Status::correct), record_with(record::Status::correctness)));
  EXPECT_FALSE(result.correct());
  result.carried_out = {bundle::RepeatedStep{.same = true}, bundle::RepeatedStep{.same = false}};
  EXPECT_FALSE(result.same());
  const Json json = to_json(result);
  EXPECT_EQ(json.at("steps").size(), 2u);
  EXPECT_EQ(json.at("carried_out").at(1).at("same"), false);
}

TEST(Replay, AStepAgreesWhenItIsRightAndComparesAsThen)
{
  const auto record_of = [](double ratio) {
    record::Record record = record_with(record::Status::correct, record::Comparison::fast);
    record.verdict.comparisons.front().ci95 = {0.99 * ratio, 1.01 * ratio};
    return record;
  };
  EXPECT_TRUE(agrees(replayed(record_of(1.5), record_of(1.52))));
  EXPECT_FALSE(agrees(replayed(record_of(1.5), record_of(0.9))));
  EXPECT_TRUE(agrees(replayed(record_with(record::Status::correct), record_with(record::Status::correct))));
  EXPECT_FALSE(agrees(replayed(record_with(record::Status::correct), record_with(record::Status::runtime))));
}

// A server has neither a terminal nor a process of its own to end.
TEST(App, KnowsNoTerminal)
{
  for (const auto& entry : fs::directory_iterator(fs::path(HONE_SOURCE_ROOT) / "src" / "app")) {
    if (!entry.is_regular_file()) {
      continue;
    }
    const std::string text = read_file(entry.path()).value();
    for (const char* word : {"<iostream>", "<cstdio>", "<CLI/", "cli/", "isatty", "stdout", "x1b["}) {
      EXPECT_THAT(text, testing::Not(HasSubstr(word))) << entry.path();
    }
  }
}
