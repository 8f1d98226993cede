// Compiled code as text: functions, lines, loops and classes of instructions.
#include "tools/instruction_mix.h"
#include "tools/listing.h"

#include <gtest/gtest.h>

namespace hone::tools {
namespace {

using backend::ListingSyntax;

// An outer loop around two inner ones, and a cold part behind the return that jumps back into the outer one.
constexpr const char* k_x86 = R"(
	.file	"device.cpp"
	.text
	.type	k, @function
k:
.LFB0:
	.file 1 "device.cpp"
	.loc 1 2 1
	xorl	%eax, %eax
.L2:
	.loc 1 4 5
	vmovups	(%rdi), %ymm1
	movq	%rax, -8(%rsp)
.L3:
	.loc 1 6 9
	vfmadd231ps	(%rsi,%rax), %ymm1, %ymm0
	addq	$32, %rax
	cmpq	%rdx, %rax
	jne	.L3
	testq	%r8, %r8
	je	.L9
.L5:
	.loc 1 8 9
	vaddss	(%rcx), %xmm0, %xmm0
	call	expf
	decq	%r9
	jne	.L5
.L6:
	incq	%r10
	cmpq	%r10, %r11
	jne	.L2
	ret
.L9:
	xorl	%r9d, %r9d
	jmp	.L6
	.size	k, .-k
	.section	.debug_info,"",@progbits
.Ldebug_info0:
	.long	0x1
)";

// Would catch: a cold part that jumps back taken for a loop around everything.
TEST(Listing, FindsTheNaturalLoopsOfX86Code)
{
  const Listing listing = parse_listing(k_x86, ListingSyntax::x86);
  ASSERT_EQ(listing.functions.size(), 1u);
  const Function& function = listing.functions[0];
  EXPECT_EQ(function.name, "k");
  EXPECT_EQ(function.instructions.size(), 19u);
  ASSERT_EQ(function.loops.size(), 3u);
  EXPECT_EQ(function.loops[0].depth, 1);
  EXPECT_FALSE(function.loops[0].innermost);
  EXPECT_EQ(function.loops[0].instructions.size(), 17u) << "all but the first instruction and the return";
  EXPECT_EQ(function.loops[1].instructions, (std::vector<std::size_t>{3, 4, 5, 6}));
  EXPECT_EQ(function.loops[1].depth, 2);
  EXPECT_EQ(lines_of(function, function.loops[1]), "device.cpp:6");
  EXPECT_EQ(lines_of(function, function.loops[0]), "device.cpp:4-8");
}

// Would catch: a loop that calls exp taken for one that does little.
TEST(Listing, AFunctionThatIsCalledWeighsMoreThanAMultiplyAdd)
{
  const Listing listing = parse_listing(k_x86, ListingSyntax::x86);
  const HotLoop hot = hot_loop(listing);
  ASSERT_NE(hot.loop, nullptr);
  EXPECT_EQ(lines_of(*hot.function, *hot.loop), "device.cpp:8");
  EXPECT_EQ(text_of(*hot.function, *hot.loop), "vaddss (%rcx), %xmm0, %xmm0\ncall expf\ndecq %r9\njne .L5\n");
}

// Would catch: predicated jumps lost, or names of files that follow behind the code.
TEST(Listing, ReadsPtx)
{
  const Listing listing = parse_listing(R"(
.visible .entry k(
	.param .u64 k_param_0
)
{
	.reg .f32 	%f<10>;
$L__func_begin0:
	.loc	1 3 0                           // t.cu:3:0
	ld.param.u64 	%rd11, [k_param_0];
$L__BB0_3:                              // =>This Inner Loop Header: Depth=1
	.loc	1 5 18                          // t.cu:5:18
	ld.global.f32 	%f1, [%rd17+-4];
	ld.shared.v4.f32 	{%f2, %f3, %f4, %f5}, [%r1];
	fma.rn.f32 	%f3, %f1, %f2, %f3;
	@%p3 bra 	$L__BB0_4;
	bra.uni 	$L__BB0_3;
$L__BB0_4:
	st.global.f32 	[%rd18], %f6;
	ret;
}
	.file	1 "/somewhere/device.cu"
)",
                                        ListingSyntax::ptx);
  ASSERT_EQ(listing.functions.size(), 1u);
  const Function& function = listing.functions[0];
  EXPECT_EQ(function.name, "k");
  ASSERT_EQ(function.loops.size(), 1u);
  EXPECT_EQ(function.loops[0].instructions, (std::vector<std::size_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(lines_of(function, function.loops[0]), "device.cu:5");
  InstructionMix mix;
  mix.add(function, ListingSyntax::ptx);
  EXPECT_EQ(mix.of(InstructionClass::local_load), 1);
  EXPECT_EQ(mix.of(InstructionClass::load), 1);
  EXPECT_EQ(mix.of(InstructionClass::store), 1);
  EXPECT_EQ(mix.of(InstructionClass::fused_multiply), 1);
  EXPECT_EQ(mix.of(InstructionClass::branch), 3);
}

TEST(Listing, ReadsAmdCode)
{
  const Listing listing = parse_listing(R"(
	.text
	.type	k,@function
k:
.Lfunc_begin0:
	.file	1 "." "device.hip"
	.loc	1 9 0 ; device.hip:9:0
	s_load_dwordx4 s[0:3], s[4:5], 0x0
.LBB0_1:                                ; =>This Inner Loop Header
	.loc	1 11 3 ; device.hip:11:3
	global_load_dword v1, v0, s[0:1]
	ds_read_b64 v[2:3], v4
	v_mfma_f32_16x16x16f16 a[0:3], v[2:3], v[4:5], a[0:3]
	s_cbranch_scc1 .LBB0_1
	s_endpgm
)",
                                        ListingSyntax::amdgcn);
  ASSERT_EQ(listing.functions.size(), 1u);
  const Function& function = listing.functions[0];
  ASSERT_EQ(function.loops.size(), 1u);
  EXPECT_EQ(lines_of(function, function.loops[0]), "device.hip:11");
  InstructionMix mix;
  mix.add(function, function.loops[0], ListingSyntax::amdgcn);
  EXPECT_EQ(mix.of(InstructionClass::matrix), 1);
  EXPECT_EQ(mix.of(InstructionClass::load), 1);
  EXPECT_EQ(mix.of(InstructionClass::local_load), 1);
  EXPECT_EQ(mix.of(InstructionClass::branch), 1);
}

struct ClassCase {
  const char* opcode;
  const char* operands;
  InstructionClass what;
};

// Would catch: a spill counted as a load, a scalar instruction counted as a vector.
TEST(InstructionClasses, OfX86)
{
  using Class = InstructionClass;
  for (const ClassCase& one : {
         ClassCase{"vmovups", "(%rdi,%rax), %zmm1", Class::load},
         {"vmovaps", "%zmm1, 64(%rdi)", Class::store},
         {"vmovaps", "%zmm1, -128(%rsp)", Class::stack},
         {"movq", "-40(%rsp), %rax", Class::stack},
         {"vmovaps", "%zmm1, %zmm2", Class::move},
         {"vfmadd231ps", "(%rsi,%rax), %zmm1, %zmm0", Class::fused_multiply},
         {"vfmadd231ss", "%xmm1, %xmm1, %xmm0", Class::scalar_arithmetic},
         {"vaddps", "%ymm1, %ymm1, %ymm0", Class::arithmetic},
         {"vmulsd", "%xmm1, %xmm1, %xmm0", Class::scalar_arithmetic},
         {"vdivps", "%ymm1, %ymm1, %ymm0", Class::special},
         {"vpdpbusd", "%zmm1, %zmm1, %zmm0", Class::fused_multiply},
         {"vbroadcastss", "(%rdi), %zmm0", Class::shuffle},
         {"vpermilps", "$1, %ymm1, %ymm0", Class::shuffle},
         {"vgatherdps", "%ymm1, (%rdi,%ymm2,4), %ymm0", Class::gather},
         {"vcvtph2ps", "(%rdi), %ymm0", Class::convert},
         {"vpaddd", "%ymm1, %ymm1, %ymm0", Class::integer_vector},
         {"leaq", "(%rsi,%rcx), %rdi", Class::integer},
         {"addq", "$64, %rax", Class::integer},
         {"jne", ".L3", Class::branch},
         {"ret", "", Class::branch},
         {"call", "expf", Class::call},
         {"pushq", "%rbx", Class::stack},
         {"vzeroupper", "", Class::other},
       }) {
    const Instruction instruction{one.opcode, one.operands, {}, 0};
    EXPECT_EQ(name_of(class_of(instruction, ListingSyntax::x86)), name_of(one.what))
      << one.opcode << " " << one.operands;
  }
}

// Would catch: stores through a register that happens to be %rbp called spills.
TEST(InstructionClasses, TheFramePointerIsOneOnlyWhereItIsSetUp)
{
  for (const bool sets_up : {false, true}) {
    const std::string set_up = sets_up ? "	movq	%rsp, %rbp\n" : "";
    const Listing listing = parse_listing("k:\n	pushq	%rbp\n" + set_up + "	vmovss	%xmm0, -4(%rbp)\n	ret\n",
                                          ListingSyntax::x86);
    ASSERT_EQ(listing.functions.size(), 1u);
    const Instruction& store = listing.functions[0].instructions[sets_up ? 2 : 1];
    EXPECT_EQ(name_of(class_of(store, ListingSyntax::x86)), sets_up ? "stack" : "store");
  }
}

} // namespace
} // namespace hone::tools
