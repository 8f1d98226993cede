// Types: conditions, conversions, and integers that are values and no sizes. The fault: an expression that the language
// refuses, a conversion that is lost, or a function that works for one value of a parameter only.
#include "meaning_cases.h"

#include <gmock/gmock.h>

namespace hone::import {
namespace {

using testing::HasSubstr;

class Types : public testing::TestWithParam<MeaningCase> {};

TEST_P(Types, AreKept)
{
  expect_meaning(GetParam());
}

const MeaningCase k_types[] = {
  {"MaskAsACondition",
   "void f(int n, const _Bool *m, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = m[i] ? x[i] : 1; }",
   "y[i] = select(m[i], x[i], 1.0)"},
  {"MaskAsANumber",
   "#include <stdbool.h>\nint f(int n, const bool *m) { int c = 0; for (int i = 0; i < n; i++) c += m[i];"
   "return c; }",
   "result = sum(i < n, select(m[i], 1, 0))"},
  {"MaskWritten",
   "#include <stdbool.h>\nvoid f(int n, const float *x, bool *m) { for (int i = 0; i < n; i++)"
   "m[i] = x[i] > 0 && x[i] < 1; }",
   "m[i] = x[i] > 0.0 && x[i] < 1.0"},
  {"MaskNegated", "void f(int n, const _Bool *m, float *y) { for (int i = 0; i < n; i++) if (!m[i]) y[i] = 0; }",
   "y[i] = select(m[i], y[i], 0.0)"},
  {"AnyElement",
   "_Bool f(int n, const float *x) { _Bool any = 0; for (int i = 0; i < n; i++) if (x[i] < 0) any = 1; return any; }",
   "result = max(i < n, select(x[i] < 0.0, 1, 0)) == 1"},
  {"ConversionAtTheStore", "void f(int n, const float *x, int *y) { for (int i = 0; i < n; i++) y[i] = (int)x[i]; }",
   "y[i] = i32(x[i])"},
  {"ConversionWithoutACast",
   "void f(int n, const double *x, signed char *y) { for (int i = 0; i < n; i++) y[i] = x[i]; }", "y[i] = i8(x[i])"},
  {"WrapInsideAnExpression",
   "void f(int n, const int *a, int *y) { for (int i = 0; i < n; i++) y[i] = (unsigned char)(a[i] + 1) + 1; }",
   "y[i] = u8(a[i] + 1) + 1"},
  {"UnsignedShifted",
   "void f(int n, const unsigned char *x, unsigned char *y) { for (int i = 0; i < n; i++)"
   "y[i] = (3 * x[2 * i] + 5 * x[2 * i + 1]) >> 3; }",
   "y[i] = (5 * x[2 * i + 1] + 3 * x[2 * i]) / 8"},
  {"SixteenBitsComputeInInt",
   "void f(int n, const short *a, const short *b, short *y) { for (int i = 0; i < n; i++) y[i] = (a[i] + b[i]) / 2; }",
   "y[i] = (a[i] + b[i]) / 2"},
  {"ByteSumWrapsInItsVariable",
   "void f(int n, const unsigned char *a, const unsigned char *b, float *y) { for (int i = 0; i < n; i++)"
   "{ unsigned char t = a[i] + b[i]; y[i] = t * 0.5f; } }",
   "y[i] = f32(u8(a[i] + b[i])) * 0.5"},
  {"UnsignedProductWrapsBeforeItIsDivided",
   "void f(unsigned n, const unsigned *x, unsigned *y) { for (unsigned i = 0; i < n; i++) y[i] = (x[i] * 5u + 1u) / "
   "7u; }",
   "y[i] = u32(5 * x[i] + 1) / 7"},
  {"UnsignedProductWrapsBeforeItIsShifted",
   "void f(unsigned n, const unsigned *x, unsigned *y) { for (unsigned i = 0; i < n; i++) y[i] = (x[i] * 5u) >> 4; }",
   "y[i] = u32(5 * x[i]) / 16"},
  {"UnsignedDifferenceWrapsBeforeItIsCompared",
   "void f(int n, const unsigned *a, const unsigned *b, int *y) { for (int i = 0; i < n; i++) y[i] = a[i] - b[i] > 9u; "
   "}",
   "y[i] = select(u32(a[i] - b[i]) > 9, 1, 0)"},
  {"UnsignedSumWrapsBeforeItIsConverted",
   "double f(unsigned n, const unsigned *x) { unsigned s = 0; for (unsigned i = 0; i < n; i++) s += x[i]; return s; }",
   "result = f64(u32(sum(i < n, x[i])))"},
  {"UnsignedStoredWhereItWraps",
   "void f(int n, const short *a, unsigned *y) { for (int i = 0; i < n; i++) y[i] = 3 * a[i]; }", "y[i] = 3 * a[i]"},
  {"UnsignedSubscripts",
   "void f(unsigned n, unsigned m, const unsigned short *at, const float *t, float *y) { for (unsigned i = 0; i < n; "
   "i++)"
   "for (unsigned j = 0; j < m; j++) y[i * m + j] = t[i * m + j] * at[i]; }",
   "y[i, j] = t[i, j] * at[i]"},
  {"Rounded",
   "#include <math.h>\nvoid f(int n, const float *x, float *y) { for (int i = 0; i < n; i++)"
   "y[i] = truncf(x[i]); }",
   "y[i] = sign(x[i]) * floor(abs(x[i]))"},
};

INSTANTIATE_TEST_SUITE_P(Values, Types, testing::ValuesIn(k_types), name_of);

kernel::Argument argument_of(const std::string& name, const std::string& code)
{
  const kernel::Kernel kernel = kernel_of(code);
  const kernel::Argument* const found = kernel.find_argument(name);
  return found == nullptr ? kernel::Argument{} : *found;
}

TEST(IntegersOfC, AreScalarsUnlessTheyBoundSomething)
{
  const std::string code = "void f(int n, int shift, const signed char *q, int *y) { for (int i = 0; i < n; i++)"
                           "y[i] = q[i] - shift; }";
  EXPECT_EQ(argument_of("shift", code).role, kernel::Role::scalar);
  EXPECT_EQ(argument_of("shift", code).type, kernel::DataType::i32);
  EXPECT_EQ(kernel_of(code).symbols, std::vector<std::string>{"n"});
  const std::string flag = "void f(int n, int relu, const float *x, float *y) { for (int i = 0; i < n; i++)"
                           "y[i] = relu ? (x[i] > 0 ? x[i] : 0) : x[i]; }";
  EXPECT_EQ(argument_of("relu", flag).domain.low, -1);
  EXPECT_EQ(argument_of("relu", flag).domain.high, 1);
  const std::string place = "void f(int n, int from, const float *x, float *y) { for (int i = 0; i < n; i++)"
                            "y[i] = x[i + from]; }";
  EXPECT_EQ(argument_of("from", place).name, ""); // it subscripts: a size
}

TEST(IntegersOfC, TakeTheDomainThatTheUserGives)
{
  ForeignFunction request = request_for("test.c");
  request.domains["step"] = {"1", "n"};
  const kernel::Kernel kernel = kernel_of("void f(int n, int step, const float *x, float *y) {"
                                          "for (int i = 0; i < n; i++) y[i] = x[i] / step; }",
                                          request);
  ASSERT_NE(kernel.find_argument("step"), nullptr);
  EXPECT_EQ(kernel::to_text(*kernel.find_argument("step")->highest), "n");
  request.domains = {{"nobody", {"0", "1"}}};
  const auto refused = kernel_from_text(request, "void f(int n, float *y) { for (int i = 0; i < n; i++) y[i] = 0; }");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("no parameter 'nobody'"));
}

// A label that is compared first would have no domain of its own, and every read would be refused.
TEST(IntegersOfC, ThatSubscriptStayInTheTensor)
{
  const std::string code =
    "float f(int n, int c, int skip, const int *label, const float *x) { float s = 0; for (int i = 0; i < n; i++) {"
    "if (label[i] == skip) continue; s += x[i * c + label[i]]; } return s; }";
  EXPECT_EQ(meaning_of(code), "result = sum(i < n, x[i, label[i]] where label[i] != skip)");
  EXPECT_EQ(kernel::to_text(*argument_of("label", code).highest), "c - 1");
  EXPECT_EQ(argument_of("skip", code).role, kernel::Role::scalar);
}

TEST(FloatsOfC, ThatAreConvertedStayInTheIntegersRange)
{
  const std::string code = "void f(int n, const float *x, unsigned char *y) { for (int i = 0; i < n; i++)"
                           "y[i] = (unsigned char)x[i]; }";
  EXPECT_EQ(argument_of("x", code).domain.high, 255);
}

} // namespace
} // namespace hone::import
