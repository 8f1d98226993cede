// hone-runner-cpu: calls work-groups of native code in a locked process. Static and small: starting it costs little,
// and nothing of use to a candidate lies in its address space.
#include "backend/runner/runner_core.h"

#include <utility>

namespace {

using namespace hone::runner;

// Laid out as hone_group in include/hone.h, which is written for candidates and brings more than this file wants.
struct Group {
  std::int64_t id[3];
  std::int64_t count[3];
  void* shared;
  std::int64_t shared_bytes;
};

// A candidate's arguments are pointers and 64-bit integers, so all travel the same way. Passing more than the callee
// takes is harmless: the caller owns registers and stack of the surplus.
template <std::size_t> using Value = std::uint64_t;

template <std::size_t... Is>
void call_with(std::uint64_t entry, const Group& group, const std::uint64_t* values, std::index_sequence<Is...>)
{
  using Function = void (*)(const Group*, Value<Is>...);
  reinterpret_cast<Function>(entry)(&group, values[Is]...);
}

using Caller = void (*)(std::uint64_t entry, const Group& group, const std::uint64_t* values);

template <std::size_t N> void call_n(std::uint64_t entry, const Group& group, const std::uint64_t* values)
{
  std::uint64_t row[N];
  for (std::size_t i = 0; i < N; ++i) {
    row[i] = values[i];
  }
  call_with(entry, group, row, std::make_index_sequence<N>());
}

// Reads up to N values: the job's table is followed by other tables, so reading past a row is reading memory of ours.
Caller caller_for(std::uint32_t arguments)
{
  if (arguments <= 5) { // what fits into registers beside the group
    return call_n<5>;
  }
  return arguments <= 13 ? call_n<13> : call_n<k_most_arguments>;
}

void run(const JobView& job, const Groups& groups)
{
  const Launch& launch = job.launch(groups.launch);
  const std::uint64_t* values = job.values(launch, groups.set);
  const Caller caller = caller_for(launch.argument_count);
  Group group = {};
  for (int i = 0; i < 3; ++i) {
    group.count[i] = launch.grid[i];
  }
  group.shared = reinterpret_cast<void*>(job.head().shared_address);
  group.shared_bytes = launch.shared_bytes;
  for (std::int64_t i = 0; i < groups.count; ++i) {
    const std::int64_t flat = groups.first + (groups.descending ? groups.count - 1 - i : i);
    group.id[0] = flat % launch.grid[0];
    group.id[1] = flat / launch.grid[0] % launch.grid[1];
    group.id[2] = flat / launch.grid[0] / launch.grid[1];
    caller(launch.entry, group, values);
  }
}

const char* call(const JobView& job, std::uint32_t set)
{
  for (std::uint32_t i = 0; i < job.launches(); ++i) {
    const Launch& launch = job.launch(i);
    for (std::uint32_t k = 0; k < launch.fill_count; ++k) {
      const Fill& fill = job.fill(launch.first_fill + k);
      fill_buffer(job.buffer(set, fill.buffer), fill);
    }
    run(job, {set, i, 0, launch.grid[0] * launch.grid[1] * launch.grid[2], false});
  }
  return nullptr;
}

const char* run_groups(const JobView& job, const Groups& groups)
{
  run(job, groups);
  return nullptr;
}

} // namespace

int main()
{
  Platform platform;
  platform.call = call;
  platform.run_groups = run_groups;
  return hone::runner::run(platform);
}
