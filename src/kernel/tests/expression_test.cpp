#include "test_data.h"

namespace hone::kernel {
namespace {

std::string printed(const std::string& expr)
{
  const Kernel kernel = kernel_of(expr, k_xy, "n = 8");
  return kernel.program.statements.empty() ? "" : to_text(kernel.program.statements.back());
}

TEST(Expression, PrintsBackWhatItMeans)
{
  for (const char* text : {
         "Y[i] = X[i] - (X[i] - 1.5)",
         "Y[i] = (X[i] + 1.0) * 2.0 / 3.0",
         "Y[i] = -X[i] * 0.5",
         "Y[i] = select(X[i] > 0.0 && !(X[i] == 1.0), X[i], -X[i])",
         "Y[i] = max(j < n, X[j]) + max(X[i], 0.0, 1.0)",
         "Y[i] = sum(j < i + 1, X[j])",
         "Y[i] = sum(r < 3, X[i + r - 1] where 0 <= i + r - 1 && i + r - 1 < n)",
         "Y[i] = exp(X[i]) where i % 2 == 0",
         "Y[i] = f64(X[i]) / n",
       }) {
    EXPECT_EQ(printed(text), text);
    EXPECT_EQ(printed(printed(text)), text);
  }
}

TEST(Expression, ShortFormsAreTheLongOnes)
{
  EXPECT_EQ(printed("Y[i] = sum(j <= i, X[j])"), "Y[i] = sum(j < i + 1, X[j])");
  EXPECT_EQ(printed("Y[i] = sum(0 <= j < n, X[j])"), "Y[i] = sum(j < n, X[j])");
  EXPECT_EQ(printed("Y[i] = select(0 <= i < 4, X[i], 0)"), "Y[i] = select(0 <= i && i < 4, X[i], 0)");
}

TEST(Expression, StatementsMaySpanLines)
{
  const Kernel kernel =
    kernel_of("T[i] = X[i]\\n  + 1.0 # one more\\n\\nS = sum(j,\\n T[j])\\nY[i] = T[i] /\\n S", k_xy, "n = 8");
  ASSERT_EQ(kernel.program.statements.size(), 3u);
  EXPECT_TRUE(kernel.program.statements[0].intermediate);
  EXPECT_TRUE(kernel.program.statements[1].indices.empty());
  EXPECT_EQ(to_text(kernel.program.statements[2]), "Y[i] = T[i] / S");
}

TEST(Expression, LiteralsTakeTheTypeTheyMeet)
{
  const Kernel kernel = kernel_of("Y[i] = X[i] * (1.0 / n) + 2", k_xy, "n = 8");
  EXPECT_EQ(kernel.program.statements[0].value->type, DataType::f32);
  const Kernel half =
    kernel_of("Y[i] = sum(j, H[j] * H[j])",
              "H = { type = \"f16\", shape = [\"n\"] }\nY = { type = \"f32\", shape = [\"n\"] }", "n = 8");
  const Expr& reduce = *half.program.statements[0].value;
  EXPECT_EQ(reduce.type, DataType::f32);
  EXPECT_EQ(reduce.args[0]->type, DataType::f16);
}

TEST(Expression, ReadsOutOfRangeMustBeGuarded)
{
  const auto parses = [](const std::string& expr) {
    return parse_kernel(kernel_text(expr, k_xy, "n = 8"), "x").has_value();
  };
  EXPECT_FALSE(parses("Y[i] = X[i - 1]"));
  EXPECT_FALSE(parses("Y[i] = X[i + 1] where i < n"));
  EXPECT_FALSE(parses("Y[i] = sum(r < 3, X[i + r])"));
  EXPECT_FALSE(parses("Y[i] = X[i * 2]"));
  EXPECT_TRUE(parses("Y[i] = X[i - 1] where i >= 1"));
  EXPECT_TRUE(parses("Y[i] = select(i + 1 < n, X[i + 1], 0)"));
  EXPECT_FALSE(parses("Y[i] = select(i + 1 < n, 0, X[i + 1])"));
  EXPECT_TRUE(parses("Y[i] = select(i + 1 >= n, 0, X[i + 1])"));
  EXPECT_TRUE(parses("Y[i] = sum(r < 3, X[2 * i + r - 1] where 0 <= 2 * i + r - 1 < n)"));
  EXPECT_TRUE(parses("Y[i] = X[i / 2] + X[i % 4] + X[min(i + 1, n - 1)]"));
  EXPECT_TRUE(parses("Y[i] = sum(j <= i, X[i - j])"));
  EXPECT_TRUE(parses("Y[i] = X[n - 1 - i]"));
}

TEST(Expression, EvaluatesIntegers)
{
  const ExprPtr sum = make_binary("+", make_binary("*", make_index("i"), make_number(3, true)), make_extent("n"));
  EXPECT_EQ(*evaluate_integer(*sum, {{"i", 5}, {"n", 7}}), 22);
  EXPECT_FALSE(evaluate_integer(*sum, {{"i", 5}}));
  EXPECT_FALSE(evaluate_integer(*make_binary("/", make_index("i"), make_number(0, true)), {{"i", 5}}));
  EXPECT_FALSE(evaluate_integer(*make_binary("*", make_index("i"), make_index("i")), {{"i", std::int64_t{1} << 40}}));
  EXPECT_EQ(to_text(*make_binary("+", make_index("i"), make_number(0, true))), "i");
  EXPECT_EQ(to_text(*make_binary("*", make_number(6, true), make_number(7, true))), "42");
}

// Broken input must end in an error with a place, never in a crash: cuts, swaps and noise on valid programs.
TEST(Expression, SurvivesBrokenInput)
{
  const std::vector<std::string> seeds{
    "C[m,n] = sum(k, A[m,k] * B[k,n])", "Y[i] = sum(r < 3, X[i+r-1] where 0 <= i+r-1 < n); Z[i] = max(j, Y[j])",
    "T[i] = select(X[i] > 0 || !(X[i] == 1), exp(-X[i]), f16(X[i])) where i % 2 == 0"};
  const std::string noise = "[](),;=<>!&|+-*/%.#\n 019azkmn_\"'\\$\xC3\xA9";
  Random random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string text = seeds[random.below(seeds.size())];
    const std::uint64_t edits = 1 + random.below(6);
    for (std::uint64_t i = 0; i < edits && !text.empty(); ++i) {
      const std::size_t at = random.below(text.size());
      switch (random.below(4)) {
      case 0:
        text.erase(at, 1 + random.below(4));
        break;
      case 1:
        text.insert(at, 1, noise[random.below(noise.size())]);
        break;
      case 2:
        text[at] = noise[random.below(noise.size())];
        break;
      default:
        text.insert(at, text.substr(random.below(text.size()), random.below(12)));
        break;
      }
    }
    const std::string toml =
      "[kernel]\nname = \"x\"\n[compute]\nexpr = '''" + text
      + "'''\n[arguments]\nX = { type = \"f32\", shape = [\"n\"] }\nY = { type = \"f32\", shape = "
        "[\"n\"] }\n[sizes]\ntimed = [ { n = 8 } ]\n";
    const auto kernel = parse_kernel(toml, "x");
    if (!kernel) {
      EXPECT_FALSE(kernel.error().message.empty());
      EXPECT_GT(kernel.error().place.line, 0) << toml << kernel.error().text();
    }
    NewKernel request;
    request.name = "x";
    request.expression = text;
    const auto draft = draft_kernel_toml(request);
    EXPECT_TRUE(draft || !draft.error().message.empty());
  }
}

TEST(Expression, DepthIsBounded)
{
  for (const std::string& text :
       {std::string(50'000, '('), std::string(50'000, '-') + "1", "1" + std::string(50'000, '+') + "1"}) {
    EXPECT_FALSE(parse_kernel(kernel_text("Y[i] = " + text, k_xy, "n = 8"), "x"));
  }
  std::string chain = "X[i]";
  for (int i = 0; i < 50'000; ++i) {
    chain += " + X[i]";
  }
  EXPECT_FALSE(parse_kernel(kernel_text("Y[i] = " + chain, k_xy, "n = 8"), "x"));
  std::string comparisons = "1";
  for (int i = 0; i < 60; ++i) {
    comparisons = "0 < (" + comparisons + ") < 1";
  }
  EXPECT_FALSE(parse_kernel(kernel_text("Y[i] = select(" + comparisons + ", 1, 0)", k_xy, "n = 8"), "x"));
}

} // namespace
} // namespace hone::kernel
