// Settings, prices, kept answers, scripts, people.
#include "llm/answer_store.h"
#include "llm/prices.h"
#include "llm/spending.h"
#include "llm/tests/model_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace hone::llm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class ModelTest : public testing::Test {
protected:
  Result<ModelSetting> setting(std::string_view words, std::string_view url = "")
  {
    return model_setting(words, url, [this](const std::string& name) -> std::optional<std::string> {
      const auto at = m_variables.find(name);
      return at == m_variables.end() ? std::nullopt : std::optional(at->second);
    });
  }
  std::string why(std::string_view words, std::string_view url = "")
  {
    const auto made = setting(words, url);
    return made ? "" : made.error().text();
  }
  fs::path write(const std::string& name, std::string_view text)
  {
    EXPECT_TRUE(write_file(m_folder.path() / name, text));
    return m_folder.path() / name;
  }

  std::map<std::string, std::string> m_variables;
  TemporaryFolder m_folder = *TemporaryFolder::create("model-test");
  ModelRequest m_request{.model = "m", .messages = {{ModelMessage::Role::user, "please apply cache-tiling"}}};
};

TEST_F(ModelTest, SettingsNameProviderModelAddressAndKeys)
{
  m_variables = {{"OPENAI_API_KEY", " one,two \n"}, {"OPENAI_BASE_URL", "https://models.example.org/v1"}};
  const auto made = setting("openai/org/name:tag");
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->model, "org/name:tag");
  EXPECT_EQ(made->base_url, "https://models.example.org/v1");
  EXPECT_THAT(made->keys, ElementsAre("one", "two"));
  EXPECT_EQ(setting("openai/m", "http://localhost:8000/v1")->base_url, "http://localhost:8000/v1");
}

TEST_F(ModelTest, SettingsThatCannotWorkSayWhatToDo)
{
  EXPECT_THAT(why("gpt-5"), HasSubstr("PROVIDER/NAME"));
  EXPECT_THAT(why("openai"), HasSubstr("names no model"));
  EXPECT_THAT(why("openai/m"), HasSubstr("OPENAI_API_KEY"));
  EXPECT_THAT(why("manual"), HasSubstr("manual:PATH"));
  m_variables = {{"OPENAI_API_KEY", "key"}};
  EXPECT_THAT(why("openai/m", "http://models.example.org"), HasSubstr("without encryption"));
  EXPECT_THAT(why("openai/m", "models.example.org"), HasSubstr("https://"));
  m_variables = {{"OPENAI_API_KEY", "ke y"}};
  EXPECT_THAT(why("openai/m"), HasSubstr("spaces or control characters"));
}

TEST_F(ModelTest, KeyFilesMustBeOnesOwn)
{
  const fs::path file = write("keys", "one\ntwo\n");
  m_variables = {{"ANTHROPIC_API_KEY_FILE", file.string()}};
  fs::permissions(file, fs::perms::owner_read | fs::perms::group_read);
  EXPECT_THAT(why("anthropic/m"), HasSubstr("chmod 600"));
  fs::permissions(file, fs::perms::owner_read);
  ASSERT_TRUE(setting("anthropic/m"));
  EXPECT_THAT(setting("anthropic/m")->keys, ElementsAre("one", "two"));
}

TEST_F(ModelTest, PricesAreOfTheFirstLineThatFits)
{
  const fs::path shipped = write("prices.toml", R"(date = "2026-01-01"
[[model]]
name = "big-mini*"
prompt = 1
answer = 2
[[model]]
name = "big*"
prompt = 10
cached = 1
answer = 30
)");
  const auto prices = read_prices(shipped, m_folder.path() / "none");
  ASSERT_TRUE(prices) << prices.error().text();
  EXPECT_EQ(prices->date, "2026-01-01");
  EXPECT_DOUBLE_EQ(*prices->usd("big-2", {1'000'000, 500'000, 100'000, false}), 5 + 0.5 + 3);
  EXPECT_DOUBLE_EQ(*prices->usd("big-mini-2", {1'000'000, 500'000, 0, false}), 1);
  EXPECT_FALSE(prices->usd("small", {}));
  const auto own = read_prices(shipped, write("own.toml", "[[model]]\nname = \"small\"\nprompt = 0\nanswer = 0\n"));
  EXPECT_EQ(own->usd("small", {1000, 0, 1000, false}), 0);
  EXPECT_THAT(read_prices(write("bad.toml", "[[model]]\nname = \"x\"\n"), "").error().text(), HasSubstr("bad.toml:1"));
}

TEST_F(ModelTest, ShippedPricesCanBeRead)
{
  const auto prices = read_prices(fs::path(HONE_SOURCE_ROOT) / "prices.toml", "");
  ASSERT_TRUE(prices) << prices.error().text();
  EXPECT_THAT(prices->date, SizeIs(10));
}

class CountingProvider final : public ModelProvider {
public:
  explicit CountingProvider(int& asked) : m_asked(asked) {}
  std::string_view name() const override { return "counting"; }
  ModelResult<ModelAnswer> ask(const ModelRequest&, const ModelListener&) override
  {
    ++m_asked;
    ModelAnswer answer;
    answer.text = "answer " + std::to_string(m_asked);
    answer.usage = {10, 4, 2, false};
    return answer;
  }
  ModelResult<std::vector<std::string>> models(std::stop_token) override { return std::vector<std::string>(); }

private:
  int& m_asked;
};

TEST_F(ModelTest, WhatWasPaidForIsNeverAskedForAgain)
{
  int asked = 0;
  const fs::path folder = m_folder.path() / "answers";
  ModelRequest again = m_request;
  again.sample = 1;
  again.schema = R"({"type":"object"})";
  for (int run = 0; run < 2; ++run) {
    const auto provider = make_keeping(std::make_unique<CountingProvider>(asked), AnswerStore(folder));
    EXPECT_EQ(provider->ask(m_request, {})->text, "answer 1");
    EXPECT_EQ(provider->ask(again, {})->text, "answer 2");
    EXPECT_EQ(provider->ask(m_request, {})->kept, true);
  }
  EXPECT_EQ(asked, 2);
  const auto stored = AnswerStore(folder).find(m_request);
  ASSERT_TRUE(stored && *stored);
  EXPECT_EQ((*stored)->request.hash(), m_request.hash());
  EXPECT_EQ((*stored)->answer.usage, (ModelUsage{10, 4, 2, false}));
}

TEST_F(ModelTest, ABudgetEndsAskingButNotWhatIsKept)
{
  int asked = 0;
  const fs::path folder = m_folder.path() / "answers";
  PriceTable prices{"2026-01-01", {{"*", 1e6, 1e5, 1e6}}}; // a dollar per token, ten cents for cached ones
  std::vector<double> seen;
  const auto provider = [&](ModelLimits limits, PriceTable table) {
    return make_limited(make_keeping(std::make_unique<CountingProvider>(asked), AnswerStore(folder)), limits,
                        std::move(table), {}, [&](const ModelSpending& spending) { seen.push_back(spending.usd); });
  };
  const auto paid = provider({.usd = 15.0}, prices);
  for (int sample = 0; sample < 3; ++sample) {
    m_request.sample = sample;
    const auto answer = paid->ask(m_request, {});
    EXPECT_EQ(answer.has_value(), sample < 2) << sample;
    if (!answer) {
      EXPECT_EQ(answer.error().kind, ModelFailure::Kind::stopped);
      EXPECT_THAT(answer.error().error.message, HasSubstr("15.00 USD is spent (2 answers, 20 + 4 tokens, 16.80 USD)"));
    }
  }
  EXPECT_THAT(seen, ElementsAre(8.4, 16.8));
  m_request.sample = 0;
  const auto resumed = provider({.tokens = 12}, prices);
  EXPECT_TRUE(resumed->ask(m_request, {})->kept);
  m_request.sample = 5;
  EXPECT_TRUE(resumed->ask(m_request, {}));
  m_request.sample = 6;
  EXPECT_FALSE(resumed->ask(m_request, {}));
  const auto unknown = provider({.usd = 1.0}, {});
  EXPECT_TRUE(unknown->ask(m_request, {}));
  m_request.sample = 7;
  EXPECT_THAT(unknown->ask(m_request, {}).error().error.message, HasSubstr("price is not known"));
}

TEST_F(ModelTest, ARecordedRunSaysWhatDiffers)
{
  const AnswerStore store(m_folder.path() / "answers");
  ModelAnswer answer;
  answer.text = "kept";
  ASSERT_TRUE(store.add({"openai", m_request, answer}));
  const auto provider = make_provider(*setting("recorded:" + store.folder().string()), system_services());
  ASSERT_TRUE(provider) << provider.error().text();
  EXPECT_EQ((*provider)->ask(m_request, {})->text, "kept");
  ModelRequest other = m_request;
  other.messages[0].text = "please apply\ncache-tiling";
  const auto missing = (*provider)->ask(other, {});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().error.message, HasSubstr("message 1 differs from line 1 on"));
  EXPECT_THAT(why("recorded:" + (m_folder.path() / "nowhere").string()), "");
  EXPECT_FALSE(make_provider(*setting("recorded:/nowhere"), system_services()));
}

TEST_F(ModelTest, ADamagedAnswerIsNamed)
{
  const AnswerStore store(m_folder.path() / "answers");
  ASSERT_TRUE(store.add({"openai", m_request, {}}));
  const fs::path file = fs::directory_iterator(store.folder())->path();
  const std::string whole = *read_file(file);
  for (const std::string& damaged : {whole.substr(0, whole.size() / 2), std::string(), std::string("nonsense")}) {
    ASSERT_TRUE(write_file(file, damaged));
    const auto found = store.find(m_request);
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().text(), HasSubstr(file.string()));
  }
  EXPECT_THAT(store.all(), SizeIs(0));
}

TEST_F(ModelTest, AScriptAnswersByRule)
{
  const fs::path script = write("script.toml", R"(
[[rule]]
holds = ["please", "cache-tiling"]
[[rule.answer]]
text = "first"
finish = "cut_off"
[[rule.answer]]
file = "second.md"
[[rule]]
holds = ["unroll"]
[[rule.answer]]
refuses = "no"
)");
  write("second.md", "second");
  const auto provider = make_provider(*setting("scripted:" + script.string()), system_services());
  ASSERT_TRUE(provider) << provider.error().text();
  EXPECT_EQ((*provider)->ask(m_request, {})->finish, ModelAnswer::Finish::cut_off);
  m_request.messages.push_back({ModelMessage::Role::assistant, "first"});
  m_request.messages.push_back({ModelMessage::Role::user, "it does not compile"});
  EXPECT_EQ((*provider)->ask(m_request, {})->text, "second");
  m_request.messages = {{ModelMessage::Role::user, "unroll"}};
  EXPECT_EQ((*provider)->ask(m_request, {}).error().kind, ModelFailure::Kind::answer);
  m_request.messages = {{ModelMessage::Role::user, "other"}};
  EXPECT_EQ((*provider)->ask(m_request, {}).error().kind, ModelFailure::Kind::configuration);
}

// Writes the answer while somebody waits for it.
class AnsweringPause final : public Pause {
public:
  explicit AnsweringPause(std::function<void(int)> at_look) : m_at_look(std::move(at_look)) {}
  bool wait(std::chrono::milliseconds, std::stop_token stop) override
  {
    m_at_look(++m_looks);
    return !stop.stop_requested();
  }

private:
  std::function<void(int)> m_at_look;
  int m_looks = 0;
};

TEST_F(ModelTest, APersonAnswersWithAFile)
{
  const fs::path folder = m_folder.path() / "mail";
  const fs::path reply = folder / (m_request.hash().substr(0, 12) + ".answer.md");
  const auto at_look = [&](int look) {
    if (look == 2) {
      ASSERT_TRUE(write_file(reply, "half"));
    } else if (look == 3) {
      ASSERT_TRUE(write_file(reply, "half and half"));
    }
  };
  const auto provider =
    make_provider(*setting("manual:" + folder.string()), {nullptr, std::make_shared<AnsweringPause>(at_look)});
  ASSERT_TRUE(provider);
  std::string told;
  ModelListener listener;
  listener.progress = [&](std::string_view text) { told = text; };
  const auto answer = (*provider)->ask(m_request, listener);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->text, "half and half");
  EXPECT_THAT(told, HasSubstr(reply.string()));
  EXPECT_THAT(*read_file(folder / (m_request.hash().substr(0, 12) + ".request.md")), HasSubstr("cache-tiling"));
}

TEST_F(ModelTest, StoppingLeavesTheRequest)
{
  std::stop_source stop;
  const fs::path folder = m_folder.path() / "mail";
  const auto provider = make_provider(*setting("manual:" + folder.string()),
                                      {nullptr, std::make_shared<AnsweringPause>([&](int) { stop.request_stop(); })});
  ModelListener listener;
  listener.stop = stop.get_token();
  const auto answer = (*provider)->ask(m_request, listener);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ModelFailure::Kind::stopped);
  EXPECT_THAT(answer.error().error.hint, HasSubstr(".request.md"));
}

class EditorTest : public ModelTest {
protected:
  void SetUp() override
  {
    EditorTest::TearDown(); // no editor of whoever runs this
    setenv("XDG_CACHE_HOME", m_folder.path().c_str(), 1);
  }
  void TearDown() override
  {
    for (const char* name : {"VISUAL", "EDITOR", "SOME_API_KEY", "XDG_CACHE_HOME"}) {
      unsetenv(name);
    }
  }
  // An editor that is a script; $1 is the file.
  ModelResult<ModelAnswer> edited_by(const std::string& script)
  {
    const fs::path program = write("editor.sh", "#!/bin/sh\n" + script + "\n");
    fs::permissions(program, fs::perms::owner_all);
    setenv("EDITOR", program.c_str(), 1);
    const auto provider = make_provider(*setting("editor"), {});
    return (*provider)->ask(m_request, {});
  }
};

TEST_F(EditorTest, WhatStandsBelowTheLineIsTheAnswer)
{
  setenv("SOME_API_KEY", "secret", 1);
  const fs::path seen = m_folder.path() / "seen", variables = m_folder.path() / "variables";
  const auto answer = edited_by("cp \"$1\" " + seen.string() + "; env > " + variables.string()
                                + "; printf '\\nan answer\\n\\n' >> \"$1\"");
  ASSERT_TRUE(answer) << answer.error().error.text();
  EXPECT_EQ(answer->text, "an answer\n");
  EXPECT_THAT(*read_file(seen), HasSubstr("please apply cache-tiling"));
  EXPECT_THAT(*read_file(variables), Not(HasSubstr("secret")));
}

TEST_F(EditorTest, NothingIsTakenFromWhoLeavesWithoutAnAnswer)
{
  EXPECT_EQ(edited_by("true").error().kind, ModelFailure::Kind::answer);
  EXPECT_EQ(edited_by(": > \"$1\"").error().kind, ModelFailure::Kind::answer);
  EXPECT_EQ(edited_by("echo answer >> \"$1\"; exit 1").error().kind, ModelFailure::Kind::stopped);
  EXPECT_EQ(edited_by("true")->text, "answer\n") << "what was typed before the editor failed is still there";
  unsetenv("EDITOR");
  const auto provider = make_provider(*setting("editor"), {});
  const auto answer = (*provider)->ask(m_request, {});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().error.hint, HasSubstr("EDITOR"));
}

} // namespace
} // namespace hone::llm
