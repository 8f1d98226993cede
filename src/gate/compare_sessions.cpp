#include "gate/compare.h"
#include "gate/compare_pair.h"
#include "gate/machine_watch.h"
#include "gate/session_memory.h"

#include <fmt/format.h>

#include <sched.h>
#include <utility>

namespace hone::gate {
namespace {

// Keeps the calling thread on one CPU, from hold() to release() or the end of this object.
class CpuPin {
public:
  explicit CpuPin(int cpu) : m_cpu(cpu) { sched_getaffinity(0, sizeof m_before, &m_before); }
  CpuPin(const CpuPin&) = delete;
  CpuPin& operator=(const CpuPin&) = delete;
  ~CpuPin() { release(); }

  Result<void> hold()
  {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(static_cast<unsigned>(m_cpu), &only);
    if (sched_setaffinity(0, sizeof only, &only) != 0) {
      return fail(fmt::format("cannot run on CPU {}", m_cpu), "choose a CPU that this process may use (taskset -p)");
    }
    return {};
  }

  void release() { sched_setaffinity(0, sizeof m_before, &m_before); }

private:
  int m_cpu;
  cpu_set_t m_before;
};

// Pairs of runners, and a look at the machine before each.
class RunnerPairs final : public BlockSource {
public:
  RunnerPairs(const CompareRequest& request, const TimingHooks& hooks, std::optional<Arena>& memory)
    : m_request(request), m_hooks(hooks), m_memory(memory), m_pin(request.cpus.front()), m_watch(request.cpus)
  {
  }

  Result<std::size_t> bytes_of_set() const override
  {
    std::size_t bytes = 0;
    for (const kernel::Argument& argument : m_request.kernel->arguments) {
      HONE_TRY(const std::int64_t elements, kernel::elements_of(argument, m_request.recipe.sizes));
      bytes += static_cast<std::size_t>(elements) * kernel::size_of(argument.type) + 2 * k_page;
    }
    bytes += static_cast<std::size_t>(m_request.larger(scratch_bytes_of) + m_request.larger(prepared_bytes_of));
    return bytes;
  }

  Result<std::optional<ArmFailure>> open_pair(const PairSpec& spec, Random& random) override
  {
    HONE_CHECK(m_pin.hold());
    m_watch.count_clock();
    m_pin.release(); // runners begin where this thread may run, and load side by side
    auto opened = RunnerPair::open(m_request, m_hooks, spec, random, std::exchange(m_memory, std::nullopt));
    HONE_CHECK(m_pin.hold());
    HONE_TRY(auto pair, std::move(opened));
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

  Result<Block> run_stress_block(Arm arm, std::uint32_t calls, std::uint32_t settle) override
  {
    return m_pair->run_stress_block(arm, calls, settle);
  }

  std::size_t stress_kinds() const override { return m_hooks.stress_kinds; }

  Result<Block> run_unseen(Arm arm) override { return m_pair->run_unseen(arm); }

  void end_pair() override
  {
    m_memory = RunnerPair::take_arena(std::move(*m_pair));
    m_pair.reset();
  }

  std::size_t bytes_held() const override { return m_memory ? m_memory->bytes_held() : 0; }

  record::MachineConditions conditions()
  {
    m_watch.count_clock();
    return m_watch.conditions();
  }

private:
  const CompareRequest& m_request;
  const TimingHooks& m_hooks;
  std::optional<Arena>& m_memory; // of the last pair, while none is open
  CpuPin m_pin;
  MachineWatch m_watch;
  std::optional<RunnerPair> m_pair;
};

} // namespace

Result<CompareOutcome> compare_lanes(const CompareRequest& request, const TimingHooks& hooks,
                                     std::optional<Arena>& memory)
{
  RunnerPairs runners(request, hooks, memory);
  HONE_TRY(CompareOutcome outcome, compare_blocks(request, runners));
  if (outcome.result.explanation) {
    outcome.result.explanation->machine = runners.conditions();
  }
  return outcome;
}

} // namespace hone::gate
