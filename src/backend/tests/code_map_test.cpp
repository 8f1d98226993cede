#include "backend/cpu/watch/code_map.h"
#include "backend/cpu/watch/instrumentation.h"
#include "backend/tests/assembled.h"

namespace hone::backend::cpu {
namespace {

constexpr std::uintptr_t k_base = 0x10000;

TEST(CodeMap, JumpsToInstructionsAndCallbacksAreValid)
{
  const std::string text = "movl $1, %eax\nmovl (%rax), %ecx\nnop\nret\n"; // 5, 2, 1 and 1 bytes
  const CodeMap plain(assembled(text), k_base);
  for (const std::uintptr_t offset : {0, 5, 7, 8}) {
    EXPECT_TRUE(plain.may_jump_to(k_base + offset)) << offset;
  }
  for (const std::uintptr_t offset : {1, 4, 6}) {
    EXPECT_FALSE(plain.may_jump_to(k_base + offset)) << offset;
  }
  const CodeMap instrumented(assembled(instrumented_assembly(text)), k_base);
  constexpr std::uintptr_t k_call = 19;
  for (const std::uintptr_t offset : {std::uintptr_t{0}, std::uintptr_t{5}, 5 + k_call + 2}) {
    EXPECT_TRUE(instrumented.may_jump_to(k_base + offset)) << offset;
  }
  for (const std::uintptr_t offset : {std::uintptr_t{5 + 5}, std::uintptr_t{5 + 11}, 5 + k_call, 5 + k_call + 1}) {
    EXPECT_FALSE(instrumented.may_jump_to(k_base + offset)) << offset; // past the callback, or into it
  }
}

TEST(CodeMap, CodeOfOthersIsNotChecked)
{
  const CodeMap map(assembled("ret\n.data\n.byte 1, 2"), k_base);
  EXPECT_TRUE(map.may_jump_to(k_base - 1));
  EXPECT_TRUE(map.may_jump_to(k_base + 100));
  EXPECT_TRUE(CodeMap().may_jump_to(k_base));
  EXPECT_TRUE(CodeMap("no library", k_base).may_jump_to(k_base));
}

} // namespace
} // namespace hone::backend::cpu
