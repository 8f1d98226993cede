#include "policy/success.h"

#include "lower/lower.h"
#include "policy/trial.h"
#include "policy/unmeasured.h"
#include "util/hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace hone::policy {

namespace {

constexpr std::string_view k_study_step = "study"; // as these jobs stand in records
constexpr const char* k_changes_nothing = "changes nothing";

struct From {
  kernel::Candidate candidate;
  std::vector<std::string> done;
};

// Where a step is asked for.
From from_of(const std::string& step, const UnmeasuredSteps& list)
{
  const auto at = std::ranges::find(list.carried_out, step);
  if (at == list.carried_out.end()) {
    return {list.start, {}};
  }
  const auto index = static_cast<std::size_t>(at - list.carried_out.begin());
  return {list.before[index], {list.carried_out.begin(), at}};
}

std::string first_line(const std::string& text)
{
  return text.substr(0, text.find('\n'));
}

class SuccessStudy {
public:
  explicit SuccessStudy(const SuccessPlan& plan) : m_plan(plan), m_context(plan.context) {}

  Result<SuccessOutcome> go()
  {
    HONE_TRY(const UnmeasuredSteps list, apply_step_list(*m_context.kernel, m_context.backend));
    if (m_plan.steps.empty() && list.carried_out.empty()) {
      return fail(
        fmt::format("the built-in engine carries out no step of {} on {}, so that there is no list to ask for",
                    m_context.kernel->name, m_context.backend.name()),
        "name steps that can begin at plain loops: --step NAME");
    }
    SuccessOutcome outcome;
    for (const std::string& name : m_plan.steps.empty() ? list.carried_out : m_plan.steps) {
      HONE_TRY(const catalogue::Transformation* step, catalogue::find_transformation(m_context.catalogue, name));
      const From from = from_of(name, list);
      if (const auto reason =
            catalogue::why_not_applicable(*step, *m_context.kernel, m_context.backend.name(), from.done)) {
        return fail(fmt::format("'{}' cannot be asked for here: {}", name, *reason),
                    "leave it out, or name steps of the kernel's own list");
      }
      for (int sample = 0; sample < m_plan.samples; ++sample) {
        HONE_TRY(const std::optional<StepSample> made, attempt(*step, from.candidate, sample, outcome.note));
        if (!made) {
          return outcome;
        }
        outcome.samples.push_back(*made);
        if (m_plan.observe) {
          m_plan.observe(*made);
        }
      }
    }
    return outcome;
  }

private:
  // Nothing where no more can be tried; then `note` says why.
  Result<std::optional<StepSample>> attempt(const catalogue::Transformation& step, const kernel::Candidate& from,
                                            int number, std::string& note)
  {
    const std::string key =
      fmt::format("study.{}", sha256(fmt::format("{}|{}|{}|{}|{}|{}|{}", step.hash(), from.hash(), m_plan.who, number,
                                                 m_context.recipe.hash(), m_context.environment, m_plan.timed)));
    HONE_TRY(const std::string known, m_context.workflow.recall(key));
    if (!known.empty()) {
      HONE_TRY(const Json json, parse_json(known, "journal.db: an attempt of a study"));
      HONE_TRY(StepSample sample, step_sample_from(json));
      return sample;
    }
    if (m_context.stop.stop_requested()) {
      note = "interrupted; the same command goes on";
      return std::nullopt;
    }
    std::vector<rewrite::AnswerEvent> events;
    HONE_TRY(const auto engine,
             m_plan.engine(number, {[&](const rewrite::AnswerEvent& event) { events.push_back(event); }, {}}));
    const rewrite::OptimizationTarget target{m_context.recipe.sizes, m_context.recipe.threads, m_context.device_facts};
    GateTrial trial(m_context, from, record::Depth::promote);
    auto candidate = engine->apply({*m_context.kernel, from, step, m_context.backend.dialect(), &target, &trial});
    if (const auto error = engine->permanent_failure()) {
      note = error->message + (error->hint.empty() ? "" : " (" + error->hint + ")");
      return std::nullopt;
    }
    StepSample sample = summary_of(step.name, number, events);
    Result<void> judged;
    if (!candidate) {
      sample.report = first_line(candidate.error().message);
    } else if (candidate->hash() == from.hash()) {
      sample.fault = k_changes_nothing;
      sample.first_fault = sample.first_fault.empty() ? sample.fault : sample.first_fault;
    } else {
      judged = judge(*candidate, from, sample);
    }
    if (m_context.stop.stop_requested()) { // which may be what judging failed of
      note = "interrupted; the same command goes on";
      return std::nullopt;
    }
    HONE_CHECK(judged);
    HONE_CHECK(m_context.workflow.remember(key, to_json(sample).dump(-1, ' ', false, Json::error_handler_t::replace)));
    return sample;
  }

  static StepSample summary_of(const std::string& step, int number, const std::vector<rewrite::AnswerEvent>& events)
  {
    StepSample sample{.step = step, .sample = number};
    for (const rewrite::AnswerEvent& event : events) {
      ++sample.answers;
      sample.tokens += event.answer.usage.prompt_tokens + event.answer.usage.answer_tokens;
      sample.seconds += event.answer.seconds;
      sample.fault = event.fault ? std::string(rewrite::name_of(*event.fault)) : "";
      if (sample.first_fault.empty()) { // of whichever pass
        sample.first_fault = sample.fault;
      }
    }
    return sample;
  }

  Result<void> judge(const kernel::Candidate& candidate, const kernel::Candidate& from, StepSample& sample) const
  {
    record::Job job;
    job.kind = m_plan.timed ? record::Job::Kind::judge : record::Job::Kind::validate;
    job.contender = {candidate, candidate.plan.tuning.defaults(), {}, {}};
    if (m_plan.timed) {
      job.incumbent = record::Contender{from, from.plan.tuning.defaults(), {}, {}};
    }
    job.recipe = m_context.recipe;
    job.depth = record::Depth::promote;
    job.transformation = k_study_step;
    job.engine = "model";
    HONE_TRY(const record::Record record, m_context.executor.run(job));
    const record::Verdict& verdict = record.verdict;
    sample.right = verdict.status == record::Status::correct;
    if (!sample.right) {
      sample.fault = record::name_of(verdict.status);
      sample.report = first_line(verdict.reason);
    } else if (!verdict.comparisons.empty()) {
      sample.comparison = verdict.comparisons.front().verdict;
      sample.ratio = verdict.comparisons.front().ratio;
    }
    return {};
  }

  const SuccessPlan& m_plan;
  PolicyContext& m_context;
};

StepSuccess success_of(const std::string& step, const std::vector<StepSample>& samples)
{
  StepSuccess success{.step = step};
  std::vector<double> ratios;
  for (const StepSample& sample : samples) {
    if (!step.empty() && sample.step != step) {
      continue;
    }
    ++success.n;
    success.right += sample.right ? 1 : 0;
    success.first_try += sample.right && sample.first_fault.empty() ? 1 : 0;
    success.faster += sample.right && sample.comparison == record::Comparison::fast ? 1 : 0;
    success.slower += sample.right && sample.comparison == record::Comparison::slow ? 1 : 0;
    const std::string& fault = sample.first_fault.empty() ? sample.fault : sample.first_fault;
    if (!fault.empty()) {
      ++success.faults[fault];
    }
    if (sample.right && sample.ratio > 0) {
      ratios.push_back(sample.ratio);
    }
    success.tokens_each += static_cast<double>(sample.tokens);
    success.seconds_each += sample.seconds;
  }
  if (success.n > 0) {
    success.tokens_each /= success.n;
    success.seconds_each /= success.n;
  }
  success.first_try_ci95 = wilson_interval(success.first_try, success.n);
  success.right_ci95 = wilson_interval(success.right, success.n);
  success.median_ratio = ratios.empty() ? 0 : median(ratios);
  return success;
}

} // namespace

Json to_json(const StepSample& sample)
{
  return {{"step", sample.step},       {"sample", sample.sample},
          {"answers", sample.answers}, {"first_fault", sample.first_fault},
          {"fault", sample.fault},     {"report", sample.report},
          {"right", sample.right},     {"comparison", record::name_of(sample.comparison)},
          {"ratio", sample.ratio},     {"tokens", sample.tokens},
          {"seconds", sample.seconds}};
}

Result<StepSample> step_sample_from(const Json& json)
{
  try {
    StepSample sample;
    sample.step = json.at("step").get<std::string>();
    sample.sample = json.at("sample").get<int>();
    sample.answers = json.at("answers").get<int>();
    sample.first_fault = json.at("first_fault").get<std::string>();
    sample.fault = json.at("fault").get<std::string>();
    sample.report = json.at("report").get<std::string>();
    sample.right = json.at("right").get<bool>();
    sample.comparison = record::comparison_named(json.at("comparison").get<std::string>());
    sample.ratio = json.at("ratio").get<double>();
    sample.tokens = json.at("tokens").get<std::int64_t>();
    sample.seconds = json.at("seconds").get<double>();
    return sample;
  } catch (const std::exception& error) {
    return fail(fmt::format("this is no attempt of a study: {}", error.what()));
  }
}

std::vector<StepSuccess> success_rates(const std::vector<StepSample>& samples)
{
  std::vector<StepSuccess> all;
  std::set<std::string> seen;
  for (const StepSample& sample : samples) {
    if (seen.insert(sample.step).second) {
      all.push_back(success_of(sample.step, samples));
    }
  }
  if (all.size() > 1) {
    all.push_back(success_of("", samples));
  }
  return all;
}

double pass_at(int n, int right, int k)
{
  if (k > n) {
    return 0;
  }
  double none = 1; // that none of k is right
  for (int i = 0; i < k; ++i) {
    none *= std::max(0.0, static_cast<double>(n - right - i)) / (n - i);
  }
  return 1 - none;
}

Interval wilson_interval(int successes, int n)
{
  if (n == 0) {
    return {0, 1};
  }
  constexpr double k_z = 1.959963984540054; // 97.5 % of the normal distribution
  const double share = static_cast<double>(successes) / n;
  const double scale = 1 + k_z * k_z / n;
  const double middle = (share + k_z * k_z / (2 * n)) / scale;
  const double half = k_z * std::sqrt(share * (1 - share) / n + k_z * k_z / (4.0 * n * n)) / scale;
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

Result<SuccessOutcome> study_success(const SuccessPlan& plan)
{
  return SuccessStudy(plan).go();
}

} // namespace hone::policy
