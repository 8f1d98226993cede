// What compilers say of a device's functions, and what of the device's room they take.
#include "backend/cuda/device_compiler.h"
#include "backend/cuda/prelude.h"

#include <gmock/gmock.h>

namespace hone::backend {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(DeviceCompiler, ReadsWhatPtxasSays)
{
  const std::string log = "ptxas info    : 0 bytes gmem\n"
                          "ptxas info    : Compiling entry function 'matmul' for 'sm_90a'\n"
                          "ptxas info    : Function properties for matmul\n"
                          "    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
                          "ptxas info    : Used 96 registers, used 1 barriers, 8192 bytes smem\n"
                          "ptxas info    : Compiling entry function 'add' for 'sm_90a'\n"
                          "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                          "ptxas info    : Used 12 registers, used 0 barriers\n";
  EXPECT_THAT(resources_in(log, *find_device_target("sm_90a")),
              ElementsAre(KernelResources{"matmul", 96, 12, 8192}, KernelResources{"add", 12, 0, 0}));
}

TEST(DeviceCompiler, ReadsTheRemarksOnAnAmdFunction)
{
  const std::string log =
    "device.hip:2:1: remark: Function Name: matmul [-Rpass-analysis=kernel-resource-usage]\n"
    "device.hip:2:1: remark:     SGPRs: 12 [-Rpass-analysis=kernel-resource-usage]\n"
    "device.hip:2:1: remark:     VGPRs: 40 [-Rpass-analysis=kernel-resource-usage]\n"
    "device.hip:2:1: remark:     AGPRs: 8 [-Rpass-analysis=kernel-resource-usage]\n"
    "device.hip:2:1: remark:     ScratchSize [bytes/lane]: 4 [-Rpass-analysis=kernel-resource-usage]\n"
    "device.hip:2:1: remark:     LDS Size [bytes/block]: 2048 [-Rpass-analysis=kernel-resource-usage]\n";
  EXPECT_THAT(resources_in(log, *find_device_target("gfx942")), ElementsAre(KernelResources{"matmul", 48, 4, 2048}));
}

TEST(DeviceCompiler, OccupancyIsBoundByRegistersItemsAndLocalMemory)
{
  const DeviceTarget& h100 = *find_device_target("sm_90a");
  EXPECT_DOUBLE_EQ(occupancy({"f", 32, 0, 0}, 256, h100), 1);
  EXPECT_DOUBLE_EQ(occupancy({"f", 128, 0, 0}, 256, h100), 0.25);        // 65536 / (256 * 128) = 2 groups
  EXPECT_DOUBLE_EQ(occupancy({"f", 32, 0, 100 << 10}, 256, h100), 0.25); // two blocks of 100 KiB in 227
  EXPECT_DOUBLE_EQ(occupancy({"f", 32, 0, 0}, 8, h100), 1);              // a group fills whole sub-groups
}

TEST(DeviceCompiler, UnknownArchitecturesAreNone)
{
  EXPECT_EQ(find_device_target("sm_10"), nullptr);
}

TEST(DeviceCompiler, TheTwoLanguagesHaveTheirOwnNamesForHalves)
{
  EXPECT_THAT(device_prelude("cuda"), HasSubstr("#define HONE_BF16 __nv_bfloat16"));
  EXPECT_THAT(device_prelude("hip"), HasSubstr("#define HONE_BF16 __hip_bfloat16"));
}

} // namespace
} // namespace hone::backend
