#include "app/model_setup.h"

#include "bundle/step_answers.h"
#include "llm/providers.h"
#include "llm/spending.h"
#include "util/json.h"

#include <fmt/format.h>

namespace hone::app {

namespace {

constexpr const char* k_spending = "model.spending"; // a remembered name
constexpr std::int64_t k_most_samples = 100;
constexpr std::size_t k_shown = 60; // characters of what a model says, on the status line

Json spending_json(const llm::ModelSpending& spending)
{
  return {{"asked", spending.asked},
          {"prompt_tokens", spending.usage.prompt_tokens},
          {"cached_tokens", spending.usage.cached_tokens},
          {"answer_tokens", spending.usage.answer_tokens},
          {"estimated", spending.usage.estimated},
          {"usd", spending.usd},
          {"usd_known", spending.usd_known},
          {"seconds", spending.seconds}};
}

// What earlier runs of this workflow paid; nothing where that cannot be read.
llm::ModelSpending spending_from(const std::string& text)
{
  llm::ModelSpending spending;
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_object()) {
    spending.asked = json.value("asked", 0);
    spending.usage = {json.value("prompt_tokens", std::int64_t{0}), json.value("cached_tokens", std::int64_t{0}),
                      json.value("answer_tokens", std::int64_t{0}), json.value("estimated", false)};
    spending.usd = json.value("usd", 0.0);
    spending.usd_known = json.value("usd_known", true);
    spending.seconds = json.value("seconds", 0.0);
  }
  return spending;
}

Result<int> count_in(const Settings& settings, const std::string& name, std::int64_t least)
{
  HONE_TRY(const std::int64_t value, settings.integer(name));
  if (value < least || value > k_most_samples) {
    return fail(fmt::format("--{} {} is out of range", name, value),
                fmt::format("give a number from {} to {}", least, k_most_samples), Place{"--" + name, 0, 0});
  }
  return static_cast<int>(value);
}

Result<rewrite::AnswerForm> answer_form(const Settings& settings)
{
  const std::string& form = settings.text("answers");
  if (form != "blocks" && form != "object") {
    return fail(fmt::format("there are no answers in '{}'", form), "say blocks or object", Place{"--answers", 0, 0});
  }
  return form == "object" ? rewrite::AnswerForm::object : rewrite::AnswerForm::blocks;
}

// Of a context that is short, a full prompt takes too much.
Result<rewrite::PromptProfile> prompt_profile(const Settings& settings)
{
  constexpr double k_short = 12'000; // tokens: a full prompt, its answer and two repairs
  HONE_TRY(const std::optional<double> context, settings.limit("context-tokens"));
  const std::string& words = settings.text("prompt");
  const bool compact = words == "compact" || (words == "auto" && context && *context < k_short);
  return compact ? rewrite::PromptProfile::compact : rewrite::PromptProfile::full;
}

} // namespace

Result<std::shared_ptr<llm::ModelProvider>> open_provider(Context& context, const llm::ModelSetting& setting,
                                                          llm::AnswerStore store, llm::ModelSpending before,
                                                          std::function<void(const llm::ModelSpending&)> spent)
{
  HONE_TRY(auto provider, llm::make_provider(setting, llm::system_services()));
  const bool costs = setting.provider != "recorded" && setting.provider != "scripted"; // which may be asked for ever
  provider =
    llm::make_keeping(std::move(provider), std::move(store), costs ? llm::AskAgain::never : llm::AskAgain::always);
  llm::ModelLimits limits;
  HONE_TRY(limits.usd, context.settings.limit("max-usd"));
  HONE_TRY(const std::optional<double> tokens, context.settings.limit("max-tokens"));
  if (tokens) {
    limits.tokens = static_cast<std::int64_t>(*tokens);
  }
  HONE_TRY(llm::PriceTable prices, llm::read_prices(share_folder() / "prices.toml", config_folder() / "prices.toml"));
  return llm::make_limited(std::move(provider), limits, std::move(prices), std::move(before), std::move(spent));
}

llm::ModelSpending spent_on_models(const store::Workflow& workflow)
{
  const Result<std::string> spent = workflow.recall(k_spending);
  return spent ? spending_from(*spent) : llm::ModelSpending();
}

Result<std::optional<AskedModel>> asked_model(Context& context, const Workbench& bench, store::Workflow& workflow)
{
  const std::string& words = context.settings.text("model");
  if (words.empty()) {
    return std::nullopt;
  }
  HONE_TRY(const llm::ModelSetting setting,
           llm::model_setting(words, context.settings.text("model-url"), llm::process_environment()));
  const llm::ModelSpending before = spent_on_models(workflow);
  const auto remember = [&context, &workflow](const llm::ModelSpending& spending) {
    if (auto kept = workflow.remember(k_spending, spending_json(spending).dump()); !kept) {
      context.observer->note(kept.error().text());
    }
    context.observer->status(llm::to_text(spending));
  };
  AskedModel asked;
  HONE_TRY(asked.provider, open_provider(context, setting, answer_store(bench), before, remember));
  asked.name = setting.model.empty() ? setting.provider : setting.model;
  HONE_TRY(asked.temperature, context.settings.limit("temperature"));
  if (!context.settings.text("model-seed").empty()) {
    HONE_TRY(asked.seed, context.settings.integer("model-seed"));
  }
  asked.progress = [&context](std::string_view text) { context.observer->note(text); };
  asked.text = [&context, line = std::string()](std::string_view text) mutable {
    line += text;
    if (const std::size_t end = line.find_last_of('\n'); end != std::string::npos) {
      line.erase(0, end + 1);
    }
    context.observer->status(line.substr(0, k_shown));
  };
  return asked;
}

Result<std::optional<rewrite::ModelEngineSetting>> model_engine_setting(Context& context, const Workbench& bench,
                                                                        store::Workflow& workflow)
{
  HONE_TRY(std::optional<AskedModel> asked, asked_model(context, bench, workflow));
  if (!asked) {
    return std::nullopt;
  }
  rewrite::ModelEngineSetting engine;
  engine.provider = std::move(asked->provider);
  engine.model = asked->name;
  engine.temperature = asked->temperature;
  engine.seed = asked->seed;
  engine.progress = asked->progress;
  engine.text = asked->text;
  engine.stop = context.stop;
  engine.prompts = share_folder() / "prompts";
  HONE_TRY(engine.samples, count_in(context.settings, "samples", 1));
  HONE_TRY(engine.repairs, count_in(context.settings, "repairs", 0));
  HONE_TRY(engine.form, answer_form(context.settings));
  HONE_TRY(engine.profile, prompt_profile(context.settings));
  return engine;
}

Result<std::unique_ptr<rewrite::Engine>> open_model_engine(Context& context, const Workbench& bench,
                                                           store::Workflow& workflow)
{
  HONE_TRY(auto setting, model_engine_setting(context, bench, workflow));
  if (!setting) {
    return nullptr;
  }
  rewrite::ModelEngineObserver observer;
  observer.answered = [&context](const rewrite::AnswerEvent& event) {
    const std::string outcome = event.passed ? "passed"
                                             : fmt::format("{}: {}", rewrite::name_of(*event.fault),
                                                           event.report.substr(0, event.report.find('\n')));
    context.observer->note(fmt::format("  {} / {}: {}", event.transformation, event.pass, outcome));
  };
  observer.carried_out = [&context, &workflow](const rewrite::EngineRequest& request, const kernel::Candidate& made,
                                               std::span<const rewrite::AnswerEvent> answers) {
    if (auto kept = bundle::remember_answers(workflow, request.transformation, request.current, made, answers); !kept) {
      context.observer->note(kept.error().text());
    }
  };
  return rewrite::make_model_engine(std::move(*setting), std::move(observer));
}

llm::AnswerStore answer_store(const Workbench& bench)
{
  return llm::AnswerStore(bench.state / "answers");
}

} // namespace hone::app
