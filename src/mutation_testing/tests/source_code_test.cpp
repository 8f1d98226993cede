#include "mutation_testing/source_code.h"

#include <gtest/gtest.h>

namespace hone::mutation_testing {
namespace {

const char* const k_text = R"(// a comment with for (;;)
#include "hone.h"
#define STEP(x) for (;;)

static inline void pack_B(const float* B, float* packed_B, int64_t n)
{
#pragma GCC unroll 4
  for (int64_t p = 0; p < n; ++p) {
    packed_B[p * 2 + 1] = p + 2 <= n ? B[p] : 0;
  }
}

extern "C" void kernel(const hone_group* group, const float* B, float* C, int64_t n)
{
  float sum[2] = {};
  pack_B(B,
      C, n);
  HONE_UNROLL(UNROLL_K)
  for (int64_t i = 0; i < n; i += LANES) {
    if (i + 4 <= n) {
      hone_store(C + i, hone_load(&B[i]));
    } else {
      sum[0] += 1e-3f * B[i];
    }
  }
}
)";

std::vector<std::string> statements_of(const SourceCode& code)
{
  std::vector<std::string> out;
  for (const TokenRange& statement : code.statements()) {
    out.push_back(code.words(statement));
  }
  return out;
}

TEST(SourceCode, SeesSimpleStatementsAndNothingElse)
{
  const SourceCode code(k_text);
  EXPECT_EQ(
    statements_of(code),
    (std::vector<std::string>{"packed_B[p * 2 + 1] = p + 2 <= n ? B[p] : 0", "float sum[2] = {}", "pack_B(B, C, n)",
                              "hone_store(C + i, hone_load(&B[i]))", "sum[0] += 1e-3f * B[i]"}));
}

TEST(SourceCode, SeesLoopsConditionsCallsAndNames)
{
  const SourceCode code(k_text);
  ASSERT_EQ(code.loops().size(), 2U);
  EXPECT_EQ(code.words(code.loops()[1].step), "i += LANES");
  EXPECT_EQ(code.words(code.loops()[0].condition), "p < n");
  ASSERT_EQ(code.conditions().size(), 1U);
  EXPECT_TRUE(code.is(code.conditions()[0].body.last + 1, "else"));
  EXPECT_EQ(code.functions(), (std::set<std::string>{"pack_B", "kernel"}));
  EXPECT_EQ(code.pointers(), (std::set<std::string>{"B", "packed_B", "C"}));
  EXPECT_EQ(code.type_of("sum"), "float");
  EXPECT_EQ(code.type_of("nobody"), "");
  const auto store =
    std::ranges::find_if(code.calls(), [&](const Call& call) { return code[call.name].text == "hone_store"; });
  ASSERT_NE(store, code.calls().end());
  ASSERT_EQ(store->arguments.size(), 2U);
  EXPECT_EQ(code.words(store->arguments[1]), "hone_load(&B[i])");
}

TEST(SourceCode, KnowsWhatBelongsToALoopAboveIt)
{
  const SourceCode code(k_text);
  const std::string& text = code.text();
  EXPECT_EQ(code.line_start_with_pragmas(code[code.loops()[0].keyword].begin), text.find("#pragma"));
  EXPECT_EQ(code.line_start_with_pragmas(code[code.loops()[1].keyword].begin), text.find("  HONE_UNROLL"));
  EXPECT_EQ(code.line_start_with_pragmas(0), 0U);
  EXPECT_EQ(code.behind_includes(), text.find("#define"));
}

TEST(SourceCode, BearsUnbalancedText)
{
  for (const char* text : {"", ")", "for (", "if (a { ;", "x[", "#", "/*", "\"", "for (;;) {"}) {
    const SourceCode code(text);
    EXPECT_LE(code.statements().size(), 1U) << text;
  }
}

} // namespace
} // namespace hone::mutation_testing
