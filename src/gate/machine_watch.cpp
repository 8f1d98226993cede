#include "gate/machine_watch.h"

#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unistd.h>

namespace hone::gate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int k_looks_at_clock = 16;       // the fastest counts: an interrupt only makes a loop longer
constexpr std::size_t k_stolen_column = 8; // of a line of /proc/stat, the name being column 0

// Instructions that each wait for the one before, one cycle apiece on every core of the architecture, which none leaves
// out or joins. The loop around them runs beside them.
#if defined(__x86_64__)
#define HONE_ONE_CYCLE "not %0\n\t"
#elif defined(__aarch64__)
#define HONE_ONE_CYCLE "mvn %0, %0\n\t"
#endif

#ifdef HONE_ONE_CYCLE
#define HONE_FOUR(text) text text text text
constexpr long k_turns = 1024;
constexpr long k_cycles_per_turn = 64;

void run_cycles()
{
  unsigned long value = 0;
  for (long i = 0; i < k_turns; ++i) {
    asm volatile(HONE_FOUR(HONE_FOUR(HONE_FOUR(HONE_ONE_CYCLE))) : "+r"(value));
  }
}
#endif

std::optional<double> number_in(std::string_view text)
{
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::vector<std::string> words_of(std::string_view line)
{
  std::vector<std::string> words = split(line, ' ');
  std::erase(words, "");
  return words;
}

// Where this process's control group keeps its figures, under version 2 of the interface.
fs::path cpu_stat_file()
{
  const auto groups = read_file("/proc/self/cgroup");
  const std::string prefix = "0::";
  for (const std::string& line : split(groups.value_or(""), '\n')) {
    if (line.starts_with(prefix)) {
      return fs::path("/sys/fs/cgroup") / fs::path(line.substr(prefix.size())).relative_path() / "cpu.stat";
    }
  }
  return "/sys/fs/cgroup/cpu.stat";
}

std::optional<int> throttle_count(std::span<const int> cpus)
{
  std::optional<int> sum;
  for (const int cpu : cpus) {
    const auto text = read_file(fmt::format("/sys/devices/system/cpu/cpu{}/thermal_throttle/core_throttle_count", cpu));
    if (const auto count = text ? number_in(trim(*text)) : std::nullopt) {
      sum = sum.value_or(0) + static_cast<int>(*count);
    }
  }
  return sum;
}

template <class T> std::optional<T> difference(const std::optional<T>& after, const std::optional<T>& before)
{
  return after && before ? std::optional(std::max(*after - *before, T{})) : std::nullopt;
}

} // namespace

std::optional<double> counted_clock_ghz()
{
#ifdef HONE_ONE_CYCLE
  double fastest_s = 1;
  for (int look = 0; look < k_looks_at_clock; ++look) {
    const Clock::time_point begin = Clock::now();
    run_cycles();
    fastest_s = std::min(fastest_s, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return 1e-9 * k_turns * k_cycles_per_turn / fastest_s;
#else
  return std::nullopt;
#endif
}

std::optional<double> stolen_seconds(std::string_view stat, std::span<const int> cpus, double ticks_per_second)
{
  std::optional<double> sum;
  for (const std::string& line : split(stat, '\n')) {
    const std::vector<std::string> words = words_of(line);
    const bool ours = words.size() > k_stolen_column
                      && std::ranges::any_of(cpus, [&](int cpu) { return words.front() == fmt::format("cpu{}", cpu); });
    if (const auto ticks = ours ? number_in(words[k_stolen_column]) : std::nullopt) {
      sum = sum.value_or(0) + *ticks / ticks_per_second;
    }
  }
  return sum;
}

std::optional<double> quota_seconds(std::string_view cpu_stat)
{
  for (const std::string& line : split(cpu_stat, '\n')) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() == 2 && words.front() == "throttled_usec") {
      const auto microseconds = number_in(words.back());
      return microseconds ? std::optional(1e-6 * *microseconds) : std::nullopt;
    }
  }
  return std::nullopt;
}

MachineWatch::MachineWatch(std::vector<int> cpus) : m_cpus(std::move(cpus)), m_begin(Clock::now()), m_before(read()) {}

MachineWatch::Counters MachineWatch::read() const
{
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  return {stolen_seconds(read_file("/proc/stat").value_or(""), m_cpus, ticks),
          quota_seconds(read_file(cpu_stat_file()).value_or("")), throttle_count(m_cpus)};
}

void MachineWatch::count_clock()
{
  if (const auto clock = counted_clock_ghz()) {
    m_clocks_ghz.push_back(*clock);
  }
}

record::MachineConditions MachineWatch::conditions() const
{
  const Counters now = read();
  record::MachineConditions conditions;
  conditions.seconds = std::chrono::duration<double>(Clock::now() - m_begin).count();
  conditions.stolen_s = difference(now.stolen_s, m_before.stolen_s);
  conditions.quota_s = difference(now.quota_s, m_before.quota_s);
  conditions.throttled = difference(now.throttled, m_before.throttled);
  conditions.clocks_ghz = m_clocks_ghz;
  return conditions;
}

} // namespace hone::gate
