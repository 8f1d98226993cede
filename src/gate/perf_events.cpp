#include "gate/perf_events.h"

#include <algorithm>
#include <cerrno>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hone::gate {
namespace {

constexpr std::uint64_t cache_event(std::uint64_t cache, std::uint64_t result)
{
  return cache | (PERF_COUNT_HW_CACHE_OP_READ << 8) | (result << 16);
}

int open_event(const PerfEvent& event)
{
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.disabled = 1;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

} // namespace

const std::vector<PerfEvent>& perf_events()
{
  static const std::vector<PerfEvent> events{
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"L1-dcache-loads", PERF_TYPE_HW_CACHE, cache_event(PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
    {"L1-dcache-load-misses", PERF_TYPE_HW_CACHE,
     cache_event(PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_RESULT_MISS)},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"dTLB-load-misses", PERF_TYPE_HW_CACHE, cache_event(PERF_COUNT_HW_CACHE_DTLB, PERF_COUNT_HW_CACHE_RESULT_MISS)},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK}};
  return events;
}

PerfCounters::PerfCounters()
{
  for (const PerfEvent& event : perf_events()) {
    if (const int descriptor = open_event(event); descriptor >= 0) {
      m_counters.push_back({event.name, descriptor, {}});
    } else {
      m_refused.push_back({event.name, errno});
    }
  }
}

PerfCounters::~PerfCounters()
{
  std::ranges::for_each(m_counters, [](const Counter& counter) { ::close(counter.descriptor); });
}

void PerfCounters::start()
{
  for (Counter& counter : m_counters) {
    counter.before = read(counter);
    ::ioctl(counter.descriptor, PERF_EVENT_IOC_ENABLE, 0); // of all that inherited it
  }
}

void PerfCounters::stop()
{
  for (const Counter& counter : m_counters) {
    ::ioctl(counter.descriptor, PERF_EVENT_IOC_DISABLE, 0);
  }
}

PerfCounters::Reading PerfCounters::read(const Counter& counter)
{
  Reading reading;
  if (::read(counter.descriptor, &reading, sizeof reading) != sizeof reading) {
    return {};
  }
  return reading;
}

std::vector<PerfCount> PerfCounters::counts() const
{
  std::vector<PerfCount> counts;
  for (const Counter& counter : m_counters) {
    const Reading now = read(counter);
    const auto value = static_cast<double>(now.value - counter.before.value);
    const auto enabled = static_cast<double>(now.enabled_ns - counter.before.enabled_ns);
    const auto running = static_cast<double>(now.running_ns - counter.before.running_ns);
    counts.push_back({counter.name, running > 0 ? value * enabled / running : 0, enabled > 0 ? running / enabled : 0});
  }
  return counts;
}

} // namespace hone::gate
