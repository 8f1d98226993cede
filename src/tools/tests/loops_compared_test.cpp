// Two loops beside each other, and branches that data decide.
#include "tools/guesses.h"
#include "tools/loop_diff.h"

#include <gtest/gtest.h>

namespace hone::tools {
namespace {

using backend::ListingSyntax;

Listing listing_of(const std::string& body)
{
  return parse_listing("run:\n" + body + "\tret\n", ListingSyntax::x86);
}

// Would catch: other registers or labels taken for other code, or a changed width for the same.
TEST(LoopDiff, LooksThroughRegistersAndLabels)
{
  const Listing one = listing_of(".L3:\n\tvmovups (%rsi,%rax), %ymm1\n\tvaddps %ymm1, %ymm0, %ymm0\n\taddq $32, %rax\n"
                                 "\tcmpq %rax, %rdx\n\tjne .L3\n");
  const Listing other = listing_of(".L9:\n\tvmovups (%rdi,%r9), %ymm7\n\tvaddps %ymm7, %ymm2, %ymm2\n\taddq $32, %r9\n"
                                   "\tcmpq %r9, %rcx\n\tjne .L9\n");
  for (const DiffLine& line : diff_of(hot_loop(one), hot_loop(other))) {
    EXPECT_EQ(line.side, ' ') << line.text;
  }
  const Listing narrow =
    listing_of(".L3:\n\tvmovups (%rsi,%rax), %xmm1\n\tvaddps %xmm1, %xmm0, %xmm0\n\taddq $16, %rax\n"
               "\tcmpq %rax, %rdx\n\tjne .L3\n");
  std::string sides;
  for (const DiffLine& line : diff_of(hot_loop(one), hot_loop(narrow))) {
    sides += line.side;
  }
  EXPECT_EQ(sides, "---+++  ");
}

int branches_in(const std::string& body)
{
  const Listing listing = listing_of(body);
  const HotLoop hot = hot_loop(listing);
  return hot.loop == nullptr ? -1 : data_branches(*hot.function, *hot.loop);
}

// Would catch: a loop's own counter, or its way out, taken for a branch that data decide.
TEST(DataBranches, AreThoseThatAskForWhatTheLoopLoads)
{
  const std::string by_data = ".L3:\n\tvmovss (%rsi,%rax,4), %xmm0\n\tvcomiss %xmm3, %xmm0\n\tja .L5\n"
                              "\tvsubss %xmm0, %xmm2, %xmm2\n\tjmp .L6\n.L5:\n\tvaddss %xmm0, %xmm1, %xmm1\n.L6:\n"
                              "\tincq %rax\n\tcmpq %rax, %r8\n\tjne .L3\n";
  EXPECT_EQ(branches_in(by_data), 1);
  const std::string way_out = ".L3:\n\tvaddss (%rsi,%rax,4), %xmm1, %xmm1\n\tvcomiss %xmm3, %xmm1\n\tja .L7\n"
                              "\tincq %rax\n\tcmpq %rax, %r8\n\tjne .L3\n.L7:\n";
  EXPECT_EQ(branches_in(way_out), 0);
  const std::string by_counter =
    ".L3:\n\tvaddss (%rsi,%rax,4), %xmm1, %xmm1\n\ttestb $1, %cl\n\tje .L5\n"
    "\tvaddss %xmm2, %xmm1, %xmm1\n.L5:\n\tincq %rax\n\tincl %ecx\n\tcmpq %rax, %r8\n\tjne .L3\n";
  EXPECT_EQ(branches_in(by_counter), 0);
}

// Would catch: the loop that does what is left taken for the one that does the work.
TEST(HotLoop, IsTheOneInVectors)
{
  const Listing listing = listing_of(
    ".L3:\n\tvaddps (%rsi,%rax), %ymm0, %ymm0\n\taddq $32, %rax\n\tcmpq %rax, %rdx\n\tjne .L3\n"
    ".L4:\n\tvaddss (%rsi,%rax), %xmm0, %xmm0\n\taddq $4, %rax\n\tincq %rcx\n\tcmpq %rax, %rdx\n\tjne .L4\n");
  const HotLoop hot = hot_loop(listing);
  ASSERT_NE(hot.loop, nullptr);
  EXPECT_TRUE(text_of(*hot.function, *hot.loop).contains("%ymm0"));
}

} // namespace
} // namespace hone::tools
