// A model with tools against a provider that says what a test tells it to.
#include "agent/agent.h"
#include "agent/trajectory.h"
#include "agent/transcript.h"
#include "util/temporary.h"
#include "util/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

namespace hone::agent {
namespace {

using llm::ModelAnswer;
using llm::ModelFailure;
using llm::ModelMessage;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// Gives the n-th answer to the n-th request, and keeps the requests.
class Answering final : public llm::ModelProvider {
public:
  std::vector<llm::ModelResult<ModelAnswer>> answers;
  std::vector<llm::ModelRequest> requests;

  std::string_view name() const override { return "answering"; }
  llm::ModelResult<ModelAnswer> ask(const llm::ModelRequest& request, const llm::ModelListener&) override
  {
    requests.push_back(request);
    return answers.at(std::min(requests.size(), answers.size()) - 1);
  }
  llm::ModelResult<std::vector<std::string>> models(std::stop_token) override { return std::vector<std::string>(); }
};

ModelAnswer says(std::string text)
{
  ModelAnswer answer{.text = std::move(text)};
  answer.usage = {100, 0, 10, false};
  return answer;
}

ModelAnswer calls(std::vector<llm::ToolCall> list)
{
  ModelAnswer answer = says("");
  answer.calls = std::move(list);
  return answer;
}

class AgentTest : public testing::Test {
protected:
  AgentTest()
  {
    m_spec.provider = m_model;
    m_spec.model = "m";
    m_spec.system = "Rules.";
    m_spec.task = "Count to two.";
    m_spec.actions.push_back({"count",
                              "Counts.",
                              {{"by", ActionType::integer, "How far.", true},
                               {"way", ActionType::text, "Which way.", false, {"up", "down"}},
                               {"text", ActionType::text, "A remark."}},
                              [this](const Json& arguments) -> Result<ActionOutcome> {
                                m_count += arguments["by"].get<int>();
                                m_remark = arguments.value("text", "");
                                return ActionOutcome{.text = "now " + std::to_string(m_count), .device_s = 0.5};
                              }});
    m_spec.actions.push_back({"finish", "Ends.", {}, [](const Json&) -> Result<ActionOutcome> {
                                return ActionOutcome{.text = "done", .finished = true};
                              }});
  }

  Episode run()
  {
    auto episode = run_episode(m_spec);
    EXPECT_TRUE(episode) << episode.error().text();
    return episode ? *episode : Episode();
  }

  std::shared_ptr<Answering> m_model = std::make_shared<Answering>();
  EpisodeSpec m_spec;
  int m_count = 0;
  std::string m_remark;
};

TEST_F(AgentTest, ActionsAreCarriedOutUntilTheModelFinishes)
{
  m_model->answers = {calls({{"a", "count", R"({"by": 2})"}}), calls({{"b", "finish", ""}})};
  const Episode episode = run();
  EXPECT_EQ(m_count, 2);
  EXPECT_EQ(episode.end, EpisodeEnd::finished);
  EXPECT_EQ(episode.spent, (EpisodeSpent{2, 0, 2, 200, 20, 0, 0.5}));
  ASSERT_THAT(m_model->requests, SizeIs(2));
  const auto& messages = m_model->requests[1].messages;
  ASSERT_THAT(messages, SizeIs(3));
  EXPECT_EQ(messages[2].role, ModelMessage::Role::tool);
  EXPECT_EQ(messages[2].call, "a");
  EXPECT_THAT(messages[2].text, HasSubstr("now 2\n(left: 39 calls)"));
  EXPECT_THAT(m_model->requests[0].tools, SizeIs(2));
}

// Would find: a mistake of the model that ends the episode, or passes without a word.
TEST_F(AgentTest, WrongCallsGetAnAnswerThatSaysWhatIsWrong)
{
  m_model->answers = {calls({{"a", "cuont", "{}"},
                             {"b", "count", "{}"},
                             {"c", "count", R"({"by": "two"})"},
                             {"d", "count", R"({"by": 1, "way": "left"})"},
                             {"e", "count", R"({"by": 1, "to": 2})"},
                             {"f", "count", R"({"by": 1)"}}),
                      calls({{"g", "finish", "{}"}})};
  const Episode episode = run();
  EXPECT_EQ(m_count, 0);
  EXPECT_EQ(episode.spent.failed_calls, 6);
  std::vector<std::string> texts;
  for (const Turn& turn : episode.turns) {
    if (turn.failed) {
      texts.push_back(turn.message.text);
    }
  }
  EXPECT_THAT(texts, ElementsAre(HasSubstr("count"), HasSubstr("needs the argument 'by'"),
                                 HasSubstr("must be of type integer"), HasSubstr("one of up, down"),
                                 HasSubstr("no argument 'to'"), HasSubstr("not a JSON object")));
}

TEST_F(AgentTest, CallsInTextAreReadAndAnsweredInText)
{
  m_spec.form = CallForm::text;
  m_model->answers = {
    says(
      "<think>I count.</think>I shall.\n<tool_call>\n{\"name\": \"count\", \"arguments\": {\"by\": 1}}\n</tool_call>\n"
      "```text\nline 1\nline \"2\"\n```\nand\n<tool_call>{\"name\": \"count\", \"arguments\": {\"by\": 1}}"),
    says("```json\n{\"name\": \"finish\", \"arguments\": {}}\n```")};
  const Episode episode = run();
  EXPECT_EQ(m_count, 2);
  EXPECT_EQ(episode.end, EpisodeEnd::finished);
  EXPECT_EQ(episode.turns[1].reasoning, "I count.");
  EXPECT_EQ(Json::parse(episode.turns[1].message.calls.at(0).arguments)["text"], "line 1\nline \"2\"\n");
  EXPECT_THAT(m_model->requests[0].system, HasSubstr("<tools>"));
  EXPECT_THAT(m_model->requests[0].tools, SizeIs(0));
  const auto& messages = m_model->requests[1].messages;
  ASSERT_THAT(messages, SizeIs(3));
  EXPECT_THAT(messages[1].text, HasSubstr("<tool_call>"));
  EXPECT_EQ(messages[2].role, ModelMessage::Role::user);
  EXPECT_THAT(messages[2].text, HasSubstr("<tool_response>\nnow 1\n"));
  EXPECT_THAT(messages[2].text, HasSubstr("now 2\n"));
}

TEST_F(AgentTest, CodeWithRawLineEndsInJsonIsRead)
{
  m_spec.form = CallForm::text;
  m_model->answers = {
    says("<tool_call>{\"name\": \"count\", \"arguments\": {\"by\": 1, \"text\": \"a\nb\"}}</tool_call>"),
    says("<tool_call>{\"name\": \"finish\"}</tool_call>")};
  run();
  EXPECT_EQ(m_remark, "a\nb");
}

TEST_F(AgentTest, AServerWithoutToolsIsAskedInText)
{
  m_model->answers = {
    std::unexpected(ModelFailure{ModelFailure::Kind::configuration, {"answered 400: tools need --jinja", "", {}}}),
    says("<tool_call>{\"name\": \"finish\"}</tool_call>")};
  EXPECT_EQ(run().end, EpisodeEnd::finished);
  EXPECT_THAT(m_model->requests[1].tools, SizeIs(0));
  m_spec.form = CallForm::native;
  m_model->requests.clear();
  EXPECT_EQ(run().end, EpisodeEnd::unreachable);
}

TEST_F(AgentTest, EveryLimitEndsTheEpisode)
{
  m_model->answers = {calls({{"a", "count", R"({"by": 1})"}, {"b", "count", R"({"by": 1})"}})};
  m_spec.limits.calls = 3;
  Episode episode = run();
  EXPECT_EQ(episode.end, EpisodeEnd::calls);
  EXPECT_EQ(m_count, 3);
  EXPECT_THAT(episode.turns.back().message.text, HasSubstr("Not carried out"));
  m_spec.limits = {.tokens = 250};
  EXPECT_EQ(run().end, EpisodeEnd::tokens);
  m_spec.limits = {.device_seconds = 1};
  EXPECT_EQ(run().end, EpisodeEnd::device_seconds);
  m_spec.limits = {.wall_seconds = 0};
  EXPECT_EQ(run().end, EpisodeEnd::wall_seconds);
  m_spec.limits = {};
  m_model->answers = {says("I am thinking.")};
  episode = run();
  EXPECT_EQ(episode.end, EpisodeEnd::no_calls);
  EXPECT_THAT(episode.turns[2].message.text, HasSubstr("asked for no action"));
  m_model->answers = {std::unexpected(ModelFailure{ModelFailure::Kind::answer, {"refused", "", {}}})};
  EXPECT_EQ(run().end, EpisodeEnd::no_answer);
  std::stop_source source;
  source.request_stop();
  m_spec.stop = source.get_token();
  EXPECT_EQ(run().end, EpisodeEnd::stopped);
}

// Never answers; says so once it is asked to stop.
class Silent final : public llm::ModelProvider {
public:
  std::string_view name() const override { return "silent"; }
  llm::ModelResult<ModelAnswer> ask(const llm::ModelRequest&, const llm::ModelListener& listener) override
  {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait(lock, listener.stop, [] { return false; });
    return std::unexpected(ModelFailure{ModelFailure::Kind::stopped, {"stopped", "", {}}});
  }
  llm::ModelResult<std::vector<std::string>> models(std::stop_token) override { return std::vector<std::string>(); }
};

// Would catch an episode that waits for ever for a person who has gone, or takes the end of its time for a stop.
TEST_F(AgentTest, TheTimeEndsWhileAModelIsWaitedFor)
{
  m_spec.provider = std::make_shared<Silent>();
  m_spec.limits.wall_seconds = 0.05;
  EXPECT_EQ(run().end, EpisodeEnd::wall_seconds);
}

TEST_F(AgentTest, OldResultsAreLeftOutWhereTheContextIsShort)
{
  m_spec.actions[0].run = [](const Json&) -> Result<ActionOutcome> {
    return ActionOutcome{.text = std::string(4000, 'x')};
  };
  m_spec.context_tokens = 4000;
  m_spec.limits.calls = 8;
  m_model->answers = {calls({{"a", "count", R"({"by": 1})"}})};
  run();
  for (const llm::ModelRequest& request : m_model->requests) {
    EXPECT_LE(llm::estimate_prompt_tokens(request), 4000);
  }
  const auto& last = m_model->requests.back().messages;
  EXPECT_THAT(last[2].text, HasSubstr("left out"));
  EXPECT_THAT(last.back().text, Not(HasSubstr("left out")));
}

// Would find: an interrupted episode that shows other results than before, so that kept answers do not fit any more; an
// action that is not carried out again, so that what follows works on something else.
TEST_F(AgentTest, AnInterruptedEpisodeGoesOnWhereItWas)
{
  const TemporaryFolder folder = *TemporaryFolder::create("agent");
  const fs::path file = folder.path() / "episode.jsonl";
  m_model->answers = {calls({{"a", "count", R"({"by": 2})"}, {"b", "count", R"({"by": 3})"}}),
                      calls({{"c", "finish", "{}"}})};
  m_spec.turn = [&](const Turn& turn) { return add_turn(file, turn); };
  ASSERT_TRUE(begin_transcript(file, {.model = "m", .system = "Rules."}, {{"kernel", "k"}}));
  const Episode whole = run();
  // Cut after the first result, in the middle of a line.
  const std::string text = *read_file(file);
  const std::vector<std::string> lines = split(text, '\n');
  ASSERT_TRUE(write_file(file, join(std::vector(lines.begin(), lines.begin() + 4), "\n") + "\n{\"tur"));
  const auto cut = read_transcript(file);
  ASSERT_TRUE(cut) << cut.error().text();
  EXPECT_FALSE(cut->ended);
  EXPECT_EQ(cut->about["kernel"], "k");
  ASSERT_THAT(cut->episode.turns, SizeIs(3));
  m_spec.earlier = cut->episode.turns;
  m_spec.turn = {};
  m_count = 0;
  m_model->requests.clear();
  m_model->answers = {calls({{"c", "finish", "{}"}})};
  const Episode again = run();
  EXPECT_EQ(m_count, 5);
  ASSERT_THAT(m_model->requests, SizeIs(1));
  ASSERT_EQ(again.turns.size(), whole.turns.size());
  for (std::size_t i = 0; i < again.turns.size(); ++i) {
    EXPECT_EQ(again.turns[i].message, whole.turns[i].message) << i;
  }
  ASSERT_TRUE(write_file(file, "{\"episode\": 3}\n{}\n"));
  EXPECT_THAT(read_transcript(file).error().text(), HasSubstr("episode.jsonl:1"));
}

TEST_F(AgentTest, TrajectoriesMaskWhatTheModelRead)
{
  m_model->answers = {calls({{"a", "count", R"({"by": 2})"}}), calls({{"b", "finish", "{}"}})};
  Transcript transcript{.episode = run(), .ended = true};
  const Json openai = trajectory(transcript, TrajectoryForm::openai, 1.5, {{"kernel", "k"}});
  EXPECT_EQ(openai["mask"], Json({0, 0, 1, 0, 1, 0}));
  EXPECT_EQ(openai["messages"][2]["tool_calls"][0]["function"]["arguments"], R"({"by": 2})");
  EXPECT_EQ(openai["messages"][3]["tool_call_id"], "a");
  EXPECT_EQ(openai["messages"][3]["name"], "count");
  EXPECT_EQ(openai["tools"][0]["function"]["parameters"]["required"][0], "by");
  EXPECT_EQ(openai["reward"], 1.5);
  const Json hf = trajectory(transcript, TrajectoryForm::hf, std::nullopt, {});
  EXPECT_EQ(hf["messages"][2]["tool_calls"][0]["function"]["arguments"]["by"], 2);
  EXPECT_TRUE(hf["reward"].is_null());
}

} // namespace
} // namespace hone::agent
