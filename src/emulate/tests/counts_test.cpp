// Counts of small programs, computed by hand.
#include "small_program.h"

namespace hone::emulate {
namespace {

LineCounts of(const std::string& body, const std::string& opcode, std::uint32_t threads = 32)
{
  const auto program = Program::load(with_body(body, ".shared .align 16 .b8 block[8192];\n"));
  EXPECT_TRUE(program) << program.error().text();
  GlobalMemory memory;
  const std::uintptr_t begin = memory.allocate(1 << 16);
  LaunchRequest request;
  request.program = &*program;
  request.entry = "f";
  request.block[0] = threads;
  request.counts = true;
  request.checks = false;
  request.parameters.resize(8);
  std::memcpy(request.parameters.data(), &begin, 8);
  const LaunchResult result = launch(request, memory);
  EXPECT_TRUE(result.finished);
  for (const LineCounts& line : result.counts.lines) {
    if (line.opcode == opcode) {
      return line;
    }
  }
  ADD_FAILURE() << "there is no " << opcode;
  return {};
}

std::uint64_t sectors(const std::string& address)
{
  return of(address + "\nst.global.b32 [%rd4], %r1;", "st.global.b32").sectors;
}

// A warp's words side by side: 128 bytes, 4 sectors. 8 bytes apart: 8. 32 bytes apart: one each. All at one place: one.
// Off by 4 bytes: one more.
TEST(Counts, SectorsOfGlobalMemory)
{
  EXPECT_EQ(sectors("mov.u64 %rd4, %rd1;"), 4U);
  EXPECT_EQ(sectors("mul.wide.u32 %rd5, %r1, 8;\nadd.s64 %rd4, %rd0, %rd5;"), 8U);
  EXPECT_EQ(sectors("mul.wide.u32 %rd5, %r1, 32;\nadd.s64 %rd4, %rd0, %rd5;"), 32U);
  EXPECT_EQ(sectors("mov.u64 %rd4, %rd0;"), 1U);
  EXPECT_EQ(sectors("add.s64 %rd4, %rd1, 4;"), 5U);
  EXPECT_EQ(of("mul.wide.u32 %rd5, %r1, 16;\nadd.s64 %rd4, %rd0, %rd5;\nst.global.v4.b32 [%rd4], {%r1, %r1, %r1, %r1};",
               "st.global.v4.b32")
              .sectors,
            16U);
}

LineCounts shared(std::uint32_t distance, const std::string& store = "st.shared.b32 [%r4], %r1;",
                  const std::string& opcode = "st.shared.b32")
{
  return of("mov.b32 %r5, block;\nmul.lo.u32 %r6, %r1, " + std::to_string(distance) + ";\nadd.s32 %r4, %r5, %r6;\n"
              + store,
            opcode);
}

// Words one apart meet no bank; two apart two to a bank; 32 apart all in one; 33 apart none. All at one place share it.
TEST(Counts, TurnsOfSharedMemory)
{
  EXPECT_EQ(shared(4).wavefronts, 1U);
  EXPECT_EQ(shared(8).wavefronts, 2U);
  EXPECT_EQ(shared(128).wavefronts, 32U);
  EXPECT_EQ(shared(132).wavefronts, 1U);
  EXPECT_EQ(shared(0).wavefronts, 1U);
  EXPECT_EQ(shared(128).least_wavefronts, 1U);
  // Of 16 bytes: 8 lanes at a time.
  const LineCounts wide = shared(16, "st.shared.v4.b32 [%r4], {%r1, %r1, %r1, %r1};", "st.shared.v4.b32");
  EXPECT_EQ(wide.wavefronts, 4U);
  EXPECT_EQ(wide.least_wavefronts, 4U);
}

TEST(Counts, BranchesThatPartAWarp)
{
  const std::string body = "setp.lt.u32 %p1, %r1, 40;\n@%p1 bra over;\nmov.b32 %r2, 1;\nover:";
  const LineCounts branch = of(body, "bra", 96); // the second of three warps parts
  EXPECT_EQ(branch.warps, 3U);
  EXPECT_EQ(branch.parted, 1U);
  EXPECT_EQ(branch.lanes, 40U);
}

} // namespace
} // namespace hone::emulate
