#include "backend/cpu/watch/instrumentation.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace hone::cpu {
namespace {

constexpr std::string_view k_call = "\tleaq -128(%rsp), %rsp\n"
                                    "\tcall *hone_tell@GOTPCREL(%rip)\n"
                                    "\t{disp32} leaq 128(%rsp), %rsp\n";

// What becomes of text, with <TELL> in place of a call.
std::string told(std::string_view assembly)
{
  std::string short_text = with_accesses_told(assembly);
  for (std::size_t at = 0; (at = short_text.find(k_call)) != std::string::npos;) {
    short_text.replace(at, k_call.size(), "<TELL>");
  }
  return short_text;
}

TEST(ToldAssembly, WhatNamesMemoryIsTold)
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
    EXPECT_EQ(told(instruction + "\n"), "<TELL>\t" + instruction + "\n");
  }
}

TEST(ToldAssembly, WhatNamesNoneIsNot)
{
  for (const std::string instruction :
       {"movl %eax, %ecx", "leaq 8(%rax,%rcx,2), %rdx", "jmp .L3", "jne 1b", "call helper", "call expf@PLT",
        "nopw 0(%rax,%rax)", "prefetcht0 (%rax)", "vaddps %zmm0, %zmm1, %zmm2{%k1}{z}", "cmpq %rsp, %rax",
        "movq %rsp, %rbp", "vaddps {rn-sae}, %zmm0, %zmm1, %zmm2", "pushq %rbx", "cltq", "movsbl %al, %eax"}) {
    EXPECT_EQ(told(instruction), "\t" + instruction + "\n");
  }
}

TEST(ToldAssembly, WhatMovesTheStackIsTold)
{
  for (const std::string instruction :
       {"movq %rax, %rsp", "leaq -8(%r10), %rsp", "subq %rax, %rsp", "andq $-64, %rsp", "xchgq %rsp, %rax",
        "xchg %rax,%rsp", "leave", "popq %rsp", "movl %eax, %esp", "inc %rsp"}) {
    EXPECT_EQ(told(instruction), "<TELL>\t" + instruction + "\n");
  }
}

TEST(ToldAssembly, StatementsAndLabelsOnOneLineAreToldApart)
{
  EXPECT_EQ(told("here: again:movl (%rax), %ecx; ret # the (end)"),
            "here:\nagain:\n<TELL>\tmovl (%rax), %ecx\n<TELL>\tret\n");
  EXPECT_EQ(told("here = . + 4"), "\there = . + 4\n");
  EXPECT_EQ(told("\t.ident \"a; b (c)\"\n"), "\t.ident \"a; b (c)\"\n");
  EXPECT_EQ(told("here : movl (%rax), %ecx"), "here:\n<TELL>\tmovl (%rax), %ecx\n");
  EXPECT_EQ(told("cmpsd $1, %xmm0, %xmm1"), "\tcmpsd $1, %xmm0, %xmm1\n");
  EXPECT_EQ(told("lock; addl $1, (%rax)"), "<TELL>\tlock addl $1, (%rax)\n"); // the prefix goes with its instruction
  EXPECT_EQ(told("rep\nstosb"), "<TELL>\trep stosb\n");
}

TEST(ToldAssembly, DataAreData)
{
  for (const std::string text :
       {"\t.section\t.rodata\n\t.long\t1\n", "\t.data\n\t.byte\t1\n",
        "\t.section\t.rodata.cst4,\"aM\",@progbits,4\n\t.long\t5\n",
        "\t.section\t.rodata.str1.1,\"aMS\",@progbits,1\n\t.string\t\"a\"\n",
        "\t.section\t.note.GNU-stack,\"\",@progbits\n", "\t.p2align 4,,10\n", "\t.set\t.LC1,.LC2+4\n"}) {
    EXPECT_EQ(told(text), text);
  }
}

} // namespace
} // namespace hone::cpu
