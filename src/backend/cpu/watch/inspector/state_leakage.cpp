#include "backend/cpu/watch/inspector/state_leakage.h"

#include "backend/cpu/watch/inspector/inspector_state.h"
#include "backend/cpu/watch/inspector/launch_execution.h"

#include <algorithm>
#include <cstddef>
#include <dlfcn.h>
#include <span>
#include <vector>

namespace hone::backend::cpu {
namespace {

constexpr std::size_t k_max_compared = 100'000; // accesses of a call

// What is the same in each execution of a correct call.
struct CallOutcome {
  std::vector<std::vector<std::size_t>> accesses; // by launch and group
  std::vector<std::vector<std::byte>> results;
};

// One call, executed repeatedly in the same memory.
class RepeatedCall {
public:
  RepeatedCall(const InspectionJob& job, void* library)
    : m_job(job), m_library(library), m_options(job.options()), m_launches(job.launches()),
      m_memory(job.buffers(), Instrumentation::assembly)
  {
  }

  // `rotated`: on other values, each argument's elements rotated.
  CallOutcome execute(GroupRegisters registers, bool rotated)
  {
    CallOutcome outcome;
    load(rotated);
    g_inspector.call = &m_memory;
    for (const ListedLaunch& launch : m_launches) {
      apply_fills(launch, m_memory);
      LaunchExecution execution(launch, outcome.accesses.size(), dlsym(m_library, launch.kernel.c_str()), m_memory,
                                m_options.seed, true);
      g_inspector.launch = &execution;
      outcome.accesses.push_back(execution.count_accesses(registers, k_max_compared / m_launches.size()));
      g_inspector.launch = nullptr;
      if (static_cast<std::int64_t>(outcome.accesses.back().size()) < groups_of(launch)) {
        break; // the next launch would read what the missing groups should have written
      }
    }
    g_inspector.call = nullptr;
    for (const std::size_t result : m_options.results) {
      const std::span<std::byte> bytes = m_memory.bytes_of(result);
      outcome.results.emplace_back(bytes.begin(), bytes.end());
    }
    return outcome;
  }

  const std::string& kernel_of(std::size_t launch) const { return m_launches[launch].kernel; }

private:
  void load(bool rotated)
  {
    const std::vector<BufferFacts> facts = m_job.buffers();
    for (std::size_t i = 0; i < m_memory.count(); ++i) {
      std::ranges::fill(m_memory.bytes_of(i), std::byte{0xff});
    }
    m_job.load_contents(m_memory);
    for (std::size_t i = 0; rotated && i < m_options.arguments; ++i) { // prepared scratch may be no array
      const std::span<std::byte> bytes = m_memory.bytes_of(i);
      const std::size_t elements = bytes.size() / facts[i].element_bytes;
      std::ranges::rotate(bytes, bytes.begin() + static_cast<std::ptrdiff_t>(elements / 3 * facts[i].element_bytes));
    }
  }

  const InspectionJob& m_job;
  void* m_library;
  InspectionOptions m_options;
  std::vector<ListedLaunch> m_launches;
  WatchedMemory m_memory;
};

} // namespace

std::string find_state_leakage(const InspectionJob& job, const char* library)
{
  void* code = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!job.options().covers_call() || code == nullptr) {
    return {};
  }
  RepeatedCall call(job, code);
  const CallOutcome clean = call.execute(GroupRegisters::randomized, false);
  clear_registers();
  call.execute(GroupRegisters::preserved, true); // the first group of the next call finds what this one leaves
  const CallOutcome leaked = call.execute(GroupRegisters::preserved, false);
  for (std::size_t i = 0; i < leaked.accesses.size(); ++i) {
    const auto [one, other] = std::ranges::mismatch(clean.accesses[i], leaked.accesses[i]);
    if (one != clean.accesses[i].end() && other != leaked.accesses[i].end()) {
      return "unwritten the " + std::to_string(one - clean.accesses[i].begin() + 1) + ". group makes "
             + std::to_string(*other) + " accesses or " + std::to_string(*one)
             + ", after what lies in registers and on its stack when it begins (" + call.kernel_of(i) + ")\n";
    }
  }
  return clean.results == leaked.results
           ? ""
           : "unwritten results depend on what lies in registers and on the stack when groups begin\n";
}

} // namespace hone::backend::cpu
