#include "gate/gate_state.h"
#include "gate/perf_events.h"
#include "gate/tool_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace hone::gate {
namespace {

constexpr double k_counted_s = 0.2; // of calls: enough for events that take turns at the counters
constexpr std::uint32_t k_most_counted_calls = 4096;

// Events are refused for few reasons, and usually all for the same.
std::string why_refused(const PerfCounters& counters)
{
  if (counters.refused().empty()) {
    return {};
  }
  const int error = counters.refused().front().error;
  if (error == EACCES || error == EPERM) {
    return "counters are not for this user: sysctl kernel.perf_event_paranoid=2, or the capability CAP_PERFMON";
  }
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV) {
    return "this machine shows no such counters, as most virtual machines";
  }
  return fmt::format("the kernel refused them: {}", std::strerror(error));
}

std::unexpected<Error> not_counted(const SessionEnd& end)
{
  return fail("the call whose events were counted ended early: " + end.reason,
              "`hone run` says what is wrong with the candidate");
}

} // namespace

Result<EventCounts> Gate::count_events(const record::Contender& contender, const record::Recipe& recipe,
                                       std::uint64_t seed)
{
  HONE_CHECK(check(recipe));
  HONE_TRY(const auto prepared, m_impl->prepare(contender, recipe.sizes));
  if (!prepared) {
    return not_counted(prepared.error());
  }
  HarnessSpec spec;
  spec.kernel = m_impl->kernel.get();
  spec.backend = &m_impl->backend;
  spec.prepared = prepared->get();
  spec.cpus = m_impl->cpus_for(recipe);
  spec.layout_seed = seed;
  spec.deadline = m_impl->call_deadline;
  spec.stop = m_impl->options.stop;
  PerfCounters counters; // which the runner inherits
  HONE_TRY(auto harness, Harness::open(spec));
  if (!harness) {
    return not_counted(harness.error());
  }
  HONE_CHECK(harness->set_up({inputs::ValueFamily::normal, seed}, seed));
  if (auto first = harness->call(); !first) { // machine code of drivers, pages, caches
    return not_counted(first.error());
  }
  const auto again = harness->call();
  if (!again) {
    return not_counted(again.error());
  }
  EventCounts result;
  result.calls = static_cast<std::uint32_t>(
    std::clamp(k_counted_s / std::max(again->wall_s, 1e-7), 1.0, static_cast<double>(k_most_counted_calls)));
  const std::vector<std::uint32_t> sets(result.calls, 0);
  counters.start();
  const auto block = harness->session().run_block(sets);
  counters.stop();
  if (!block) {
    return not_counted(block.error());
  }
  result.seconds_per_call = block->wall_s / result.calls;
  for (const PerfCount& count : counters.counts()) {
    result.events.push_back({count.name, count.value / result.calls, count.counted});
  }
  for (const PerfCounters::Refused& refused : counters.refused()) {
    result.refused.push_back(refused.name);
  }
  result.reason = why_refused(counters);
  return result;
}

} // namespace hone::gate
