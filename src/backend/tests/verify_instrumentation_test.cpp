#include "backend/cpu/watch/instrumentation.h"
#include "backend/cpu/watch/verify_instrumentation.h"
#include "backend/tests/assembled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace hone::backend::cpu {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string trouble_of(std::string text)
{
  text += "\n\t.text\n\tret\n";
  return verify_instrumentation(assembled(instrumented_assembly(text)), assembled(text));
}

constexpr const char* k_table = R"(
	.section .text.f,"ax",@progbits
	.p2align 4
	.globl f
	.type f, @function
f:
	pushq %rbx
	leaq .L4(%rip), %rdx
	movslq (%rdx,%rdi,4), %rax
	addq %rdx, %rax
	jmp *%rax
	.section .rodata
	.p2align 2
.L4:
	.long .L2-.L4
	.long .L3-.L4
	.section .text.f
	.p2align 4,,10
.L2:
	vmovss .LC0(%rip), %xmm0
	call g
	call expf@PLT
	call *h@GOTPCREL(%rip)
.L3:
	subl $1, %ecx
	jne .L2
	leaq f(%rip), %rax
	leaq .L3(%rip), %rax
	popq %rbx
	ret
	.size f, .-f
	.section .rodata.cst4,"aM",@progbits,4
.LC0:
	.long 1065353216
	.text
g:
	movl %fs:40, %eax
	xorps %xmm1, %xmm1
	ret
)";

TEST(VerifyInstrumentation, CompilerOutputPasses)
{
  EXPECT_THAT(trouble_of(k_table), IsEmpty());
  EXPECT_THAT(trouble_of(".rept 3\nmovl (%rax), %ecx\n.endr\nret"), IsEmpty());
  EXPECT_THAT(trouble_of(".macro load\nmovl (%rax), %ecx\n.endm\nload\nload\nret"), IsEmpty());
  EXPECT_THAT(trouble_of("lock; addl $1, (%rax)\n.byte 0x90\nfld %st(1)\nret"), IsEmpty());
}

TEST(VerifyInstrumentation, ForbiddenInstructionsAreRefused)
{
  for (const std::string instruction : {"rdtsc",
                                        "rdtscp",
                                        "RDTSC",
                                        "cpuid",
                                        "syscall",
                                        "int $0x80",
                                        "xgetbv",
                                        "nop; rdtsc",
                                        "rdrand %eax",
                                        "wrfsbase %rax",
                                        "lsl %ax, %ax",
                                        "lar %ax, %ax",
                                        "enter $0, $2",
                                        "sgdt (%rax)",
                                        "repe cmpsb",
                                        "scasl",
                                        "cmpsd",
                                        "xsavec (%rax)",
                                        "xrstor64 (%rax)",
                                        "fnstenv (%rax)",
                                        "a: b: rdtsc",
                                        ".byte 0x0f, 0x31",
                                        "iretq",
                                        "verr %ax",
                                        "str %eax",
                                        "rdpmc",
                                        "ljmp *(%rax)",
                                        "rdpid %rax",
                                        "xbegin 1f\n1:",
                                        "fxsave (%rax)",
                                        "movdiri %eax, (%rbx)",
                                        "enqcmd (%rax), %rbx",
                                        "tpause %eax",
                                        "rdpkru",
                                        "clflush (%rax)",
                                        "clflushopt (%rax)",
                                        "clwb (%rax)",
                                        "cldemote (%rax)",
                                        "rdsspq %rax",
                                        "fnstsw %ax",
                                        "fnstsw (%rax)",
                                        "pushfq",
                                        "popfq",
                                        "mov %ds, %eax",
                                        "mov %eax, %gs",
                                        "push %fs",
                                        "in %dx, %al"}) {
    EXPECT_THAT(trouble_of(instruction), HasSubstr("the instruction ")) << instruction;
  }
}

TEST(VerifyInstrumentation, AccessesWithoutACallbackAreRefused)
{
  for (const std::string text : {".byte 0x8b, 0x08",                         // movl (%rax), %ecx
                                 ".long 0x088b9090",                         // the same
                                 ".section odd,\"ax\"\n.byte 0xc3",          // ret
                                 ".p2align 4,0xaa\nnop\n.p2align 4,0xaa"}) { // stosb
    EXPECT_THAT(trouble_of(text), HasSubstr("goes unseen")) << text;
  }
  EXPECT_THAT(trouble_of("movl $1, %eax\nmovl (%rax), %ecx\n1:\t.reloc 1b-6, R_X86_64_32, 5"),
              HasSubstr("goes unseen"));
  EXPECT_THAT(trouble_of("nop /* (\n#*/ ; movl (%rax), %eax"), Not(IsEmpty()));
}

TEST(VerifyInstrumentation, CodeThatDependsOnItsAddressesIsRefused)
{
  for (const std::string text :
       {"1:\tmovl (%rax), %eax\n2:\t.data\n\t.long 2b-1b", "1:\tmovl (%rax), %eax\n2:\tmovl $2b-1b, %eax",
        "1:\tmovl (%rax), %eax\n2:\t.if (2b-1b)>8\nnop\n.else\ninc %eax\n.endif",
        "1:\tmovl (%rax), %eax\n2:\t.if (2b-1b)>8\ninc %eax\n.endif", "f:\tmovl (%rax), %eax\n\tjmp f+2",
        "f:\tmovl (%rax), %eax\n\tcall f+19", "f:\tmovl (%rax), %eax\n\tleaq f+2(%rip), %rax",
        "1:\tmovl (%rax), %eax\n2:\t.globl n\n.set n, 2b-1b", ".globl entry\n.set entry, 1f+1\n1:\tmovl (%rax), %eax",
        "f:\tmovl (%rax), %eax\n\t.data\n\t.quad f+1"}) {
    EXPECT_THAT(trouble_of(text), HasSubstr("where its own instructions lie")) << text;
  }
}

TEST(VerifyInstrumentation, InstructionsThatTheLinkerWritesAreRefused)
{
  for (const std::string text :
       {"1:\tnopl 8(%rax)\n\t.reloc 1b, R_X86_64_PC32, 1b-0x6f6fcef1", "1:\tmovl $1, %eax\n\t.reloc 1b, R_X86_64_32, 5",
        "1:\tmovl $1, %eax\n\t.reloc 1b+2, R_X86_64_32, 5", "1:\tmovl $1, %eax\n\t.reloc 1b+1, R_X86_64_64, 5",

        "data16 leaq t@tlsgd(%rip), %rdi\n.section .tbss,\"awT\",@nobits\nt: .zero 4"}) {
    EXPECT_THAT(trouble_of(text), HasSubstr("the linker writes")) << text;
  }
}

TEST(VerifyInstrumentation, CodeThatRunsOnIsRefused)
{
  for (const std::string text : {".section .text.f,\"ax\"\nf:\tincl %eax", ".section .text.f,\"ax\"\nf:\tcall g",
                                 ".section .text.f,\"ax\"\nf:\tret\n\tincl %eax\n\tnop"}) {
    EXPECT_THAT(trouble_of(text), HasSubstr("runs on into another section")) << text;
  }
  EXPECT_THAT(trouble_of("jmp .Lend\n\tret\n.Lend:\n.section .text.f,\"ax\"\nf:\tjmp .Lnext\n\tret\n\tnop\n.Lnext:"),
              HasSubstr("where its own instructions lie"));
  EXPECT_THAT(trouble_of(".section .text.f,\"ax\",@nobits\n.zero 4"), HasSubstr("without contents"));
}

TEST(VerifyInstrumentation, CodeThatRunsByItselfIsRefused)
{
  for (const std::string section : {".init_array,\"aw\",@init_array", ".ctors,\"aw\"", ".fini,\"ax\""}) {
    EXPECT_THAT(trouble_of(".section " + section + "\n\t.quad 0"), HasSubstr("runs by itself")) << section;
  }
}

TEST(VerifyInstrumentation, QuestionsForHooksAndWeakSymbolsAreRefused)
{
  for (const std::string name : {"__tsan_read4", "hone_access_callback", "__wrap_memcpy", "__cxa_finalize", "g"}) {
    EXPECT_THAT(trouble_of(".weak " + name + "\n\tmovq " + name + "@GOTPCREL(%rip), %rax"), HasSubstr("asks for"))
      << name;
  }
  EXPECT_THAT(trouble_of("call __tsan_read4"), HasSubstr("asks for"));
}

TEST(VerifyInstrumentation, BytesThatAreNoInstructionAreRefused)
{
  EXPECT_THAT(trouble_of(".byte 0x06"), HasSubstr("no instruction"));
  EXPECT_THAT(verify_instrumentation("", ""), HasSubstr("ELF"));
}

} // namespace
} // namespace hone::backend::cpu
