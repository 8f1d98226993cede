// What instructions compute, and how lanes part and meet again.
#include "small_program.h"

#include <bit>
#include <cmath>

namespace hone::emulate {
namespace {

using testing::IsEmpty;

std::uint32_t of_first(const std::string& body)
{
  const Ran ran = run(with_body(body + "\nst.global.b32 [%rd1], %r2;"));
  EXPECT_THAT(findings_of(ran), IsEmpty());
  return ran.output.empty() ? 0 : ran.output.front();
}

float float_of_first(const std::string& body)
{
  return std::bit_cast<float>(of_first(body + "\nmov.b32 %r2, %f1;"));
}

// Ends of ranges, where C++ is undefined and PTX is not.
TEST(Execute, WholeNumbers)
{
  EXPECT_EQ(of_first("mov.b32 %r3, 2147483647;\nadd.s32 %r2, %r3, 1;"), 0x80000000U);
  EXPECT_EQ(of_first("mov.b32 %r3, 7;\ndiv.s32 %r2, %r3, 0;"), 0xffffffffU);
  EXPECT_EQ(of_first("mov.b32 %r3, -7;\nrem.s32 %r2, %r3, 3;"), 0xffffffffU);
  EXPECT_EQ(of_first("mov.b32 %r3, -1;\nmul.hi.u32 %r2, %r3, %r3;"), 0xfffffffeU);
  EXPECT_EQ(of_first("mov.b32 %r3, -1;\nmul.hi.s32 %r2, %r3, %r3;"), 0U);
  EXPECT_EQ(of_first("mov.b32 %r3, 1;\nshl.b32 %r2, %r3, 32;"), 0U);
  EXPECT_EQ(of_first("mov.b32 %r3, -8;\nshr.s32 %r2, %r3, 40;"), 0xffffffffU);
  EXPECT_EQ(of_first("mov.b32 %r3, 240;\nbfe.u32 %r2, %r3, 4, 8;"), 15U);
  EXPECT_EQ(of_first("mov.b32 %r3, 240;\nbfe.s32 %r2, %r3, 4, 4;"), 0xffffffffU);
  EXPECT_EQ(of_first("mov.b32 %r3, 5;\nmov.b32 %r4, 255;\nbfi.b32 %r2, %r3, %r4, 4, 3;"), 0xdfU);
  EXPECT_EQ(of_first("mov.b32 %r3, 0x12345678;\nmov.b32 %r4, 0x9abcdef0;\nprmt.b32 %r2, %r3, %r4, 0x7531;"),
            0x9ade1256U);
  EXPECT_EQ(of_first("mov.b32 %r3, 12;\nmov.b32 %r4, 10;\nmov.b32 %r5, 6;\nlop3.b32 %r2, %r3, %r4, %r5, 0x96;"),
            12U ^ 10U ^ 6U);
  EXPECT_EQ(of_first("mov.b32 %r3, 0x80000001;\nshf.l.wrap.b32 %r2, %r3, %r3, 1;"), 3U);
  EXPECT_EQ(of_first("mov.b32 %r3, -1;\nadd.cc.u32 %r4, %r3, 1;\naddc.u32 %r2, %r4, 5;"), 6U);
  EXPECT_EQ(of_first("mov.b32 %r3, 255;\ncvt.u16.u32 %rs1, %r3;\ncvt.s32.s8 %r2, %rs1;"), 0xffffffffU);
}

TEST(Execute, FloatsRoundAsSaidAndNaNsAreOne)
{
  EXPECT_EQ(float_of_first("mov.f32 %f2, 0f3F800000;\nmov.f32 %f3, 0f33000000;\nadd.rn.f32 %f1, %f2, %f3;"), 1.0f);
  EXPECT_GT(float_of_first("mov.f32 %f2, 0f3F800000;\nmov.f32 %f3, 0f33000000;\nadd.rp.f32 %f1, %f2, %f3;"), 1.0f);
  EXPECT_EQ(of_first("mov.f32 %f2, 0f7F800000;\nsub.f32 %f1, %f2, %f2;\nmov.b32 %r2, %f1;"), 0x7fffffffU);
  EXPECT_EQ(of_first("mov.f32 %f2, 0f00000001;\nadd.ftz.f32 %f1, %f2, %f2;\nmov.b32 %r2, %f1;"), 0U);
  EXPECT_EQ(float_of_first("mov.f32 %f2, 0f7FC00000;\nmov.f32 %f3, 0f40000000;\nmax.f32 %f1, %f2, %f3;"), 2.0f);
  EXPECT_EQ(float_of_first("mov.f32 %f2, 0fC0000000;\nadd.sat.f32 %f1, %f2, %f2;"), 0.0f);
  // A product that only a fused addition tells apart from 1.
  EXPECT_NE(float_of_first("mov.f32 %f2, 0f3F800001;\nmov.f32 %f3, 0fBF800002;\nfma.rn.f32 %f1, %f2, %f2, %f3;"), 0.0f);
  EXPECT_EQ(
    float_of_first(
      "mov.f32 %f2, 0f3F800001;\nmov.f32 %f3, 0fBF800002;\nmul.rn.f32 %f4, %f2, %f2;\nadd.rn.f32 %f1, %f4, %f3;"),
    0.0f);
}

TEST(Execute, Conversions)
{
  EXPECT_EQ(of_first("mov.f32 %f1, 0f4F000000;\ncvt.rzi.s32.f32 %r2, %f1;"), 0x7fffffffU); // 2^31 does not fit
  EXPECT_EQ(of_first("mov.f32 %f1, 0f7FC00000;\ncvt.rzi.s32.f32 %r2, %f1;"), 0U);
  EXPECT_EQ(of_first("mov.f32 %f1, 0fC0200000;\ncvt.rni.s32.f32 %r2, %f1;"), static_cast<std::uint32_t>(-2));
  EXPECT_EQ(of_first("mov.f32 %f1, 0f3F801000;\ncvt.rn.f16.f32 %rs1, %f1;\ncvt.u32.u16 %r2, %rs1;"),
            0x3c00U); // a tie, to even
  EXPECT_EQ(of_first("mov.f32 %f1, 0f3F801001;\ncvt.rn.f16.f32 %rs1, %f1;\ncvt.u32.u16 %r2, %rs1;"), 0x3c01U);
  EXPECT_EQ(of_first("mov.f32 %f1, 0f47800000;\ncvt.rn.f16.f32 %rs1, %f1;\ncvt.u32.u16 %r2, %rs1;"), 0x7c00U);
  EXPECT_EQ(of_first("mov.f32 %f1, 0f33800000;\ncvt.rn.f16.f32 %rs1, %f1;\ncvt.u32.u16 %r2, %rs1;"),
            1U); // the smallest
  EXPECT_EQ(float_of_first("mov.b32 %r3, 16777217;\ncvt.rp.f32.s32 %f1, %r3;"), 16777218.0f);
  EXPECT_EQ(of_first("mov.b32 %r3, 300;\ncvt.sat.u8.u32 %r2, %r3;"), 255U);
}

// Lanes that part at a branch meet again behind it: the shuffle needs all of them.
TEST(Execute, LanesThatPartMeetAgain)
{
  const Ran ran = run(with_body("and.b32 %r3, %r1, 1;\nsetp.eq.s32 %p1, %r3, 0;\nmov.b32 %r2, 100;\n@%p1 bra even;\n"
                                "add.s32 %r2, %r2, 1;\nbra join;\neven:\nadd.s32 %r2, %r2, 2;\njoin:\n"
                                "shfl.sync.bfly.b32 %r4, %r2, 1, 31, -1;\nst.global.b32 [%rd1], %r4;"));
  EXPECT_THAT(findings_of(ran), IsEmpty());
  ASSERT_EQ(ran.output.size(), 32U);
  EXPECT_EQ(ran.output[0], 101U);
  EXPECT_EQ(ran.output[1], 102U);
}

TEST(Execute, LoopsOfDifferentLengths)
{
  const Ran ran =
    run(with_body("mov.b32 %r2, 0;\nmov.b32 %r3, 0;\nloop:\nsetp.ge.u32 %p1, %r3, %r1;\n@%p1 bra done;\n"
                  "add.s32 %r2, %r2, %r3;\nadd.s32 %r3, %r3, 1;\nbra loop;\ndone:\nst.global.b32 [%rd1], %r2;"),
        70);
  EXPECT_THAT(findings_of(ran), IsEmpty());
  for (std::uint32_t i = 0; i < 70; ++i) {
    EXPECT_EQ(ran.output[i], i == 0 ? 0 : i * (i - 1) / 2) << i;
  }
}

TEST(Execute, ShufflesStayInTheirSegments)
{
  const Ran ran =
    run(with_body("shfl.sync.down.b32 %r2|%p1, %r1, 1, 0x1807, -1;\nselp.b32 %r3, %r2, 99, %p1;\nst.global.b32 "
                  "[%rd1], %r3;")); // segments of 8 lanes
  EXPECT_EQ(ran.output[0], 1U);
  EXPECT_EQ(ran.output[7], 99U);
  EXPECT_EQ(ran.output[8], 9U);
}

TEST(Execute, VotesAndSums)
{
  EXPECT_EQ(of_first("setp.lt.u32 %p1, %r1, 5;\nvote.sync.ballot.b32 %r2, %p1, -1;"), 31U);
  EXPECT_EQ(of_first("redux.sync.add.s32 %r2, %r1, -1;"), 496U);
  EXPECT_EQ(of_first("activemask.b32 %r2;"), 0xffffffffU);
}

TEST(Execute, AtomicUpdatesOfAllThreadsArrive)
{
  const Ran ran = run(with_body("atom.global.add.u32 %r2, [%rd0], 1;"), 96, 3);
  EXPECT_THAT(findings_of(ran), IsEmpty());
  EXPECT_EQ(ran.output[0], 288U);
}

TEST(Execute, GlobalVariablesHaveTheirValues)
{
  const std::string table = ".global .align 4 .b8 table[8] = {7, 0, 0, 0, 9};\n";
  std::string text =
    with_body("mov.u64 %rd4, table;\nld.global.u32 %r2, [%rd4+4];\nld.global.u32 %r3, [table];\nadd.s32 "
              "%r2, %r2, %r3;\nst.global.b32 [%rd1], %r2;");
  text.insert(text.find(".visible"), table);
  const Ran ran = run(text);
  EXPECT_THAT(findings_of(ran), IsEmpty());
  EXPECT_EQ(ran.output[0], 16U);
}

TEST(Execute, NamedBarriersCountTheirThreads)
{
  // The first warp waits for the second at barrier 1; the third does not take part.
  const Ran ran =
    run(with_body("setp.ge.u32 %p1, %r1, 64;\n@%p1 bra done;\nsetp.lt.u32 %p2, %r1, 32;\nmov.b32 %r5, block;\nand.b32 "
                  "%r6, %r1, 31;\nshl.b32 %r6, %r6, 2;\nadd.s32 %r7, %r5, %r6;\n@%p2 bra reader;\nst.shared.b32 "
                  "[%r7], %r1;\nbar.arrive 1, 64;\nbra done;\nreader:\nbar.sync 1, 64;\nld.shared.b32 %r2, "
                  "[%r7];\nst.global.b32 [%rd1], %r2;\ndone:",
                  ".shared .align 4 .b8 block[128];\n"),
        96);
  EXPECT_THAT(findings_of(ran), IsEmpty());
  EXPECT_EQ(ran.output[3], 35U);
}

} // namespace
} // namespace hone::emulate
