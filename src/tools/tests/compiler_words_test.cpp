// What GCC and llvm-mca print.
#include "tools/mca.h"
#include "tools/remarks.h"

#include <gtest/gtest.h>

namespace hone::tools {
namespace {

TEST(LoopRemarks, SayForEachLoopWhetherItIsVectorised)
{
  const auto loops = loop_remarks("device.cpp:3:22: missed: Guard edge 4 --> 5 is not around the loop!\n"
                                  "device.cpp:3:22: missed: couldn't vectorize loop\n"
                                  "device.cpp:6:38: missed: not vectorized: not suitable for strided load _12 = *_11;\n"
                                  "device.cpp:5:24: optimized: loop vectorized using 16 byte vectors\n"
                                  "device.cpp:12:22: optimized: loop vectorized using 32 byte vectors\n"
                                  "device.cpp:12:22: optimized: loop vectorized using 16 byte vectors\n"
                                  "device.cpp:14:2: optimized: loop with 4 iterations completely unrolled (x)\n"
                                  "hone.h:9:2: missed: couldn't vectorize loop\n");
  ASSERT_EQ(loops.size(), 4u);
  EXPECT_EQ(loops[0].place, "device.cpp:3");
  EXPECT_EQ(loops[0].text, "not vectorised: line 6: not suitable for strided load _12 = *_11;");
  EXPECT_EQ(loops[1].vector_bytes, 16);
  EXPECT_EQ(loops[2].vector_bytes, 32) << "the widest";
  EXPECT_EQ(loops[3].text, "unrolled completely");
}

constexpr const char* k_printed = R"(Iterations:        100
Instructions:      500
Total Cycles:      411
Total uOps:        500

Dispatch Width:    6
uOps Per Cycle:    1.22
IPC:               1.22
Block RThroughput: 1.0


Critical sequence based on the simulation:

              Instruction                                 Dependency Information
 +----< 2.    addq	$64, %rax
 |
 |    < loop carried > 
 |
 |      0.    vmovups	(%rdi,%rax), %zmm1
 +----> 2.    addq	$64, %rax                         ## REGISTER dependency:  %rax
 +----> 3.    cmpq	%rdx, %rax                        ## REGISTER dependency:  %rax


Resources:
[0]   - Zn4AGU0
[1]   - Zn4FP0
[2.0] - Zn4Load
[2.1] - Zn4Load


Resource pressure per iteration:
[0]    [1]    [2.0]  [2.1]
 -     1.00   0.66   0.67

)";

TEST(Mca, FiguresPortsAndTheChainAreRead)
{
  const auto result = parse_mca(k_printed, 100);
  ASSERT_TRUE(result);
  EXPECT_DOUBLE_EQ(result->cycles, 4.11);
  EXPECT_DOUBLE_EQ(result->throughput_cycles, 1.0);
  ASSERT_EQ(result->ports.size(), 3u);
  EXPECT_EQ(result->ports[0], (std::pair<std::string, double>{"Zn4FP0", 1.0}));
  EXPECT_EQ(result->critical, (std::vector<std::string>{"addq $64, %rax", "cmpq %rdx, %rax"}));
  EXPECT_FALSE(parse_mca("error: found an unsupported instruction", 100));
}

} // namespace
} // namespace hone::tools
