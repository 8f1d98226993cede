// How PTX is read: forms of operands and declarations, and where a mistake is.
#include "emulate/ptx/text.h"

#include <gmock/gmock.h>

namespace hone::emulate::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Function parsed(const std::string& body)
{
  const auto module =
    parse(".version 8.5\n.target sm_80\n.address_size 64\n.visible .entry f(\n.param .u64 .ptr .global "
          ".align 1 f_0,\n.param .align 4 .b8 f_1[12]\n)\n.maxntid 256, 1, 1\n{\n"
          + body + "\n}\n");
  EXPECT_TRUE(module) << module.error().text();
  return module ? module->functions.at(0) : Function();
}

TEST(PtxText, ReadsAFunctionsHead)
{
  const Function f = parsed("ret;");
  EXPECT_EQ(f.name, "f");
  EXPECT_TRUE(f.entry);
  EXPECT_EQ(f.most_items, 256);
  ASSERT_EQ(f.parameters.size(), 2U);
  EXPECT_EQ(f.parameters[0].bytes, 8U);
  EXPECT_EQ(f.parameters[1].bytes, 12U);
  EXPECT_EQ(f.parameters[1].alignment, 4U);
}

TEST(PtxText, ReadsOperands)
{
  const Function f =
    parsed("@!%p1 ld.global.v2.f32 {%f1, %f2}, [%rd1+16];\nsetp.lt.s32 %p1|%p2, %r1, -5;\n"
           "mov.f32 %f1, 0f3F800000;\nshfl.sync.bfly.b32 _, %r1, 16, 31, -1;\nst.shared.b32 [block-4], 0x1F;");
  ASSERT_EQ(f.body.size(), 5U);
  EXPECT_EQ(f.body[0].guard, "%p1");
  EXPECT_TRUE(f.body[0].guard_negated);
  EXPECT_THAT(f.body[0].opcode, ElementsAre("ld", "global", "v2", "f32"));
  EXPECT_EQ(f.body[0].operands[0].items.size(), 2U);
  EXPECT_EQ(f.body[0].operands[1].text, "%rd1");
  EXPECT_EQ(f.body[0].operands[1].offset, 16);
  EXPECT_EQ(f.body[1].operands[0].second, "%p2");
  EXPECT_EQ(static_cast<std::int64_t>(f.body[1].operands[2].bits), -5);
  EXPECT_EQ(f.body[2].operands[1].bits, 0x3F800000U);
  EXPECT_EQ(f.body[3].operands[0].kind, Operand::Kind::sink);
  EXPECT_EQ(f.body[4].operands[0].offset, -4);
  EXPECT_EQ(f.body[4].operands[1].bits, 31U);
}

TEST(PtxText, PlacesComeFromTheSource)
{
  const Function f = parsed(".loc 1 7 3\nret;\n.loc 1 9 1, function_name $L__info_string0, inlined_at 1 12 3\nret;");
  ASSERT_EQ(f.body.size(), 2U);
  EXPECT_EQ(f.body[0].place.line, 7);
  EXPECT_EQ(f.body[1].place.line, 9);
}

TEST(PtxText, ReadsVariablesWithValuesAndSkipsWhatIsForDebuggers)
{
  const auto module =
    parse(".version 8.5\n.target sm_80\n.address_size 64\n.const .align 4 .f32 table[3] = {0f3F800000, "
          "0f40000000};\n.extern .shared .align 16 .b8 dynamic[];\n.section .debug_str { .b8 1,2 }\n");
  ASSERT_TRUE(module) << module.error().text();
  ASSERT_EQ(module->variables.size(), 2U);
  EXPECT_EQ(module->variables[0].bytes, 12U);
  EXPECT_EQ(module->variables[0].content[7], 0x40);
  EXPECT_TRUE(module->variables[1].external);
  EXPECT_EQ(module->variables[1].bytes, 0U);
}

TEST(PtxText, AMistakeNamesItsLine)
{
  const auto module = parse(".version 8.5\n.target sm_80\n.entry f()\n{\n  add.s32 %r1, ;\n  ? ret;\n}\n");
  ASSERT_FALSE(module);
  EXPECT_THAT(module.error().text(), HasSubstr("PTX line 6"));
}

} // namespace
} // namespace hone::emulate::ptx
