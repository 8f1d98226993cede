// Tensor maps and copies of boxes; bulk copies between groups; what must not happen while they are under way.
#include "small_program.h"

#include <array>
#include <bit>
#include <cmath>
#include <span>

namespace hone::emulate {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TensorMap map_of_12_by_6()
{
  TensorMap map;
  map.rank = 2;
  map.address = 4096;
  map.sizes = {12, 6, 1, 1, 1};
  map.strides = {64};
  map.box = {8, 4, 1, 1, 1};
  return map;
}

TEST(TensorMaps, AreCheckedAsTheDriverDoes)
{
  const auto wrong = [](const auto& change) {
    TensorMap map = map_of_12_by_6();
    change(map);
    const auto result = encode(map);
    return result ? std::string() : result.error().message;
  };
  EXPECT_EQ(wrong([](TensorMap&) {}), "");
  EXPECT_THAT(wrong([](TensorMap& map) { map.rank = 6; }), HasSubstr("6 dimensions"));
  EXPECT_THAT(wrong([](TensorMap& map) { map.address = 4104; }), HasSubstr("no multiple of 16"));
  EXPECT_THAT(wrong([](TensorMap& map) { map.sizes[1] = 0; }), HasSubstr("dimension 1 of a tensor has 0"));
  EXPECT_THAT(wrong([](TensorMap& map) { map.strides[0] = 56; }), HasSubstr("stride of dimension 1 is 56"));
  EXPECT_THAT(wrong([](TensorMap& map) { map.box[1] = 257; }), HasSubstr("257 elements along dimension 1"));
  EXPECT_THAT(wrong([](TensorMap& map) { map.box[0] = 6; }), HasSubstr("24 bytes along its first dimension"));
  EXPECT_THAT(wrong([](TensorMap& map) { map.element_strides[0] = 9; }), HasSubstr("every 9th"));
  EXPECT_THAT(wrong([](TensorMap& map) {
                map.swizzle = TensorSwizzle::bytes_32;
                map.box[0] = 16;
              }),
              HasSubstr("its swizzle spans 32"));
  EXPECT_THAT(wrong([](TensorMap& map) {
                map.type = TensorType::s32;
                map.fill = TensorFill::nan;
              }),
              HasSubstr("whole numbers"));
  const TensorMapBytes bytes = *encode(map_of_12_by_6());
  const auto back = decode(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->sizes, map_of_12_by_6().sizes);
  EXPECT_EQ(back->strides, map_of_12_by_6().strides);
  EXPECT_EQ(back->box, map_of_12_by_6().box);
  EXPECT_FALSE(decode(TensorMapBytes{}));
}

struct TensorRan {
  std::string findings;
  std::vector<std::uint32_t> output; // of 256 words
  std::vector<std::uint32_t> tensor;
};

// The tensor holds i at its i-th word of 512; `change` may change its map, whose place `f_1` is. The output's second
// half is there for a map in global memory.
TensorRan run_tensor(const std::string& body, TensorMap map = map_of_12_by_6(), std::uint32_t groups = 1,
                     std::uint64_t seed = 0)
{
  std::string text = with_body("mov.b32 %r5, ready;\nmov.b32 %r6, block;\nmov.b64 %rd4, f_1;\ncvta.param.u64 %rd4, "
                               "%rd4;\nld.param.u64 %rd6, [f_2];\nmov.u32 %r20, %cluster_ctarank;\nadd.s64 %rd5, %rd0, "
                               "512;\nsetp.ne.u32 %p1, %r1, 0;\n"
                                 + body,
                               ".shared .align 1024 .b8 block[2048];\n.shared .align 8 .b64 ready;\n");
  const std::string head = "f(.param .u64 f_0)";
  text.replace(text.find(head), head.size(), "f(.param .u64 f_0, .param .align 64 .b8 f_1[128], .param .u64 f_2)");
  TensorRan out;
  const auto program = Program::load(text);
  EXPECT_TRUE(program) << program.error().text();
  if (!program) {
    return out;
  }
  GlobalMemory memory;
  const std::uintptr_t output = memory.allocate(1024), tensor = memory.allocate(2048);
  std::memset(reinterpret_cast<void*>(output), 0, 1024);
  for (std::uint32_t i = 0; i < 512; ++i) {
    reinterpret_cast<std::uint32_t*>(tensor)[i] = i;
  }
  map.address = tensor;
  const TensorMapBytes bytes = *encode(map);
  LaunchRequest request;
  request.program = &*program;
  request.entry = "f";
  request.grid[0] = groups;
  request.cluster = {groups, 1, 1};
  request.block[0] = 32;
  request.seed = seed;
  request.most_instructions = 100'000;
  request.parameters.resize(200);
  std::memcpy(request.parameters.data(), &output, 8);
  std::memcpy(request.parameters.data() + 64, bytes.data(), bytes.size());
  std::memcpy(request.parameters.data() + 192, &tensor, 8);
  std::memcpy(reinterpret_cast<void*>(output + 512), bytes.data(), bytes.size());
  const LaunchResult result = launch(request, memory);
  for (const Finding& finding : result.findings) {
    out.findings += finding.text + "\n";
  }
  out.output.assign(reinterpret_cast<std::uint32_t*>(output), reinterpret_cast<std::uint32_t*>(output) + 256);
  out.tensor.assign(reinterpret_cast<std::uint32_t*>(tensor), reinterpret_cast<std::uint32_t*>(tensor) + 512);
  return out;
}

const std::string k_init = "@%p1 bra begun;\nmbarrier.init.shared.b64 [%r5], 1;\nfence.mbarrier_init.release.cluster;\n"
                           "begun:\nbar.sync 0;\n";
const std::string k_wait = "wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], 0;\n@!%p2 bra wait;\n";
const std::string k_give = "shl.b32 %r7, %r1, 2;\nadd.s32 %r8, %r6, %r7;\nld.shared.b32 %r9, [%r8];\nst.global.b32 "
                           "[%rd1], %r9;\n";

std::string expecting(int bytes)
{
  return "mbarrier.arrive.expect_tx.shared.b64 _, [%r5], " + std::to_string(bytes) + ";\n";
}
std::string box_at(int x, int y, const std::string& map = "%rd4")
{
  return "mov.b32 %r10, " + std::to_string(x) + ";\nmov.b32 %r11, " + std::to_string(y)
         + ";\ncp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [" + map
         + ", {%r10, %r11}], [%r5];\n";
}
std::string by_first(const std::string& what)
{
  return "@%p1 bra over;\n" + what + "over:\n";
}

TEST(TensorCopies, LoadABoxAndFillWhatLiesOutside)
{
  for (const auto& [x, y] : {std::pair{8, 4}, {-3, -1}, {2, 1}, {40, 0}}) {
    for (const TensorFill fill : {TensorFill::zero, TensorFill::nan}) {
      TensorMap map = map_of_12_by_6();
      map.fill = fill;
      const TensorRan ran = run_tensor(k_init + by_first(expecting(128) + box_at(x, y)) + k_wait + k_give, map);
      EXPECT_THAT(ran.findings, IsEmpty());
      for (int i = 0; i < 32; ++i) {
        const int column = x + i % 8, row = y + i / 8;
        const bool inside = column >= 0 && column < 12 && row >= 0 && row < 6;
        const std::uint32_t outside = fill == TensorFill::nan ? 0x7fffffffU : 0U;
        EXPECT_EQ(ran.output[static_cast<std::size_t>(i)],
                  inside ? static_cast<std::uint32_t>(row * 16 + column) : outside)
          << x << " " << y << " " << i;
      }
    }
  }
}

// Rows of 16 bytes of word w of row r lie at column (w / 4) ^ (bits of r).
TEST(TensorCopies, SwizzlesRows)
{
  for (const auto& [swizzle, words, mask] : {std::tuple{TensorSwizzle::bytes_128, 32, 7},
                                             {TensorSwizzle::bytes_64, 16, 3},
                                             {TensorSwizzle::bytes_32, 8, 1}}) {
    TensorMap map;
    map.rank = 2;
    map.sizes = {32, 16, 1, 1, 1};
    map.strides = {128};
    map.box = {static_cast<std::uint32_t>(words), 4, 1, 1, 1};
    map.swizzle = swizzle;
    const TensorRan ran = run_tensor(k_init + by_first(expecting(16 * words) + box_at(0, 0)) + k_wait
                                       + (words == 32   ? "add.s32 %r6, %r6, 256;\n"
                                          : words == 16 ? "add.s32 %r6, %r6, 128;\n"
                                                        : "")
                                       + k_give,
                                     map);
    EXPECT_THAT(ran.findings, IsEmpty());
    for (int i = 0; i < 32; ++i) {
      const int word = i + (words == 32 ? 64 : words == 16 ? 32 : 0); // of the box, as it lies
      const int linear = word ^ ((word * 4 >> 7 & mask) << 2);
      EXPECT_EQ(ran.output[static_cast<std::size_t>(i)],
                static_cast<std::uint32_t>(linear / words * 32 + linear % words))
        << words << " " << i;
    }
  }
}

TEST(TensorCopies, EveryOtherElementOfThreeDimensions)
{
  TensorMap map;
  map.rank = 3;
  map.sizes = {8, 4, 4, 1, 1};
  map.strides = {32, 128};
  map.box = {8, 3, 2, 1, 1};
  map.element_strides = {1, 2, 1, 1, 1};
  const std::string copy =
    "mov.b32 %r10, 0;\nmov.b32 %r11, 1;\nmov.b32 %r12, 2;\ncp.async.bulk.tensor.3d.shared::cluster."
    "global.tile.mbarrier::complete_tx::bytes [%r6], [%rd4, {%r10, %r11, %r12}], [%r5];\n";
  const TensorRan ran = run_tensor(k_init + by_first(expecting(128) + copy) + k_wait + k_give, map);
  EXPECT_THAT(ran.findings, IsEmpty());
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::uint32_t z = 2 + i / 16, y = 1 + i / 8 % 2 * 2, x = i % 8;
    EXPECT_EQ(ran.output[i], z * 32 + y * 8 + x) << i;
  }
}

TEST(TensorCopies, BytesThatAreNotThereOrNotExpected)
{
  const std::string copy = expecting(128) + box_at(0, 0);
  EXPECT_THAT(run_tensor(k_init + by_first(copy) + k_give).findings, HasSubstr("race"));
  EXPECT_THAT(run_tensor(k_init + by_first(copy)).findings, HasSubstr("has not waited for it"));
  EXPECT_THAT(run_tensor(k_init + by_first(expecting(144) + box_at(0, 0)) + k_wait).findings,
              HasSubstr("bytes missing: 16"));
  EXPECT_THAT(
    run_tensor(k_init + by_first(expecting(128) + "add.s32 %r6, %r6, 16;\n" + box_at(0, 0)) + k_wait).findings,
    HasSubstr("no multiple of 128"));
  EXPECT_THAT(run_tensor(k_init + by_first(expecting(128) + box_at(0, 0, "%rd6")) + k_wait).findings,
              HasSubstr("no tensor map lies there"));
}

// Every thread stores 1000 + its number; the box goes back.
std::string storing(const std::string& fence, const std::string& copy, const std::string& wait)
{
  return "shl.b32 %r7, %r1, 2;\nadd.s32 %r8, %r6, %r7;\nadd.u32 %r9, %r1, 1000;\nst.shared.b32 [%r8], %r9;\n" + fence
         + "bar.sync 0;\n@%p1 bra over;\nmov.b32 %r10, 8;\nmov.b32 %r11, 4;\n" + copy
         + " [%rd4, {%r10, %r11}], [%r6];\ncp.async.bulk.commit_group;\n" + wait + "over:\n";
}
const std::string k_fence = "fence.proxy.async.shared::cta;\n", k_wait_stores = "cp.async.bulk.wait_group 0;\n";
const std::string k_store = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group";

TEST(TensorCopies, StoreWhatLiesInside)
{
  const TensorRan ran = run_tensor(storing(k_fence, k_store, k_wait_stores));
  EXPECT_THAT(ran.findings, IsEmpty());
  for (std::uint32_t row = 0; row < 8; ++row) {
    for (std::uint32_t column = 0; column < 16; ++column) {
      const bool stored = row >= 4 && row < 6 && column >= 8 && column < 12;
      EXPECT_EQ(ran.tensor[row * 16 + column], stored ? 1000 + (row - 4) * 8 + column - 8 : row * 16 + column);
    }
  }
  EXPECT_THAT(run_tensor(storing("", k_store, k_wait_stores)).findings, HasSubstr("without a fence.proxy.async"));
  TensorMap map = map_of_12_by_6();
  map.type = TensorType::u32;
  const TensorRan added = run_tensor(
    storing(k_fence, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group", k_wait_stores), map);
  EXPECT_THAT(added.findings, IsEmpty());
  EXPECT_EQ(added.tensor[4 * 16 + 9], 1001U + 4 * 16 + 9);
}

TEST(TensorCopies, AStoreIsOverBehindItsWait)
{
  const auto reading = [](const std::string& wait) {
    return storing(k_fence, k_store, wait)
           + "@%p1 bra done;\nld.global.b32 %r12, [%rd6+288];\nst.global.b32 [%rd1], "
             "%r12;\nst.shared.b32 [%r6], %r12;\ndone:";
  };
  EXPECT_THAT(run_tensor(reading(k_wait_stores)).findings, IsEmpty());
  EXPECT_EQ(run_tensor(reading(k_wait_stores)).output[0], 1000U);
  EXPECT_THAT(run_tensor(reading("cp.async.bulk.wait_group.read 0;\n")).findings,
              HasSubstr("loads global memory at 288, to which the copy begun"));
  const std::string early = run_tensor(reading("")).findings;
  EXPECT_THAT(early, HasSubstr("stores shared memory at 0, which what was begun"));
}

// --- maps in global memory ---

const std::string k_change = "tensormap.replace.tile.global_dim.global.b1024.b32 [%rd5], 0, 9;\n";
const std::string k_release = "fence.proxy.tensormap::generic.release.gpu;\n";
const std::string k_acquire = "fence.proxy.tensormap::generic.acquire.gpu [%rd5], 128;\n";

TEST(TensorCopies, AMapThatWasChangedNeedsItsFences)
{
  const auto changing = [](const std::string& fences) {
    return run_tensor(k_init + by_first(k_change + fences + expecting(128) + box_at(8, 0, "%rd5")) + k_wait + k_give);
  };
  const TensorRan right = changing(k_release + k_acquire);
  EXPECT_THAT(right.findings, IsEmpty());
  EXPECT_EQ(right.output[0], 8U);
  EXPECT_EQ(right.output[1], 0U); // outside by now
  EXPECT_THAT(changing("").findings, HasSubstr("without a fence.proxy.tensormap behind it"));
  EXPECT_THAT(changing(k_release).findings, HasSubstr("without a fence.proxy.tensormap behind it"));
  EXPECT_THAT(changing(k_acquire).findings, HasSubstr("without a fence.proxy.tensormap behind it"));
  EXPECT_THAT(changing("fence.proxy.async;\n").findings, HasSubstr("without a fence.proxy.tensormap behind it"));
}

TEST(TensorCopies, AMapThatIsInUseStaysAsItIs)
{
  const auto rewriting = [](const std::string& before, const std::string& behind) {
    return run_tensor(k_init + by_first(expecting(128) + box_at(0, 0, "%rd5") + before) + k_wait
                      + "bar.warp.sync -1;\n@%p1 bra behind;\n" + behind + "behind:\n");
  };
  EXPECT_THAT(rewriting("", k_change).findings, IsEmpty());
  EXPECT_THAT(rewriting(k_change, "").findings, HasSubstr("loads without an order"));
  EXPECT_THAT(rewriting("mov.b32 %r12, 0;\nst.global.b32 [%rd5], %r12;\n", "").findings, HasSubstr("race"));
}

TEST(TensorCopies, AMapFromSharedMemory)
{
  const std::string to_shared =
    "shl.b32 %r7, %r1, 2;\nadd.s32 %r8, %r6, %r7;\ncvt.u64.u32 %rd7, %r7;\nadd.s64 %rd8, "
    "%rd5, %rd7;\nld.global.b32 %r9, [%rd8];\nst.shared.b32 [%r8+1024], %r9;\nbar.sync 0;\n"
    "setp.ne.u32 %p3, %r1, 0;\n@%p3 bra changed;\nadd.s32 %r12, %r6, 1024;\ntensormap.replace."
    "tile.global_dim.shared::cta.b1024.b32 [%r12], 0, 9;\nchanged:\nbar.warp.sync -1;\nadd.s32 "
    "%r12, %r6, 1024;\ntensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release."
    "gpu.sync.aligned [%rd5], [%r12], 128;\n";
  const TensorRan ran =
    run_tensor(k_init + to_shared + by_first(k_acquire + expecting(128) + box_at(8, 0, "%rd5")) + k_wait + k_give);
  EXPECT_THAT(ran.findings, IsEmpty());
  EXPECT_EQ(ran.output[0], 8U);
  EXPECT_EQ(ran.output[1], 0U);
}

// --- other bulk copies ---

TEST(BulkCopies, OfMemoryThatWasStoredNeedAFenceBetweenTheProxies)
{
  const auto copying = [](const std::string& fence) {
    return run_tensor(
      k_init
      + by_first("mov.b32 %r12, 77;\nst.global.b32 [%rd6], %r12;\n" + fence + expecting(128)
                 + "mov.b32 %r13, 128;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                   "[%r6], [%rd6], %r13, [%r5];\n")
      + k_wait + k_give);
  };
  const TensorRan right = copying("fence.proxy.async;\n");
  EXPECT_THAT(right.findings, IsEmpty());
  EXPECT_EQ(right.output[0], 77U);
  EXPECT_EQ(right.output[5], 5U);
  EXPECT_THAT(copying("").findings, HasSubstr("loads global memory asynchronously at 0"));
  EXPECT_THAT(copying("").findings, HasSubstr("without a fence.proxy.async"));
}

TEST(BulkCopies, AddToGlobalMemory)
{
  const std::string body = "shl.b32 %r7, %r1, 2;\nadd.s32 %r8, %r6, %r7;\nst.shared.b32 [%r8], %r1;\n" + k_fence
                           + "bar.sync 0;\n@%p1 bra over;\nmov.b32 %r13, 128;\ncp.reduce.async.bulk.global.shared::cta."
                             "bulk_group.add.u32 [%rd6], [%r6], %r13;\ncp.async.bulk.commit_group;\n"
                           + k_wait_stores + "over:\n";
  // Of two groups: they are updates, and no race.
  const TensorRan ran = run_tensor(body, map_of_12_by_6(), 2);
  EXPECT_THAT(ran.findings, IsEmpty());
  EXPECT_EQ(ran.tensor[7], 21U);
}

// --- of a cluster ---

const std::string k_meet = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
const std::string k_own_output = "mul.wide.u32 %rd7, %r20, 128;\nadd.s64 %rd1, %rd1, %rd7;\n";

TEST(BulkCopies, ToAllGroupsOfACluster)
{
  const auto cast = [](const std::string& meet, int second, std::uint64_t seed) {
    return run_tensor(
      k_init + meet + k_own_output + "setp.eq.u32 %p3, %r20, 0;\n@%p1 bra over;\nselp.b32 %r13, 128, "
        + std::to_string(second)
        + ", %p3;\nmbarrier.arrive.expect_tx.shared.b64 _, [%r5], %r13;\n@!%p3 bra over;\nmov.b32 %r10, 0;\n"
          "mov.b32 %r11, 1;\nmov.b16 %rs1, 3;\ncp.async.bulk.tensor.2d.shared::cluster.global."
          "mbarrier::complete_tx::bytes.multicast::cluster [%r6], [%rd4, {%r10, %r11}], [%r5], %rs1;\n"
          "over:\n"
        + k_wait + k_give + k_meet,
      map_of_12_by_6(), 2, seed);
  };
  for (const std::uint64_t seed : {0, 1, 2}) {
    const TensorRan ran = cast(k_meet, 128, seed);
    EXPECT_THAT(ran.findings, IsEmpty());
    EXPECT_EQ(ran.output[9], 33U);
    EXPECT_EQ(ran.output[32 + 9], 33U);
    EXPECT_THAT(cast(k_meet, 144, seed).findings, HasSubstr("bytes missing: 16"));
    EXPECT_THAT(cast("", 128, seed).findings,
                testing::AnyOf(HasSubstr("nothing shows that it has begun"), HasSubstr("race")));
  }
}

TEST(BulkCopies, ToAnotherGroupsMemory)
{
  const auto sending = [](const std::string& fence) {
    return run_tensor(
      k_init
        + "shl.b32 %r7, %r1, 2;\nadd.s32 %r8, %r6, %r7;\nadd.u32 %r9, %r1, 50;\nst.shared.b32 "
          "[%r8+512], %r9;\n"
        + fence + "bar.sync 0;\n" + k_meet + k_own_output + "@%p1 bra over;\n" + expecting(128)
        + "xor.b32 %r21, %r20, 1;\nmapa.shared::cluster.u32 %r14, %r6, %r21;\nmapa.shared::cluster.u32 "
          "%r15, %r5, %r21;\nadd.s32 %r16, %r6, 512;\nmov.b32 %r13, 128;\ncp.async.bulk.shared::cluster."
          "shared::cta.mbarrier::complete_tx::bytes [%r14], [%r16], %r13, [%r15];\nover:\n"
        + k_wait + k_give + k_meet,
      map_of_12_by_6(), 2);
  };
  const TensorRan ran = sending(k_fence);
  EXPECT_THAT(ran.findings, IsEmpty());
  EXPECT_EQ(ran.output[40], 58U);
  EXPECT_THAT(sending("").findings, HasSubstr("without a fence.proxy.async"));
}

} // namespace
} // namespace hone::emulate
