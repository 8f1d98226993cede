// Counts of small programs, computed by hand; the model of the cache.
#include "emulate/execute/cache.h"
#include "small_program.h"

namespace hone::emulate {
namespace {

LaunchCounts all_of(const std::string& body, std::uint32_t threads = 32, bool counts = true)
{
  const auto program = Program::load(with_body(body, ".shared .align 16 .b8 block[8192];\n"));
  EXPECT_TRUE(program) << program.error().text();
  GlobalMemory memory;
  const std::uintptr_t begin = memory.allocate(1 << 16);
  LaunchRequest request;
  request.program = &*program;
  request.entry = "f";
  request.block[0] = threads;
  request.counts = counts;
  request.checks = false;
  request.parameters.resize(8);
  std::memcpy(request.parameters.data(), &begin, 8);
  const LaunchResult result = launch(request, memory);
  EXPECT_TRUE(result.finished);
  return result.counts;
}

LineCounts of(const std::string& body, const std::string& opcode, std::uint32_t threads = 32)
{
  for (const LineCounts& line : all_of(body, threads).lines) {
    if (line.opcode == opcode) {
      return line;
    }
  }
  ADD_FAILURE() << "there is no " << opcode;
  return {};
}

std::uint64_t sectors(const std::string& address)
{
  return of(address + "\nst.global.b32 [%rd4], %r1;", "st.global.b32").sectors;
}

// A warp's words side by side: 128 bytes, 4 sectors. 8 bytes apart: 8. 32 bytes apart: one each. All at one place: one.
// Off by 4 bytes: one more.
TEST(Counts, SectorsOfGlobalMemory)
{
  EXPECT_EQ(sectors("mov.u64 %rd4, %rd1;"), 4U);
  EXPECT_EQ(sectors("mul.wide.u32 %rd5, %r1, 8;\nadd.s64 %rd4, %rd0, %rd5;"), 8U);
  EXPECT_EQ(sectors("mul.wide.u32 %rd5, %r1, 32;\nadd.s64 %rd4, %rd0, %rd5;"), 32U);
  EXPECT_EQ(sectors("mov.u64 %rd4, %rd0;"), 1U);
  EXPECT_EQ(sectors("add.s64 %rd4, %rd1, 4;"), 5U);
  EXPECT_EQ(of("mul.wide.u32 %rd5, %r1, 16;\nadd.s64 %rd4, %rd0, %rd5;\nst.global.v4.b32 [%rd4], {%r1, %r1, %r1, %r1};",
               "st.global.v4.b32")
              .sectors,
            16U);
}

LineCounts shared(std::uint32_t distance, const std::string& store = "st.shared.b32 [%r4], %r1;",
                  const std::string& opcode = "st.shared.b32")
{
  return of("mov.b32 %r5, block;\nmul.lo.u32 %r6, %r1, " + std::to_string(distance) + ";\nadd.s32 %r4, %r5, %r6;\n"
              + store,
            opcode);
}

// Words one apart meet no bank; two apart two to a bank; 32 apart all in one; 33 apart none. All at one place share it.
TEST(Counts, TurnsOfSharedMemory)
{
  EXPECT_EQ(shared(4).wavefronts, 1U);
  EXPECT_EQ(shared(8).wavefronts, 2U);
  EXPECT_EQ(shared(128).wavefronts, 32U);
  EXPECT_EQ(shared(132).wavefronts, 1U);
  EXPECT_EQ(shared(0).wavefronts, 1U);
  EXPECT_EQ(shared(128).least_wavefronts, 1U);
  // Of 16 bytes: 8 lanes at a time.
  const LineCounts wide = shared(16, "st.shared.v4.b32 [%r4], {%r1, %r1, %r1, %r1};", "st.shared.v4.b32");
  EXPECT_EQ(wide.wavefronts, 4U);
  EXPECT_EQ(wide.least_wavefronts, 4U);
}

TEST(Counts, BranchesThatPartAWarp)
{
  const std::string body = "setp.lt.u32 %p1, %r1, 40;\n@%p1 bra over;\nmov.b32 %r2, 1;\nover:";
  const LineCounts branch = of(body, "bra", 96); // the second of three warps parts
  EXPECT_EQ(branch.warps, 3U);
  EXPECT_EQ(branch.parted, 1U);
  EXPECT_EQ(branch.lanes, 40U);
}

// Lanes that want the same word share a turn, but updates need what the one before has left: 32 turns. Of 8 lanes with
// one word each: one.
TEST(Counts, UpdatesOfSharedMemoryTakeTurns)
{
  const auto updates = [](std::uint32_t distance) {
    return shared(distance, "red.shared.add.u32 [%r4], 1;", "red.shared.add.u32");
  };
  EXPECT_EQ(updates(0).wavefronts, 32U);
  EXPECT_EQ(updates(4).wavefronts, 1U);
  EXPECT_EQ(updates(8).wavefronts, 2U);
  EXPECT_EQ(updates(0).least_wavefronts, 1U);
  EXPECT_EQ(updates(0).kind, InstructionClass::atomic);
}

// A generic address may lie in shared memory: that is seen where it is executed.
TEST(Counts, GenericAddressesCountWhereTheyLie)
{
  const LineCounts in_shared = of("mov.b32 %r5, block;\ncvt.u64.u32 %rd4, %r5;\ncvta.shared.u64 %rd5, %rd4;\nst.b32 "
                                  "[%rd5], %r1;",
                                  "st.b32");
  EXPECT_EQ(in_shared.kind, InstructionClass::shared_memory);
  EXPECT_EQ(in_shared.wavefronts, 1U);
  EXPECT_EQ(in_shared.requests, 0U);
  const LineCounts in_global = of("st.b32 [%rd1], %r1;", "st.b32");
  EXPECT_EQ(in_global.kind, InstructionClass::global_memory);
  EXPECT_EQ(in_global.wavefronts, 0U);
  EXPECT_EQ(in_global.requests, 1U);
  EXPECT_EQ(in_global.wanted_bytes, 128U);
}

TEST(Counts, FloatOperations)
{
  EXPECT_EQ(of("fma.rn.f32 %f1, %f2, %f2, %f2;", "fma.rn.f32").float_operations, 64U);
  EXPECT_EQ(of("add.f64 %fd1, %fd2, %fd2;", "add.f64").float_operations, 32U);
  EXPECT_EQ(of("fma.rn.f16x2 %r2, %r3, %r3, %r3;", "fma.rn.f16x2").float_operations, 128U);
  EXPECT_EQ(of("max.f32 %f1, %f2, %f2;", "max.f32").float_operations, 0U);
  EXPECT_EQ(of("mad.lo.s32 %r2, %r1, %r1, %r1;", "mad.lo.s32").float_operations, 0U);
  EXPECT_EQ(of("red.global.add.f32 [%rd0], 0f3F800000;", "red.global.add.f32").float_operations, 32U);
}

TEST(Counts, Classes)
{
  using enum InstructionClass;
  const std::vector<std::pair<std::string, InstructionClass>> opcodes = {
    {"add.s64", integer},
    {"and.pred", integer},
    {"setp.lt.f32", single},
    {"selp.b32", integer},
    {"fma.rn.f32", single},
    {"sqrt.rn.f64", real},
    {"fma.rn.bf16x2", half},
    {"cvt.rn.f16.f32", conversion},
    {"bra", control},
    {"bra.uni", control},
    {"ret", control},
    {"ld.shared.v4.f32", shared_memory},
    {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", shared_memory},
    {"ld.global.nc.f32", global_memory},
    {"st.volatile.global.u32", global_memory},
    {"ld.param.u64", other},
    {"ld.local.f32", other},
    {"atom.shared.add.u32", atomic},
    {"red.global.add.f32", atomic},
    {"bar.sync", barrier},
    {"fence.proxy.async.shared::cta", barrier},
    {"mbarrier.try_wait.parity.shared::cta.b64", barrier},
    {"cp.async.wait_group", barrier},
    {"wgmma.commit_group.sync.aligned", barrier},
    {"shfl.sync.bfly.b32", exchange},
    {"redux.sync.add.s32", exchange},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", matrix},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", matrix},
    {"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", shared_memory},
    {"cp.async.cg.shared.global", copy},
    {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes", copy},
    {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32", copy},
    {"mov.b32", other},
  };
  for (const auto& [opcode, kind] : opcodes) {
    EXPECT_EQ(name_of(class_of(opcode)), name_of(kind)) << opcode;
  }
}

// Lines without a place in a source are those of the PTX; a line of a source may have several instructions.
TEST(Counts, AreSummedByLine)
{
  LaunchCounts counts = all_of("st.global.b32 [%rd1], %r1;\nadd.f32 %f1, %f2, %f2;\nbar.sync 0;", 64);
  std::uint64_t warps = 0;
  for (const SourceLineCounts& line : by_source_line(counts)) {
    warps += line.warps;
  }
  EXPECT_EQ(warps, counts.warp_instructions); // barriers too
  EXPECT_EQ(counts.total.warps, counts.warp_instructions);
  EXPECT_EQ(counts.total.lanes, counts.lane_instructions);
  for (LineCounts& line : counts.lines) {
    line.place = {"a.cu", line.opcode == "add.f32" ? 7 : 8, line.place.ptx_line};
  }
  const std::vector<SourceLineCounts> lines = by_source_line(counts);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].line, 7);
  EXPECT_EQ(lines[0].warps_of_class(InstructionClass::single), 2U);
  EXPECT_EQ(lines[0].float_operations, 64U);
  EXPECT_EQ(lines[1].file, "a.cu");
  EXPECT_EQ(lines[1].warps_of_class(InstructionClass::global_memory), 2U);
  EXPECT_EQ(lines[1].warps_of_class(InstructionClass::barrier), 2U);
  EXPECT_EQ(lines[1].sectors, 8U);
}

// Odd lanes come to the exchange later than even ones: one execution of 32 lanes, not two.
TEST(Counts, LanesThatWaitForOthersCountOnce)
{
  const std::string body = "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra even;\nmov.b32 %r3, 1;\nbra "
                           "meet;\neven:\nmov.b32 %r3, 2;\nmeet:\nshfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;";
  const LineCounts shuffle = of(body, "shfl.sync.bfly.b32");
  EXPECT_EQ(shuffle.warps, 1U);
  EXPECT_EQ(shuffle.lanes, 32U);
  EXPECT_EQ(of("bar.sync 0;", "bar.sync", 96).warps, 3U);
  EXPECT_EQ(of("bar.warp.sync -1;", "bar.warp.sync", 96).warps, 3U);
}

TEST(Counts, AreLeftOutWhereNobodyAsks)
{
  const LaunchCounts counts = all_of("st.global.b32 [%rd1], %r1;", 32, false);
  EXPECT_TRUE(counts.lines.empty());
  EXPECT_EQ(counts.total, Counts{});
  EXPECT_GT(counts.warp_instructions, 0U);
}

// Each lane loads what it has stored: the cache holds it. The stores go to memory in the end: 128 bytes.
TEST(Counts, StoresAndLoadsThroughTheCache)
{
  const LaunchCounts counts = all_of("st.global.b32 [%rd1], %r1;\nld.global.b32 %r2, [%rd1];\nld.global.b32 %r3, "
                                     "[%rd1+128];");
  EXPECT_EQ(counts.total.cache_writes, 128U);
  EXPECT_EQ(counts.total.cache_reads, 256U);
  EXPECT_EQ(counts.total.memory_reads, 128U); // the second load's
  EXPECT_EQ(counts.total.memory_writes, 128U);
  for (const LineCounts& line : counts.lines) {
    EXPECT_EQ(line.memory_writes, line.opcode == "st.global.b32" ? 128U : 0U);
  }
}

// --- the model of the cache ---

using execute::Cache;
using execute::CacheTraffic;
using execute::k_whole_sector;

constexpr std::uint32_t k_first = 1, k_second = 2; // places of instructions

// Two sets of two lines: lines 0, 2, 4 share the first set. A line has four sectors.
Cache small_cache()
{
  return Cache(CacheSizes{512, 2});
}

std::uint64_t fetched(const Cache& cache, std::uint32_t place = k_first)
{
  return cache.traffic(place).memory_reads / 32;
}

std::uint64_t written(const Cache& cache, std::uint32_t place = k_first)
{
  return cache.traffic(place).memory_writes / 32;
}

TEST(CacheModel, SectorsOfALineComeOneByOne)
{
  Cache cache = small_cache();
  cache.read(0, k_first);
  EXPECT_EQ(fetched(cache), 1U);
  cache.read(0, k_first); // is there
  EXPECT_EQ(fetched(cache), 1U);
  cache.read(1, k_first); // of the same line, and not there
  EXPECT_EQ(fetched(cache), 2U);
  EXPECT_EQ(cache.traffic(k_first).reads, 96U);
  EXPECT_EQ(written(cache), 0U);
}

TEST(CacheModel, TheLeastRecentlyUsedLineMakesRoom)
{
  Cache cache = small_cache();
  cache.read(0, k_first);  // line 0
  cache.read(8, k_first);  // line 2, same set
  cache.read(0, k_first);  // line 0 is the newer one
  cache.read(16, k_first); // line 4 takes the place of line 2
  EXPECT_EQ(fetched(cache), 3U);
  cache.read(0, k_first);
  EXPECT_EQ(fetched(cache), 3U); // line 0 is still there
  cache.read(8, k_first);
  EXPECT_EQ(fetched(cache), 4U); // line 2 is not
  cache.read(4, k_first);        // line 1: the other set
  cache.read(0, k_first);
  EXPECT_EQ(fetched(cache), 5U);
}

TEST(CacheModel, StoresGoToMemoryWhenTheirLineMakesRoom)
{
  Cache cache = small_cache();
  cache.write(0, k_whole_sector, k_first);
  cache.write(1, k_whole_sector, k_first);
  cache.write(1, k_whole_sector, k_second); // the last one counts
  EXPECT_EQ(fetched(cache), 0U);
  cache.read(8, k_second);
  cache.read(16, k_second); // line 0 goes
  EXPECT_EQ(written(cache), 1U);
  EXPECT_EQ(written(cache, k_second), 1U);
  cache.write_back(); // nothing is left that differs
  EXPECT_EQ(written(cache), 1U);
  EXPECT_EQ(written(cache, k_second), 1U);
}

TEST(CacheModel, WhatIsLeftGoesToMemoryInTheEnd)
{
  Cache cache = small_cache();
  cache.write(0, k_whole_sector, k_first);
  cache.write(0, k_whole_sector, k_first);
  cache.write(5, k_whole_sector, k_first);
  EXPECT_EQ(written(cache), 0U);
  cache.write_back();
  EXPECT_EQ(written(cache), 2U);
  EXPECT_EQ(cache.traffic(k_first).writes, 96U);
}

TEST(CacheModel, PartsOfASectorAreFetchedWhereTheyAreRead)
{
  Cache cache = small_cache();
  cache.write(0, 0x0000ffff, k_first);
  cache.read(0, k_second); // the other half is not there
  EXPECT_EQ(fetched(cache, k_second), 1U);
  cache.write(1, 0x0000ffff, k_first);
  cache.write(1, 0xffff0000, k_first);
  cache.read(1, k_second); // both halves were stored
  EXPECT_EQ(fetched(cache, k_second), 1U);
  EXPECT_EQ(fetched(cache), 0U);
}

TEST(CacheModel, UpdatesFetchAndDiffer)
{
  Cache cache = small_cache();
  cache.update(0, k_first);
  cache.update(0, k_first);
  EXPECT_EQ(cache.traffic(k_first).updates, 64U);
  EXPECT_EQ(fetched(cache), 1U);
  cache.write_back();
  EXPECT_EQ(written(cache), 1U);
  EXPECT_EQ(cache.traffic(k_first).reads + cache.traffic(k_first).writes, 0U);
}

// A set of one line: whatever comes takes its place.
TEST(CacheModel, HasAtLeastOneLine)
{
  Cache cache(CacheSizes{0, 0});
  cache.read(0, k_first);
  cache.read(4, k_first);
  cache.read(0, k_first);
  EXPECT_EQ(fetched(cache), 3U);
}

// Two allocations of 300 bytes: at 0 and at 512, wherever they lie in this process.
TEST(CacheModel, AllocationsLieInTheOrderInWhichTheyAreMet)
{
  GlobalMemory memory;
  const std::uintptr_t first = memory.allocate(300), second = memory.allocate(300);
  execute::CacheAddresses addresses;
  EXPECT_EQ(addresses.of(*memory.find(second, 1), second + 4), 4U);
  EXPECT_EQ(addresses.of(*memory.find(first, 1), first + 8), 520U);
  EXPECT_EQ(addresses.of(*memory.find(second, 1), second), 0U);
}

} // namespace
} // namespace hone::emulate
