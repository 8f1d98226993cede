// Candidates in OpenCL C through the real compiler in the jail, driver, runner and arena.
#pragma once

#include "backend/backend.h"
#include "gate/arena.h"
#include "gate/isolation.h"
#include "gate/jail.h"
#include "gate/runner_session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <sched.h>
#include <stop_token>
#include <string>

namespace hone::gate::test {

const backend::Backend& opencl();

// Whether the device computes in the arena ("shared"), or in memory of its own ("copy"): HONE_OPENCL_MEMORY, for as
// long as one of these lives.
class OpenclMemory {
public:
  explicit OpenclMemory(const std::string& mode) { setenv("HONE_OPENCL_MEMORY", mode.c_str(), 1); }
  OpenclMemory(const OpenclMemory&) = delete;
  OpenclMemory& operator=(const OpenclMemory&) = delete;
  ~OpenclMemory() { unsetenv("HONE_OPENCL_MEMORY"); }
};
inline std::string as_it_is(const testing::TestParamInfo<std::string>& info)
{
  return info.param;
}

// Skips where there is no OpenCL device.
class OpenclBench : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override;

  // Makes the candidate and its arena, compiles and loads it. How it ended, where it did not load.
  std::optional<SessionEnd> open(const std::string& kernel_toml, const std::string& plan, const std::string& device,
                                 const std::string& macros = "");
  // Random inputs in [-0.5, 0.5), poisoned outputs.
  void fill_inputs(std::size_t set);
  std::span<float> values(std::size_t set, std::size_t argument);
  // One call on set 0.
  SessionResult<BlockTiming> call();

  kernel::PlanScope m_facts;
  Isolation m_layers; // that it is compiled in
  std::chrono::milliseconds m_deadline{10'000};
  std::stop_source m_stop; // of calls
  kernel::Kernel m_kernel;
  kernel::ResolvedPlan m_plan;
  backend::Module m_module;
  OpenclMemory m_memory{GetParam()};
  int m_cpu = sched_getcpu();
  std::optional<Arena> m_arena; // of several in turn in one memory, for one runner
  std::optional<RunnerSession> m_session;

private:
  std::optional<SessionEnd> compile(const kernel::Candidate& candidate, const kernel::TuningPoint& point);
  std::optional<SessionEnd> open_session();
};

} // namespace hone::gate::test
