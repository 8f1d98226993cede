#include "gate/tool_run.h"

#include "gate/gate_state.h"
#include "gate/jail.h"

namespace hone::gate {

Result<ToolRun> run_tool(const backend::CompileJob& job, std::stop_token stop)
{
  JailLimits limits;
  limits.stop = std::move(stop);
  HONE_TRY(JailOutcome outcome, run_in_jail(job, limits));
  return ToolRun{outcome.status == record::Status::correct, std::move(outcome.reason), std::move(outcome.log),
                 std::move(outcome.outputs)};
}

Result<BuiltCandidate> Gate::build(const record::Contender& contender, const kernel::Sizes& sizes)
{
  HONE_TRY(const auto prepared, m_impl->prepare(contender, sizes));
  BuiltCandidate built;
  built.sizes = sizes;
  if (!prepared) {
    built.status = prepared.error().status;
    built.reason = prepared.error().reason;
    built.log = prepared.error().log;
    return built;
  }
  built.plan = (*prepared)->plan;
  built.module = (*prepared)->build->module;
  built.log = (*prepared)->build->log;
  return built;
}

Result<CallMemory> Gate::memory_of_call(const record::Contender& contender, const kernel::Sizes& sizes,
                                        std::uint64_t seed)
{
  const auto failed = [](const SessionEnd& end) {
    return fail("the call's memory cannot be prepared: " + end.reason,
                "`hone run` says what is wrong with the candidate");
  };
  HONE_TRY(const auto prepared, m_impl->prepare(contender, sizes));
  if (!prepared) {
    return failed(prepared.error());
  }
  HarnessSpec spec;
  spec.kernel = m_impl->kernel.get();
  spec.backend = &m_impl->backend;
  spec.prepared = prepared->get();
  spec.use = HarnessUse::memory;
  spec.layout_seed = seed;
  spec.deadline = m_impl->call_deadline;
  spec.stop = m_impl->options.stop;
  HONE_TRY(auto harness, Harness::open(spec));
  if (!harness) {
    return failed(harness.error());
  }
  HONE_CHECK(harness->set_up({inputs::ValueFamily::normal, seed}, seed));
  if (auto done = harness->prepare(); !done) {
    return failed(done.error());
  }
  const auto copy = [](std::span<const std::byte> bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  CallMemory memory;
  for (std::size_t i = 0; i < m_impl->kernel->arguments.size(); ++i) {
    memory.arguments.push_back(copy(harness->arena().tensor(0, i)));
  }
  const kernel::ResolvedPlan& plan = (*prepared)->plan;
  const std::vector<std::size_t> offsets = scratch_offsets(plan);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const kernel::ResolvedScratch& scratch = plan.scratch[i];
    memory.scratch.push_back(scratch.prepared ? copy(harness->arena().prepared(0).subspan(offsets[i], scratch.bytes()))
                                              : std::string());
  }
  return memory;
}

} // namespace hone::gate
