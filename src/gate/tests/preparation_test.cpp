// Weights that a candidate lays out ahead of the calls: honest preparations pass and are timed apart, whatever else
// they or the calls try ends with a word.
#include "gate/arena_layout.h"
#include "gate/gate.h"
#include "gate/harness.h"
#include "util/fs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

namespace hone::gate::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* k_kernel = R"toml(
[kernel]
name = "layer"

[compute]
expr = "Y[i,j] = sum(k, X[i,k] * W[j,k])"

[arguments]
X = { type = "f32", shape = ["m", "k"] }
W = { type = "f32", shape = ["n", "k"], role = "weight" }
Y = { type = "f32", shape = ["m", "n"] }

[sizes]
timed = [ { m = 24, n = 40, k = 32 } ]
also  = "any"
)toml";

constexpr const char* k_preparing_plan = R"toml(
[[scratch]]
name = "T"
size = "n * k"
prepared = true

[[prepare]]
kernel = "transpose"
grid = ["k"]
args = ["W", "T", "n", "k"]

[[launch]]
kernel = "product"
grid = ["m"]
args = ["X", "T", "Y", "n", "k"]
)toml";

// T is W transposed. The statements run at the start of each group.
std::string device_text(const std::string& in_transpose = "", const std::string& in_product = "",
                        const std::string& columns = "n")
{
  return fmt::format(R"cpp(
#include "hone.h"
extern "C" void transpose(const hone_group* group, const float* W, float* T, int64_t n, int64_t k)
{{
  const int64_t p = group->id[0];
  {}
  for (int64_t j = 0; j < {}; ++j) {{
    T[p * n + j] = W[j * k + p];
  }}
}}
extern "C" void product(const hone_group* group, const float* X, const float* T, float* Y, int64_t n, int64_t k)
{{
  const int64_t i = group->id[0];
  {}
  for (int64_t j = 0; j < n; ++j) {{
    float sum = 0;
    for (int64_t p = 0; p < k; ++p) {{
      sum += X[i * k + p] * T[p * n + j];
    }}
    Y[i * n + j] = sum;
  }}
}}
)cpp",
                     in_transpose, columns, in_product);
}

class PreparedWeights : public testing::Test {
protected:
  void SetUp() override
  {
    auto kernel = kernel::parse_kernel(k_kernel, "layer");
    ASSERT_TRUE(kernel) << kernel.error().text();
    m_kernel = std::make_shared<const kernel::Kernel>(std::move(*kernel));
    m_recipe.sizes = m_kernel->timed.front();
    m_recipe.pairs = 2;
    m_recipe.seconds_per_pair = 0.005;
  }

  Gate gate_of(const std::string& backend = "cpu")
  {
    GateOptions options;
    options.cache = HONE_BINARY_ROOT "/test-references";
    options.seed = 11;
    auto gate = Gate::open(m_kernel, **backend::find_backend(backend), options);
    EXPECT_TRUE(gate) << gate.error().text();
    return std::move(*gate);
  }

  record::Contender contender_of(const std::string& device, const std::string& file = "device.cpp",
                                 const std::string& plan = k_preparing_plan)
  {
    auto candidate = kernel::make_candidate(*m_kernel, {{file, device}, {"launch.toml", plan}});
    EXPECT_TRUE(candidate) << candidate.error().text();
    return {std::move(*candidate), {}, {}, {}};
  }

  record::Verdict validated(const std::string& device, record::Depth depth = record::Depth::screen)
  {
    auto verdict = gate_of().validate(contender_of(device), m_recipe, depth);
    EXPECT_TRUE(verdict) << verdict.error().text();
    return *verdict;
  }

  std::shared_ptr<const kernel::Kernel> m_kernel;
  record::Recipe m_recipe;
};

TEST_F(PreparedWeights, PassInFull)
{
  const record::Verdict verdict = validated(device_text(), record::Depth::promote);
  EXPECT_EQ(verdict.status, record::Status::correct) << verdict.reason << verdict.log;
  EXPECT_THAT(verdict.checks, testing::Contains(testing::Field(&record::CheckResult::name, "prepared weights")));
}

TEST_F(PreparedWeights, AreTimedApartInBothRegimes)
{
  const auto verdict = gate_of().measure(contender_of(device_text()), m_recipe, record::Depth::screen, true);
  ASSERT_TRUE(verdict) << verdict.error().text();
  ASSERT_EQ(verdict->status, record::Status::correct) << verdict->reason;
  ASSERT_EQ(verdict->comparisons.size(), 2U);
  for (const record::ComparisonResult& comparison : verdict->comparisons) {
    ASSERT_TRUE(comparison.candidate_preparation);
    EXPECT_GT(comparison.candidate_preparation->median, 0);
    ASSERT_TRUE(comparison.incumbent_preparation); // measured against itself
  }
  const auto again = record::verdict_from_json(record::to_json(*verdict));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->preparation()->median, verdict->preparation()->median);
}

TEST_F(PreparedWeights, CannotBeWrittenByTheCalls)
{
  const record::Verdict verdict = validated(device_text("", "const_cast<float*>(T)[0] = 1;"));
  EXPECT_EQ(verdict.status, record::Status::rejected) << verdict.reason;
  EXPECT_THAT(verdict.reason, AllOf(HasSubstr("to input"), HasSubstr("prepared scratch")));
}

TEST_F(PreparedWeights, MustBeWrittenInBounds)
{
  const record::Verdict verdict = validated(device_text("T[n * k] = 1;"));
  EXPECT_EQ(verdict.status, record::Status::rejected) << verdict.reason;
  EXPECT_THAT(verdict.reason, AllOf(HasSubstr("while preparing weights"), HasSubstr("past the end of prepared")));
}

TEST_F(PreparedWeights, MustBeWrittenWhole)
{
  const record::Verdict verdict = validated(device_text("", "", "(n > 1 ? n - 1 : n)"));
  EXPECT_EQ(verdict.status, record::Status::correctness) << verdict.reason;
}

TEST_F(PreparedWeights, MustNotRace)
{
  const record::Verdict verdict = validated(device_text("T[0] = W[0] + static_cast<float>(p);"));
  EXPECT_EQ(verdict.status, record::Status::correctness) << verdict.reason;
}

TEST_F(PreparedWeights, AreNotFoundByNamesTheyDoNotHave)
{
  const auto error_with = [&](const std::string& from, const std::string& to) {
    std::string changed = k_preparing_plan;
    changed.replace(changed.find(from), from.size(), to);
    const auto candidate = kernel::make_candidate(*m_kernel, {{"device.cpp", device_text()}, {"launch.toml", changed}});
    EXPECT_FALSE(candidate) << to;
    return candidate ? std::string() : candidate.error().text();
  };
  EXPECT_THAT(error_with("[\"W\", \"T\"", "[\"X\", \"T\""), HasSubstr("all that [[prepare]] sees"));
  EXPECT_THAT(error_with("prepared = true", "prepared = false"), HasSubstr("[[prepare]] has nothing to write"));
  EXPECT_THAT(error_with("grid = [\"m\"]", "grid = [\"m\"]\nfill = { buffer = \"T\" }"),
              HasSubstr("that can be filled"));
  EXPECT_THAT(error_with("grid = [\"k\"]", "grid = [\"k\"]\nshared = 64"), HasSubstr("no group-local scratch"));
  EXPECT_THAT(error_with("prepared = true", "prepared = \"yes\""), HasSubstr("true or false"));
}

// Even who knows where the other tensors lie finds nothing there.
TEST_F(PreparedWeights, SeeNothingButWeights)
{
  const backend::Backend& backend = **backend::find_backend("cpu");
  ArenaSpec layout;
  layout.kernel = m_kernel.get();
  layout.sizes = m_recipe.sizes;
  layout.prepared_bytes = 4 * 40 * 32;
  layout.layout_seed = 5;
  const auto places = lay_out(layout);
  ASSERT_TRUE(places);
  for (const std::size_t argument : {std::size_t{0}, std::size_t{2}}) { // X and Y
    const std::uint64_t address = places->placements[places->arguments[argument]].address;
    const std::string peek = fmt::format("T[p * n] = *reinterpret_cast<const float*>({:#x}ull);", address);
    const record::Contender contender = contender_of(device_text(peek));
    BuildCache builds(*m_kernel, backend, "test", {}, 0);
    const auto ready = prepare_candidate(*m_kernel, builds, backend.probe()->plan_facts, contender, m_recipe.sizes);
    ASSERT_TRUE(ready && *ready);
    HarnessSpec spec;
    spec.kernel = m_kernel.get();
    spec.backend = &backend;
    spec.prepared = (*ready)->get();
    spec.layout_seed = layout.layout_seed;
    auto harness = Harness::open(spec);
    ASSERT_TRUE(harness && *harness);
    ASSERT_EQ((*harness)->arena().impl().argument(0, argument).address, address);
    ASSERT_TRUE((*harness)->set_up({inputs::ValueFamily::normal, 1}, 2));
    const auto called = (*harness)->call();
    ASSERT_FALSE(called);
    EXPECT_EQ(called.error().status, record::Status::runtime);
    EXPECT_THAT(called.error().reason, AllOf(HasSubstr("while preparing weights"), HasSubstr("reading element 0 of")));
  }
}

// Calls get them through a read-only descriptor, and a new arena in the same memory holds noise.
TEST_F(PreparedWeights, LieInMemoryThatCallsCannotWrite)
{
  ArenaSpec spec;
  spec.kernel = m_kernel.get();
  spec.sizes = m_recipe.sizes;
  spec.prepared_bytes = 4096;
  auto arena = Arena::create(spec);
  ASSERT_TRUE(arena);
  EXPECT_GE(arena->impl().file_of(Area::prepared).read_only_fd(), 0);
  std::ranges::fill(arena->prepared(0), std::byte{0x5a});
  auto next = Arena::create(spec, std::move(*arena));
  ASSERT_TRUE(next);
  const auto bytes = next->prepared(0);
  EXPECT_LT(std::ranges::count(bytes, std::byte{0x5a}), static_cast<long>(bytes.size() / 8));
}

TEST_F(PreparedWeights, PassOnOpencl)
{
  if (const auto device = (*backend::find_backend("opencl"))->probe(); !device) {
    GTEST_SKIP() << device.error().text();
  }
  const record::Contender contender = contender_of(R"cl(
__kernel void transpose(__global const float* W, __global float* T, long n, long k)
{
  const long p = get_group_id(0);
  for (long j = 0; j < n; ++j) {
    T[p * n + j] = W[j * k + p];
  }
}
__kernel void product(__global const float* X, __global const float* T, __global float* Y, long n, long k)
{
  const long i = get_group_id(0);
  for (long j = 0; j < n; ++j) {
    float sum = 0;
    for (long p = 0; p < k; ++p) {
      sum += X[i * k + p] * T[p * n + j];
    }
    Y[i * n + j] = sum;
  }
}
)cl",
                                                   "device.cl");
  const auto verdict = gate_of("opencl").measure(contender, m_recipe, record::Depth::promote, false);
  ASSERT_TRUE(verdict) << verdict.error().text();
  EXPECT_EQ(verdict->status, record::Status::correct) << verdict->reason << verdict->log;
  EXPECT_TRUE(verdict->preparation());
}

} // namespace
} // namespace hone::gate::test
