// Would catch counters that a child does not inherit, that count outside start and stop, or sums of the wrong calls.
#include "gate/perf_events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hone::gate {
namespace {

constexpr std::size_t k_page = 4096;

void touch_pages(int pages)
{
  auto* memory = static_cast<volatile char*>(
    ::mmap(nullptr, pages * k_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ::madvise(const_cast<char*>(memory), pages * k_page, MADV_NOHUGEPAGE);
  for (int i = 0; i < pages; ++i) {
    memory[i * k_page] = 1;
  }
}

// A child that touches pages whenever it is told to.
class Child {
public:
  Child()
  {
    if (::pipe(m_orders) != 0 || ::pipe(m_answers) != 0) {
      return;
    }
    m_pid = ::fork();
    if (m_pid == 0) {
      int pages = 0;
      while (::read(m_orders[0], &pages, sizeof pages) == sizeof pages && pages > 0) {
        touch_pages(pages);
        static_cast<void>(!::write(m_answers[1], &pages, sizeof pages));
      }
      ::_exit(0);
    }
  }
  ~Child()
  {
    const int end = 0;
    static_cast<void>(!::write(m_orders[1], &end, sizeof end));
    ::waitpid(m_pid, nullptr, 0);
    for (const int fd : {m_orders[0], m_orders[1], m_answers[0], m_answers[1]}) {
      ::close(fd);
    }
  }
  void touch(int pages)
  {
    static_cast<void>(!::write(m_orders[1], &pages, sizeof pages));
    static_cast<void>(!::read(m_answers[0], &pages, sizeof pages));
  }

private:
  int m_orders[2]{}, m_answers[2]{};
  pid_t m_pid = -1;
};

double faults_in(const PerfCounters& counters)
{
  const auto counts = counters.counts();
  const auto found = std::ranges::find(counts, "page-faults", &PerfCount::name);
  return found == counts.end() ? -1 : found->value;
}

TEST(PerfCounters, CountWhatAChildDoesBetweenStartAndStop)
{
  PerfCounters counters;
  if (std::ranges::any_of(counters.refused(), [](const auto& refused) { return refused.name == "page-faults"; })) {
    GTEST_SKIP() << "this machine counts no page faults for this user";
  }
  Child child;
  child.touch(1000);
  counters.start();
  child.touch(300);
  counters.stop();
  child.touch(1000);
  EXPECT_GE(faults_in(counters), 300);
  EXPECT_LT(faults_in(counters), 900);
  counters.start();
  counters.stop();
  EXPECT_LT(faults_in(counters), 100); // from zero again
}

TEST(PerfCounters, NameEachEventOnceCountedOrRefused)
{
  const PerfCounters counters;
  std::vector<std::string> names;
  for (const PerfCount& count : counters.counts()) {
    names.push_back(count.name);
  }
  for (const auto& refused : counters.refused()) {
    EXPECT_NE(refused.error, 0) << refused.name;
    names.push_back(refused.name);
  }
  EXPECT_EQ(names.size(), perf_events().size());
  for (const PerfEvent& event : perf_events()) {
    EXPECT_EQ(std::ranges::count(names, event.name), 1) << event.name;
  }
}

} // namespace
} // namespace hone::gate
