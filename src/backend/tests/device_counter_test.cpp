// What the emulated device and oclgrind count, read back.
#include "backend/cuda/device_counter.h"
#include "backend/opencl/oclgrind_counter.h"

#include <gtest/gtest.h>

namespace hone::backend {
namespace {

TEST(DeviceCounter, KnowsTheBytesOfAnItem)
{
  EXPECT_EQ(item_bytes("ld.shared.f32"), 4);
  EXPECT_EQ(item_bytes("ld.shared.v4.b32"), 16);
  EXPECT_EQ(item_bytes("st.shared.b16"), 2);
  EXPECT_EQ(item_bytes("bra"), 0);
}

// Would catch: stores counted as loads, bytes taken for sectors, or branches taken for accesses.
TEST(DeviceCounter, SitesAreLinesAndBuffers)
{
  const auto counts =
    device_counts_from(R"({"cache": [1024, 16], "groups_run": 2, "groups": 4, "whole": false, "lines": [
    {"file": "device.cu", "line": 5, "opcode": "ld.global.f32", "class": "global memory", "buffer": "X", "warps": 2, "lanes": 64,
     "requests": 2, "sectors": 64, "wanted": 256, "turns": 0, "least_turns": 0, "parted": 0, "memory_reads": 2048, "memory_writes": 0},
    {"file": "device.cu", "line": 6, "opcode": "st.shared.f32", "class": "shared memory", "buffer": "", "warps": 2, "lanes": 64,
     "requests": 0, "sectors": 0, "wanted": 0, "turns": 64, "least_turns": 2, "parted": 0, "memory_reads": 0, "memory_writes": 0},
    {"file": "device.cu", "line": 7, "opcode": "bra", "class": "control", "buffer": "", "warps": 4, "lanes": 96,
     "requests": 0, "sectors": 0, "wanted": 0, "turns": 0, "least_turns": 0, "parted": 2, "memory_reads": 0, "memory_writes": 0}]})");
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_TRUE(counts->of_warps);
  ASSERT_EQ(counts->sites.size(), 3u);
  EXPECT_EQ(counts->total.loads, 64);
  EXPECT_EQ(counts->total.stores, 64);
  EXPECT_EQ(counts->total.bytes_loaded, 256);
  EXPECT_EQ(counts->total.bytes_stored, 256);
  EXPECT_EQ(counts->total.warps.sectors, 64);
  EXPECT_EQ(counts->total.warps.least_sectors, 8);
  EXPECT_EQ(counts->total.warps.turns, 64);
  EXPECT_EQ(counts->total.warps.branches, 4);
  EXPECT_EQ(counts->total.warps.parted, 2);
  EXPECT_EQ(counts->total.misses[0].all(), 64);
  EXPECT_EQ(counts->traffic[0].fill_bytes, 2048);
  EXPECT_TRUE(counts->notes.back().contains("2 of 4 groups"));
  EXPECT_FALSE(device_counts_from("{}"));
}

// Would catch: thousands read as their first digits, or launches that replace one another.
TEST(OclgrindCounter, AddsUpWhatIsPrinted)
{
  const AccessCounts counts = opencl::counts_in("Instructions executed for kernel 'a':\n"
                                                "           1,024 - load global (4,096 bytes)\n"
                                                "              64 - store local (256 bytes)\n"
                                                "              64 - fmul\n\n"
                                                "Instructions executed for kernel 'b':\n"
                                                "              10 - load global (40 bytes)\n"
                                                "               5 - load private (20 bytes)\n");
  EXPECT_FALSE(counts.has_lines);
  EXPECT_EQ(counts.total.loads, 1039);
  EXPECT_EQ(counts.total.bytes_loaded, 4156);
  EXPECT_EQ(counts.total.stores, 64);
  EXPECT_EQ(counts.stack.loads, 5);
  ASSERT_EQ(counts.sites.size(), 3u);
  EXPECT_EQ(counts.sites[0].bytes_loaded, 4136);
}

} // namespace
} // namespace hone::backend
