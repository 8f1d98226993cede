#include "opencl_bench.h"

#include <utility>

namespace hone::gate::test {

const backend::Backend& opencl()
{
  return **backend::find_backend("opencl");
}

void OpenclBench::SetUp()
{
  const auto device = opencl().probe();
  if (!device) {
    GTEST_SKIP() << device.error().text();
  }
  m_facts = device->plan_facts;
  m_layers = isolation();
}

std::optional<SessionEnd> OpenclBench::open(const std::string& kernel_toml, const std::string& plan,
                                            const std::string& device, const std::string& macros)
{
  auto kernel = kernel::parse_kernel(kernel_toml, "kernel.toml");
  EXPECT_TRUE(kernel) << kernel.error().text();
  m_kernel = std::move(*kernel);
  auto candidate =
    kernel::make_candidate(m_kernel, {{"launch.toml", plan}, {"device.cl", device}, {"macros.h", macros}});
  EXPECT_TRUE(candidate) << candidate.error().text();
  const kernel::TuningPoint point = candidate->plan.tuning.defaults();
  auto resolved = kernel::resolve_plan(m_kernel, *candidate, m_kernel.timed.front(), point, m_facts);
  EXPECT_TRUE(resolved) << resolved.error().text();
  m_plan = std::move(*resolved);
  if (auto end = compile(*candidate, point)) {
    return end;
  }
  ArenaSpec spec;
  spec.kernel = &m_kernel;
  spec.sizes = m_kernel.timed.front();
  spec.sets = 2;
  spec.scratch_bytes = scratch_bytes_of(m_plan);
  spec.shared_bytes = shared_bytes_of(m_plan);
  spec.spare_room = true;
  spec.layout_seed = 9;
  auto arena = Arena::create(spec, std::exchange(m_arena, std::nullopt));
  EXPECT_TRUE(arena) << arena.error().text();
  m_arena.emplace(std::move(*arena));
  return open_session();
}

std::optional<SessionEnd> OpenclBench::compile(const kernel::Candidate& candidate, const kernel::TuningPoint& point)
{
  const backend::BuildInput input{m_kernel, candidate, point, m_kernel.timed.front(), m_plan};
  const auto job = opencl().compile_job(input);
  EXPECT_TRUE(job) << job.error().text();
  std::map<std::string, std::string> outputs;
  if (!job->commands.empty()) {
    auto compiled = run_in_jail(*job, {}, m_layers);
    if (!compiled) {
      return SessionEnd{record::Status::compile, compiled.error().text(), {}};
    }
    if (compiled->status != record::Status::correct) {
      return SessionEnd{compiled->status, compiled->reason, opencl().translate_log(compiled->log)};
    }
    outputs = std::move(compiled->outputs);
  }
  auto module = opencl().load(input, outputs);
  if (!module) {
    return SessionEnd{record::Status::compile, module.error().reason, {}};
  }
  m_module = std::move(*module);
  return std::nullopt;
}

std::optional<SessionEnd> OpenclBench::open_session()
{
  SessionSpec spec;
  spec.backend = &opencl();
  spec.module = &m_module;
  spec.plan = &m_plan;
  spec.cpus = {m_cpu}; // the same for all jobs of a runner
  spec.layout_seed = 9;
  spec.call_deadline = m_deadline;
  spec.stop = m_stop.get_token();
  auto session = RunnerSession::open(spec, *m_arena, std::exchange(m_session, std::nullopt));
  EXPECT_TRUE(session) << session.error().text();
  if (!session || !*session) {
    return session ? (*session).error() : SessionEnd{};
  }
  m_session.emplace(std::move(**session));
  return std::nullopt;
}

void OpenclBench::fill_inputs(std::size_t set)
{
  Random random(set + 1);
  for (const std::size_t input : m_kernel.inputs()) {
    for (float& value : values(set, input)) {
      value = float(random.uniform() - 0.5);
    }
  }
  m_arena->poison(set, random);
}

std::span<float> OpenclBench::values(std::size_t set, std::size_t argument)
{
  const auto bytes = m_arena->tensor(set, argument);
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

SessionResult<BlockTiming> OpenclBench::call()
{
  constexpr std::uint32_t k_first[] = {0};
  fill_inputs(0);
  return m_session->run_block(k_first);
}

} // namespace hone::gate::test
