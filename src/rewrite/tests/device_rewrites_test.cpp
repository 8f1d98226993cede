// Steps for devices with work-items: what they need, what they refuse, and what the text looks like in two languages.
// That results are right is shown by device_sequences, which needs the devices.
#include "rewrite/builtin/device/device_rewrites.h"
#include "shipped_kernels.h"

#include <gmock/gmock.h>

namespace hone::rewrite {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* k_bytes_transposed = R"toml([kernel]
name = "bytes"
[compute]
expr = "C[m,n] = sum(k, A[m,k] * B[n,k])"
[arguments]
A = { type = "i8", shape = ["m", "k"] }
B = { type = "i8", shape = ["n", "k"] }
C = { type = "i32", shape = ["m", "n"], role = "output" }
[sizes]
timed = [ { m = 512, n = 512, k = 512 } ]
also = "any"
)toml";

constexpr const char* k_updated = R"toml([kernel]
name = "updated"
[compute]
expr = "C[m,n] = C[m,n] + sum(k, A[m,k] * B[k,n])"
[arguments]
A = { type = "f16", shape = ["m", "k"] }
B = { type = "f16", shape = ["k", "n"] }
C = { type = "f32", shape = ["m", "n"], role = "inout" }
[sizes]
timed = [ { m = 512, n = 512, k = 512 } ]
also = "any"
)toml";

Result<kernel::Candidate> made(const kernel::Kernel& kernel, const lower::Dialect& dialect,
                               const std::vector<std::string>& steps)
{
  lower::Schedule schedule = lower::naive_schedule(kernel);
  for (const std::string& step : steps) {
    HONE_TRY(schedule, rewrite_schedule(std::move(schedule), step, {kernel, dialect}));
  }
  // Schedules travel as text.
  HONE_TRY(schedule, lower::parse_schedule(lower::to_toml(schedule), "schedule.toml"));
  return lower::lower_schedule(kernel, schedule, dialect);
}

std::string source_of(const kernel::Kernel& kernel, const lower::Dialect& dialect,
                      const std::vector<std::string>& steps)
{
  const Result<kernel::Candidate> candidate = made(kernel, dialect, steps);
  return candidate ? candidate->device_source() : candidate.error().message;
}

std::string source_of(const std::string& kernel, const lower::Dialect& dialect, const std::vector<std::string>& steps)
{
  return source_of(shipped(kernel), dialect, steps);
}

TEST(DeviceRewrites, TheSameStepsArePrintedInTwoLanguages)
{
  const std::vector<std::string> steps = {"group-outputs", "tile-work-items", "vector-loads", "stage-in-local-memory"};
  EXPECT_THAT(source_of("matmul", lower::opencl_dialect(), steps),
              AllOf(HasSubstr("__kernel void matmul(__global const float* A"), HasSubstr("__local float block_A["),
                    HasSubstr("barrier(CLK_LOCAL_MEM_FENCE);"),
                    HasSubstr("HONE_VECTOR(float, LANES) sum[TILE_M][TILE_N];")));
  EXPECT_THAT(source_of("matmul", lower::hlsl_dialect(), steps),
              AllOf(HasSubstr("[numthreads(GROUP_N, GROUP_M, 1)] void matmul("),
                    HasSubstr("groupshared float block_A["), HasSubstr("GroupMemoryBarrierWithGroupSync();"),
                    Not(HasSubstr("long"))));
}

TEST(DeviceRewrites, CudaAndHipAreOneLanguageButForTheNamesOfTypes)
{
  const std::vector<std::string> steps = {"group-outputs", "tile-work-items", "stage-in-local-memory"};
  EXPECT_THAT(source_of("matmul", lower::cuda_dialect(), steps),
              AllOf(HasSubstr("extern \"C\" __global__ void __launch_bounds__((GROUP_N) * (GROUP_M) * (1)) matmul("),
                    HasSubstr("const float* __restrict__ A"), HasSubstr("__shared__ __align__(16) float block_A["),
                    HasSubstr("__syncthreads();")));
  EXPECT_THAT(source_of("matmul-bf16", lower::cuda_dialect(), {"group-outputs"}), HasSubstr("__nv_bfloat16"));
  EXPECT_THAT(source_of("matmul-bf16", lower::hip_dialect(), {"group-outputs"}),
              AllOf(HasSubstr("__hip_bfloat16"), HasSubstr("__bfloat162float(A[")));
}

// Terms beyond the last one that are not 0 would be multiplied; an operand of another type would be read as f16.
TEST(DeviceRewrites, MatrixInstructionsAreForProductsOfNarrowOperands)
{
  EXPECT_THAT(source_of("matmul-f16", lower::cuda_dialect(), {"matrix-instructions"}),
              AllOf(HasSubstr("extern __shared__ __align__(1024) unsigned char hone_local[];"),
                    HasSubstr("hone_mma_f16(sum[fragment_row * 2][fragment_column]"),
                    HasSubstr("hone_fragment_columns<hone_lines<(8 * WARPS_N * FRAGMENTS_N + PAD)>,")));
  EXPECT_THAT(source_of("matmul-bf16", lower::hip_dialect(), {"matrix-instructions"}),
              AllOf(HasSubstr("item_x % 64 / 16 * 4"), HasSubstr("hone_mma_bf16(sum[fragment_row * 4]")));
  EXPECT_THAT(source_of("matmul-bf16", lower::opencl_dialect(), {"matrix-instructions"}),
              HasSubstr("opencl has no matrix instructions here"));
  EXPECT_THAT(source_of("matmul-bf16", lower::cuda_dialect(), {"group-outputs", "matrix-instructions"}),
              HasSubstr("consist of single items"));
}

// Sums of bytes that more is done with would differ where 32 bits wrap around; wgmma would read lines of columns as
// terms.
TEST(DeviceRewrites, MatrixInstructionsAddUpBytesIn32Bits)
{
  EXPECT_THAT(source_of("matmul-i8", lower::cuda_dialect(), {"matrix-instructions"}),
              AllOf(HasSubstr("HONE_VECTOR(int, 2) sum[(2 * FRAGMENTS_M)]"), HasSubstr("hone_mma_s8("),
                    HasSubstr("HONE_STORE(int, 2, C, ")));
  EXPECT_THAT(source_of("matmul-i8", lower::hip_dialect(), {"matrix-instructions"}), HasSubstr("hone_mma_s8(sum["));
  const std::vector<std::string> groups = {"matrix-instructions", "swizzle-local-memory", "warp-group-instructions"};
  EXPECT_THAT(source_of("matmul-i8", lower::cuda_dialect(), groups), HasSubstr("those of B are not"));
  const auto transposed = kernel::parse_kernel(k_bytes_transposed, "kernel.toml");
  ASSERT_TRUE(transposed) << transposed.error().text();
  EXPECT_THAT(source_of(*transposed, lower::cuda_dialect(), groups), HasSubstr("hone_wgmma_s8<false,"));
  std::string doubled = k_bytes_transposed;
  doubled.replace(doubled.find("sum("), 4, "2 * sum(");
  EXPECT_THAT(
    source_of(kernel::parse_kernel(doubled, "kernel.toml").value(), lower::cuda_dialect(), {"matrix-instructions"}),
    HasSubstr("more is done with the sum"));
}

// tf32 under bounds of single elements would be refused by the gate, climb after climb.
TEST(DeviceRewrites, MatrixInstructionsRoundF32WhereTheKernelAdmitsIt)
{
  const auto made_of = [](double relative, const std::vector<std::string>& steps) {
    kernel::Kernel kernel = shipped("matmul-tb");
    kernel.accuracy.bounds = kernel::BoundClass::normwise;
    kernel.accuracy.tolerance.relative = relative;
    return source_of(kernel, lower::cuda_dialect(), steps);
  };
  const auto refused = made(shipped("matmul"), lower::cuda_dialect(), {"matrix-instructions"});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("the kernel's accuracy (elementwise) does not admit it"));
  EXPECT_THAT(refused.error().hint, HasSubstr("class = \"normwise\" and relative = 0.001"));
  EXPECT_THAT(made_of(0.0009, {"matrix-instructions"}), HasSubstr("does not admit it"));
  EXPECT_THAT(made_of(0.001, {"matrix-instructions", "matrix-loads"}),
              AllOf(HasSubstr("hone_mma_tf32("), HasSubstr("hone_ldmatrix_rows<")));
  const std::vector<std::string> groups = {"matrix-instructions", "swizzle-local-memory", "warp-group-instructions"};
  EXPECT_THAT(made_of(0.001, groups), HasSubstr("cut it off to tf32"));
  EXPECT_THAT(made_of(0.002, groups), HasSubstr("hone_wgmma_tf32<false,"));
}

// A fragment of f64 that ldmatrix loads would be half of an element; f16 summed in f64 would lose what the kernel
// wants.
TEST(DeviceRewrites, MatrixInstructionsOfF64GoByThemselves)
{
  EXPECT_THAT(source_of("matmul-f64", lower::cuda_dialect(), {"matrix-instructions", "copy-asynchronously"}),
              AllOf(HasSubstr("double of_rows[FRAGMENTS_M][1];"), HasSubstr("hone_mma_f64(sum[fragment_row]")));
  EXPECT_THAT(source_of("matmul-f64", lower::cuda_dialect(), {"matrix-instructions", "matrix-loads"}),
              HasSubstr("gives an item 32 bits"));
  EXPECT_THAT(source_of("matmul-f64", lower::cuda_dialect(),
                        {"matrix-instructions", "swizzle-local-memory", "warp-group-instructions"}),
              HasSubstr("take no elements of f64"));
  EXPECT_THAT(source_of("matmul-f64", lower::hip_dialect(), {"matrix-instructions"}),
              HasSubstr("hip has no matrix instructions here for elements of f64 and f64"));
  kernel::Kernel wide = shipped("matmul-f16");
  wide.accumulate = kernel::DataType::f64;
  EXPECT_THAT(source_of(wide, lower::cuda_dialect(), {"matrix-instructions"}), HasSubstr("accumulates in f64"));
}

// A block that the instruction reads before the stores are shown to it; two ways of filling ahead at a time.
TEST(DeviceRewrites, WarpGroupsReadSwizzledBlocksBehindAFence)
{
  const std::vector<std::string> steps = {"matrix-instructions", "swizzle-local-memory", "warp-group-instructions",
                                          "copy-asynchronously"};
  EXPECT_THAT(source_of("matmul-f16", lower::cuda_dialect(), steps),
              AllOf(HasSubstr("HONE_CP_ASYNC_WAIT(STAGES - 2);"), HasSubstr("HONE_FENCE_ASYNC_PROXY();"),
                    HasSubstr("HONE_WGMMA_FENCE();"), HasSubstr("hone_wgmma_f16<")));
  EXPECT_THAT(source_of("matmul-f16", lower::cuda_dialect(), {"matrix-instructions", "warp-group-instructions"}),
              HasSubstr("swizzle-local-memory"));
  EXPECT_THAT(source_of("matmul-f16", lower::hip_dialect(), {"matrix-instructions", "copy-asynchronously"}),
              HasSubstr("no asynchronous copies"));
  std::vector<std::string> both = steps;
  both.emplace_back("overlap-staging");
  EXPECT_THAT(source_of("matmul-f16", lower::cuda_dialect(), both), HasSubstr("fill blocks ahead already"));
}

// Two sides that count stages in two ways, or barriers that nobody initialises, would hang a device.
TEST(DeviceRewrites, TensorCopiesHaveMapsAndWarpsOfTheirOwn)
{
  const std::vector<std::string> steps = {"matrix-instructions", "swizzle-local-memory", "warp-group-instructions",
                                          "tensor-copies"};
  const auto candidate = made(shipped("matmul-f16"), lower::cuda_dialect(), steps);
  ASSERT_TRUE(candidate) << candidate.error().text();
  ASSERT_EQ(candidate->plan.maps.size(), 2U);
  EXPECT_EQ(candidate->plan.maps[0].name, "map_A");
  EXPECT_EQ(candidate->plan.maps[0].swizzle, 128);
  EXPECT_THAT(candidate->plan.launches[0].args, testing::ElementsAre("A", "B", "C", "map_A", "map_B", "m", "k", "n"));
  EXPECT_THAT(candidate->device_source(),
              AllOf(HasSubstr("const void* __restrict__ map_A"), HasSubstr("use_tma = k % 8 == 0 && n % 8 == 0"),
                    HasSubstr("hone_mbarrier_wait(&barriers[buffer], slice_number / STAGES % 2);"),
                    HasSubstr("hone_mbarrier_wait(&barriers[STAGES + buffer], (slice_number / STAGES + 1) % 2);")));
  std::vector<std::string> both = steps;
  both.emplace_back("copy-asynchronously");
  EXPECT_THAT(source_of("matmul-f16", lower::cuda_dialect(), both), HasSubstr("other warps fill blocks ahead"));
  std::vector<std::string> parts = steps; // a box brings terms of the next part too
  parts.emplace_back("split-k-groups");
  EXPECT_THAT(source_of("matmul-f16", lower::cuda_dialect(), parts), HasSubstr("for sums over all terms"));
}

// A tile that is stored before all warps have written it, or overwritten while the device reads it; maps of what has
// none.
TEST(DeviceRewrites, TensorStoresWaitForAllWhoMultiplyAndForTheLastTile)
{
  std::vector<std::string> steps = {"matrix-instructions", "swizzle-local-memory", "warp-group-instructions"};
  EXPECT_THAT(source_of("matmul-f16", lower::cuda_dialect(), {"matrix-instructions", "tensor-stores"}),
              HasSubstr("builds on warp-group-instructions"));
  const auto with = [&](const kernel::Kernel& kernel, std::vector<std::string> more) {
    more.insert(more.begin(), steps.begin(), steps.end());
    return source_of(kernel, lower::cuda_dialect(), more);
  };
  const kernel::Kernel kernel = shipped("matmul-f16");
  EXPECT_THAT(with(kernel, {"tensor-stores"}),
              AllOf(HasSubstr("stores_boxes = n % 8 == 0"), HasSubstr("HONE_BULK_WAIT();"),
                    Not(HasSubstr("HONE_BULK_WAIT_READ();")), Not(HasSubstr("HONE_BARRIER_OF("))));
  EXPECT_THAT(with(kernel, {"tensor-copies", "tensor-stores", "persistent-groups"}),
              AllOf(HasSubstr("HONE_BULK_WAIT_READ();"), HasSubstr("HONE_BARRIER_OF((32 * WARPS_M * 1));")));
  EXPECT_THAT(with(kernel, {"tensor-stores", "split-k-groups"}), HasSubstr("which has no tensor map"));
  EXPECT_THAT(with(kernel, {"split-k-groups", "tensor-stores"}), HasSubstr("which has no tensor map"));
  const auto updated = kernel::parse_kernel(k_updated, "kernel.toml");
  ASSERT_TRUE(updated) << updated.error().text();
  EXPECT_THAT(with(*updated, {"tensor-stores"}), HasSubstr("C is read before it is stored"));
}

// A grid that is no multiple of the cluster fails to launch; barriers that count one group's warps let copies
// overwrite.
TEST(DeviceRewrites, ClustersShareTheTilesOfRows)
{
  std::vector<std::string> steps = {"matrix-instructions", "swizzle-local-memory", "warp-group-instructions",
                                    "share-tiles-in-clusters"};
  EXPECT_THAT(source_of("matmul-f16", lower::cuda_dialect(), steps), HasSubstr("builds on tensor-copies"));
  steps.insert(steps.end() - 1, "tensor-copies");
  const auto candidate = made(shipped("matmul-f16"), lower::cuda_dialect(), steps);
  ASSERT_TRUE(candidate) << candidate.error().text();
  EXPECT_THAT(candidate->device_source(),
              AllOf(HasSubstr("hone_tma_multicast_2("), HasSubstr("hone_tma_load_2("), HasSubstr("/ 32 * CLUSTER"),
                    HasSubstr("hone_mbarrier_arrive_at("), HasSubstr("HONE_CLUSTER_BARRIER();")));
  EXPECT_EQ(candidate->plan.maps[0].box[1].text(), "16 * WARPS_M * FRAGMENTS_M / CLUSTER");
  EXPECT_EQ(candidate->plan.maps[1].box[1].text(), "SLICE_K");
  const kernel::PlanScope alone{{"device.dynamic_shared", 227 << 10},
                                {"device.max_block", 1024},
                                {"device.subgroup", 32},
                                {"device.warp_group", 128},
                                {"device.cluster", 0}};
  kernel::PlanScope facts = alone;
  facts["device.cluster"] = 8;
  const auto plan = [&](std::int64_t cluster, const kernel::PlanScope& device) {
    kernel::TuningPoint point = candidate->plan.tuning.defaults();
    point["CLUSTER"] = cluster;
    return kernel::resolve_plan(shipped("matmul-f16"), *candidate, {{"m", 64}, {"n", 300}, {"k", 64}}, point, device);
  };
  ASSERT_TRUE(plan(2, facts)) << plan(2, facts).error().text();
  EXPECT_EQ(plan(2, facts)->launches[0].grid[0], 4); // three tiles of 128 columns
  EXPECT_EQ(plan(2, facts)->launches[0].cluster[0], 2);
  EXPECT_FALSE(plan(2, alone));
}

// Parts that overlap, or leave terms out, would be wrong on sizes that SPLIT_K does not divide only.
TEST(DeviceRewrites, PartsOfASumAreStoredAndAddedUpInAnotherLaunch)
{
  const auto candidate =
    made(shipped("matmul-bias-gelu"), lower::opencl_dialect(), {"group-outputs", "split-k-groups"});
  ASSERT_TRUE(candidate) << candidate.error().text();
  ASSERT_EQ(candidate->plan.launches.size(), 2U);
  ASSERT_EQ(candidate->plan.scratch.size(), 1U);
  EXPECT_EQ(candidate->plan.scratch.front().name, "parts_of_C");
  EXPECT_THAT(candidate->device_source(),
              AllOf(HasSubstr("for (long p = k * part / SPLIT_K; p < k * (part + 1) / SPLIT_K; ++p)"),
                    HasSubstr("for (long part = 0; part < SPLIT_K; ++part)")));
}

TEST(DeviceRewrites, PersistentGroupsLoopOverTilesWhereTheLanguageSaysHowManyGroupsThereAre)
{
  const std::vector<std::string> steps = {"group-outputs", "persistent-groups"};
  EXPECT_THAT(source_of("matmul", lower::opencl_dialect(), steps), HasSubstr("tile += (int)get_num_groups(0)"));
  EXPECT_THAT(source_of("matmul", lower::hlsl_dialect(), steps), HasSubstr("how many groups there are"));
}

TEST(DeviceRewrites, BlocksAreRotatedOrLieTermByTerm)
{
  const std::vector<std::string> rotated = {"group-outputs", "stage-in-local-memory", "swizzle-local-memory"};
  EXPECT_THAT(source_of("matmul", lower::opencl_dialect(), rotated), HasSubstr("(slice_term + item_y) % SLICE_K"));
  std::vector<std::string> both = rotated;
  both.emplace_back("dense-local-memory");
  EXPECT_THAT(source_of("matmul", lower::opencl_dialect(), both), HasSubstr("rotated already"));
}

TEST(DeviceRewrites, SumsInSubGroupsNeedADeviceThatHasThem)
{
  const auto candidate = made(shipped("softmax"), lower::hlsl_dialect(), {"rows-in-groups", "reduce-in-sub-groups"});
  ASSERT_TRUE(candidate) << candidate.error().text();
  EXPECT_THAT(candidate->device_source(), HasSubstr("hone_subgroup_maximum_f32("));
  const kernel::TuningSpace& space = candidate->plan.tuning;
  const auto legal = [&](std::int64_t subgroup) {
    const kernel::PlanScope facts{
      {"device.shared_per_block", 1 << 15}, {"device.max_block", 1024}, {"device.subgroup", subgroup}};
    return kernel::satisfies_constraints(space, kernel::plan_scope({}, space.defaults(), facts), nullptr)
      .value_or(false);
  };
  EXPECT_TRUE(legal(8));
  EXPECT_TRUE(legal(64));
  EXPECT_FALSE(legal(0));
}

TEST(DeviceRewrites, HalvesAreLoadedAsVectors)
{
  EXPECT_THAT(source_of("matmul-bf16", lower::opencl_dialect(), {"vector-loads"}),
              HasSubstr("HONE_LOAD_BF16(LANES, B, "));
}

// A barrier that is missing is found where the sum has several slices: one behind the loads, one before the next ones.
TEST(DeviceRewrites, StagedSlicesHaveTwoBarriersAndOverlappedOnesOne)
{
  const auto barriers = [](const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = text.find("barrier("); at != std::string::npos; at = text.find("barrier(", at + 1)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(barriers(source_of("matmul", lower::opencl_dialect(), {"group-outputs", "stage-in-local-memory"})), 2U);
  EXPECT_EQ(barriers(source_of("matmul", lower::opencl_dialect(),
                               {"group-outputs", "stage-in-local-memory", "overlap-staging"})),
            1U);
}

TEST(DeviceRewrites, StagedBlocksFitTheDevice)
{
  const auto candidate =
    made(shipped("matmul"), lower::opencl_dialect(), {"group-outputs", "stage-in-local-memory", "overlap-staging"});
  ASSERT_TRUE(candidate) << candidate.error().text();
  const kernel::TuningSpace& space = candidate->plan.tuning;
  const auto legal = [&](std::int64_t bytes) {
    const kernel::PlanScope facts{{"device.shared_per_block", bytes}, {"device.max_block", 1024}};
    return kernel::satisfies_constraints(space, kernel::plan_scope({}, space.defaults(), facts), nullptr)
      .value_or(false);
  };
  // Two slices of 16 terms of 4 rows and 16 columns.
  EXPECT_TRUE(legal(2 * 16 * (4 + 16) * 4));
  EXPECT_FALSE(legal(2 * 16 * (4 + 16) * 4 - 1));
}

TEST(DeviceRewrites, RowsShareALaunchAndAddUpInLocalMemory)
{
  const auto candidate = made(shipped("softmax"), lower::opencl_dialect(), {"rows-in-groups", "vector-loads"});
  ASSERT_TRUE(candidate) << candidate.error().text();
  EXPECT_EQ(candidate->plan.launches.size(), 1U);
  EXPECT_TRUE(candidate->plan.scratch.empty());
  EXPECT_THAT(candidate->device_source(),
              AllOf(HasSubstr("__local float of_items[ROWS * ITEMS];"), HasSubstr("exp(HONE_LOAD(float, LANES, X, "),
                    HasSubstr("while (distance > 0)")));
}

TEST(DeviceRewrites, SayWhyTheyDoNotFit)
{
  const auto refusal = [](const std::string& kernel, const std::vector<std::string>& steps) {
    const auto candidate = made(shipped(kernel), lower::opencl_dialect(), steps);
    return candidate ? "carried out" : candidate.error().message;
  };
  EXPECT_THAT(refusal("matmul", {"tile-work-items"}), HasSubstr("builds on group-outputs"));
  EXPECT_THAT(refusal("matmul", {"cache-tiling"}), HasSubstr("on the cpu backend only"));
  EXPECT_THAT(refusal("matmul", {"group-outputs", "group-outputs"}), HasSubstr("already"));
  EXPECT_THAT(refusal("matmul", {"no-such-step"}), HasSubstr("does not know"));
  EXPECT_THAT(refusal("gelu", {"group-outputs", "stage-in-local-memory"}), HasSubstr("one sum"));
  EXPECT_THAT(refusal("softmax", {"rows-in-groups", "group-outputs"}), HasSubstr("go over rows"));
}

TEST(DeviceRewrites, VectorsAreAsWideAsTheLanguageHasThem)
{
  const auto widest = [](const lower::Dialect& dialect) {
    const auto candidate = made(shipped("gelu"), dialect, {"vector-loads"});
    EXPECT_TRUE(candidate) << candidate.error().text();
    return candidate ? candidate->plan.tuning.parameters.front().values.back() : 0;
  };
  EXPECT_EQ(widest(lower::opencl_dialect()), 16);
  EXPECT_EQ(widest(lower::hlsl_dialect()), 4);
}

} // namespace
} // namespace hone::rewrite
