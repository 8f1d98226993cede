#include "gate/compare.h"
#include "gate/compare_pair.h"
#include "gate/lane_memory.h"
#include "gate/machine_watch.h"

#include <fmt/format.h>

#include <sched.h>
#include <utility>

namespace hone {
namespace {

// The calling thread stays on one CPU for the life of this object.
class CpuPin {
public:
  explicit CpuPin(int cpu)
  {
    sched_getaffinity(0, sizeof m_before, &m_before);
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(static_cast<unsigned>(cpu), &only);
    m_pinned = sched_setaffinity(0, sizeof only, &only) == 0;
  }
  CpuPin(const CpuPin&) = delete;
  CpuPin& operator=(const CpuPin&) = delete;
  ~CpuPin() { sched_setaffinity(0, sizeof m_before, &m_before); }
  bool pinned() const { return m_pinned; }

private:
  cpu_set_t m_before;
  bool m_pinned = false;
};

// Pairs of runners, and a look at the machine before each.
class RunnerPairs final : public BlockSource {
public:
  RunnerPairs(const CompareRequest& request, const TimingHooks& hooks, std::optional<Arena>& memory)
    : m_request(request), m_hooks(hooks), m_memory(memory), m_watch(request.cpus)
  {
  }

  Result<std::size_t> bytes_of_set() const override
  {
    std::size_t bytes = 0;
    for (const Argument& argument : m_request.kernel->arguments) {
      HONE_TRY(const std::int64_t elements, elements_of(argument, m_request.recipe.sizes));
      bytes += static_cast<std::size_t>(elements) * size_of(argument.type) + 2 * k_page;
    }
    bytes += static_cast<std::size_t>(m_request.larger(scratch_bytes_of) + m_request.larger(prepared_bytes_of));
    return bytes;
  }

  Result<std::optional<ArmFailure>> open_pair(const PairSpec& spec, Random& random) override
  {
    m_watch.count_clock();
    HONE_TRY(auto pair, RunnerPair::open(m_request, m_hooks, spec, random, std::exchange(m_memory, std::nullopt)));
    if (!pair) {
      return std::optional(std::move(pair.error()));
    }
    m_pair.emplace(std::move(*pair));
    return std::optional<ArmFailure>();
  }

  Result<Block> run_block(Arm arm, std::uint32_t calls, std::uint32_t settle) override
  {
    return m_pair->run_block(arm, calls, settle);
  }

  Result<Block> run_hard_block(Arm arm, std::uint32_t calls, std::uint32_t settle) override
  {
    return m_pair->run_hard_block(arm, calls, settle);
  }

  std::size_t hard_kinds() const override { return m_hooks.hard_kinds; }

  Result<Block> run_unseen(Arm arm) override { return m_pair->run_unseen(arm); }

  void end_pair() override
  {
    m_memory = RunnerPair::take_arena(std::move(*m_pair));
    m_pair.reset();
  }

  std::size_t bytes_held() const override { return m_memory ? m_memory->bytes_held() : 0; }

  MachineConditions conditions()
  {
    m_watch.count_clock();
    return m_watch.conditions();
  }

private:
  const CompareRequest& m_request;
  const TimingHooks& m_hooks;
  std::optional<Arena>& m_memory; // of the last pair, while none is open
  MachineWatch m_watch;
  std::optional<RunnerPair> m_pair;
};

} // namespace

Result<CompareOutcome> compare_lanes(const CompareRequest& request, const TimingHooks& hooks,
                                     std::optional<Arena>& memory)
{
  const CpuPin pin(request.cpus.front());
  if (!pin.pinned()) {
    return fail(fmt::format("cannot run on CPU {}", request.cpus.front()),
                "choose a CPU that this process may use (taskset -p)");
  }
  RunnerPairs runners(request, hooks, memory);
  HONE_TRY(CompareOutcome outcome, compare_blocks(request, runners));
  if (outcome.result.explanation) {
    outcome.result.explanation->machine = runners.conditions();
  }
  return outcome;
}

} // namespace hone
