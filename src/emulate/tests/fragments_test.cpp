// Matrix fragments: that what ldmatrix gives is what mma.sync takes, and copies that are not waited for.
#include "small_program.h"

#include <bit>

namespace hone::emulate {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// A[i][k] = i, B[0][n] = n and 0 elsewhere: C[i][n] = i * n. Each lane stores its first result: row lane / 4, column
// 2 (lane % 4).
constexpr const char* k_product = R"(
mov.b32 %r4, a;
mov.b32 %r5, b;
shr.u32 %r6, %r1, 1;
cvt.rn.f16.u32 %rs1, %r6;
mov.b32 %r7, {%rs1, %rs1};
shl.b32 %r8, %r1, 4;
add.s32 %r9, %r4, %r8;
st.shared.v4.b32 [%r9], {%r7, %r7, %r7, %r7};
setp.ge.u32 %p1, %r1, 16;
@%p1 bra filled;
setp.eq.u32 %p2, %r1, 0;
selp.b32 %r10, 0x3C000000, 0, %p2;
selp.b32 %r11, 0x42004000, 0, %p2;
selp.b32 %r12, 0x45004400, 0, %p2;
selp.b32 %r13, 0x47004600, 0, %p2;
add.s32 %r14, %r5, %r8;
st.shared.v4.b32 [%r14], {%r10, %r11, %r12, %r13};
filled:
bar.sync 0;
and.b32 %r15, %r1, 15;
shl.b32 %r16, %r15, 5;
shr.u32 %r17, %r1, 4;
shl.b32 %r18, %r17, 4;
add.s32 %r19, %r4, %r16;
add.s32 %r19, %r19, %r18;
shl.b32 %r20, %r15, 4;
add.s32 %r20, %r5, %r20;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r21, %r22, %r23, %r24}, [%r19];
ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r25, %r26}, [%r20];
mov.f32 %f1, 0f00000000;
mov.f32 %f2, 0f00000000;
mov.f32 %f3, 0f00000000;
mov.f32 %f4, 0f00000000;
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r21, %r22, %r23, %r24}, {%r25, %r26}, {%f1, %f2, %f3, %f4};
st.global.f32 [%rd1], %f1;)";

TEST(Fragments, AProductByWayOfLdmatrix)
{
  const Ran ran = run(with_body(k_product, ".shared .align 16 .b8 a[512];\n.shared .align 16 .b8 b[256];\n"));
  EXPECT_THAT(findings_of(ran), IsEmpty());
  ASSERT_EQ(ran.output.size(), 32U);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(std::bit_cast<float>(ran.output[lane]), static_cast<float>(lane / 4 * (2 * (lane % 4)))) << lane;
  }
}

TEST(Fragments, AProductNeedsTheWholeWarp)
{
  const Ran ran =
    run(with_body("mov.f32 %f1, 0f00000000;\nsetp.lt.u32 %p1, %r1, 31;\n@!%p1 exit;\n"
                  "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, {%r4, %r5, %r6, %r7}, "
                  "{%r8, %r9}, {%f1, %f1, %f1, %f1};"));
  EXPECT_THAT(findings_of(ran), HasSubstr("wrong mask"));
}

constexpr const char* k_copy = "mov.b32 %r5, block;\nshl.b32 %r6, %r1, 2;\nadd.s32 %r7, %r5, %r6;\n"
                               "cp.async.ca.shared.global [%r7], [%rd1], 4;\ncp.async.commit_group;\n";

TEST(Fragments, ACopyIsThereAfterItsWait)
{
  const std::string wait = "cp.async.wait_group 0;\n", load = "ld.shared.b32 %r2, [%r7];";
  const std::string block = ".shared .align 4 .b8 block[128];\n";
  EXPECT_THAT(findings_of(run(with_body(k_copy + wait + load, block))), IsEmpty());
  EXPECT_THAT(findings_of(run(with_body(k_copy + load, block))), HasSubstr("is not waited for"));
  // One group may go on: the newest.
  EXPECT_THAT(findings_of(run(with_body(k_copy + std::string("cp.async.wait_group 1;\n") + load, block))),
              HasSubstr("is not waited for"));
}

TEST(Fragments, OthersNeedABarrierBehindTheWait)
{
  const std::string other = "xor.b32 %r8, %r6, 4;\nadd.s32 %r8, %r5, %r8;\nld.shared.b32 %r2, [%r8];";
  const std::string block = ".shared .align 4 .b8 block[128];\n", wait = "cp.async.wait_all;\n";
  EXPECT_THAT(findings_of(run(with_body(k_copy + wait + other, block))), HasSubstr("race"));
  EXPECT_THAT(findings_of(run(with_body(k_copy + wait + "bar.sync 0;\n" + other, block))), IsEmpty());
}

} // namespace
} // namespace hone::emulate
