#include "execute/local_executor.h"

#include "util/version.h"

#include <array>
#include <chrono>
#include <ctime>

namespace hone::execute {
namespace {

std::string utc_now()
{
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, sizeof "2026-01-01T00:00:00Z"> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string baseline_name(const record::Contender& contender)
{
  return contender.library_setting.empty() ? contender.library : contender.library + " " + contender.library_setting;
}

std::string name_in_records(const record::Contender& contender)
{
  return contender.library.empty() ? contender.candidate.hash() : baseline_name(contender);
}

record::Record record_of(const record::Job& job, const kernel::Kernel& kernel, const gate::Gate& gate)
{
  record::Record record;
  if (job.contender.library.empty()) {
    record.candidate = job.contender.candidate.hash();
    record.point = job.contender.point;
  } else {
    record.baseline = baseline_name(job.contender);
  }
  record.kernel = kernel.hash;
  record.environment = gate.environment();
  record.recipe = job.recipe.hash();
  record.recipe_used = job.recipe;
  record.kind = job.kind;
  record.parent = job.parent;
  record.transformation = job.transformation;
  record.engine = job.engine;
  record.incumbent = job.incumbent ? name_in_records(*job.incumbent) : "";
  record.id = record::identity_of(record);
  record.time_utc = utc_now();
  record.hone_version = version_text();
  return record;
}

// A comparison of two contenders that are known to be correct, as a verdict on the first.
Result<record::Verdict> compare(gate::Gate& gate, const record::Job& job)
{
  HONE_TRY(record::ComparisonResult result, gate.compare(job.contender, *job.incumbent, job.recipe, job.recipe.regime));
  record::Verdict verdict;
  (job.recipe.regime == record::Regime::cold ? verdict.cold : verdict.hot) = result.candidate;
  verdict.comparisons.push_back(std::move(result));
  return verdict;
}

Result<record::Verdict> run_job(gate::Gate& gate, const record::Job& job)
{
  const bool needs_incumbent = job.kind == record::Job::Kind::judge || job.kind == record::Job::Kind::compare;
  if (needs_incumbent && !job.incumbent) {
    return fail("the job names nothing to compare with", "set its incumbent, or ask to measure instead");
  }
  switch (job.kind) {
  case record::Job::Kind::validate:
    return gate.validate(job.contender, job.recipe, job.depth);
  case record::Job::Kind::judge:
    return gate.judge(job.contender, *job.incumbent, job.recipe, job.depth, job.both_regimes);
  case record::Job::Kind::measure:
    return gate.measure(job.contender, job.recipe, job.depth, job.both_regimes, job.call_deadline);
  case record::Job::Kind::compare:
    return compare(gate, job);
  }
  return fail("unknown kind of job");
}

} // namespace

LocalExecutor::LocalExecutor(std::shared_ptr<const kernel::Kernel> kernel, gate::Gate gate, std::stop_token stop)
  : SerialExecutor(std::move(stop)), m_kernel(std::move(kernel)), m_gate(std::move(gate))
{
}

JobOutcome LocalExecutor::execute(const record::Job& job, const JobControl& control)
{
  m_gate.attend(control.stop, control.phase);
  record::Record record = record_of(job, *m_kernel, m_gate);
  Result<record::Verdict> verdict = run_job(m_gate, job);
  if (!verdict) {
    return {.record = std::unexpected(std::move(verdict.error()))};
  }
  record.verdict = std::move(*verdict);
  return {.record = std::move(record)};
}

void LocalExecutor::prepare(const record::Contender& contender, const record::Recipe& recipe)
{
  m_gate.prebuild(contender, recipe);
}

} // namespace hone::execute
