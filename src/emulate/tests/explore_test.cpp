// Orders beyond the one that ran: what only some of them show.
#include "small_program.h"

namespace hone::emulate {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct Explored {
  LaunchResult result;
  std::vector<std::uint32_t> output;
};

Explored explored(const std::string& body, int runs, std::uint32_t threads)
{
  Explored out;
  const auto program = Program::load(with_body(body, ".shared .align 16 .b8 block[512];\n"));
  EXPECT_TRUE(program) << program.error().text();
  GlobalMemory memory;
  const std::uintptr_t begin = memory.allocate(4 * threads);
  std::memset(reinterpret_cast<void*>(begin), 0, 4 * threads);
  LaunchRequest request;
  request.program = &*program;
  request.entry = "f";
  request.block[0] = threads;
  request.most_instructions = 1'000'000;
  request.parameters.resize(8);
  std::memcpy(request.parameters.data(), &begin, 8);
  out.result = explore(request, memory, runs);
  const auto* const numbers = reinterpret_cast<const std::uint32_t*>(begin);
  out.output.assign(numbers, numbers + threads);
  return out;
}

std::string findings_of(const Explored& ran)
{
  std::string out;
  for (const Finding& finding : ran.result.findings) {
    out += finding.text + "\n";
  }
  return out;
}

// The second warp goes into the trap only where it counts first.
TEST(Explore, FindsWhatTheFirstOrderDoesNotShow)
{
  const std::string body =
    "and.b32 %r3, %r1, 31;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 exit;\natom.global.add.u32 %r2, [%rd0], "
    "1;\nsetp.eq.u32 %p2, %r2, 0;\nsetp.ne.u32 %p3, %r1, 0;\nand.pred %p2, %p2, %p3;\n@%p2 trap;";
  EXPECT_THAT(findings_of(explored(body, 1, 64)), IsEmpty());
  EXPECT_THAT(findings_of(explored(body, 8, 64)), HasSubstr("trap"));
}

// Each run begins with the memory that was given, and the first one's stays.
TEST(Explore, RunsDoNotSeeEachOther)
{
  const Explored ran = explored("atom.global.add.u32 %r2, [%rd1], 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 trap;", 5, 64);
  EXPECT_THAT(findings_of(ran), IsEmpty());
  EXPECT_TRUE(ran.result.finished);
  EXPECT_EQ(ran.output[63], 1U);
}

TEST(Explore, DelaysChangeNoResult)
{
  const std::string body = "mov.b32 %r5, block;\nshl.b32 %r6, %r1, 2;\nadd.s32 %r7, %r5, %r6;\nst.shared.b32 [%r7], "
                           "%r1;\nbar.sync 0;\nxor.b32 "
                           "%r8, %r6, 32;\nxor.b32 %r8, %r8, 128;\nadd.s32 %r8, %r5, %r8;\nld.shared.b32 %r2, "
                           "[%r8];\nbar.sync 0;\nst.shared.b32 "
                           "[%r7], %r2;\nbar.sync 0;\nld.shared.b32 %r2, [%r8];\nst.global.b32 [%rd1], %r2;";
  const Explored ran = explored(body, 20, 128);
  EXPECT_THAT(findings_of(ran), IsEmpty());
  EXPECT_EQ(ran.output[77], 77U);
  // Who comes too late to a barrier that others have left is reported in every order.
  EXPECT_THAT(findings_of(explored("setp.lt.u32 %p1, %r1, 32;\n@%p1 bar.sync 0;", 4, 64)), HasSubstr("divergence"));
}

} // namespace
} // namespace hone::emulate
