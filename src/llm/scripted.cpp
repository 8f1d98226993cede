// Answers from a file, by rule, always the same: for tests of what happens to them.
//
//   [[rule]]
//   holds = ["cache-tiling"]        # all of these stand in the request's first message
//     [[rule.answer]]               # the n-th answers the n-th try: sample and repairs counted together
//     text = "..."                  # or file = "answer.md", beside the script
//     finish = "cut_off"            # left out: complete
//     calls = [{name = "profile", arguments = '{"tool": "explain"}'}]
//     [[rule.answer]]
//     refuses = "I cannot do that"  # or unreachable = "no network"
#include "llm/providers.h"
#include "util/text.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

namespace hone::llm {
namespace {

using Kind = ModelFailure::Kind;

struct ScriptedAnswer {
  std::string text;
  std::vector<ToolCall> calls;
  bool cut_off = false;
  std::string refuses;
  std::string unreachable;
};

struct Rule {
  std::vector<std::string> holds;
  std::vector<ScriptedAnswer> answers;
};

class Scripted final : public ModelProvider {
public:
  explicit Scripted(std::vector<Rule> rules) : m_rules(std::move(rules)) {}
  std::string_view name() const override { return "scripted"; }

  ModelResult<ModelAnswer> ask(const ModelRequest& request, const ModelListener& listener) override
  {
    const std::string& question = request.messages.empty() ? request.system : request.messages.front().text;
    const auto fits = [&](const Rule& rule) {
      return std::ranges::all_of(rule.holds, [&](const std::string& words) { return question.contains(words); });
    };
    const auto rule = std::ranges::find_if(m_rules, fits);
    if (rule == m_rules.end() || rule->answers.empty()) {
      return failure(Kind::configuration, "no rule of the script fits this request");
    }
    const auto earlier = std::ranges::count(request.messages, ModelMessage::Role::assistant, &ModelMessage::role);
    const auto number = static_cast<std::size_t>(earlier) + static_cast<std::size_t>(request.sample);
    const ScriptedAnswer& scripted = rule->answers[std::min(number, rule->answers.size() - 1)];
    if (!scripted.refuses.empty()) {
      return failure(Kind::answer, scripted.refuses);
    }
    if (!scripted.unreachable.empty()) {
      return failure(Kind::infrastructure, scripted.unreachable);
    }
    if (listener.text) {
      listener.text(scripted.text);
    }
    ModelAnswer answer;
    answer.text = scripted.text;
    answer.calls = scripted.calls;
    answer.finish = scripted.cut_off ? ModelAnswer::Finish::cut_off : ModelAnswer::Finish::complete;
    answer.usage = {estimate_prompt_tokens(request), 0, estimate_tokens(answer.text), true};
    answer.model = "script";
    return answer;
  }

  ModelResult<std::vector<std::string>> models(std::stop_token) override { return std::vector<std::string>(); }

private:
  static ModelResult<ModelAnswer> failure(Kind kind, std::string message)
  {
    return std::unexpected(ModelFailure{kind, {std::move(message), "see the script", {}}});
  }

  std::vector<Rule> m_rules;
};

Result<ScriptedAnswer> answer_in(const toml::table& table, const fs::path& folder)
{
  ScriptedAnswer answer;
  answer.text = table["text"].value_or(std::string());
  answer.cut_off = table["finish"].value_or(std::string()) == "cut_off";
  answer.refuses = table["refuses"].value_or(std::string());
  answer.unreachable = table["unreachable"].value_or(std::string());
  if (const toml::array* calls = table["calls"].as_array()) {
    for (const toml::node& node : *calls) {
      if (const toml::table* call = node.as_table()) {
        answer.calls.push_back({fmt::format("call-{}", answer.calls.size() + 1),
                                (*call)["name"].value_or(std::string()),
                                (*call)["arguments"].value_or(std::string("{}"))});
      }
    }
  }
  if (const auto file = table["file"].value<std::string>()) {
    HONE_TRY(answer.text, read_file(folder / *file));
  }
  return answer;
}

} // namespace

Result<std::unique_ptr<ModelProvider>> make_scripted(const ModelSetting& setting, const ModelServices&)
{
  HONE_TRY(const std::string text, read_file(setting.path));
  const std::string origin = setting.path.string();
  std::vector<Rule> rules;
  try {
    const toml::table script = toml::parse(text, origin);
    if (const toml::array* listed = script["rule"].as_array()) {
      for (const toml::node& node : *listed) {
        Rule& rule = rules.emplace_back();
        const toml::table* table = node.as_table();
        const toml::array* holds = table == nullptr ? nullptr : (*table)["holds"].as_array();
        const toml::array* answers = table == nullptr ? nullptr : (*table)["answer"].as_array();
        for (std::size_t i = 0; holds != nullptr && i < holds->size(); ++i) {
          rule.holds.push_back((*holds)[i].value_or(std::string()));
        }
        for (std::size_t i = 0; answers != nullptr && i < answers->size(); ++i) {
          if (const toml::table* entry = (*answers)[i].as_table()) {
            HONE_TRY(ScriptedAnswer answer, answer_in(*entry, setting.path.parent_path()));
            rule.answers.push_back(std::move(answer));
          }
        }
      }
    }
  } catch (const toml::parse_error& error) {
    return fail(std::string(error.description()), "",
                {origin, static_cast<int>(error.source().begin.line), static_cast<int>(error.source().begin.column)});
  }
  if (rules.empty()) {
    return fail("a script needs [[rule]] with holds and [[rule.answer]]", "", {origin, 1, 1});
  }
  return std::make_unique<Scripted>(std::move(rules));
}

} // namespace hone::llm
