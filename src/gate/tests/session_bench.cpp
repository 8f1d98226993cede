#include "session_bench.h"

#include "backend/runner_abi.h"
#include "util/util.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <sched.h>

namespace hone::gate::test {
namespace {

class RunnerOnlyBackend : public backend::Backend {
public:
  std::string_view name() const override { return "cpu"; }
  record::Tier tier() const override { return record::Tier::b; }
  std::string_view lock_profile() const override { return "test"; }
  Result<backend::DeviceInfo> probe() const override { return fail("a test backend has no device"); }
  lower::Dialect dialect() const override { return {}; }
  Result<backend::CompileJob> compile_job(const backend::BuildInput&) const override
  {
    return fail("a test backend compiles nothing");
  }
  std::expected<backend::Module, backend::LoadFailure> load(const backend::BuildInput&,
                                                            const std::map<std::string, std::string>&) const override
  {
    return std::unexpected(backend::LoadFailure{backend::LoadFailure::Kind::compile, "a test backend loads nothing"});
  }
  std::string translate_log(std::string_view log) const override { return std::string(log); }
  backend::Capabilities capabilities() const override { return {.groups_one_by_one = true, .caller_state = true}; }
  std::string_view runner_program() const override { return "hone-runner-cpu"; }
};

kernel::Argument vector_argument(const char* name, kernel::Role role)
{
  kernel::Argument argument;
  argument.name = name;
  argument.role = role;
  argument.shape = {kernel::make_extent("n")};
  return argument;
}

// System calls without a library, for hostile bodies.
constexpr const char* k_preamble = R"(
using size_t = decltype(sizeof 0);
struct Group { long id[3]; long count[3]; void* shared; long shared_bytes; };
[[maybe_unused]] static inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0)
{
  long result;
  register long r10 asm("r10") = d;
  asm volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
  return result;
}
)";

} // namespace

kernel::Kernel axpy_kernel()
{
  kernel::Kernel kernel;
  kernel.name = "axpy";
  kernel.arguments = {vector_argument("A", kernel::Role::input), vector_argument("B", kernel::Role::input),
                      vector_argument("C", kernel::Role::output)};
  kernel.symbols = {"n"};
  return kernel;
}

const backend::Backend& cpu_runner_backend()
{
  static const RunnerOnlyBackend backend;
  return backend;
}

backend::Module image_of(const std::string& body)
{
  return image_of("const float* A, const float* B, float* C, long n", body);
}

backend::Module image_of(const std::string& parameters, const std::string& body)
{
  const auto folder = TemporaryFolder::create("hone-image");
  const fs::path source = folder->path() / "kernel.cpp";
  const std::string head = "extern \"C\" __attribute__((section(\".text.hot\"))) void kernel(const Group* group, "
                           + parameters + ")\n{\n(void)group;\n";
  const fs::path image = folder->path() / "kernel.bin";
  EXPECT_TRUE(write_file(source, k_preamble + head + body + "\n}\n"));
  ProcessRequest request;
  request.argv = {"g++",
                  "-O2",
                  "-ffreestanding",
                  "-fPIE",
                  "-fcf-protection=none",
                  "-fno-stack-protector",
                  "-fno-asynchronous-unwind-tables",
                  "-fno-tree-loop-distribute-patterns",
                  "-nostdlib",
                  "-static",
                  "-Wl,--oformat=binary,-Ttext=0,--build-id=none,-e,kernel",
                  "-o",
                  image.string(),
                  source.string()};
  const auto outcome = run_process(request);
  EXPECT_TRUE(outcome && outcome->ok()) << (outcome ? outcome->err : outcome.error().text());
  backend::Module module;
  module.image = read_file(image).value_or("");
  module.entries = {0};
  module.entry_names = {"kernel"};
  return module;
}

std::string with_control_areas(const std::string& action)
{
  // Waiting for a futex tells mapped addresses (EAGAIN) from others (EFAULT) without a fault. The kernel puts the two
  // areas side by side, the reply first.
  return fmt::format(R"(
    unsigned char* job = (unsigned char*)0x7ffff7fff000;
    while (system_call(202, (long)job, 0, 0x5ca1ab1e, 0) != -11 || *(unsigned*)job != {:#x}u) job -= 4096;
    unsigned char* reply = job + ((*(unsigned long*)(job + {}) + 4095) & ~4095ul);
    auto answer = [&] {{
      *(volatile unsigned*)reply = *(unsigned*)(job + {});
      system_call(202, (long)reply, 1, 1);
    }};
    (void)answer;
    {})",
                     backend::runner::k_abi_magic, offsetof(backend::runner::Job, job_bytes),
                     offsetof(backend::runner::Job, command_sequence), action);
}

kernel::ResolvedPlan plan_of(std::int64_t n, std::int64_t groups)
{
  using Kind = kernel::ResolvedArgument::Kind;
  kernel::ResolvedLaunch launch;
  launch.kernel = "kernel";
  launch.grid = {groups, 1, 1};
  launch.args = {{Kind::tensor, k_a, 0}, {Kind::tensor, k_b, 0}, {Kind::tensor, k_c, 0}, {Kind::integer, 0, n}};
  kernel::ResolvedPlan plan;
  plan.launches = {launch};
  return plan;
}

Arena arena_for(std::int64_t n, std::size_t sets, bool flush_to_guard, bool shared_inputs)
{
  static const kernel::Kernel kernel = axpy_kernel();
  ArenaSpec spec;
  spec.kernel = &kernel;
  spec.sizes = {{"n", n}};
  spec.sets = sets;
  spec.flush_to_guard = flush_to_guard;
  spec.shared_inputs = shared_inputs;
  spec.layout_seed = 7;
  auto arena = Arena::create(spec);
  EXPECT_TRUE(arena) << arena.error().text();
  return std::move(*arena);
}

void fill_inputs(Arena& arena, std::size_t set, std::uint64_t seed)
{
  Random random(seed);
  for (const std::size_t argument : {k_a, k_b}) {
    const auto bytes = arena.tensor(set, argument);
    auto* values = reinterpret_cast<float*>(bytes.data());
    for (std::size_t i = 0; i < bytes.size() / sizeof(float); ++i) {
      values[i] = static_cast<float>(random.below(1000));
    }
  }
}

bool output_is_right(Arena& arena, std::size_t set)
{
  const auto values = [&](std::size_t argument) {
    return reinterpret_cast<const float*>(arena.tensor(set, argument).data());
  };
  const std::size_t n = arena.tensor(set, k_c).size() / sizeof(float);
  for (std::size_t i = 0; i < n; ++i) {
    if (values(k_c)[i] != 2 * values(k_a)[i] + values(k_b)[i]) {
      return false;
    }
  }
  return true;
}

SessionSpec session_spec(const backend::Module& module, const kernel::ResolvedPlan& plan)
{
  SessionSpec spec;
  spec.backend = &cpu_runner_backend();
  spec.module = &module;
  spec.plan = &plan;
  spec.cpus = {sched_getcpu()};
  spec.layout_seed = 11;
  return spec;
}

} // namespace hone::gate::test
