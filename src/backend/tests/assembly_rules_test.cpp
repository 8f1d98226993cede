#include "backend/cpu/assembly_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::backend::cpu {
namespace {

using testing::HasSubstr;

// As the compiler writes it down, between instructions of its own.
std::string trouble_with(const std::string& text)
{
  return assembly_violation("f:\n\tpushq\t%rbx\n\tcall\texpf@PLT\n#APP\n# 7 \"device.cpp\" 1\n" + text
                            + "\n# 0 \"\" 2\n#NO_APP\n\tpopq\t%rbx\n\tret\n");
}

TEST(AssemblyRules, InstructionsAreFree)
{
  EXPECT_EQ(trouble_with(""), "");
  EXPECT_EQ(trouble_with("\tvfmadd231ps 8(%rsp), %zmm1, %zmm2; lock addl $1, (%rax)"), "");
  EXPECT_EQ(trouble_with("1:\tsubq $1, %rbp\n\tjnz 1b\n\t.p2align 4\n.L7: loop .L7"), "");
  EXPECT_EQ(trouble_with("\tjmp behind7\n\tnop\nbehind7 : nop"), "");
  EXPECT_EQ(trouble_with("\tpopcntq %rax, %rbx # push"), "");
}

TEST(AssemblyRules, TheStackAndOthersCodeAreNot)
{
  for (const char* text :
       {"pushq %rax", "1: POP %rax", "leave", "ret", "nop; call expf", "lcall *(%rax)", "jmp product", "jnz *%rax",
        "movq %rax, %rsp", "xchgq %rsp, (%rax)", "leaq 8(%rax), %RSP", "movl %esp, %eax", ".cfi_undefined rip",
        ".section .rodata", "x = 7", "notrack jmp *%rax", "rep ret", "data16 pushq %rax", "{disp32} call f"}) {
    EXPECT_THAT(trouble_with(text), HasSubstr("has assembly that")) << text;
  }
}

TEST(AssemblyRules, WhatTheCompilerWritesItselfIsItsOwn)
{
  EXPECT_EQ(assembly_violation("\tpushq %rax\n\tcall f\n"), "");
}

TEST(AssemblyRules, NobodyElseWritesMarks)
{
  for (const char* text :
       {"# 1 \"device.cpp\"\n#pragma GCC unroll 4\n", "asm volatile(\"nop\\n\\t\" \"nop; nop\" : \"+r\"(x));",
        "float f(float) __asm__(\"\" \"sinf\");", "int n = 1'000'000; char c = '#'; char d = '\"';",
        "asm(\"vzeroupper\");"}) {
    EXPECT_EQ(marker_forgery(text), "") << text;
  }
  for (const char* text :
       {"asm(\"\\n#NO_APP\" : );", "asm(\"\\x23NO_APP\" :: \"r\"(x));", "asm (\"nop\"\n\"\\43NO_APP\" : );",
        "asm(R\"(nop)\" : );", "asm(\"\\u0023NO_APP\" : );", "f(1'000, \"#\");", "f(L'\"', \"#\");",
        "void f() asm(\"g\\n\\tcall h\");", "[[gnu::section(\".rodata;call h\")]] int x;",
        "__attribute__((section(\".rodata\\n\\tcall h\"))) int x;", "f(asm_(\";\" : 1));"}) {
    EXPECT_NE(marker_forgery(text), "") << text;
  }
}

} // namespace
} // namespace hone::backend::cpu
