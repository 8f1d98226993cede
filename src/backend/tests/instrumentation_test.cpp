#include "backend/cpu/watch/instrumentation.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace hone::backend::cpu {
namespace {

constexpr std::string_view k_call = "\tleaq -128(%rsp), %rsp\n"
                                    "\tcall *hone_access_callback@GOTPCREL(%rip)\n"
                                    "\t{disp32} leaq 128(%rsp), %rsp\n";

// What becomes of text, with <CALL> in place of a call.
std::string instrumented(std::string_view assembly)
{
  std::string short_text = instrumented_assembly(assembly);
  for (std::size_t at = 0; (at = short_text.find(k_call)) != std::string::npos;) {
    short_text.replace(at, k_call.size(), "<CALL>");
  }
  return short_text;
}

TEST(InstrumentedAssembly, MemoryOperandsGetACallback)
{
  for (const std::string instruction : {"movl (%rax), %ecx",
                                        "vmovups %zmm1, 64(%rdi,%rax,4)",
                                        "vfmadd231ps (%rsi){1to16}, %zmm1, %zmm2",
                                        "addq $1, counter(%rip)",
                                        "movl %fs:40, %eax",
                                        "movabsq 4096, %rax",
                                        "mov 0x1000, %eax",
                                        "jmp *(%rax)",
                                        "call *8(%rbx)",
                                        "jmp *table(,%rax,8)",
                                        "jmp *%rax",
                                        "notrack jmp *%rax",
                                        "ret",
                                        "rep ret",
                                        "lock addl $1, (%rax)",
                                        "rep stosq",
                                        "movsb",
                                        "vmaskmovdqu %xmm1, %xmm0",
                                        "vmovups (%rax), %zmm0{%k1}{z}",
                                        "MOVL (%RAX), %ECX",
                                        "{evex} vmovups (%rax), %xmm0",
                                        "popcnt (%rax), %rax"}) {
    EXPECT_EQ(instrumented(instruction + "\n"), "<CALL>\t" + instruction + "\n");
  }
}

TEST(InstrumentedAssembly, OtherInstructionsGetNone)
{
  for (const std::string instruction :
       {"movl %eax, %ecx", "leaq 8(%rax,%rcx,2), %rdx", "jmp .L3", "jne 1b", "call helper", "call expf@PLT",
        "nopw 0(%rax,%rax)", "prefetcht0 (%rax)", "vaddps %zmm0, %zmm1, %zmm2{%k1}{z}", "cmpq %rsp, %rax",
        "movq %rsp, %rbp", "vaddps {rn-sae}, %zmm0, %zmm1, %zmm2", "pushq %rbx", "cltq", "movsbl %al, %eax"}) {
    EXPECT_EQ(instrumented(instruction), "\t" + instruction + "\n");
  }
}

TEST(InstrumentedAssembly, MovesOfTheStackPointerGetACallback)
{
  for (const std::string instruction :
       {"movq %rax, %rsp", "leaq -8(%r10), %rsp", "subq %rax, %rsp", "andq $-64, %rsp", "xchgq %rsp, %rax",
        "xchg %rax,%rsp", "leave", "popq %rsp", "movl %eax, %esp", "inc %rsp"}) {
    EXPECT_EQ(instrumented(instruction), "<CALL>\t" + instruction + "\n");
  }
}

TEST(InstrumentedAssembly, StatementsAndLabelsOnOneLineAreSeparated)
{
  EXPECT_EQ(instrumented("here: again:movl (%rax), %ecx; ret # the (end)"),
            "here:\nagain:\n<CALL>\tmovl (%rax), %ecx\n<CALL>\tret\n");
  EXPECT_EQ(instrumented("here = . + 4"), "\there = . + 4\n");
  EXPECT_EQ(instrumented("\t.ident \"a; b (c)\"\n"), "\t.ident \"a; b (c)\"\n");
  EXPECT_EQ(instrumented("here : movl (%rax), %ecx"), "here:\n<CALL>\tmovl (%rax), %ecx\n");
  EXPECT_EQ(instrumented("cmpsd $1, %xmm0, %xmm1"), "\tcmpsd $1, %xmm0, %xmm1\n");
  EXPECT_EQ(instrumented("lock; addl $1, (%rax)"),
            "<CALL>\tlock addl $1, (%rax)\n"); // the prefix goes with its instruction
  EXPECT_EQ(instrumented("rep\nstosb"), "<CALL>\trep stosb\n");
}

TEST(InstrumentedAssembly, DirectivesAreUnchanged)
{
  for (const std::string text :
       {"\t.section\t.rodata\n\t.long\t1\n", "\t.data\n\t.byte\t1\n",
        "\t.section\t.rodata.cst4,\"aM\",@progbits,4\n\t.long\t5\n",
        "\t.section\t.rodata.str1.1,\"aMS\",@progbits,1\n\t.string\t\"a\"\n",
        "\t.section\t.note.GNU-stack,\"\",@progbits\n", "\t.p2align 4,,10\n", "\t.set\t.LC1,.LC2+4\n"}) {
    EXPECT_EQ(instrumented(text), text);
  }
}

} // namespace
} // namespace hone::backend::cpu
