#include "app/blaster_setup.h"

#include "app/instruments.h"
#include "app/knowledge.h"
#include "app/model_setup.h"

#include <fmt/format.h>

namespace hone::app {
namespace {

constexpr std::int64_t k_most = 1000; // trajectories of a round, steps of a trajectory

Result<int> count_of(const Settings& settings, const char* name)
{
  HONE_TRY(const std::int64_t value, settings.integer(name));
  if (value > k_most) {
    return fail(fmt::format("--{} {} is out of range", name, value), fmt::format("give a number from 1 to {}", k_most),
                Place{std::string("--") + name, 0, 0});
  }
  return static_cast<int>(value);
}

class OpenBlaster final : public BlasterSetup {
public:
  OpenBlaster(Context& context, Climb& climb, knowledge::Base base)
    : m_context(context), m_climb(climb), m_base(std::move(base))
  {
  }

  Result<void> open()
  {
    const Settings& settings = m_context.settings;
    m_setting.base = &m_base;
    m_setting.device = m_climb.executor->device().fingerprint;
    m_setting.device_name = m_climb.executor->device().name;
    HONE_TRY(m_setting.trajectories, count_of(settings, "trajectories"));
    HONE_TRY(m_setting.steps, count_of(settings, "trajectory-steps"));
    HONE_TRY(m_setting.rule, policy::choice_rule_named(settings.text("choice")));
    m_setting.learns = settings.text("learning") == "on";
    if (settings.text("profiles") == "on") {
      m_setting.bench = [this](tools::Subject subject, std::vector<std::string> done) {
        return bench(std::move(subject), std::move(done));
      };
    }
    HONE_CHECK(open_model());
    HONE_TRY(const knowledge::Counts counts, m_base.counts());
    m_context.observer->note(
      fmt::format("knowledge: {}, {} pieces of evidence in {} states",
                  m_base.file().empty() ? "an empty base that is not kept" : m_base.file().string(), counts.evidence,
                  counts.states));
    return {};
  }

  const policy::BlasterSetting& setting() const override { return m_setting; }

private:
  // Ranks steps and explains what a round taught, beside carrying steps out.
  Result<void> open_model()
  {
    HONE_TRY(m_asked, asked_model(m_context, m_climb.bench, m_climb.workflow));
    if (!m_asked) {
      return {};
    }
    HONE_TRY(m_setting.rank_prompt, read_file(share_folder() / "prompts" / "blaster-rank.md"));
    HONE_TRY(m_setting.update_prompt, read_file(share_folder() / "prompts" / "blaster-update.md"));
    m_setting.model = m_asked->name;
    m_setting.ask = [this](const std::string& system, const std::string& task) { return ask(system, task); };
    return {};
  }

  Result<std::string> ask(const std::string& system, const std::string& task)
  {
    llm::ModelRequest request;
    request.model = m_asked->name;
    request.system = system;
    request.messages = {{llm::ModelMessage::Role::user, task}};
    request.temperature = m_asked->temperature;
    request.seed = m_asked->seed;
    auto answer = m_asked->provider->ask(request, {m_asked->text, m_asked->progress, m_context.stop});
    m_context.observer->clear_status();
    if (!answer) {
      return std::unexpected(std::move(answer.error().error));
    }
    return std::move(answer->text);
  }

  Result<std::unique_ptr<tools::Bench>> bench(tools::Subject subject, std::vector<std::string> done)
  {
    if (!m_instruments) {
      HONE_TRY(m_instruments, Instruments::open(m_context, m_climb.bench));
    }
    return m_instruments->bench(std::move(subject), std::move(done), m_climb.catalogue);
  }

  Context& m_context;
  Climb& m_climb;
  knowledge::Base m_base;
  policy::BlasterSetting m_setting;
  std::optional<AskedModel> m_asked;
  std::unique_ptr<Instruments> m_instruments;
};

} // namespace

Result<std::unique_ptr<BlasterSetup>> open_blaster(Context& context, Climb& climb)
{
  const bool none = context.settings.text("knowledge") == k_no_knowledge;
  HONE_TRY(knowledge::Base base, none ? knowledge::Base::in_memory() : open_knowledge(context));
  auto blaster = std::make_unique<OpenBlaster>(context, climb, std::move(base));
  HONE_CHECK(blaster->open());
  return blaster;
}

} // namespace hone::app
