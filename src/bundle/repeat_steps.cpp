#include "bundle/repeat_steps.h"

#include "rewrite/model_engine.h"
#include "rewrite/rewrite.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace hone::bundle {

namespace {

// Gives the answers of one step in their order, to whatever is asked, and notes where the questions are others.
class Repeating final : public llm::ModelProvider {
public:
  explicit Repeating(const std::vector<BundledAnswer>& answers) : m_answers(answers) {}
  std::string_view name() const override { return "recorded"; }

  llm::ModelResult<llm::ModelAnswer> ask(const llm::ModelRequest& request, const llm::ModelListener&) override
  {
    const auto tries =
      std::ranges::count(request.messages, llm::ModelMessage::Role::assistant, &llm::ModelMessage::role);
    const auto fits = [&](const BundledAnswer& answer) {
      return answer.made.sample == request.sample && answer.made.try_number == tries;
    };
    const auto rest = std::span(m_answers).subspan(m_next);
    const auto found = std::ranges::find_if(rest, fits);
    if (found == rest.end()) {
      const std::string message =
        fmt::format("nothing was answered to try {} of sample {} then", tries, request.sample);
      return std::unexpected(llm::ModelFailure{llm::ModelFailure::Kind::answer, {message, "", {}}});
    }
    m_next += static_cast<std::size_t>(found - rest.begin()) + 1;
    if (const std::string what = llm::difference(request, found->stored.request); !what.empty()) {
      m_other.push_back(fmt::format("the request of pass '{}'{}: {}", found->made.pass,
                                    tries == 0 ? "" : fmt::format(", repair {}", tries), what));
    }
    llm::ModelAnswer answer = found->stored.answer;
    answer.kept = true;
    return answer;
  }

  llm::ModelResult<std::vector<std::string>> models(std::stop_token) override { return std::vector<std::string>(); }

  // What became of the answer that was given last.
  const AnswerMade* last() const { return m_next == 0 ? nullptr : &m_answers[m_next - 1].made; }
  const std::vector<std::string>& other() const { return m_other; }

private:
  const std::vector<BundledAnswer>& m_answers;
  std::size_t m_next = 0;
  std::vector<std::string> m_other;
};

// Says of each candidate what the gate said then.
class Remembering final : public rewrite::Trial {
public:
  explicit Remembering(const Repeating& provider) : m_provider(provider) {}
  Result<rewrite::TrialOutcome> validate(const kernel::Candidate&) override
  {
    const AnswerMade* made = m_provider.last();
    return rewrite::TrialOutcome{made == nullptr || made->passed, "", made == nullptr ? "" : made->report};
  }

private:
  const Repeating& m_provider;
};

// "device.cpp differs from line 12 on"
void compare_files(const std::map<std::string, std::string>& now, const std::map<std::string, std::string>& then,
                   std::vector<std::string>& other)
{
  for (const auto& [name, text] : then) {
    const auto found = now.find(name);
    if (found == now.end()) {
      other.push_back(fmt::format("{} is missing", name));
    } else if (const std::size_t line = first_different_line(found->second, text); line > 0) {
      other.push_back(fmt::format("{} differs from line {} on", name, line));
    }
  }
  for (const auto& [name, text] : now) {
    if (!then.contains(name)) {
      other.push_back(fmt::format("{} is new", name));
    }
  }
}

int most(const std::vector<BundledAnswer>& answers, int AnswerMade::*number)
{
  int largest = 0;
  for (const BundledAnswer& answer : answers) {
    largest = std::max(largest, answer.made.*number);
  }
  return largest;
}

class Repetition {
public:
  Repetition(const kernel::Kernel& kernel, const lower::Dialect& dialect, const kernel::PlanScope& device_facts,
             const std::vector<catalogue::Transformation>& catalogue, const fs::path& prompts)
    : m_kernel(kernel), m_dialect(dialect), m_device_facts(device_facts), m_catalogue(catalogue), m_prompts(prompts)
  {
  }

  Result<RepeatedStep> repeat(const BundledStep& step, const store::Checkpoint& before) const
  {
    const store::Checkpoint& checkpoint = step.checkpoint;
    RepeatedStep again{checkpoint.transformation, RepeatedStep::How::taken, true, {}};
    if (checkpoint.candidate.hash() == before.candidate.hash()) { // another tuning point
      return again;
    }
    Result<kernel::Candidate> made = fail("");
    if (step.exchange) {
      again.how = RepeatedStep::How::model;
      HONE_TRY(made, repeat_exchange(*step.exchange, checkpoint, before, again.other));
    } else if (checkpoint.record.engine == rewrite::builtin_engine().name()) {
      again.how = RepeatedStep::How::builtin;
      const auto found = catalogue::find_transformation(m_catalogue, checkpoint.transformation);
      made = found ? rewrite::builtin_engine().apply({m_kernel, before.candidate, **found, m_dialect})
                   : std::unexpected(found.error());
    } else {
      return again;
    }
    if (made) {
      compare_files(made->files, checkpoint.candidate.files, again.other);
      again.same = made->hash() == checkpoint.candidate.hash();
    } else {
      again.other.push_back(made.error().message);
      again.same = false;
    }
    return again;
  }

private:
  // An error: it cannot be asked at all. What the step comes to may be an error itself.
  Result<Result<kernel::Candidate>> repeat_exchange(const BundledExchange& exchange,
                                                    const store::Checkpoint& checkpoint,
                                                    const store::Checkpoint& before,
                                                    std::vector<std::string>& other) const
  {
    HONE_TRY(const catalogue::Transformation step, parse(exchange.text));
    const auto now = catalogue::find_transformation(m_catalogue, step.name);
    if (!exchange.text.source.empty() && !now) {
      other.push_back(fmt::format("there is no step '{}' any more; carried out as it was worded then", step.name));
    } else if (!exchange.text.source.empty() && (*now)->source != exchange.text.source) {
      other.push_back(fmt::format("the step '{}' is worded differently from line {} on; carried out as it was then",
                                  step.name, first_different_line((*now)->source, exchange.text.source)));
    }
    const auto provider = std::make_shared<Repeating>(exchange.answers);
    Remembering trial(*provider);
    rewrite::ModelEngineSetting setting;
    setting.provider = provider;
    setting.model = exchange.answers.empty() ? "" : exchange.answers.front().stored.request.model;
    setting.prompts = m_prompts;
    setting.samples = 1 + most(exchange.answers, &AnswerMade::sample);
    setting.repairs = most(exchange.answers, &AnswerMade::try_number);
    if (!exchange.answers.empty()) {
      const llm::ModelRequest& first = exchange.answers.front().stored.request;
      setting.most_tokens = first.most_tokens;
      setting.temperature = first.temperature;
      setting.form = first.schema.empty() ? rewrite::AnswerForm::blocks : rewrite::AnswerForm::object;
    }
    HONE_TRY(const auto engine, rewrite::make_model_engine(std::move(setting), {}));
    const record::Recipe& recipe = checkpoint.record.recipe_used;
    const rewrite::OptimizationTarget target{recipe.sizes, recipe.threads, m_device_facts};
    Result<kernel::Candidate> made = engine->apply({m_kernel, before.candidate, step, m_dialect, &target, &trial});
    other.insert(other.end(), provider->other().begin(), provider->other().end());
    return made;
  }

  const kernel::Kernel& m_kernel;
  const lower::Dialect& m_dialect;
  const kernel::PlanScope& m_device_facts;
  const std::vector<catalogue::Transformation>& m_catalogue;
  const fs::path& m_prompts;
};

} // namespace

Result<std::vector<RepeatedStep>> repeat_steps(const kernel::Kernel& kernel, const Bundle& bundle,
                                               const kernel::PlanScope& device_facts,
                                               const std::vector<catalogue::Transformation>& catalogue,
                                               const fs::path& prompts)
{
  const Repetition repetition(kernel, bundle.dialect, device_facts, catalogue, prompts);
  std::vector<RepeatedStep> steps;
  const store::Checkpoint* before = nullptr;
  for (const BundledStep& step : bundle.steps) {
    if (before == nullptr) {
      steps.push_back({step.checkpoint.transformation, RepeatedStep::How::taken, true, {}});
    } else {
      HONE_TRY(RepeatedStep again, repetition.repeat(step, *before));
      steps.push_back(std::move(again));
    }
    before = &step.checkpoint;
  }
  return steps;
}

} // namespace hone::bundle
