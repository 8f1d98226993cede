#include "policy/trial.h"

#include "policy/spent.h"
#include "util/json.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::policy {
namespace {

// At the sizes that are measured, with the parameters' defaults.
bool same_launches(const kernel::Candidate& a, const kernel::Candidate& b, const PolicyContext& context)
{
  const auto resolved = [&](const kernel::Candidate& candidate) {
    return kernel::resolve_plan(*context.kernel, candidate, context.recipe.sizes, candidate.plan.tuning.defaults(),
                                context.device_facts);
  };
  const auto first = resolved(a), second = resolved(b);
  const auto same = [](const kernel::ResolvedLaunch& one, const kernel::ResolvedLaunch& other) {
    return one.kernel == other.kernel && one.grid == other.grid && one.block == other.block
           && one.cluster == other.cluster && one.shared_bytes == other.shared_bytes
           && one.args.size() == other.args.size() && one.fills.size() == other.fills.size();
  };
  return first && second && std::ranges::equal(first->launches, second->launches, same);
}

} // namespace

Result<rewrite::TrialOutcome> GateTrial::validate(const kernel::Candidate& candidate)
{
  const std::string name =
    fmt::format("trial.{}", sha256(candidate.hash() + m_current.hash() + kernel::to_text(m_context.recipe.sizes)
                                   + std::to_string(m_context.recipe.threads) + std::string(record::name_of(m_depth))
                                   + m_context.environment));
  HONE_TRY(const std::string known, m_context.workflow.recall(name));
  const Json seen = Json::parse(known, nullptr, false);
  if (seen.is_object()) {
    return rewrite::TrialOutcome{seen.value("passed", false), seen.value("status", ""), seen.value("report", ""),
                                 seen.value("changes_nothing", false)};
  }
  HONE_TRY(const record::Verdict verdict, validated(candidate, m_depth));
  rewrite::TrialOutcome outcome;
  outcome.passed = verdict.status == record::Status::correct;
  outcome.status = record::name_of(verdict.status);
  outcome.report = fmt::format("{}: {}", outcome.status, verdict.reason);
  if (!verdict.log.empty()) {
    outcome.report += "\n\n" + verdict.log;
  }
  if (outcome.passed) {
    HONE_TRY(outcome.changes_nothing, changes_nothing(candidate, verdict));
  }
  const Json found{{"passed", outcome.passed},
                   {"status", outcome.status},
                   {"report", outcome.report},
                   {"changes_nothing", outcome.changes_nothing}};
  HONE_CHECK(m_context.workflow.remember(name, found.dump(-1, ' ', false, Json::error_handler_t::replace)));
  return outcome;
}

Result<record::Verdict> GateTrial::validated(const kernel::Candidate& candidate, record::Depth depth) const
{
  record::Job job;
  job.kind = record::Job::Kind::validate;
  job.contender.candidate = candidate;
  job.contender.point = candidate.plan.tuning.defaults();
  job.recipe = m_context.recipe;
  job.depth = depth;
  HONE_TRY(record::Record record, m_context.executor.run(job));
  HONE_CHECK(book_time(m_context.workflow, record.verdict)); // no record of it stays, the time is spent all the same
  return std::move(record.verdict);
}

// The same module, and the same launches. Tuning parameters do not count: what nobody uses changes nothing.
Result<bool> GateTrial::changes_nothing(const kernel::Candidate& candidate, const record::Verdict& verdict) const
{
  if (verdict.module_hash.empty() || !same_launches(candidate, m_current, m_context)) {
    return false;
  }
  HONE_TRY(const record::Verdict before, validated(m_current, record::Depth::glance));
  return before.module_hash == verdict.module_hash;
}

} // namespace hone::policy
