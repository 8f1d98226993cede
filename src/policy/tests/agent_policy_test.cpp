// The policy agent with a model from a list: what its actions do to the workflow, and what the model is told.
#include "agent/transcript.h"
#include "policy/agent_setting.h"
#include "policy/tests/fakes.h"
#include "util/json.h"

namespace hone::policy {
namespace {

using fakes::Steps;
using fakes::World;
using testing::HasSubstr;
using testing::Not;

// One call per answer; then it finishes.
class CallingModel final : public llm::ModelProvider {
public:
  std::vector<std::pair<std::string, Json>> calls;
  std::vector<llm::ModelRequest> requests;

  std::string_view name() const override { return "calling"; }
  llm::ModelResult<llm::ModelAnswer> ask(const llm::ModelRequest& request, const llm::ModelListener&) override
  {
    requests.push_back(request);
    const auto answered = static_cast<std::size_t>(
      std::ranges::count(request.messages, llm::ModelMessage::Role::assistant, &llm::ModelMessage::role));
    llm::ModelAnswer answer;
    answer.calls = {answered < calls.size()
                      ? llm::ToolCall{std::to_string(answered), calls[answered].first, calls[answered].second.dump()}
                      : llm::ToolCall{"end", "finish", "{}"}};
    return answer;
  }
  llm::ModelResult<std::vector<std::string>> models(std::stop_token) override { return std::vector<std::string>(); }
};

class AgentPolicyTest : public testing::Test {
protected:
  AgentPolicyTest()
  {
    m_setting.model.provider = m_model;
    m_setting.model.model = "m";
    m_setting.limits = "40 actions";
    m_setting.prompts = fs::path(HONE_SOURCE_ROOT) / "prompts";
    m_setting.transcripts = m_world.folder->path() / "episodes";
    m_world.add("a");
    m_world.add("b");
    m_world.executor.time = fakes::factors({{"a", 0.5}, {"b", 2.0}, {"edited", 0.25}});
  }

  Result<PolicyOutcome> run()
  {
    PolicyContext context = m_world.context();
    context.agent = &m_setting;
    auto policy = make_policy("agent", {});
    auto outcome = (*policy)->run(context);
    EXPECT_TRUE(outcome) << outcome.error().text();
    return outcome;
  }

  // What the model was told about its n-th call.
  std::string result(std::size_t call) const { return m_model->requests.at(call + 1).messages.back().text; }

  World m_world;
  std::shared_ptr<CallingModel> m_model = std::make_shared<CallingModel>();
  AgentSetting m_setting;
};

constexpr const char* k_edited = "// steps: edited\n";

// Would find: a slower candidate that takes the current one's place, an edit judged against something else.
TEST_F(AgentPolicyTest, FasterCandidatesBecomeTheCurrentOne)
{
  m_model->calls = {{"apply", {{"step", "a"}}},
                    {"apply", {{"step", "b"}}},
                    {"edit", {{"file", "device.cpp"}, {"text", k_edited}}},
                    {"run", Json::object()},
                    {"read", {{"topic", "history"}}}};
  const auto outcome = run();
  EXPECT_EQ(m_world.steps_at(outcome->best), (Steps{"edited"}));
  EXPECT_THAT(result(0), HasSubstr("2x the speed of"));
  EXPECT_THAT(result(0), HasSubstr("is the current candidate now"));
  EXPECT_THAT(result(1), HasSubstr("Not proven faster"));
  EXPECT_THAT(result(3), AllOf(HasSubstr("2x the speed of"), HasSubstr("4x that of the start")));
  EXPECT_THAT(result(4), AllOf(HasSubstr("- a on"), HasSubstr("- b on"), HasSubstr("- edit on")));
  const store::Checkpoint best = m_world.checkpoint(outcome->best);
  EXPECT_EQ(best.transformation, "edit");
  EXPECT_EQ(m_world.steps_at(best.parent), (Steps{"a"}));
}

// Would find: a wrong candidate that is kept or published; a failure that ends the episode.
TEST_F(AgentPolicyTest, WrongCandidatesAreDroppedWithTheReason)
{
  m_world.executor.status = [](const record::Job& job) {
    return job.transformation == "a" ? record::Status::correctness : record::Status::correct;
  };
  m_model->calls = {{"apply", {{"step", "a"}}},
                    {"apply", {{"step", "nosuch"}}},
                    {"run", Json::object()},
                    {"edit", {{"file", "other.cpp"}, {"text", "x"}}},
                    {"edit", {{"file", "device.cpp"}, {"search", "nowhere"}, {"text", "x"}}},
                    {"edit", {{"file", "launch.toml"}, {"text", "[[launch]]\n"}}},
                    {"run", Json::object()},
                    {"compare", {{"candidate", "best"}, {"with", "start"}}},
                    {"tune", Json::object()}};
  const auto outcome = run();
  EXPECT_EQ(outcome->best, outcome->start);
  EXPECT_THAT(result(0), AllOf(HasSubstr("correctness: made to fail"), HasSubstr("It was dropped")));
  EXPECT_THAT(result(1), HasSubstr("nosuch"));
  EXPECT_THAT(result(2), HasSubstr("edit it first"));
  EXPECT_THAT(result(3), HasSubstr("there is no file 'other.cpp'"));
  EXPECT_THAT(result(4), HasSubstr("does not apply"));
  EXPECT_THAT(result(6), HasSubstr("launch.toml"));
  EXPECT_THAT(result(7), HasSubstr("one and the same"));
  EXPECT_THAT(result(8), HasSubstr("no tuning parameters"));
}

TEST_F(AgentPolicyTest, WithoutToolsNothingSpeaksOfProfiles)
{
  run();
  const llm::ModelRequest& request = m_model->requests.at(0);
  EXPECT_THAT(request.system, Not(HasSubstr("profile")));
  for (const llm::ModelTool& tool : request.tools) {
    EXPECT_NE(tool.name, "profile");
  }
  m_setting.tools = {"explain"};
  m_model->requests.clear();
  run();
  EXPECT_THAT(m_model->requests.at(0).system, HasSubstr("profile"));
}

// Would find: an interrupted episode that measures again, or that shows its model other figures than before.
TEST_F(AgentPolicyTest, AnInterruptedEpisodeGoesOnWithTheRecordsOfTheJournal)
{
  m_model->calls = {{"apply", {{"step", "a"}}}, {"edit", {{"file", "device.cpp"}, {"text", k_edited}}}};
  m_setting.model.limits.calls = 2;
  run();
  const fs::path file = *fs::directory_iterator(m_setting.transcripts);
  const auto text = read_file(file);
  ASSERT_TRUE(text);
  ASSERT_TRUE(write_file(file, text->substr(0, text->rfind("{\"end\"")))); // in the middle of the last line
  m_setting.model.limits.calls = 40;
  m_model->calls.push_back({"run", Json::object()});
  m_world.reopen();
  const std::size_t applied = m_world.executor.count("a");
  m_model->requests.clear();
  const auto outcome = run();
  EXPECT_EQ(m_world.executor.count("a"), applied);
  EXPECT_EQ(m_world.steps_at(outcome->best), (Steps{"edited"}));
  EXPECT_EQ(m_model->requests.size(), 2U); // run and finish
  const auto kept = agent::read_transcript(file);
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_TRUE(kept->ended);
  EXPECT_EQ(kept->episode.spent.calls, 4);
}

TEST_F(AgentPolicyTest, WithoutAModelItSaysWhatIsMissing)
{
  PolicyContext context = m_world.context();
  const auto policy = make_policy("agent", {});
  const auto outcome = (*policy)->run(context);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().text(), HasSubstr("--model"));
}

} // namespace
} // namespace hone::policy
