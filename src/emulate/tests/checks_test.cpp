// What is found wrong: each check with a program that is wrong and one that is right.
#include "small_program.h"

namespace hone::emulate {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* k_block = ".shared .align 4 .b8 block[512];\n";
constexpr const char* k_own_place = "mov.b32 %r5, block;\nshl.b32 %r6, %r1, 2;\nadd.s32 %r7, %r5, %r6;\n";
// What the thread 32 further on, in the next warp, stored; of 64 threads.
constexpr const char* k_other_place = "xor.b32 %r8, %r6, 128;\nadd.s32 %r8, %r5, %r8;\nld.shared.b32 %r2, [%r8];\n"
                                      "st.global.b32 [%rd1], %r2;";

TEST(Checks, AnExchangeBetweenWarpsNeedsABarrier)
{
  const std::string store = std::string(k_own_place) + "st.shared.b32 [%r7], %r1;\n";
  EXPECT_THAT(findings_of(run(with_body(store + "bar.sync 0;\n" + k_other_place, k_block), 64)), IsEmpty());
  const Ran wrong = run(with_body(".loc 1 3 1\n" + store + ".loc 1 5 1\n" + k_other_place, k_block), 64);
  // Whichever warp comes first: nobody stored yet, or a race with who did.
  EXPECT_THAT(findings_of(wrong), testing::AnyOf(HasSubstr("race"), HasSubstr("nobody stored")));
}

TEST(Checks, ABarrierMissingBeforeTheNextStore)
{
  const std::string text = std::string(k_own_place)
                           + "st.shared.b32 [%r7], %r1;\nbar.sync 0;\nxor.b32 %r8, %r6, 128;\nadd.s32 %r8, %r5, %r8;\n"
                             "ld.shared.b32 %r2, [%r8];\n";
  const std::string next = "st.shared.b32 [%r7], %r2;\n";
  EXPECT_THAT(findings_of(run(with_body(text + next, k_block), 64)), HasSubstr("race"));
  EXPECT_THAT(findings_of(run(with_body(text + "bar.sync 0;\n" + next, k_block), 64)), IsEmpty());
}

TEST(Checks, LanesOfAWarpNeedASynchronisationToo)
{
  const std::string store = std::string(k_own_place) + "st.shared.b32 [%r7], %r1;\n";
  const std::string load = "xor.b32 %r8, %r6, 4;\nadd.s32 %r8, %r5, %r8;\nld.shared.b32 %r2, [%r8];\n";
  EXPECT_THAT(findings_of(run(with_body(store + load, k_block))),
              HasSubstr("in the same warp without a synchronisation"));
  EXPECT_THAT(findings_of(run(with_body(store + "bar.warp.sync -1;\n" + load, k_block))), IsEmpty());
}

TEST(Checks, GroupsThatStoreToOnePlace)
{
  EXPECT_THAT(findings_of(run(with_body("st.global.b32 [%rd1], %r1;"), 32, 2)), HasSubstr("race"));
  EXPECT_THAT(findings_of(run(with_body("red.global.add.u32 [%rd1], 1;"), 32, 2)), IsEmpty());
}

TEST(Checks, SharedMemoryThatNobodyStored)
{
  EXPECT_THAT(findings_of(run(with_body(std::string(k_own_place) + "ld.shared.b32 %r2, [%r7];", k_block))),
              HasSubstr("uninitialised"));
}

TEST(Checks, BoundsAndAlignment)
{
  const Ran beyond = run(with_body("st.global.b32 [%rd1+4], %r1;"));
  EXPECT_THAT(findings_of(beyond), HasSubstr("out of bounds"));
  EXPECT_THAT(findings_of(beyond), HasSubstr("thread (31, 0, 0)"));
  EXPECT_FALSE(beyond.result.finished);
  EXPECT_THAT(findings_of(run(with_body("ld.global.v2.b32 {%r2, %r3}, [%rd0+4];"))), HasSubstr("misaligned"));
  EXPECT_THAT(findings_of(run(with_body("mov.b32 %r5, block;\nst.shared.b32 [%r5+512], %r1;", k_block))),
              HasSubstr("512 of 512 bytes of shared memory"));
}

TEST(Checks, BarriersThatNotAllReach)
{
  const std::string only_some = "setp.lt.u32 %p1, %r1, 40;\n@%p1 bar.sync 0;";
  EXPECT_THAT(findings_of(run(with_body(only_some), 64)), HasSubstr("divergence"));
  const std::string two_places =
    "setp.lt.u32 %p1, %r1, 7;\n@%p1 bra other;\nbar.sync 0;\nbra done;\nother:\nbar.sync 0;\ndone:";
  EXPECT_THAT(findings_of(run(with_body(two_places), 64)), HasSubstr("different barriers"));
}

TEST(Checks, MasksThatAreWrong)
{
  EXPECT_THAT(findings_of(run(with_body("shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0xffff;"))), HasSubstr("wrong mask"));
  EXPECT_THAT(
    findings_of(run(with_body("setp.lt.u32 %p1, %r1, 16;\n@%p1 exit;\nshfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;"))),
    HasSubstr("wrong mask"));
}

TEST(Checks, WhoWaitsForever)
{
  const Ran ran = run(with_body("setp.lt.u32 %p1, %r1, 32;\n@%p1 bar.sync 1, 96;\nbar.sync 2, 64;"), 64);
  EXPECT_THAT(findings_of(ran), HasSubstr("deadlock"));
  EXPECT_THAT(findings_of(ran), HasSubstr("barrier 1"));
  EXPECT_THAT(findings_of(run(with_body("loop:\nbra loop;"))), HasSubstr("hang"));
}

// Half a warp waits for the other half, whose way is the longer one: a device lets both go on.
TEST(Checks, LanesMayWaitForOthersOfTheirWarp)
{
  const Ran ran = run(with_body("setp.ne.u32 %p1, %r1, 0;\n@%p1 bra MEET;\nmbarrier.init.shared.b64 [bar], 16;\nMEET:\n"
                                "bar.sync 0;\nsetp.lt.u32 %p2, %r1, 16;\n@!%p2 bra ARRIVE;\n"
                                "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p3, [bar], 0;\n@!%p3 bra WAIT;\nbra END;\n"
                                "ARRIVE:\nmbarrier.arrive.shared.b64 %rd5, [bar];\nEND:\nst.global.u32 [%rd1], 7;",
                                ".shared .align 8 .b64 bar;\n"));
  EXPECT_EQ(findings_of(ran), "");
  EXPECT_THAT(ran.output, testing::Each(7U));
}

TEST(Checks, WhatIsNotKnownIsNeverRight)
{
  const Ran ran = run(with_body("tcgen05.wait::ld.sync.aligned;"));
  EXPECT_THAT(findings_of(ran), HasSubstr("unsupported"));
  EXPECT_FALSE(ran.result.finished);
  EXPECT_THAT(findings_of(run(with_body("bra over;\ntcgen05.wait::ld.sync.aligned;\nover:"))),
              IsEmpty()); // not executed
}

TEST(Checks, ATrapSaysItsLine)
{
  EXPECT_THAT(findings_of(run(with_body(".loc 1 42 1\ntrap;"))), HasSubstr("trap"));
}

} // namespace
} // namespace hone::emulate
