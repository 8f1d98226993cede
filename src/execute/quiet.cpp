#include "execute/quiet.h"

#include <algorithm>
#include <ctime>
#include <thread>
#include <vector>

namespace hone::execute {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int k_quiet_looks = 2; // in a row: one may fall between two jobs of somebody else

double cpu_seconds_of_thread()
{
  timespec time{};
  return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0
           ? static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec)
           : 0;
}

double lost_share_of_one(std::chrono::milliseconds length)
{
  const double cpu_before = cpu_seconds_of_thread();
  const Clock::time_point begin = Clock::now();
  while (Clock::now() - begin < length) {
  }
  const double wall = std::chrono::duration<double>(Clock::now() - begin).count();
  return std::clamp(1 - (cpu_seconds_of_thread() - cpu_before) / wall, 0.0, 1.0);
}

} // namespace

double probe_lost_share(int threads, std::chrono::milliseconds length)
{
  std::vector<double> shares(static_cast<std::size_t>(std::max(threads, 1)));
  {
    std::vector<std::jthread> spinning;
    for (double& share : shares) {
      spinning.emplace_back([&share, length] { share = lost_share_of_one(length); });
    }
  }
  return *std::ranges::max_element(shares);
}

bool wait_for_quiet(const QuietWait& wait)
{
  const Clock::time_point end = Clock::now() + wait.most;
  int quiet = 0;
  while (!wait.stop.stop_requested()) {
    const double share = wait.look();
    if (wait.told) {
      wait.told(share);
    }
    quiet = share <= wait.quiet ? quiet + 1 : 0;
    if (quiet == k_quiet_looks) {
      return true;
    }
    if (Clock::now() + wait.pause >= end) {
      return false;
    }
    std::this_thread::sleep_for(wait.pause);
  }
  return false;
}

} // namespace hone::execute
