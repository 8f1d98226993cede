// Candidates in OpenCL C through the real driver, runner and arena.
#include "backend/backend.h"
#include "gate/arena.h"
#include "gate/lane.h"

#include <gmock/gmock.h>

#include <cmath>
#include <sched.h>

namespace hone {
namespace {

const Backend& opencl()
{
  return **find_backend("opencl");
}

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t k_n = 24;

const std::string k_matmul_toml = R"(
[kernel]
name = "matmul"
[compute]
expr = 'C[m,n] = sum(k, A[m,k] * B[k,n])'
[arguments]
A = { type = "f32", shape = ["m", "k"] }
B = { type = "f32", shape = ["k", "n"] }
C = { type = "f32", shape = ["m", "n"], role = "output" }
[sizes]
timed = [ { m = 24, n = 24, k = 24 } ]
)";

const std::string k_softmax_toml = R"(
[kernel]
name = "exponentials"
[compute]
expr = 'Y[i,j] = exp(X[i,j])'
[arguments]
X = { type = "f32", shape = ["m", "n"] }
Y = { type = "f32", shape = ["m", "n"], role = "output" }
[sizes]
timed = [ { m = 24, n = 24 } ]
)";

// One work-group per row of C, which keeps that row of A in local memory.
const std::string k_matmul_plan = R"(
[tuning]
UNROLL = { values = [1, 4], default = 4 }
[[launch]]
kernel = "matmul"
grid = ["m"]
block = ["n"]
shared = "k * 4"
args = ["A", "B", "C", "n", "k"]
)";

const std::string k_matmul_device = R"(
#include "macros.h"
__kernel void matmul(__global const float* A, __global const float* B, __global float* C, long n, long k,
                     __local float* row)
{
  const long i = get_group_id(0);
  const long j = get_local_id(0);
  for (long p = j; p < k; p += get_local_size(0)) {
    row[p] = A[i * k + p];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  STEP(UNROLL)
  for (long p = 0; p < k; ++p) {
    sum += row[p] * B[p * n + j];
  }
  C[i * n + j] = sum;
}
)";

// Two launches that meet in scratch memory; the second adds to what a fill left there.
const std::string k_softmax_plan = R"(
[[scratch]]
name = "sums"
type = "f32"
size = "m"
[[launch]]
kernel = "row_sums"
grid = ["m"]
block = [1]
args = ["X", "sums", "n"]
fill = { buffer = "sums", value = 1 }
[[launch]]
kernel = "divide"
grid = ["m"]
block = ["n"]
args = ["X", "sums", "Y", "n"]
)";

const std::string k_softmax_device = R"(
__kernel void row_sums(__global const float* X, __global float* sums, long n)
{
  const long i = get_global_id(0);
  for (long j = 0; j < n; ++j) {
    sums[i] += exp(X[i * n + j]);
  }
}
__kernel void divide(__global const float* X, __global const float* sums, __global float* Y, long n)
{
  const long at = get_global_id(0);
  Y[at] = exp(X[at]) / (sums[get_group_id(0)] - 1);
}
)";

class OpenclLane : public testing::Test {
protected:
  void SetUp() override
  {
    const auto device = opencl().probe();
    if (!device) {
      GTEST_SKIP() << device.error().text();
    }
    m_facts = device->plan_facts;
  }

  // Makes the candidate and its arena and loads it. How it ended, where it did not load.
  std::optional<LaneEnd> open(const std::string& kernel_toml, const std::string& plan, const std::string& device)
  {
    auto kernel = parse_kernel(kernel_toml, "kernel.toml");
    EXPECT_TRUE(kernel) << kernel.error().text();
    m_kernel = std::move(*kernel);
    auto candidate = make_candidate(m_kernel, {{"launch.toml", plan},
                                               {"device.cl", device},
                                               {"macros.h", "#define PRAGMA(x)\n#define STEP(n) PRAGMA(unroll n)\n"}});
    EXPECT_TRUE(candidate) << candidate.error().text();
    const Sizes& sizes = m_kernel.timed.front();
    const TuningPoint point = candidate->plan.tuning.defaults();
    auto resolved = resolve_plan(m_kernel, *candidate, sizes, point, m_facts);
    EXPECT_TRUE(resolved) << resolved.error().text();
    m_plan = std::move(*resolved);
    auto module = opencl().load({m_kernel, *candidate, point, sizes, m_plan}, {});
    EXPECT_TRUE(module) << module.error().reason;
    m_module = std::move(*module);

    ArenaSpec spec;
    spec.kernel = &m_kernel;
    spec.sizes = sizes;
    spec.sets = 2;
    spec.scratch_bytes = 4096;
    spec.shared_bytes = 4096;
    spec.layout_seed = 9;
    auto arena = Arena::create(spec);
    EXPECT_TRUE(arena) << arena.error().text();
    m_arena.emplace(std::move(*arena));
    return open_lane();
  }

  std::optional<LaneEnd> open_lane()
  {
    LaneSpec spec;
    spec.backend = &opencl();
    spec.module = &m_module;
    spec.plan = &m_plan;
    spec.cpu = sched_getcpu();
    spec.layout_seed = 9;
    auto lane = Lane::open(spec, *m_arena);
    EXPECT_TRUE(lane) << lane.error().text();
    if (!lane || !*lane) {
      return lane ? (*lane).error() : LaneEnd{};
    }
    m_lane.emplace(std::move(**lane));
    return std::nullopt;
  }

  void fill_inputs(std::size_t set)
  {
    Random random(set + 1);
    for (const std::size_t input : m_kernel.inputs()) {
      for (float& value : values(set, input)) {
        value = float(random.uniform() - 0.5);
      }
    }
    m_arena->poison(set, random);
  }

  std::span<float> values(std::size_t set, std::size_t argument)
  {
    const auto bytes = m_arena->tensor(set, argument);
    return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
  }

  PlanScope m_facts;
  Kernel m_kernel;
  ResolvedPlan m_plan;
  Module m_module;
  std::optional<Arena> m_arena;
  std::optional<Lane> m_lane;
};

TEST_F(OpenclLane, ComputesAProductInEverySetOfABlock)
{
  const auto end = open(k_matmul_toml, k_matmul_plan, k_matmul_device);
  ASSERT_FALSE(end) << end->reason << end->log;
  EXPECT_FALSE(m_lane->supports_groups());
  fill_inputs(0);
  fill_inputs(1);
  const std::uint32_t sets[] = {1, 0, 1};
  const auto timing = m_lane->run_block(sets);
  ASSERT_TRUE(timing) << timing.error().reason;
  for (const std::size_t set : {0, 1}) {
    const auto a = values(set, 0), b = values(set, 1), c = values(set, 2);
    for (std::size_t at = 0; at < c.size(); ++at) {
      double expected = 0;
      for (std::size_t p = 0; p < k_n; ++p) {
        expected += double(a[at / k_n * k_n + p]) * double(b[p * k_n + at % k_n]);
      }
      ASSERT_NEAR(c[at], expected, 1e-5) << "set " << set << ", element " << at;
    }
    EXPECT_EQ(m_arena->damaged_guard(set), "");
  }
}

TEST_F(OpenclLane, RunsLaunchesInOrderWithScratchAndFills)
{
  const auto end = open(k_softmax_toml, k_softmax_plan, k_softmax_device);
  ASSERT_FALSE(end) << end->reason << end->log;
  for (int call = 0; call < 2; ++call) {
    fill_inputs(0);
    const std::uint32_t sets[] = {0};
    const auto timing = m_lane->run_block(sets);
    ASSERT_TRUE(timing) << timing.error().reason;
    const auto x = values(0, 0), y = values(0, 1);
    for (std::size_t row = 0; row < k_n; ++row) {
      double sum = 0;
      for (std::size_t j = 0; j < k_n; ++j) {
        sum += std::exp(double(x[row * k_n + j]));
      }
      for (std::size_t j = 0; j < k_n; ++j) {
        ASSERT_NEAR(y[row * k_n + j], std::exp(double(x[row * k_n + j])) / sum, 1e-5) << "row " << row;
      }
    }
  }
}

TEST_F(OpenclLane, ShowsTheCompilersMessagesWithTheCandidatesLines)
{
  const auto end =
    open(k_softmax_toml, k_softmax_plan,
         "__kernel void row_sums(__global const float* X, __global float* sums, long n)\n{\n  oops;\n}\n");
  ASSERT_TRUE(end);
  EXPECT_EQ(name_of(end->status), name_of(Status::compile));
  EXPECT_THAT(opencl().translate_log(end->log + end->reason),
              AllOf(HasSubstr("device.cl:3"), HasSubstr("oops"), Not(HasSubstr("/tmp"))));
}

TEST_F(OpenclLane, NamesAKernelThatIsMissing)
{
  const auto end = open(k_softmax_toml, k_softmax_plan, "__kernel void row_sums(__global float* x) {}\n");
  ASSERT_TRUE(end);
  EXPECT_EQ(name_of(end->status), name_of(Status::compile));
  EXPECT_THAT(end->log + end->reason, HasSubstr("divide"));
}

TEST_F(OpenclLane, SurvivesAKernelThatCrashes)
{
  const auto end = open(k_matmul_toml, k_matmul_plan,
                        "__kernel void matmul(__global const float* A, __global const float* B, __global float* C,\n"
                        "                     long n, long k, __local float* row)\n"
                        "{\n  ((__global float*)16)[get_global_id(0)] = 1;\n}\n");
  ASSERT_TRUE(end);
  EXPECT_EQ(name_of(end->status), name_of(Status::runtime));
  EXPECT_THAT(end->reason + end->log, HasSubstr("SEGV"));
}

} // namespace
} // namespace hone
