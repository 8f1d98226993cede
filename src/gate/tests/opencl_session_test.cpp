// Candidates in OpenCL C through the real driver, runner and arena.
#include "backend/runner_abi.h"
#include "opencl_bench.h"
#include "util/fs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <unistd.h>

namespace hone::gate::test {
namespace {

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

const std::string k_macros = "#define PRAGMA(x)\n#define STEP(n) PRAGMA(unroll n)\n";

using OpenclSession = OpenclBench;

TEST_P(OpenclSession, ComputesAProductInEverySetOfABlock)
{
  const auto end = open(k_matmul_toml, k_matmul_plan, k_matmul_device, k_macros);
  ASSERT_FALSE(end) << end->reason << end->log;
  EXPECT_FALSE(m_session->supports_groups());
  fill_inputs(0);
  fill_inputs(1);
  const std::uint32_t sets[] = {1, 0, 1};
  const auto timing = m_session->run_block(sets);
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

// One process, several jobs; each finds its own code, sizes and buffers, also where they come again.
TEST_P(OpenclSession, TakesOneJobAfterAnother)
{
  for (int round = 0; round < 2; ++round) {
    auto end = open(k_matmul_toml, k_matmul_plan, k_matmul_device, k_macros);
    ASSERT_FALSE(end) << end->reason << end->log;
    ASSERT_TRUE(call());
    const auto a = values(0, 0), b = values(0, 1), c = values(0, 2);
    double expected = 0;
    for (std::size_t p = 0; p < k_n; ++p) {
      expected += double(a[p]) * double(b[p * k_n + 1]);
    }
    EXPECT_NEAR(c[1], expected, 1e-5) << "round " << round;
    end = open(k_softmax_toml, k_softmax_plan, k_softmax_device);
    ASSERT_FALSE(end) << end->reason << end->log;
    ASSERT_TRUE(call());
    const auto x = values(0, 0), y = values(0, 1);
    double sum = 0;
    for (std::size_t j = 0; j < k_n; ++j) {
      sum += std::exp(double(x[j]));
    }
    EXPECT_NEAR(y[0], std::exp(double(x[0])) / sum, 1e-5) << "round " << round;
  }
  EXPECT_EQ(m_session->jobs(), 4);
}

// A device of its own memory has no pages that cannot be reached; what lies around buffers there is looked at.
TEST_P(OpenclSession, NoticesWritesBeyondABuffer)
{
  const auto opened = open(k_matmul_toml, k_matmul_plan,
                           "__kernel void matmul(__global const float* A, __global const float* B, __global float* C,\n"
                           "                     long n, long k, __local float* row)\n"
                           "{\n  C[get_global_size(0)] = 1;\n}\n");
  ASSERT_FALSE(opened) << opened->reason << opened->log;
  const auto timing = call();
  const std::string found = timing ? m_arena->damaged_guard(0) : timing.error().reason;
  EXPECT_THAT(found, HasSubstr("4 bytes past the end of C"));
}

TEST_P(OpenclSession, NoticesWritesToInputs)
{
  const auto opened = open(k_matmul_toml, k_matmul_plan,
                           "__kernel void matmul(__global const float* A, __global const float* B, __global float* C,\n"
                           "                     long n, long k, __local float* row)\n"
                           "{\n  ((__global float*)A)[7] += 1;\n}\n");
  ASSERT_FALSE(opened) << opened->reason << opened->log;
  const auto timing = call();
  ASSERT_FALSE(timing);
  EXPECT_EQ(timing.error().status, record::Status::rejected);
  EXPECT_THAT(timing.error().reason, HasSubstr("to input"));
}

bool others_may_enter(const fs::path& folder)
{
  for (fs::path at = folder; at.has_relative_path(); at = at.parent_path()) {
    if ((fs::status(at).permissions() & fs::perms::others_exec) == fs::perms::none) {
      return false;
    }
  }
  return true;
}

TEST_P(OpenclSession, CompilesWithoutBubblewrap)
{
  if (::geteuid() == 0 && !others_may_enter(libexec_folder())) {
    GTEST_SKIP() << "what root starts runs as another user, who may not enter " << libexec_folder();
  }
  m_layers.bubblewrap = false;
  const auto end = open(k_matmul_toml, k_matmul_plan, k_matmul_device, k_macros);
  ASSERT_FALSE(end) << end->reason << end->log;
  EXPECT_TRUE(call());
}

TEST_P(OpenclSession, RunsLaunchesInOrderWithScratchAndFills)
{
  const auto end = open(k_softmax_toml, k_softmax_plan, k_softmax_device);
  ASSERT_FALSE(end) << end->reason << end->log;
  for (int round = 0; round < 2; ++round) {
    const auto timing = call();
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

TEST_P(OpenclSession, ShowsTheCompilersMessagesWithTheCandidatesLines)
{
  const auto end =
    open(k_softmax_toml, k_softmax_plan,
         "__kernel void row_sums(__global const float* X, __global float* sums, long n)\n{\n  oops;\n}\n");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->status, record::Status::compile);
  EXPECT_THAT(end->log, AllOf(HasSubstr("device.cl:3:3: error"), HasSubstr("oops"), Not(HasSubstr("/tmp"))));
}

TEST_P(OpenclSession, ShowsMistakesInMacrosWhereTheyAre)
{
  const auto end =
    open(k_softmax_toml, k_softmax_plan, k_softmax_device, "#define ONE 1\n\nfloat twice(float x) { return 2 * y; }\n");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->status, record::Status::compile);
  EXPECT_THAT(end->log, AllOf(HasSubstr("macros.h:3:35: error"), Not(HasSubstr("device.cl:")), Not(HasSubstr("/tmp"))));
}

TEST_P(OpenclSession, NamesAKernelThatIsMissing)
{
  const auto end = open(k_softmax_toml, k_softmax_plan,
                        "__kernel void row_sums(__global const float* X, __global float* sums, long n) {}\n");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->status, record::Status::compile);
  EXPECT_THAT(end->log, AllOf(HasSubstr("device.cl: error"), HasSubstr("divide")));
}

TEST_P(OpenclSession, NamesAnArgumentThatDoesNotFit)
{
  const auto end = open(k_matmul_toml, k_matmul_plan,
                        "__kernel void matmul(__global const float* A, __global const float* B, __global float* C,\n"
                        "                     int n, long k, __local float* row) {}\n");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->status, record::Status::compile);
  EXPECT_THAT(end->log, AllOf(HasSubstr("launch.toml: error: argument 4 of kernel matmul"), HasSubstr("long")));
}

TEST_P(OpenclSession, NamesLocalMemoryThatTheKernelDoesNotTake)
{
  const auto end = open(k_matmul_toml, k_matmul_plan,
                        "__kernel void matmul(__global const float* A, __global const float* B, __global float* C,\n"
                        "                     long n, long k) {}\n");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->status, record::Status::compile);
  EXPECT_THAT(end->log, AllOf(HasSubstr("launch.toml: error: `shared`"), HasSubstr("__local")));
}

TEST_P(OpenclSession, SurvivesAKernelThatCrashes)
{
  const auto opened = open(k_matmul_toml, k_matmul_plan,
                           "__kernel void matmul(__global const float* A, __global const float* B, __global float* C,\n"
                           "                     long n, long k, __local float* row)\n"
                           "{\n  ((__global float*)16)[get_global_id(0)] = 1;\n}\n");
  ASSERT_FALSE(opened) << opened->reason << opened->log;
  const auto end = call();
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().status, record::Status::runtime);
  EXPECT_THAT(end.error().reason, HasSubstr("SIGSEGV writing to"));
}

// Nothing of the candidate runs while it is compiled and loaded; afterwards the deadline of a call holds.
TEST_P(OpenclSession, EndsAKernelThatNeverReturns)
{
  m_deadline = std::chrono::milliseconds(300);
  const auto opened = open(k_matmul_toml, k_matmul_plan,
                           "__kernel void matmul(__global const float* A, __global const float* B, __global float* C,\n"
                           "                     long n, long k, __local float* row)\n"
                           "{\n  for (volatile long i = 0;; ++i) {\n  }\n}\n");
  ASSERT_FALSE(opened) << opened->reason << opened->log;
  const auto end = call();
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().status, record::Status::timeout);
  EXPECT_THAT(end.error().reason, HasSubstr("0.3 s"));
}

// Each call takes a while, and there are thousands of them.
TEST_P(OpenclSession, EndsABlockBetweenCallsWhenItIsStopped)
{
  const auto opened = open(k_matmul_toml, k_matmul_plan,
                           "__kernel void matmul(__global const float* A, __global const float* B, __global float* C,\n"
                           "                     long n, long k, __local float* row)\n"
                           "{\n  for (volatile long i = 0; i < 10000; ++i) {\n  }\n}\n");
  ASSERT_FALSE(opened) << opened->reason << opened->log;
  m_stop.request_stop();
  const std::vector<std::uint32_t> sets(backend::runner::k_most_block_calls, 0);
  const auto timing = m_session->run_block(sets);
  ASSERT_TRUE(timing) << timing.error().reason;
  EXPECT_TRUE(timing->cancelled);
}

// The driver has code of its own for grids from 65535 work-items on. Were it not made in advance, the locked runner
// would have to start a linker.
TEST_P(OpenclSession, HasTheCodeForGridsOfAllWidths)
{
  struct Case {
    std::int64_t n, block;
  };
  for (const auto& [n, block] : {Case{65'534, 1}, {65'535, 1}, {65'536, 1}, {65'535, 64}, {1 << 20, 64}}) {
    const std::string kernel = fmt::format(R"toml([kernel]
name = "twice"
[compute]
expr = 'Y[i] = 2 * X[i]'
[arguments]
X = {{ type = "f32", shape = ["n"] }}
Y = {{ type = "f32", shape = ["n"], role = "output" }}
[sizes]
timed = [ {{ n = {} }} ]
)toml",
                                           n);
    const std::string plan = fmt::format(R"toml([[launch]]
kernel = "twice"
grid = ["ceil_div(n, {0})"]
block = [{0}]
args = ["X", "Y", "n"]
)toml",
                                         block);
    const auto opened = open(kernel, plan, R"cl(__kernel void twice(__global const float* X, __global float* Y, long n)
{
  const long i = get_global_id(0);
  if (i < n) {
    Y[i] = 2 * X[i];
  }
}
)cl");
    ASSERT_FALSE(opened) << opened->reason << opened->log;
    const auto timing = call();
    ASSERT_TRUE(timing) << timing.error().reason << ", n = " << n << ", block " << block;
    EXPECT_EQ(values(0, 1)[std::size_t(n) - 1], 2 * values(0, 0)[std::size_t(n) - 1]);
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, OpenclSession, testing::Values("shared", "copy"), as_it_is);

} // namespace
} // namespace hone::gate::test
