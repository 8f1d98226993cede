#include "backend/cpu/compared_numbers.h"

#include <gmock/gmock.h>

namespace hone::backend::cpu {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ComparedNumbers, AreWhatComparisonsAndDifferencesHold)
{
  EXPECT_THAT(compared_numbers("\tcmpq\t$1411, %rdx\n\tcmpq\t$1049, 40(%rsp)\n\tsubq\t$300, %rax\n\taddq\t$-77, %rcx\n"
                               "\tleaq\t-500(%rdi), %rax\n\txorq\t$96, %r8\n\tmovl\t$3072, %eax\n"),
              ElementsAre(77, 96, 300, 500, 1049, 1411, 3072));
}

TEST(ComparedNumbers, AnyRegisterMayHoldWhatIsCompared)
{
  EXPECT_THAT(compared_numbers("\tcmpq\t$1411, %rbp\n\tleaq\t-500(%r8), %rax\n\tleaq\t-600(%r10), %rbp\n"),
              ElementsAre(500, 600, 1411));
}

TEST(ComparedNumbers, StepsAddressesAndTheStackAreNone)
{
  EXPECT_THAT(compared_numbers("\tsubq\t$264, %rsp\n\taddq\t$1024, %rax\n\tleaq\t-200(%rbp), %rax\n"
                               "\tleaq\t-64(%rax,%rcx,4), %rdx\n\tleaq\t800(%rax), %rdx\n\tmovq\t%rax, %rbx\n"
                               "\tvpermilps\t$177, %ymm0, %ymm1\n\tmovl\t$.LC0, %edi\n\tret\n\t.long\t1065353216\n"
                               "\tmovl\t$99999999999999999999, %eax\n"),
              IsEmpty());
}

} // namespace
} // namespace hone::backend::cpu
