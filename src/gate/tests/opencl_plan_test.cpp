// Everything that a launch plan can say, on the OpenCL device.
#include "opencl_bench.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace hone::gate::test {
namespace {

class OpenclPlan : public OpenclBench {
protected:
  std::string product_kernel(std::int64_t m, std::int64_t n, std::int64_t k) const
  {
    return fmt::format(R"toml(
[kernel]
name = "matmul"
[compute]
expr = 'C[m,n] = sum(k, A[m,k] * B[k,n])'
[arguments]
A = {{ type = "f32", shape = ["m", "k"] }}
B = {{ type = "f32", shape = ["k", "n"] }}
C = {{ type = "f32", shape = ["m", "n"], role = "output" }}
[sizes]
timed = [ {{ m = {}, n = {}, k = {} }} ]
)toml",
                       m, n, k);
  }

  // Of k_sums_kernel.
  void expect_row_sums()
  {
    const auto timing = call();
    ASSERT_TRUE(timing) << timing.error().reason;
    for (std::size_t i = 0; i < 3; ++i) {
      double expected = 0;
      for (std::size_t j = 0; j < 1000; ++j) {
        expected += double(values(0, 0)[i * 1000 + j]);
      }
      EXPECT_NEAR(values(0, 1)[i], expected, 1e-4) << "row " << i;
    }
  }

  void expect_product(std::size_t m, std::size_t n, std::size_t k)
  {
    const auto timing = call();
    ASSERT_TRUE(timing) << timing.error().reason;
    const auto a = values(0, 0), b = values(0, 1), c = values(0, 2);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double expected = 0;
        for (std::size_t p = 0; p < k; ++p) {
          expected += double(a[i * k + p]) * double(b[p * n + j]);
        }
        ASSERT_NEAR(c[i * n + j], expected, 1e-5) << "element " << i << ", " << j;
      }
    }
    EXPECT_EQ(m_arena->damaged_guard(0), "");
  }

  static std::string why(const std::optional<SessionEnd>& end) { return end ? end->reason + "\n" + end->log : ""; }
};

// Tiles of A and B in one piece of local memory; each work-item computes four neighbours with a vector type. The plan
// has a faster kernel for rows that are whole vectors, and another one for the rest.
const std::string k_tiled_plan = R"toml(
[tuning]
TILE = { values = [8, 16], default = 16 }
constraints = ["shared <= device.shared_per_block", "TILE * TILE / 4 <= device.max_block"]
[[launch]]
kernel = "tiled"
when   = "n % 4 == 0"
grid   = ["ceil_div(n, TILE)", "ceil_div(m, TILE)"]
block  = ["TILE / 4", "TILE"]
shared = "2 * TILE * TILE * 4"
args   = ["A", "B", "C", "m", "n", "k"]
[[launch]]
kernel = "plain"
when   = "n % 4 != 0"
grid   = ["n", "m"]
args   = ["A", "B", "C", "n", "k"]
)toml";

const std::string k_tiled_device = R"cl(
#include "macros.h"
__kernel void tiled(__global const float* A, __global const float* B, __global float* C, long m, long n, long k,
                    __local float* tiles)
{
  __local float* a = tiles;
  __local float4* b = (__local float4*)(tiles + TILE * TILE);
  const long x = get_local_id(0);
  const long y = get_local_id(1);
  const long column = get_group_id(0) * TILE + 4 * x;
  const long row = get_group_id(1) * TILE + y;
  float4 sum = 0.0f;
  for (long first = 0; first < k; first += TILE) {
    for (long p = 4 * x; p < 4 * x + 4; ++p) {
      a[y * TILE + p] = row < m && first + p < k ? A[row * k + first + p] : 0.0f;
    }
    b[y * (TILE / 4) + x] = column < n && first + y < k ? vload4(0, B + (first + y) * n + column) : ZERO;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (long p = 0; p < TILE; ++p) {
      sum += a[y * TILE + p] * b[p * (TILE / 4) + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < m && column < n) {
    vstore4(sum, 0, C + row * n + column);
  }
}
__kernel void plain(__global const float* A, __global const float* B, __global float* C, long n, long k)
{
  const long i = get_global_id(1);
  const long j = get_global_id(0);
  float sum = 0;
  for (long p = 0; p < k; ++p) {
    sum += A[i * k + p] * B[p * n + j];
  }
  C[i * n + j] = sum;
}
)cl";

const std::string k_tiled_macros = "#define ZERO (float4)(0.0f)\n";

TEST_P(OpenclPlan, TilesAProductInLocalMemoryWithVectors)
{
  const auto end = open(product_kernel(35, 44, 29), k_tiled_plan, k_tiled_device, k_tiled_macros);
  ASSERT_FALSE(end) << why(end);
  ASSERT_EQ(m_plan.launches.front().kernel, "tiled");
  EXPECT_EQ(m_plan.launches.front().shared_bytes, 2048);
  expect_product(35, 44, 29);
}

TEST_P(OpenclPlan, LaunchesWhatItsConditionAllows)
{
  const auto end = open(product_kernel(5, 43, 29), k_tiled_plan, k_tiled_device, k_tiled_macros);
  ASSERT_FALSE(end) << why(end);
  ASSERT_EQ(m_plan.launches.size(), 1U);
  EXPECT_EQ(m_plan.launches.front().kernel, "plain");
  expect_product(5, 43, 29);
}

// Each repeat adds its slice of k to C, which the fill has set to zero.
TEST_P(OpenclPlan, AddsSlicesToAFilledOutput)
{
  const auto end = open(product_kernel(6, 7, 50),
                        R"toml(
[tuning]
SLICE = { values = [16], default = 16 }
[[launch]]
kernel = "add_slice"
grid   = ["n", "m"]
repeat = "ceil_div(k, SLICE)"
fill   = { buffer = "C", value = 0 }
args   = ["A", "B", "C", "n", "k", "repeat_index"]
)toml",
                        R"cl(
__kernel void add_slice(__global const float* A, __global const float* B, __global float* C, long n, long k, long slice)
{
  const long i = get_global_id(1);
  const long j = get_global_id(0);
  for (long p = slice * SLICE; p < min(k, (slice + 1) * (long)SLICE); ++p) {
    C[i * n + j] += A[i * k + p] * B[p * n + j];
  }
}
)cl");
  ASSERT_FALSE(end) << why(end);
  EXPECT_EQ(m_plan.launches.size(), 4U);
  expect_product(6, 7, 50);
}

// The third axis of the grid splits k; a second launch adds the parts up.
TEST_P(OpenclPlan, SplitsASumOverTheThirdAxisOfTheGrid)
{
  const auto end = open(product_kernel(6, 40, 50),
                        R"toml(
[tuning]
SPLITS = { values = [4], default = 4 }
[[scratch]]
name = "partial"
type = "f32"
size = "SPLITS * m * n"
[[launch]]
kernel = "parts"
grid   = ["ceil_div(n, 8)", "ceil_div(m, 4)", "SPLITS"]
block  = [8, 4, 1]
args   = ["A", "B", "partial", "m", "n", "k"]
[[launch]]
kernel = "together"
grid   = ["m"]
block  = ["min(n, device.max_block)"]
args   = ["partial", "C", "m", "n"]
)toml",
                        R"cl(
__kernel void parts(__global const float* A, __global const float* B, __global float* partial, long m, long n, long k)
{
  const long j = get_global_id(0);
  const long i = get_global_id(1);
  const long z = get_group_id(2);
  float sum = 0;
  for (long p = z; p < k; p += get_num_groups(2)) {
    sum += i < m && j < n ? A[i * k + p] * B[p * n + j] : 0.0f;
  }
  if (i < m && j < n) {
    partial[(z * m + i) * n + j] = sum;
  }
}
__kernel void together(__global const float* partial, __global float* C, long m, long n)
{
  const long i = get_group_id(0);
  for (long j = get_local_id(0); j < n; j += get_local_size(0)) {
    float sum = 0;
    for (long z = 0; z < SPLITS; ++z) {
      sum += partial[(z * m + i) * n + j];
    }
    C[i * n + j] = sum;
  }
}
)cl");
  ASSERT_FALSE(end) << why(end);
  EXPECT_EQ(m_plan.launches.front().grid, (std::array<std::int64_t, 3>{5, 2, 4}));
  expect_product(6, 40, 50);
}

const std::string k_sums_kernel = R"toml(
[kernel]
name = "sums"
[compute]
expr = 'S[i] = sum(j, X[i,j])'
[arguments]
X = { type = "f32", shape = ["m", "n"] }
S = { type = "f32", shape = ["m"], role = "output" }
[sizes]
timed = [ { m = 3, n = 1000 } ]
)toml";

// Each repeat halves the rows from one scratch buffer into the other, which take turns by the parity of repeat_index.
TEST_P(OpenclPlan, ReducesInATreeBetweenTwoBuffers)
{
  const auto end = open(k_sums_kernel,
                        R"toml(
[[scratch]]
name = "even"
type = "f32"
size = "m * ceil_div(n, 2)"
[[scratch]]
name = "odd"
type = "f32"
size = "m * ceil_div(n, 2)"
[[launch]]
kernel = "halve"
grid   = ["ceil_div(n, 128)", "m"]
block  = [64]
repeat = "ceil_log2(n)"
args   = ["X", "even", "odd", "n", "repeat_index"]
[[launch]]
kernel = "take"
grid   = ["m"]
args   = ["even", "odd", "S", "n"]
)toml",
                        R"cl(
__kernel void halve(__global const float* X, __global float* even, __global float* odd, long n, long step)
{
  const long half_row = (n + 1) / 2;
  const long length = (n + (1L << step) - 1) >> step; // of the rows that this step reads
  const long i = get_global_id(1);
  const long j = get_global_id(0);
  __global const float* from = step == 0 ? X + i * n : (step % 2 == 0 ? odd : even) + i * half_row;
  __global float* to = (step % 2 == 0 ? even : odd) + i * half_row;
  if (2 * j < length) {
    to[j] = from[2 * j] + (2 * j + 1 < length ? from[2 * j + 1] : 0.0f);
  }
}
__kernel void take(__global const float* even, __global const float* odd, __global float* S, long n)
{
  long steps = 0;
  while ((1L << steps) < n) {
    ++steps;
  }
  const long i = get_global_id(0);
  S[i] = (steps % 2 == 0 ? odd : even)[i * ((n + 1) / 2)];
}
)cl");
  ASSERT_FALSE(end) << why(end);
  EXPECT_EQ(m_plan.launches.size(), 11U);
  expect_row_sums();
}

// A persistent grid that fills the device, and local memory as large as it is allowed to be.
TEST_P(OpenclPlan, KnowsTheDevice)
{
  for (const char* fact : {"device.units", "device.shared_per_block", "device.max_block", "device.vector_bytes"}) {
    EXPECT_GE(m_facts.at(fact), 1) << fact;
  }
  for (const char* cache : {"device.l1", "device.l2", "device.l3"}) { // 0 where the machine does not tell
    EXPECT_GE(m_facts.at(cache), 0) << cache;
  }
  const auto end = open(k_sums_kernel,
                        R"toml(
[tuning]
constraints = ["device.vector_bytes % 4 == 0", "device.l1 >= 0"]
[[launch]]
kernel = "sums"
grid   = ["device.units"]
block  = ["min(device.max_block, 64)"]
shared = "device.shared_per_block"
args   = ["X", "S", "m", "n"]
)toml",
                        R"cl(
__kernel void sums(__global const float* X, __global float* S, long m, long n, __local float* parts)
{
  const long x = get_local_id(0);
  for (long i = get_group_id(0); i < m; i += get_num_groups(0)) {
    float part = 0;
    for (long j = x; j < n; j += get_local_size(0)) {
      part += X[i * n + j];
    }
    parts[x] = part;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x == 0) {
      float sum = 0;
      for (long p = 0; p < get_local_size(0); ++p) {
        sum += parts[p];
      }
      S[i] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
)cl");
  ASSERT_FALSE(end) << why(end);
  expect_row_sums();
}

// A plan refuses what is beyond the device's own limit; a kernel may have a lower one.
TEST_P(OpenclPlan, SaysThatAWorkGroupIsTooLarge)
{
  const std::int64_t most = m_facts.at("device.max_block");
  m_facts.erase("device.max_block");
  const auto end = open(k_sums_kernel,
                        fmt::format(R"toml(
[[launch]]
kernel = "sums"
grid   = ["m"]
block  = [{}]
args   = ["X", "S", "n"]
)toml",
                                    2 * most),
                        "__kernel void sums(__global const float* X, __global float* S, long n) {}\n");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->status, record::Status::compile);
  EXPECT_THAT(end->log, testing::HasSubstr("work-group is larger than the device allows"));
}

INSTANTIATE_TEST_SUITE_P(Memory, OpenclPlan, testing::Values("shared", "copy"), as_it_is);

} // namespace
} // namespace hone::gate::test
