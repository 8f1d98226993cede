#include "execute/local_executor.h"

#include "util/version.h"

#include <array>
#include <chrono>
#include <ctime>

namespace hone {
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

std::string baseline_name(const Contender& contender)
{
  return contender.library_setting.empty() ? contender.library : contender.library + " " + contender.library_setting;
}

std::string name_in_records(const Contender& contender)
{
  return contender.library.empty() ? contender.candidate.hash() : baseline_name(contender);
}

Record record_of(const Job& job, const Kernel& kernel, const Gate& gate)
{
  Record record;
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
  record.id = identity_of(record);
  record.time_utc = utc_now();
  record.hone_version = version_text();
  return record;
}

// A comparison of two contenders that are known to be correct, as a verdict on the first.
Result<Verdict> compare(Gate& gate, const Job& job)
{
  HONE_TRY(ComparisonResult result, gate.compare(job.contender, *job.incumbent, job.recipe, job.recipe.regime));
  Verdict verdict;
  (job.recipe.regime == Regime::cold ? verdict.cold : verdict.hot) = result.candidate;
  verdict.comparisons.push_back(std::move(result));
  return verdict;
}

Result<Verdict> run_job(Gate& gate, const Job& job)
{
  const bool needs_incumbent = job.kind == Job::Kind::judge || job.kind == Job::Kind::compare;
  if (needs_incumbent && !job.incumbent) {
    return fail("the job names nothing to compare with", "set its incumbent, or ask to measure instead");
  }
  switch (job.kind) {
  case Job::Kind::validate:
    return gate.validate(job.contender, job.recipe, job.depth);
  case Job::Kind::judge:
    return gate.judge(job.contender, *job.incumbent, job.recipe, job.depth, job.both_regimes);
  case Job::Kind::measure:
    return gate.measure(job.contender, job.recipe, job.depth, job.both_regimes, job.call_deadline);
  case Job::Kind::compare:
    return compare(gate, job);
  }
  return fail("unknown kind of job");
}

} // namespace

LocalExecutor::LocalExecutor(std::shared_ptr<const Kernel> kernel, Gate gate, std::stop_token stop)
  : SerialExecutor(std::move(stop)), m_kernel(std::move(kernel)), m_gate(std::move(gate))
{
}

JobOutcome LocalExecutor::execute(const Job& job, const JobControl& control)
{
  m_gate.attend(control.stop, control.phase);
  Record record = record_of(job, *m_kernel, m_gate);
  Result<Verdict> verdict = run_job(m_gate, job);
  if (!verdict) {
    return {.record = std::unexpected(std::move(verdict.error()))};
  }
  record.verdict = std::move(*verdict);
  return {.record = std::move(record)};
}

void LocalExecutor::prepare(const Contender& contender, const Recipe& recipe)
{
  m_gate.prebuild(contender, recipe);
}

} // namespace hone
