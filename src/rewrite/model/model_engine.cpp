#include "rewrite/model_engine.h"

#include "rewrite/model/answer.h"
#include "rewrite/model/answer_object.h"
#include "rewrite/model/prompt.h"
#include "rewrite/model/same_code.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::rewrite {
namespace {

using Files = std::map<std::string, std::string>;

constexpr std::size_t k_longest_report = 6000; // characters: compilers can go on for ever

struct FaultName {
  AnswerFault fault;
  std::string_view status; // of the gate
  std::string_view name;
};
constexpr std::array<FaultName, 11> k_faults{{{AnswerFault::not_applicable, "", "did not apply"},
                                              {AnswerFault::plan, "", "plan"},
                                              {AnswerFault::compile, "compile", "compile"},
                                              {AnswerFault::constraints, "constraints", "constraints"},
                                              {AnswerFault::correctness, "correctness", "wrong result"},
                                              {AnswerFault::hang, "timeout", "hang"},
                                              {AnswerFault::crash, "runtime", "crash"},
                                              {AnswerFault::rejected, "rejected", "rejected"},
                                              {AnswerFault::unchanged, "", "changes nothing"},
                                              {AnswerFault::refused, "", "no answer"},
                                              {AnswerFault::other, "", "other"}}};

AnswerFault fault_of_status(std::string_view status)
{
  for (const FaultName& known : k_faults) {
    if (known.status == status) {
      return known.fault;
    }
  }
  return AnswerFault::other;
}

struct Fault {
  AnswerFault kind = AnswerFault::other;
  std::string report;
  bool files_changed = true; // the answer could be applied
};

// Why an attempt at a step failed.
struct StepFailure {
  bool is_permanent = false; // the engine can do nothing more
  Error error;
};

Files files_of(const kernel::Candidate& candidate, const lower::Dialect& dialect)
{
  Files files = candidate.files;
  for (const catalogue::Region region :
       {catalogue::Region::macros, catalogue::Region::device, catalogue::Region::launch}) {
    files.try_emplace(file_of_region(region, dialect));
  }
  return files;
}

// An empty macros.h was ours, not the candidate's.
Files without_empty(Files files)
{
  std::erase_if(files, [](const auto& file) { return file.first == "macros.h" && trim(file.second).empty(); });
  return files;
}

std::string shortened(std::string text)
{
  if (text.size() > k_longest_report) {
    text = text.substr(0, k_longest_report) + "\n(and so on)";
  }
  return text;
}

class ModelEngine final : public Engine {
public:
  ModelEngine(ModelEngineSetting setting, Prompts prompts, ModelEngineObserver observer)
    : m_setting(std::move(setting)), m_prompts(std::move(prompts)), m_observer(std::move(observer))
  {
  }

  std::string_view name() const override { return "model"; }
  bool knows(std::string_view) const override { return true; }
  bool is_cheap() const override { return false; }
  std::optional<Error> permanent_failure() const override { return m_permanent_failure; }

  Result<kernel::Candidate> apply(const EngineRequest& request) const override
  {
    if (m_permanent_failure) {
      return std::unexpected(*m_permanent_failure);
    }
    if (request.transformation.passes.empty()) {
      return fail(fmt::format("'{}' has no passes: there is nothing to ask", request.transformation.name));
    }
    Error last;
    std::vector<AnswerEvent> events;
    for (int sample = 0; sample < m_setting.samples; ++sample) {
      auto candidate = try_sample(request, m_setting.first_sample + sample, events);
      if (candidate) {
        if (m_observer.carried_out) {
          m_observer.carried_out(request, *candidate, events);
        }
        return std::move(*candidate);
      }
      last = std::move(candidate.error().error);
      if (candidate.error().is_permanent) {
        m_permanent_failure = last;
        return std::unexpected(std::move(last));
      }
    }
    return fail(m_setting.samples > 1 ? fmt::format("{} attempts failed; the last: {}", m_setting.samples, last.message)
                                      : last.message,
                last.hint);
  }

private:
  // One attempt at all passes of a step. Each pass begins a new conversation on the files as they are.
  struct Attempt {
    const EngineRequest& request;
    int sample = 0;
    Files files;
    std::vector<AnswerEvent>& events;
  };

  std::expected<kernel::Candidate, StepFailure> try_sample(const EngineRequest& request, int sample,
                                                           std::vector<AnswerEvent>& events) const
  {
    Attempt attempt{request, sample, files_of(request.current, request.dialect), events};
    for (std::size_t pass = 0; pass < request.transformation.passes.size(); ++pass) {
      if (auto done = apply_pass(attempt, pass); !done) {
        return std::unexpected(std::move(done.error()));
      }
    }
    auto candidate = kernel::make_candidate(request.kernel, without_empty(attempt.files));
    if (!candidate) {
      return std::unexpected(StepFailure{false, std::move(candidate.error())});
    }
    return std::move(*candidate);
  }

  std::expected<void, StepFailure> apply_pass(Attempt& attempt, std::size_t pass) const
  {
    const catalogue::Transformation& step = attempt.request.transformation;
    const auto permanent = [](Error error) { return std::unexpected(StepFailure{true, std::move(error)}); };
    auto system = system_text(m_prompts, attempt.request, m_setting.form);
    auto text = pass_text(m_prompts, attempt.request, attempt.files, pass, m_setting.form);
    if (!system || !text) {
      return permanent(std::move(system ? text.error() : system.error()));
    }
    llm::ModelRequest question;
    question.model = m_setting.model;
    question.system = std::move(*system);
    question.most_tokens = m_setting.most_tokens;
    question.schema = m_setting.form == AnswerForm::object ? answer_schema(attempt.files) : "";
    question.temperature = m_setting.temperature;
    question.sample = attempt.sample;
    question.messages = {{llm::ModelMessage::Role::user, std::move(*text)}};
    question.seed = seed_of(attempt.sample, 0);
    std::string report;
    for (int repair = 0; repair <= m_setting.repairs; ++repair) {
      report_progress(fmt::format("{}, pass {} of {}{}: {}, about {} tokens", step.name, pass + 1, step.passes.size(),
                                  m_setting.samples > 1 ? fmt::format(", sample {}", attempt.sample + 1) : "",
                                  repair == 0 ? "asking" : fmt::format("repair {} of {}", repair, m_setting.repairs),
                                  llm::estimate_prompt_tokens(question)));
      AnswerEvent event{step.name, step.passes[pass].name, attempt.sample, repair, question.hash(), false, {}, {}, {}};
      auto answer = m_setting.provider->ask(question, {m_setting.text, m_setting.progress, m_setting.stop});
      if (!answer) {
        if (answer.error().kind != llm::ModelFailure::Kind::answer) {
          return permanent(std::move(answer.error().error));
        }
        event.fault = AnswerFault::refused;
        event.report = answer.error().error.message;
        observe(attempt, std::move(event));
        return std::unexpected(StepFailure{false, std::move(answer.error().error)});
      }
      event.answer = *answer;
      auto fault = apply_to_files(*answer, attempt, pass);
      if (!fault) {
        return permanent(std::move(fault.error()));
      }
      event.passed = !fault->has_value();
      if (event.passed) {
        observe(attempt, std::move(event));
        return {};
      }
      report = shortened((*fault)->report);
      event.fault = (*fault)->kind;
      event.report = report;
      observe(attempt, std::move(event));
      auto request =
        repair_text(m_prompts, report, (*fault)->files_changed ? attempt.files : Files(), scope(attempt, pass));
      if (!request) {
        return permanent(std::move(request.error()));
      }
      question.temperature = std::max(m_setting.temperature.value_or(0), m_setting.repair_temperature);
      question.seed = seed_of(attempt.sample, repair + 1);
      question.messages.push_back({llm::ModelMessage::Role::assistant, answer->text});
      question.messages.push_back({llm::ModelMessage::Role::user, std::move(*request)});
    }
    return std::unexpected(StepFailure{false,
                                       {fmt::format("pass '{}' failed after {} repairs: {}", step.passes[pass].name,
                                                    m_setting.repairs, report.substr(0, report.find('\n'))),
                                        "a larger model, more --samples or more --repairs may do it",
                                        {}}});
  }

  // A request that differs in what was said before differs in its seed, too: equal ones are answered from the store.
  std::optional<std::int64_t> seed_of(int sample, int repair) const
  {
    return m_setting.seed ? std::optional(*m_setting.seed + std::int64_t{sample} * (m_setting.repairs + 1) + repair)
                          : std::nullopt;
  }

  // In the last pass everything must fit together, so that all files may be mended.
  std::string scope(const Attempt& attempt, std::size_t pass) const
  {
    return pass + 1 != attempt.request.transformation.passes.size()
             ? ""
             : fmt::format("Other files of the candidate may be mended, too: {}.",
                           m_setting.form == AnswerForm::blocks ? "name each behind its opening fence"
                                                                : "give each an entry of its own");
  }

  // Applies an answer. Returns a fault of the answer, if any. An error: the candidate could not be tried at all.
  Result<std::optional<Fault>> apply_to_files(const llm::ModelAnswer& answer, Attempt& attempt, std::size_t pass) const
  {
    const EngineRequest& request = attempt.request;
    const bool last = pass + 1 == request.transformation.passes.size();
    const std::string file = file_of_region(request.transformation.passes[pass].region, request.dialect);
    if (answer.finish == llm::ModelAnswer::Finish::cut_off) {
      return Fault{
        AnswerFault::not_applicable,
        fmt::format("The answer was cut off after {} tokens. Answer shorter: edits in place of the whole file.",
                    answer.usage.answer_tokens),
        false};
    }
    auto changed = apply_answer(answer.text, attempt.files, file);
    if (!changed) {
      return Fault{AnswerFault::not_applicable, changed.error().message, false};
    }
    for (const auto& [name, text] : *changed) {
      if (!last && name != file && text != attempt.files.at(name)) {
        return Fault{AnswerFault::not_applicable,
                     fmt::format("This pass edits {} only, and the answer changes {}.", file, name), false};
      }
    }
    attempt.files = std::move(*changed);
    if (file == "launch.toml" || last) {
      auto candidate = kernel::make_candidate(request.kernel, without_empty(attempt.files));
      if (!candidate) {
        return Fault{AnswerFault::plan, candidate.error().text(), true};
      }
      if (last && request.trial != nullptr) {
        if (candidate->hash() != request.current.hash() && is_same_code(*candidate, request.current)) {
          return Fault{AnswerFault::unchanged, "Only comments or blanks changed: the code is the same.", true};
        }
        HONE_TRY(TrialOutcome outcome, request.trial->validate(*candidate));
        if (!outcome.passed) {
          return Fault{fault_of_status(outcome.status), std::move(outcome.report), true};
        }
        // A refactoring may well compile into the code that there was.
        const bool shall_change = request.transformation.speed != catalogue::Speed::neutral;
        if (outcome.changes_nothing && shall_change && candidate->hash() != request.current.hash()) {
          return Fault{AnswerFault::unchanged,
                       "The compiler makes the same machine code of it as before: what was added is not used.", true};
        }
      }
    }
    return std::nullopt;
  }

  void report_progress(const std::string& text) const
  {
    if (m_setting.progress) {
      m_setting.progress(text);
    }
  }
  void observe(const Attempt& attempt, AnswerEvent event) const
  {
    if (m_observer.answered) {
      m_observer.answered(event);
    }
    attempt.events.push_back(std::move(event));
  }

  ModelEngineSetting m_setting;
  Prompts m_prompts;
  ModelEngineObserver m_observer;
  mutable std::optional<Error> m_permanent_failure;
};

} // namespace

std::string_view name_of(AnswerFault fault)
{
  for (const FaultName& known : k_faults) {
    if (known.fault == fault) {
      return known.name;
    }
  }
  return "";
}

Result<std::unique_ptr<Engine>> make_model_engine(ModelEngineSetting setting, ModelEngineObserver observer)
{
  HONE_TRY(Prompts prompts, load_prompts(setting.prompts, setting.profile));
  return std::make_unique<ModelEngine>(std::move(setting), std::move(prompts), std::move(observer));
}

} // namespace hone::rewrite
