// What surrounds the statements: roles, shapes, types, notes, the first candidate, and questions.
#include "harness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::import {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* k_gemm =
  "void gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb, double beta,"
  "double *C, int ldc) { for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { double sum = 0;"
  "for (int p = 0; p < k; p++) sum += A[i*lda+p] * B[p*ldb+j]; C[i*ldc+j] = alpha * sum + beta * C[i*ldc+j]; } }";

ForeignKernel made_of(const std::string& code, ForeignFunction request = request_for("test.c"))
{
  const auto answer = kernel_from_text(request, code);
  EXPECT_TRUE(answer) << answer.error().text();
  return answer ? answer->kernel : ForeignKernel{};
}

TEST(KernelFromC, HasRolesShapesAndTypes)
{
  const kernel::Kernel kernel = kernel_of(k_gemm);
  ASSERT_EQ(kernel.arguments.size(), 5u);
  EXPECT_EQ(kernel.name, "gemm");
  EXPECT_EQ(kernel.find_argument("alpha")->role, kernel::Role::scalar);
  EXPECT_EQ(kernel.find_argument("A")->role, kernel::Role::input);
  EXPECT_EQ(kernel.find_argument("C")->role, kernel::Role::inout);
  EXPECT_EQ(kernel::to_text(*kernel.find_argument("A")->shape[1]), "k");
  EXPECT_EQ(kernel.find_argument("B")->type, kernel::DataType::f64);
  EXPECT_EQ(kernel.accumulate, kernel::DataType::f64);
}

TEST(KernelFromC, SaysWhatItTakesForGranted)
{
  const ForeignKernel made = made_of(k_gemm);
  EXPECT_THAT(made.notes, Contains(HasSubstr("lda is k")));
  EXPECT_THAT(made.notes, Contains(HasSubstr("A, B, C do not overlap")));
  EXPECT_THAT(made.toml, HasSubstr("lda is k"));
  const ForeignKernel restricted = made_of("void f(int n, const float *restrict x, float *restrict y)"
                                           "{ for (int i = 0; i < n; i++) y[i] = x[i]; }");
  EXPECT_THAT(restricted.notes, Not(Contains(HasSubstr("overlap"))));
}

TEST(KernelFromC, KeepsALeadingDimensionThatTheShapeNames)
{
  ForeignFunction request = request_for("test.c");
  request.shapes["A"] = {"m", "lda"};
  const auto answer = kernel_from_text(request, k_gemm);
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->kernel.toml, HasSubstr("A = { type = \"f64\", shape = [\"m\", \"lda\"]"));
}

// Sizes whose rows are too short mean nothing to such code: its own reads would leave the array.
TEST(KernelFromC, StatesConditionsBetweenSizes)
{
  ForeignFunction request = request_for("test.c");
  request.shapes["C"] = {"m", "ldc"};
  const kernel::Kernel kernel = kernel_of(k_gemm, request);
  ASSERT_EQ(kernel.size_conditions.size(), 1u);
  EXPECT_EQ(kernel::to_text(*kernel.size_conditions[0]), "n <= ldc");
  const kernel::Kernel asserted = kernel_of("#include <assert.h>\nvoid f(int n, int pad, const float *x, float *y) {"
                                            "assert(n >= 2 * pad + 40); for (int i = 0; i < n - pad; i++)"
                                            "y[i] = x[i + pad]; }");
  ASSERT_EQ(asserted.size_conditions.size(), 1u);
  const kernel::Sizes& timed = asserted.timed.front();
  EXPECT_GE(timed.at("n"), 2 * timed.at("pad") + 40);
}

// A hidden size of 1 would be refused: nothing is known of 0 / 0. A guarded divisor restricts nothing.
TEST(KernelFromC, StatesThatDivisorsAreNotZero)
{
  const char* const code = "void f(int n, const double *x, double *y) { double s = 0; for (int i = 0; i < n; i++)"
                           "s += x[i]; y[0] = %; }";
  const auto with = [&](const std::string& value) {
    std::string text = code;
    return kernel_of(text.replace(text.find('%'), 1, value)).size_conditions;
  };
  ASSERT_EQ(with("s / (n - 1.0)").size(), 1u);
  EXPECT_EQ(kernel::to_text(*with("s / (n - 1.0)")[0]), "n > 1");
  EXPECT_TRUE(with("s / n").empty());
  EXPECT_TRUE(with("n > 1 ? s / (n - 1.0) : 0.0").empty());
}

// The shipped function is called as the user's was.
TEST(KernelFromC, RecordsHowTheFunctionIsCalled)
{
  const kernel::Signature signature = kernel_of(k_gemm).signature;
  ASSERT_EQ(signature.parameters.size(), 11u);
  EXPECT_EQ(signature.parameters[0].name, "m");
  EXPECT_EQ(signature.parameters[0].type, "int");
  EXPECT_EQ(signature.parameters[4].type, "const double *");
  EXPECT_EQ(kernel::to_text(*signature.parameters[5].equals), "k");
  const kernel::Signature sum = kernel_of("#include <stddef.h>\nfloat f(const float *restrict x, size_t n, int spare)"
                                          "{ float s = 0; for (size_t i = 0; i < n; i++) s += x[i]; return s; }")
                                  .signature;
  EXPECT_EQ(sum.returns, "float");
  EXPECT_EQ(sum.result, "result");
  EXPECT_EQ(sum.parameters.at(1).type, "unsigned long");
  EXPECT_TRUE(sum.parameters.at(2).unused);
}

TEST(KernelFromC, TakesSizesAndRefusesUnknownOnes)
{
  ForeignFunction request = request_for("test.c");
  request.sizes = {{"m", 100}};
  EXPECT_EQ(kernel_of(k_gemm, request).timed.front().at("m"), 100);
  request.sizes = {{"q", 100}};
  const auto refused = kernel_from_text(request, k_gemm);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("no size 'q'"));
}

TEST(KernelFromC, AccumulatesInWhatTheCodeComputesIn)
{
  const char* in_double =
    "float f(int n, const float *x) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }";
  const char* mixed = "#include <math.h>\nfloat f(int n, const float *x) { double s = 0;"
                      "for (int i = 0; i < n; i++) s += expf(x[i]); return (float)s; }";
  EXPECT_EQ(kernel_of(in_double).accumulate, kernel::DataType::f64);
  EXPECT_EQ(kernel_of(mixed).accumulate, kernel::DataType::f32);
  EXPECT_THAT(made_of(mixed).notes, Contains(HasSubstr("the code keeps s in double")));
}

TEST(StartFromC, IsTheUsersCodeWithoutWhatIsNotNeeded)
{
  ForeignFunction request = request_for("test.c");
  request.function = "f";
  const ForeignKernel made = made_of("#include <stdio.h>\n#include <math.h>\nstatic int counter = 0;\n"
                                     "static float g(float v) { return expf(v); } // used\n"
                                     "void f(int n, const float *x, float *y)\n{\n  for (int i = 0; i < n; i++)\n"
                                     "    y[i] = g(x[i]); /* theirs */\n}\n"
                                     "int main(void) { counter++; printf(\"%d\", counter); return 0; }\n",
                                     request);
  const std::string& device = made.start.at("device.cpp");
  EXPECT_THAT(device, HasSubstr("y[i] = g(x[i]); /* theirs */"));
  EXPECT_THAT(device, HasSubstr("#include <math.h>"));
  EXPECT_THAT(device, Not(HasSubstr("stdio")));
  EXPECT_THAT(device, Not(HasSubstr("main")));
  EXPECT_THAT(device, Not(HasSubstr("counter")));
  EXPECT_THAT(device, HasSubstr("extern \"C\" void f_kernel(const hone_group*, const float* x, float* y, int64_t n)"));
  EXPECT_THAT(made.start.at("launch.toml"), HasSubstr("args = [\"x\", \"y\", \"n\"]"));
}

TEST(StartFromC, GivesRuntimeShapesTheirTypesInside)
{
  const ForeignKernel made =
    made_of("void f(int n, int m, const double A[restrict n][m], double *y) { for (int i = 0; i < n;"
            "i++) { y[i] = 0; for (int j = 0; j < m; j++) y[i] += A[i][j]; } }");
  EXPECT_THAT(made.start.at("device.cpp"), HasSubstr("const double* A_elements, double *y)"));
  EXPECT_THAT(made.start.at("device.cpp"), HasSubstr("const double (*A)[m] = (const double (*)[m])A_elements;"));
}

TEST(StartFromC, PassesTheSizesThatWereTakenForGranted)
{
  EXPECT_THAT(made_of(k_gemm).start.at("device.cpp"), HasSubstr("*alpha, (const double *)A, (int)(k),"));
}

TEST(QuestionsOnC, NameWhatIsMissing)
{
  const auto asked = [](const std::string& body) {
    return meaning_of("float g(float); float scale; struct v { float x; };\n"
                      "void f(int n, int m, const int *idx, const float *x, float *y) { "
                      + body + " }");
  };
  EXPECT_THAT(asked("float s = 0; int i = 0; while (s < 1) { s += x[i]; i++; } y[0] = s;"),
              HasSubstr("how often this loop runs does not follow from"));
  EXPECT_THAT(asked("for (int i = 0; i < n; i++) y[idx[i]] += x[i];"),
              HasSubstr("the extent of 'y' is not known: it is subscripted with idx[i]"));
  EXPECT_THAT(asked("for (int i = 0; i < n; i++) y[i] = g(x[i]);"), HasSubstr("calls 'g', which is not in this file"));
  EXPECT_THAT(asked("for (int i = 0; i < n; i++) y[i] = x[idx[i]];"),
              HasSubstr("the extent of 'x' is not known: it is subscripted with idx[i]"));
  EXPECT_THAT(asked("for (int i = 0; i < n; i++) { if (x[i] < 0) break; y[i] = x[i]; }"), HasSubstr("'break'"));
  EXPECT_THAT(asked("int len = n; for (int i = 0; i < len; i++) { y[i] = x[i]; if (x[i] < 0) len--; }"),
              HasSubstr("the loop bound 'len' is changed in the loop"));
  EXPECT_THAT(asked("for (int i = 0; i < n; i++) y[i] = x[i - 1];"), HasSubstr("i - 1, which may be less than 0"));
  EXPECT_THAT(asked("for (int i = 0; i < n; i++) y[i] = scale * x[i];"), HasSubstr("'scale' is a variable outside"));
  EXPECT_THAT(asked("float t; for (int i = 0; i < n; i++) t = x[i]; y[0] = t;"), HasSubstr("'t' is read after a loop"));
  EXPECT_THAT(asked("float s; for (int i = 0; i < n; i++) s += x[i]; y[0] = s;"),
              HasSubstr("'s' is read before it has a value"));
  EXPECT_THAT(asked("for (int i = 1; i < n; i *= 2) y[i] = x[i];"), HasSubstr("how often this loop runs"));
  EXPECT_THAT(asked("float t[n]; for (int i = 0; i < n; i++) y[i] = t[i];"),
              HasSubstr("elements of 't' are read before"));
}

TEST(QuestionsOnC, AreAllListedAtOnce)
{
  const auto answer =
    kernel_from_text(request_for("test.c"), "float g(float);\nvoid f(int n, const float *x, float *y)\n{\n"
                                            "  for (int i = 0; i < n; i++) y[i] = g(x[i]);\n"
                                            "  while (y[0] > 1) y[0] /= 2;\n}\n");
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->questions.size(), 2u);
  EXPECT_EQ(answer->questions[0].what.place.line, 4);
  EXPECT_EQ(answer->questions[1].what.place.line, 5);
}

TEST(QuestionsOnC, SayWhoseShapeIsMissing)
{
  const auto gather = kernel_from_text(
    request_for("test.c"),
    "void f(int n, const int *idx, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = x[idx[i]]; }");
  ASSERT_TRUE(gather);
  ASSERT_EQ(gather->questions.size(), 1u);
  EXPECT_EQ(gather->questions[0].argument, "x");
  EXPECT_THAT(gather->questions[0].what.hint, HasSubstr("--shape x="));
}

TEST(KernelFromC, TakesSizesThatOnlyAShapeNames)
{
  ForeignFunction request = request_for("test.c");
  request.shapes["x"] = {"n + rest"};
  const ForeignKernel made =
    made_of("void f(int n, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = x[i]; }", request);
  EXPECT_THAT(made.toml, HasSubstr("shape = [\"n + rest\"]"));
  EXPECT_THAT(made.toml, HasSubstr("rest = "));
  EXPECT_THAT(made.notes, Contains(HasSubstr("rest is a size that the function does not take")));
}

TEST(QuestionsOnC, AreAnsweredByAShape)
{
  // Nothing says that a row is at least as long as the loop over j: rows may overlap.
  const std::string code = "void f(int m, int n, int p, const float *x, float *y) { for (int i = 0; i < m; i++)"
                           "for (int j = 0; j < n; j++) for (int q = 0; q < p; q++) y[i*p + q] += x[i*p + j]; }";
  ForeignFunction request = request_for("test.c");
  EXPECT_EQ(meaning_of(code, request), "y[i, q] = y[i, q] + sum(j < n, x[i * p + j])");
  request.shapes["x"] = {"m * p + n"};
  EXPECT_EQ(meaning_of(code, request), "y[i, q] = y[i, q] + sum(j < n, x[i * p + j])");
  request.shapes["x"] = {"m *"};
  EXPECT_EQ(meaning_of(code, request), "? 'm *' is no extent");
}

TEST(FilesOfC, ThatDoNotCompileAreErrorsWithTheirPlace)
{
  const auto broken = kernel_from_text(request_for("test.c"), "void f(int n) {\n  oops;\n}\n");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().place.line, 2);
  const auto header = kernel_from_text(request_for("test.c"), "#include \"nowhere.h\"\nvoid f(int n) {}\n");
  ASSERT_FALSE(header);
  EXPECT_THAT(header.error().hint, HasSubstr("-I"));
  const auto two = kernel_from_text(request_for("test.c"), "void f(void) {}\nvoid g(void) {}\n");
  ASSERT_FALSE(two);
  EXPECT_THAT(two.error().message, HasSubstr("f, g"));
}

TEST(FilesOfC, OfferTheFunctionThatNoOtherCalls)
{
  EXPECT_EQ(meaning_of("static float half(float x) { return 0.5f * x; }\n"
                       "void f(int n, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = half(x[i]); }"),
            "y[i] = 0.5 * x[i]");
}

TEST(FilesOfC, SeeTheFlags)
{
  ForeignFunction request = request_for("test.c");
  request.flags = {"-DFACTOR=3"};
  EXPECT_EQ(meaning_of("void f(int n, float *y) { for (int i = 0; i < n; i++) y[i] *= FACTOR; }", request),
            "y[i] = y[i] * 3.0");
}

} // namespace
} // namespace hone::import
