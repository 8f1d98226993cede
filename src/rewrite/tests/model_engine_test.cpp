// The engine that asks a model, with answers from a list and a gate that only looks for words.
#include "lower/lower.h"
#include "rewrite/model_engine.h"
#include "util/json.h"
#include "util/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>

namespace hone::rewrite {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class ListedProvider final : public llm::ModelProvider {
public:
  std::string_view name() const override { return "listed"; }
  llm::ModelResult<llm::ModelAnswer> ask(const llm::ModelRequest& request, const llm::ModelListener&) override
  {
    requests.push_back(request);
    if (answers.empty()) {
      return std::unexpected(
        llm::ModelFailure{llm::ModelFailure::Kind::infrastructure, {"no network", "plug it in", {}}});
    }
    auto answer = std::move(answers.front());
    answers.pop_front();
    return answer;
  }
  llm::ModelResult<std::vector<std::string>> models(std::stop_token) override { return std::vector<std::string>(); }

  void says(std::string text, llm::ModelAnswer::Finish finish = llm::ModelAnswer::Finish::complete)
  {
    llm::ModelAnswer answer;
    answer.text = std::move(text);
    answer.finish = finish;
    answers.emplace_back(std::move(answer));
  }
  void refuses()
  {
    answers.emplace_back(std::unexpected(llm::ModelFailure{llm::ModelFailure::Kind::answer, {"refused", "", {}}}));
  }

  std::deque<llm::ModelResult<llm::ModelAnswer>> answers;
  std::vector<llm::ModelRequest> requests;
};

// Passes what holds no "WRONG".
class WordTrial final : public Trial {
public:
  Result<TrialOutcome> validate(const kernel::Candidate& candidate) override
  {
    ++looks;
    const bool wrong = candidate.device_source().contains("WRONG");
    return TrialOutcome{!wrong, wrong ? "correctness" : "correct", wrong ? "correctness: last column is off" : "",
                        candidate.device_source().contains("UNUSED")};
  }
  int looks = 0;
};

constexpr const char* k_step = R"(+++
name = "widen"
intent = "Do two at a time"
bottleneck = "instruction count"
speed = "faster"
[[parameters]]
name = "STEP"
values = [1, 2]
meaning = "how many at a time"
[[passes]]
name = "plan"
region = "launch"
[[passes]]
name = "code"
region = "device"
+++

## Why

It is faster.

## Pass: plan

Add STEP.

## Pass: code

Use STEP.

## Snippets

```cpp
i += STEP
```

## Pitfalls

- Tails.

## How to check

- Run it.
)";

class ModelEngineTest : public testing::Test {
protected:
  void SetUp() override
  {
    auto kernel = kernel::parse_kernel(R"(
[kernel]
name = "copy"
summary = "Y = 2 X, f32"
[compute]
expr = "Y[i] = 2 * X[i]"
[arguments]
X = { type = "f32", shape = ["n"] }
Y = { type = "f32", shape = ["n"], role = "output" }
[sizes]
timed = [ { n = 1024 } ]
)",
                                       "kernel.toml");
    ASSERT_TRUE(kernel) << kernel.error().text();
    m_kernel = std::move(*kernel);
    auto start = lower::naive_candidate(m_kernel, m_dialect);
    ASSERT_TRUE(start) << start.error().text();
    m_start = std::move(*start);
    auto step = catalogue::parse_transformation(k_step, "widen.md");
    ASSERT_TRUE(step) << step.error().text();
    m_step = std::move(*step);
  }

  Result<kernel::Candidate> carry_out(int samples = 1, int repairs = 2, AnswerForm form = AnswerForm::blocks)
  {
    ModelEngineSetting setting;
    setting.provider = m_provider;
    setting.model = "m";
    setting.prompts = fs::path(HONE_SOURCE_ROOT) / "prompts";
    setting.samples = samples;
    setting.repairs = repairs;
    setting.form = form;
    setting.profile = m_profile;
    setting.seed = 100;
    auto engine =
      make_model_engine(std::move(setting), {[this](const AnswerEvent& event) { m_events.push_back(event); }, {}});
    EXPECT_TRUE(engine);
    m_engine = std::move(*engine);
    return again();
  }

  Result<kernel::Candidate> again()
  {
    const kernel::Sizes sizes{{"n", 1024}};
    const kernel::PlanScope facts{{"device.l1", 32768}};
    const OptimizationTarget target{sizes, 1, facts};
    return m_engine->apply({m_kernel, m_start, m_step, m_dialect, &target, &m_trial});
  }

  std::vector<std::string> faults() const
  {
    std::vector<std::string> names;
    for (const AnswerEvent& event : m_events) {
      names.emplace_back(event.fault ? name_of(*event.fault) : "passed");
    }
    return names;
  }

  std::string plan_with_step() const
  {
    return "```toml launch.toml\n[tuning]\nSTEP = { values = [1, 2], default = 2 }\n" + m_start.files.at("launch.toml")
           + "```\n";
  }
  std::string code(const std::string& comment) const
  {
    return "```cpp device.cpp\n// " + comment + "\n" + m_start.device_source() + "```\n";
  }

  kernel::Kernel m_kernel;
  lower::Dialect m_dialect = lower::cpu_dialect(32, true);
  kernel::Candidate m_start;
  catalogue::Transformation m_step;
  std::shared_ptr<ListedProvider> m_provider = std::make_shared<ListedProvider>();
  WordTrial m_trial;
  PromptProfile m_profile = PromptProfile::full;
  std::unique_ptr<Engine> m_engine;
  std::vector<AnswerEvent> m_events;
};

// Whole requests, so that a change of a prompt is seen as its readers see it. HONE_WRITE_GOLDEN=1 writes them anew.
TEST_F(ModelEngineTest, RequestsReadAsTheyDid)
{
  m_provider->says(plan_with_step());
  m_provider->says(code("WRONG"));
  m_provider->says(code("two at a time"));
  ASSERT_TRUE(carry_out());
  std::string text = "======== system\n" + m_provider->requests.front().system;
  for (const llm::ModelRequest& request : m_provider->requests) { // of each what is new in it
    EXPECT_EQ(request.system, m_provider->requests.front().system);
    text += "======== user\n" + request.messages.back().text + "\n";
  }
  const fs::path golden = fs::path(HONE_SOURCE_ROOT) / "src/rewrite/tests/golden/requests.txt";
  if (std::getenv("HONE_WRITE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(golden, text));
  }
  const auto expected = read_file(golden);
  ASSERT_TRUE(expected) << expected.error().text();
  EXPECT_EQ(first_different_line(text, *expected), 0U) << "read what changed with git diff after HONE_WRITE_GOLDEN=1";
}

TEST_F(ModelEngineTest, HelpersForNarrowNumbersAreNamedWhereThereAreAny)
{
  m_provider->says(plan_with_step());
  m_provider->says(code("two at a time"));
  ASSERT_TRUE(carry_out());
  EXPECT_FALSE(m_provider->requests.back().system.contains("hone_dot_fours"));
  m_kernel.arguments.front().type = kernel::DataType::i8;
  m_provider->says(plan_with_step());
  m_provider->says(code("four at a time"));
  ASSERT_TRUE(carry_out());
  EXPECT_TRUE(m_provider->requests.back().system.contains("hone_dot_fours"));
}

TEST_F(ModelEngineTest, ObjectsAreAskedForWithASchema)
{
  const auto object_with = [](const std::string& file, const std::string& text) {
    return Json{{"remarks", ""}, {"files", {{{"name", file}, {"text", text}, {"edits", Json::array()}}}}}.dump();
  };
  const std::string step = "[tuning]\nSTEP = { values = [1, 2], default = 2 }\n";
  m_provider->says(object_with("launch.toml", step + m_start.files.at("launch.toml")));
  m_provider->says(object_with("other.cpp", "x"));
  m_provider->says(object_with("device.cpp", m_start.device_source() + "// two at a time\n"));
  const auto candidate = carry_out(1, 2, AnswerForm::object);
  ASSERT_TRUE(candidate) << candidate.error().text();
  EXPECT_THAT(candidate->device_source(), HasSubstr("two at a time"));
  ASSERT_THAT(m_provider->requests, SizeIs(3));
  for (const llm::ModelRequest& request : m_provider->requests) {
    EXPECT_THAT(request.schema, HasSubstr("\"launch.toml\""));
    EXPECT_THAT(request.system, HasSubstr("one JSON object"));
    EXPECT_THAT(request.system, Not(HasSubstr("<<<<<<< SEARCH")));
    EXPECT_THAT(request.messages.front().text, Not(HasSubstr("opening fence")));
  }
  const std::string repair = m_provider->requests.back().messages.back().text;
  EXPECT_THAT(repair, HasSubstr("no file of the candidate"));
  EXPECT_THAT(repair, HasSubstr("an entry of its own"));
}

TEST_F(ModelEngineTest, EachPassIsARequestOfItsOwn)
{
  m_provider->says(plan_with_step());
  m_provider->says(code("two at a time"));
  const auto candidate = carry_out();
  ASSERT_TRUE(candidate) << candidate.error().text();
  EXPECT_THAT(candidate->device_source(), HasSubstr("two at a time"));
  EXPECT_THAT(candidate->plan.tuning.parameters, SizeIs(1));
  EXPECT_THAT(candidate->schedule, IsEmpty());
  EXPECT_EQ(m_trial.looks, 1);
  ASSERT_THAT(m_provider->requests, SizeIs(2));
  const std::string first = m_provider->requests[0].messages[0].text, second = m_provider->requests[1].messages[0].text;
  EXPECT_THAT(first, HasSubstr("Add STEP."));
  EXPECT_THAT(first, Not(HasSubstr("Use STEP.")));
  EXPECT_THAT(first, HasSubstr("Y[i] = 2 * X[i]"));
  EXPECT_THAT(first, HasSubstr("`device.l1` = 32768"));
  EXPECT_THAT(second, HasSubstr("Use STEP."));
  EXPECT_THAT(second, HasSubstr("STEP = { values = [1, 2], default = 2 }"));
  EXPECT_THAT(second, HasSubstr("- Tails."));
  EXPECT_EQ(m_provider->requests[0].system, m_provider->requests[1].system);
  EXPECT_THAT(m_provider->requests[0].system, HasSubstr("hone_load_part"));
}

TEST_F(ModelEngineTest, WhatDidNotPassGoesBackWithTheReason)
{
  m_provider->says("I would add STEP.");
  m_provider->says("```toml launch.toml\n[[launch]]\nkernel = \"copy\"\nargs = [\"Z\"]\n```");
  m_provider->says(plan_with_step());
  m_provider->says(code("WRONG"));
  m_provider->says("<<<<<<< SEARCH\n// WRONG\n=======\n// right\n>>>>>>> REPLACE");
  const auto candidate = carry_out();
  ASSERT_TRUE(candidate) << candidate.error().text();
  EXPECT_THAT(faults(), ElementsAre("did not apply", "plan", "passed", "wrong result", "passed"));
  const auto& repair = m_provider->requests.at(4).messages;
  ASSERT_THAT(repair, SizeIs(3));
  EXPECT_EQ(repair[1].role, llm::ModelMessage::Role::assistant);
  EXPECT_THAT(repair[2].text, HasSubstr("last column is off"));
  EXPECT_THAT(repair[2].text, HasSubstr("// WRONG"));
  EXPECT_THAT(m_provider->requests.at(1).messages[2].text, Not(HasSubstr("The files as they are now")));
}

// Would find: an answer that adds remarks, or a variable that nobody reads, taken for a step carried out.
TEST_F(ModelEngineTest, WhatChangesNoCodeGoesBack)
{
  m_provider->says("```toml launch.toml\nUNCHANGED\n```");
  m_provider->says(code("two at a time, /* at last */ as \"asked\""));
  m_provider->says(code("UNUSED") + "");
  m_provider->says("<<<<<<< SEARCH\n// UNUSED\n=======\n#define HALF 2\n>>>>>>> REPLACE");
  const auto candidate = carry_out();
  ASSERT_TRUE(candidate) << candidate.error().text();
  EXPECT_THAT(faults(), ElementsAre("passed", "changes nothing", "changes nothing", "passed"));
  EXPECT_THAT(m_provider->requests.at(2).messages.back().text, HasSubstr("Only comments or blanks changed"));
}

// Would find: a repair that a model answers with the words that it said before.
TEST_F(ModelEngineTest, RepairsAreNewSamples)
{
  m_provider->says(plan_with_step());
  m_provider->says(code("WRONG"));
  m_provider->says(code("WRONG"));
  m_provider->says("<<<<<<< SEARCH\n// WRONG\n=======\n// right\n>>>>>>> REPLACE");
  ASSERT_TRUE(carry_out());
  const auto& requests = m_provider->requests;
  EXPECT_FALSE(requests.at(1).temperature);
  EXPECT_EQ(requests.at(1).seed, 100);
  EXPECT_EQ(requests.at(2).temperature, 0.8);
  EXPECT_EQ(requests.at(2).seed, 101);
  EXPECT_EQ(requests.at(3).seed, 102);
}

TEST_F(ModelEngineTest, CompactRequestsAreAThirdAsLong)
{
  const auto tokens = [&] {
    m_provider->requests.clear();
    m_provider->says(plan_with_step());
    m_provider->says(code("two at a time"));
    EXPECT_TRUE(carry_out());
    return llm::estimate_prompt_tokens(m_provider->requests.front());
  };
  const std::int64_t full = tokens();
  m_profile = PromptProfile::compact;
  const std::int64_t compact = tokens();
  EXPECT_LT(compact * 10, full * 4) << compact << " of " << full;
  EXPECT_THAT(m_provider->requests.front().system, HasSubstr("hone_group"));
}

TEST_F(ModelEngineTest, RepairsAndSamplesAreBounded)
{
  for (int sample = 0; sample < 2; ++sample) {
    m_provider->says(plan_with_step());
    for (int attempt = 0; attempt < 3; ++attempt) {
      m_provider->says(code("WRONG"));
    }
  }
  const auto candidate = carry_out(2, 2);
  ASSERT_FALSE(candidate);
  EXPECT_THAT(candidate.error().message, HasSubstr("2 attempts failed"));
  EXPECT_THAT(candidate.error().message, HasSubstr("pass 'code' failed after 2 repairs"));
  EXPECT_THAT(m_provider->answers, SizeIs(0));
  EXPECT_NE(m_provider->requests[0].hash(), m_provider->requests[4].hash());
  EXPECT_FALSE(m_engine->permanent_failure());
}

TEST_F(ModelEngineTest, ARefusalEndsASampleOnly)
{
  m_provider->refuses();
  m_provider->says(plan_with_step());
  m_provider->says(code("right"));
  EXPECT_TRUE(carry_out(2));
  EXPECT_THAT(faults(), ElementsAre("no answer", "passed", "passed"));
}

TEST_F(ModelEngineTest, APassEditsItsOwnFile)
{
  m_provider->says(plan_with_step() + code("early"));
  m_provider->says(plan_with_step());
  m_provider->says(code("right"));
  EXPECT_TRUE(carry_out());
  EXPECT_THAT(faults(), ElementsAre("did not apply", "passed", "passed"));
  EXPECT_THAT(m_events[0].report, HasSubstr("edits launch.toml only"));
}

TEST_F(ModelEngineTest, WhatWasCutOffIsNotUsed)
{
  m_provider->says(plan_with_step(), llm::ModelAnswer::Finish::cut_off);
  m_provider->says(plan_with_step());
  m_provider->says(code("right"));
  EXPECT_TRUE(carry_out());
  EXPECT_THAT(faults(), ElementsAre("did not apply", "passed", "passed"));
}

TEST_F(ModelEngineTest, NoNetworkIsNoFaultOfTheStep)
{
  const auto candidate = carry_out(3);
  ASSERT_FALSE(candidate);
  ASSERT_TRUE(m_engine->permanent_failure());
  EXPECT_EQ(m_engine->permanent_failure()->message, "no network");
  EXPECT_FALSE(again());
  EXPECT_THAT(m_provider->requests, SizeIs(1));
}

} // namespace
} // namespace hone::rewrite
