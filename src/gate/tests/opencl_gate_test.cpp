// Candidates in OpenCL C through the whole gate, in full depth: what only a tool that watches memory sees.
#include "backend/inspector.h"
#include "gate/gate.h"
#include "matmul_kit.h"
#include "opencl_bench.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace hone::gate::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// One group per row of C, which keeps that row of A in local memory.
constexpr const char* k_plan = R"toml([[launch]]
kernel = "matmul"
grid   = ["m"]
block  = [8]
shared = "4 * k"
args   = ["A", "B", "C", "m", "n", "k"]
)toml";

class OpenclGate : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override
  {
    const backend::Backend& backend = **backend::find_backend("opencl");
    if (const auto device = backend.probe(); !device) {
      GTEST_SKIP() << device.error().text();
    }
  }

  OpenclMemory m_memory{GetParam()};

  // The kernel's body; `row` is its local memory. On the timed sizes alone, where nothing else is said: that is quick.
  record::Verdict validate(const std::string& body,
                           const std::shared_ptr<const kernel::Kernel>& kernel = matmul_kernel("timed"),
                           const std::string& plan = k_plan, record::Depth depth = record::Depth::promote)
  {
    const std::string device = "#include \"macros.h\"\n"
                               "__kernel void matmul(__global const float* A, __global const float* B, "
                               "__global float* C, long m, long n, long k, __local float* row)\n{\n"
                               + body + "\n}\n";
    auto candidate = kernel::make_candidate(*kernel, {{"device.cl", device}, {"launch.toml", plan}});
    EXPECT_TRUE(candidate) << candidate.error().text();
    GateOptions options;
    options.cache = HONE_BINARY_ROOT "/test-references";
    auto gate = Gate::open(kernel, **backend::find_backend("opencl"), options);
    EXPECT_TRUE(gate) << gate.error().text();
    record::Recipe recipe;
    recipe.sizes = kernel->timed.front();
    auto verdict = gate->validate({std::move(*candidate), {}, {}, {}}, recipe, depth);
    EXPECT_TRUE(verdict) << verdict.error().text();
    return *verdict;
  }

  static std::string detail_of(const record::Verdict& verdict, const std::string& check)
  {
    const auto found = std::ranges::find(verdict.checks, check, &record::CheckResult::name);
    return found == verdict.checks.end() ? "not there" : found->detail;
  }
};

class OpenclInspection : public OpenclGate {
protected:
  void SetUp() override
  {
    OpenclGate::SetUp();
    const std::string missing = (*backend::find_backend("opencl"))->inspector()->missing();
    if (!IsSkipped() && !missing.empty()) {
      GTEST_SKIP() << missing;
    }
  }
};

constexpr const char* k_multiply = R"(
  for (long j = get_local_id(0); j < n; j += get_local_size(0)) {
    float sum = 0;
    for (long p = 0; p < k; ++p) {
      sum += row[p] * B[p * n + j];
    }
    C[get_group_id(0) * n + j] = sum;
  })";

constexpr const char* k_load_by_one = R"(
  if (get_local_id(0) == 0) {
    for (long p = 0; p < k; ++p) {
      row[p] = A[get_group_id(0) * k + p];
    }
  })";

// The driver has code of its own for every work-group size: sizes that lead to another one get another build.
TEST_P(OpenclGate, BuildsForTheBlockOfEachSize)
{
  const record::Verdict verdict = validate(
    std::string(k_load_by_one) + "\n  barrier(CLK_LOCAL_MEM_FENCE);" + k_multiply, matmul_kernel(), R"toml([[launch]]
kernel = "matmul"
grid   = ["m"]
block  = ["min(n, 64)"]
shared = "4 * k"
args   = ["A", "B", "C", "m", "n", "k"]
)toml",
    record::Depth::screen);
  EXPECT_EQ(verdict.status, record::Status::correct) << verdict.reason << verdict.log;
}

TEST_P(OpenclGate, SaysWhetherMemoryAccessesWereWatched)
{
  const record::Verdict verdict =
    validate(std::string(k_load_by_one) + "\n  barrier(CLK_LOCAL_MEM_FENCE);" + k_multiply);
  EXPECT_EQ(verdict.status, record::Status::correct) << verdict.reason << verdict.log;
  const bool missing = !(*backend::find_backend("opencl"))->inspector()->missing().empty();
  EXPECT_THAT(detail_of(verdict, "memory accesses (oclgrind)"),
              missing ? HasSubstr("skipped: oclgrind is not installed") : HasSubstr("no race"));
}

TEST_P(OpenclInspection, LeavesLargeSizesOut)
{
  auto large = std::make_shared<kernel::Kernel>(*matmul_kernel("timed"));
  large->timed = {{{"m", 128}, {"n", 128}, {"k", 128}}};
  const record::Verdict verdict =
    validate(std::string(k_load_by_one) + "\n  barrier(CLK_LOCAL_MEM_FENCE);" + k_multiply, large);
  EXPECT_EQ(verdict.status, record::Status::correct) << verdict.reason;
  EXPECT_THAT(detail_of(verdict, "memory accesses (oclgrind)"), HasSubstr("would take too long"));
}

// The driver runs the work-items of a group one after the other, so that the result is right here.
TEST_P(OpenclInspection, FindsARaceInLocalMemory)
{
  const record::Verdict verdict = validate(std::string(k_load_by_one) + k_multiply);
  EXPECT_EQ(verdict.status, record::Status::correctness) << verdict.reason;
  EXPECT_THAT(verdict.reason, AllOf(HasSubstr("race: device.cl:"), HasSubstr("local memory")));
}

// Before a tensor lies readable memory, whose contents do not matter to the result.
TEST_P(OpenclInspection, FindsAReadOutOfBounds)
{
  const record::Verdict verdict = validate(R"(
  const long i = get_group_id(0);
  for (long j = get_local_id(0); j < n; j += get_local_size(0)) {
    float sum = 0;
    float next = A[i * k + k - 1];
    for (long p = k - 1; p >= 0; --p) {
      sum += next * B[p * n + j];
      next = A[i * k + p - 1];
    }
    C[i * n + j] = sum;
  })");
  EXPECT_EQ(verdict.status, record::Status::correctness) << verdict.reason;
  EXPECT_THAT(verdict.reason, AllOf(HasSubstr("reads out of bounds: device.cl:11:"), HasSubstr("global memory")));
}

TEST_P(OpenclInspection, FindsAWriteOutOfBoundsOfLocalMemory)
{
  const record::Verdict verdict =
    validate(std::string(k_load_by_one) + "\n  row[k] = 1;\n  barrier(CLK_LOCAL_MEM_FENCE);" + k_multiply);
  EXPECT_EQ(verdict.status, record::Status::rejected) << verdict.reason;
  EXPECT_THAT(verdict.reason, AllOf(HasSubstr("writes out of bounds: device.cl:"), HasSubstr("local memory")));
}

INSTANTIATE_TEST_SUITE_P(Memory, OpenclGate, testing::Values("shared", "copy"), as_it_is);
INSTANTIATE_TEST_SUITE_P(Memory, OpenclInspection, testing::Values("shared", "copy"), as_it_is);

} // namespace
} // namespace hone::gate::test
