#include "policy/trial.h"

#include "policy/spent.h"
#include "util/json.h"
#include "util/util.h"

#include <fmt/format.h>

namespace hone::policy {

Result<rewrite::TrialOutcome> GateTrial::validate(const kernel::Candidate& candidate)
{
  const std::string name =
    fmt::format("trial.{}", sha256(candidate.hash() + kernel::to_text(m_context.recipe.sizes)
                                   + std::to_string(m_context.recipe.threads) + m_context.environment));
  HONE_TRY(const std::string known, m_context.workflow.recall(name));
  const Json seen = Json::parse(known, nullptr, false);
  if (seen.is_object()) {
    return rewrite::TrialOutcome{seen.value("passed", false), seen.value("status", ""), seen.value("report", "")};
  }
  record::Job job;
  job.kind = record::Job::Kind::validate;
  job.contender.candidate = candidate;
  job.contender.point = candidate.plan.tuning.defaults();
  job.recipe = m_context.recipe;
  job.depth = record::Depth::screen;
  HONE_TRY(const record::Record record, m_context.executor.run(job));
  const record::Verdict& verdict = record.verdict;
  HONE_CHECK(book_time(m_context.workflow, verdict)); // no record of it stays, the time is spent all the same
  rewrite::TrialOutcome outcome;
  outcome.passed = verdict.status == record::Status::correct;
  outcome.status = record::name_of(verdict.status);
  outcome.report = fmt::format("{}: {}", outcome.status, verdict.reason);
  if (!verdict.log.empty()) {
    outcome.report += "\n\n" + verdict.log;
  }
  const Json found{{"passed", outcome.passed}, {"status", outcome.status}, {"report", outcome.report}};
  HONE_CHECK(m_context.workflow.remember(name, found.dump(-1, ' ', false, Json::error_handler_t::replace)));
  return outcome;
}

} // namespace hone::policy
