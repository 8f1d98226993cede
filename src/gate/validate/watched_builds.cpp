#include "gate/validate/watched_builds.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace hone::gate {
namespace {

// All outputs; where jobs fail, the first of these.
Result<JailOutcome> run_side_by_side(const std::vector<backend::CompileJob>& jobs, const JailLimits& limits)
{
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::future<Result<JailOutcome>>> going_on;
  for (const backend::CompileJob& job : jobs) {
    going_on.push_back(std::async(std::launch::async, [&] { return run_in_jail(job, limits); }));
  }
  JailOutcome all;
  for (std::future<Result<JailOutcome>>& one : going_on) { // those that are left are waited for, however this ends
    HONE_TRY(JailOutcome outcome, one.get());
    if (all.status == record::Status::correct) {
      outcome.outputs.merge(all.outputs);
      all = std::move(outcome);
    }
  }
  all.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return all;
}

} // namespace

JailLimits watched_limits(std::stop_token stop)
{
  return {.wall = std::chrono::milliseconds(60'000), .cpu_seconds = 45, .stop = std::move(stop)};
}

bool is_at_fault(const JailOutcome& outcome)
{
  return outcome.status != record::Status::correct && !outcome.broke_limit;
}

WatchedBuilds::WatchedBuilds(Validation& validation, const backend::Inspector& inspector, std::stop_token stop)
  : m_validation(validation), m_inspector(inspector), m_stop(std::move(stop))
{
}

Result<WatchedBuilds::Build*> WatchedBuilds::begun(const backend::BuildInput& input, const backend::Module& timed,
                                                   bool bare)
{
  HONE_TRY(std::vector<backend::CompileJob> jobs, m_inspector.build_jobs(input, timed, bare));
  if (jobs.empty()) {
    return nullptr;
  }
  const auto found = std::ranges::find(m_builds, jobs, &Build::jobs);
  if (found != m_builds.end()) {
    return &*found;
  }
  Build& build = m_builds.emplace_back(std::move(jobs));
  build.outcome = std::async(std::launch::async, [&jobs = build.jobs, limits = watched_limits(m_stop)] {
                    return run_side_by_side(jobs, limits);
                  }).share();
  return &build;
}

Result<void> WatchedBuilds::begin(const backend::BuildInput& input, const backend::Module& timed)
{
  HONE_CHECK(begun(input, timed, false));
  return {};
}

Result<JailOutcome> WatchedBuilds::get(const backend::BuildInput& input, const backend::Module& timed)
{
  HONE_TRY(JailOutcome outcome, get(input, timed, false));
  if (is_at_fault(outcome)) {
    HONE_TRY(outcome, get(input, timed, true));
  }
  return outcome;
}

Result<JailOutcome> WatchedBuilds::get(const backend::BuildInput& input, const backend::Module& timed, bool bare)
{
  HONE_TRY(Build* const build, begun(input, timed, bare));
  if (build == nullptr) {
    return JailOutcome{};
  }
  HONE_TRY(JailOutcome outcome, build->outcome.get());
  if (!std::exchange(build->counted, true)) {
    m_validation.add_build_time(outcome.seconds);
  }
  return outcome;
}

} // namespace hone::gate
