#include "app/agent_setup.h"

#include "app/instruments.h"
#include "app/kernel_path.h"
#include "app/model_setup.h"
#include "tools/tools.h"
#include "util/text.h"

#include <fmt/format.h>

namespace hone::app {
namespace {

constexpr const char* k_all = "all";
constexpr const char* k_none = "none";
constexpr const char* k_placebo = "placebo"; // reports about another kernel
constexpr std::int64_t k_most_calls = 10'000;

// A shipped kernel that has nothing to do with this one.
std::string other_kernel(const kernel::Kernel& kernel)
{
  return kernel.name == "softmax" ? "matmul" : "softmax";
}

std::vector<std::string> all_tools()
{
  std::vector<std::string> names;
  for (const tools::Tool* tool : tools::tools()) {
    names.emplace_back(tool->name());
  }
  return names;
}

Result<std::vector<std::string>> named_tools(const std::string& words)
{
  if (words == k_all || words == k_placebo) {
    return all_tools();
  }
  std::vector<std::string> names;
  for (const std::string& word : words == k_none ? std::vector<std::string>() : split(words, ',')) {
    auto tool = tools::find_tool(trim(word));
    if (!tool) {
      return fail(tool.error().message, "say all, none, placebo, or tools with commas between: explain,memory",
                  Place{"--agent-tools", 0, 0});
    }
    names.emplace_back((*tool)->name());
  }
  return names;
}

class OpenAgent final : public AgentSetup {
public:
  OpenAgent(Context& context, Climb& climb) : m_context(context), m_climb(climb) {}

  Result<void> open()
  {
    const Settings& settings = m_context.settings;
    HONE_TRY(std::optional<AskedModel> asked, asked_model(m_context, m_climb.bench, m_climb.workflow));
    if (!asked) {
      return fail("the policy 'agent' needs a model that works", "name one: --model PROVIDER/NAME (docs/agent.md)",
                  Place{"--policy", 0, 0});
    }
    agent::EpisodeSpec& model = m_setting.model;
    model.provider = asked->provider;
    model.model = asked->name;
    model.temperature = asked->temperature;
    model.seed = asked->seed;
    model.text = asked->text;
    model.progress = asked->progress;
    model.stop = m_context.stop;
    model.form = agent::call_form_named(settings.text("call-form")).value_or(agent::CallForm::automatic);
    HONE_TRY(const std::int64_t calls, settings.integer("max-calls"));
    model.limits.calls = static_cast<int>(std::clamp<std::int64_t>(calls, 1, k_most_calls));
    HONE_TRY(const std::optional<double> context_tokens, settings.limit("context-tokens"));
    if (context_tokens) {
      model.context_tokens = std::max<std::int64_t>(1000, static_cast<std::int64_t>(*context_tokens) - k_for_answer);
      model.most_tokens = std::min(model.most_tokens, std::max<std::int64_t>(500, model.context_tokens / 4));
    }
    model.turn = [this](const agent::Turn& turn) -> Result<void> {
      show(turn);
      return {};
    };
    m_setting.limits = fmt::format("{} actions, {} s of wall time", model.limits.calls,
                                   std::chrono::duration_cast<std::chrono::seconds>(m_climb.scale.budget).count());
    m_setting.prompts = share_folder() / "prompts";
    m_setting.transcripts = episodes_folder(m_climb.bench);
    m_setting.placebo = settings.text("agent-tools") == k_placebo;
    HONE_TRY(m_setting.tools, named_tools(settings.text("agent-tools")));
    m_setting.bench = [this](tools::Subject subject, std::vector<std::string> done) {
      return bench(std::move(subject), std::move(done));
    };
    return {};
  }

  const policy::AgentSetting& setting() const override { return m_setting; }

private:
  static constexpr std::int64_t k_for_answer = 2000; // tokens of a context that a request leaves free

  // What the model asked for, as a line.
  void show(const agent::Turn& turn) const
  {
    for (const llm::ToolCall& call : turn.message.calls) {
      Json arguments = Json::parse(call.arguments, nullptr, false);
      arguments = arguments.is_object() ? arguments : Json::object();
      std::vector<std::string> shown;
      for (const auto& [name, value] : arguments.items()) {
        const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
        shown.push_back(text.contains('\n') ? fmt::format("{}: {} lines", name, split(text, '\n').size()) : text);
      }
      m_context.observer->note(fmt::format("  agent: {} {}", call.name, join(shown, ", ")));
    }
  }

  Result<Instruments*> instruments()
  {
    if (!m_instruments) {
      Workbench bench = m_climb.bench;
      if (m_setting.placebo) {
        KernelRequest request;
        request.kernel = (share_folder() / "kernels" / other_kernel(*m_climb.bench.kernel)).string();
        HONE_TRY(bench, open_workbench(m_context, request));
        bench.recipe.threads = m_climb.bench.recipe.threads;
      }
      HONE_TRY(m_instruments, Instruments::open(m_context, std::move(bench)));
    }
    return m_instruments.get();
  }

  Result<std::unique_ptr<tools::Bench>> bench(tools::Subject subject, std::vector<std::string> done)
  {
    HONE_TRY(Instruments* const own, instruments());
    if (m_setting.placebo) {
      HONE_TRY(subject.contender, naive_contender(own->workbench()));
    }
    return own->bench(std::move(subject), std::move(done), m_climb.catalogue);
  }

  Context& m_context;
  Climb& m_climb;
  policy::AgentSetting m_setting;
  std::unique_ptr<Instruments> m_instruments; // opened when the first tool is asked for
};

} // namespace

Result<std::unique_ptr<AgentSetup>> open_agent(Context& context, Climb& climb)
{
  auto agent = std::make_unique<OpenAgent>(context, climb);
  HONE_CHECK(agent->open());
  return agent;
}

fs::path episodes_folder(const Workbench& bench)
{
  return bench.state / "episodes";
}

} // namespace hone::app
