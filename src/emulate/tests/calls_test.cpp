// Calls: arguments, results, recursion, lanes that part inside.
#include "small_program.h"

namespace hone::emulate {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string calling(const std::string& functions, const std::string& body)
{
  std::string text = with_body(body);
  text.insert(text.find(".visible"), functions);
  return text;
}

const std::string k_declarations = "\n.reg .pred %p<5>;\n.reg .b32 %r<20>;\n";
const std::string k_call =
  "{\n.param .b32 param0;\nst.param.b32 [param0], %r1;\n.param .b32 retval0;\ncall.uni (retval0), "
  "g, (param0);\nld.param.b32 %r2, [retval0];\n}\nst.global.b32 [%rd1], %r2;";

TEST(Calls, ArgumentsGoAndResultsComeBack)
{
  const std::string g = ".func (.param .b32 g_r) g(.param .b32 g_0)\n{" + k_declarations
                        + "ld.param.b32 %r1, [g_0];\nmad.lo.u32 %r2, %r1, %r1, 1;\nst.param.b32 [g_r], %r2;\nret;\n}\n";
  const Ran ran = run(calling(g, k_call));
  EXPECT_THAT(findings_of(ran), IsEmpty());
  EXPECT_EQ(ran.output[7], 50U);
}

TEST(Calls, ByRegisters)
{
  const std::string g = ".func (.reg .b32 r) g(.reg .b32 a, .reg .b64 b)\n{\n.reg .b32 %r<5>;\ncvt.u32.u64 %r1, "
                        "b;\nadd.u32 r, a, %r1;\nret;\n}\n";
  const Ran ran = run(calling(g, "mov.b64 %rd4, 100;\ncall (%r2), g, (%r1, %rd4);\nst.global.b32 [%rd1], %r2;"));
  EXPECT_THAT(findings_of(ran), IsEmpty());
  EXPECT_EQ(ran.output[7], 107U);
}

// g(n) = n < 2 ? n : g(n - 1) + g(n - 2): lanes go to different depths, and registers outlive calls.
TEST(Calls, OfItself)
{
  const auto inner = [](const std::string& label) {
    return "{\n.param .b32 param0;\nst.param.b32 [param0], %r3;\n.param .b32 retval0;\ncall (retval0), g, (param0);\n"
           "ld.param.b32 "
           + label + ", [retval0];\n}\n";
  };
  const std::string g =
    ".func (.param .b32 g_r) g(.param .b32 g_0)\n{" + k_declarations
    + "ld.param.b32 %r1, [g_0];\nmov.b32 %r2, %r1;\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra done;\nsub.u32 %r3, %r1, 1;\n"
    + inner("%r4") + "sub.u32 %r3, %r1, 2;\n" + inner("%r5")
    + "add.u32 %r2, %r4, %r5;\ndone:\nst.param.b32 [g_r], %r2;\nret;\n}\n";
  const Ran ran = run(calling(g, k_call), 16);
  EXPECT_THAT(findings_of(ran), IsEmpty());
  EXPECT_EQ(ran.output[1], 1U);
  EXPECT_EQ(ran.output[10], 55U);
  EXPECT_EQ(ran.output[15], 610U);
}

TEST(Calls, WithoutAnEnd)
{
  const std::string g = ".func (.param .b32 g_r) g(.param .b32 g_0)\n{" + k_declarations + "ld.param.b32 %r1, [g_0];\n"
                        + k_call.substr(0, k_call.find("st.global")) + "st.param.b32 [g_r], %r2;\nret;\n}\n";
  EXPECT_THAT(findings_of(run(calling(g, k_call))), HasSubstr("the stack overflows"));
}

// Some lanes call, others leave from inside; the rest meets again.
TEST(Calls, LanesThatCallAndLeave)
{
  const std::string g = ".func (.param .b32 g_r) g(.param .b32 g_0)\n{" + k_declarations
                        + "ld.param.b32 %r1, [g_0];\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 exit;\nsetp.lt.u32 %p2, %r1, 2;\n"
                          "st.param.b32 [g_r], %r1;\n@%p2 ret;\nadd.u32 %r1, %r1, 100;\nst.param.b32 [g_r], %r1;\n}\n";
  const Ran ran = run(calling(g, "mov.b32 %r2, 7;\nsetp.lt.u32 %p1, %r1, 8;\n@!%p1 bra over;\n"
                                   + k_call.substr(0, k_call.find("st.global"))
                                   + "over:\nactivemask.b32 %r3;\nadd.u32 %r2, %r2, %r3;\nst.global.b32 [%rd1], %r2;"));
  EXPECT_THAT(findings_of(ran), IsEmpty());
  const std::uint32_t mask = ~8U;
  EXPECT_EQ(ran.output[1], mask + 1);
  EXPECT_EQ(ran.output[3], 0U);
  EXPECT_EQ(ran.output[4], mask + 104);
  EXPECT_EQ(ran.output[20], mask + 7);
}

TEST(Calls, OfWhatIsNotThere)
{
  EXPECT_THAT(findings_of(run(calling(".extern .func (.param .b32 r) g(.param .b32 a);\n", k_call))),
              HasSubstr("unsupported"));
}

TEST(Execute, CountersGoOnAndRegistersMoveBetweenWarps)
{
  const Ran ran = run(with_body("mov.u32 %r3, %clock;\nmov.u64 %rd4, %globaltimer;\nnanosleep.u32 5;\ngriddepcontrol."
                                "wait;\nmov.u32 %r4, %clock;\nsub.u32 %r2, %r4, %r3;\nst.global.b32 [%rd1], %r2;"));
  EXPECT_THAT(findings_of(ran), IsEmpty());
  EXPECT_GT(ran.output[0], 0U);
  EXPECT_LT(ran.output[0], 100U);
  EXPECT_THAT(findings_of(run(with_body("setmaxnreg.inc.sync.aligned.u32 232;"))), IsEmpty());
  EXPECT_THAT(findings_of(run(with_body("setmaxnreg.inc.sync.aligned.u32 230;"))), HasSubstr("unsupported"));
}

} // namespace
} // namespace hone::emulate
