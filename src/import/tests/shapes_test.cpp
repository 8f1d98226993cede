// Shapes from subscripts. The fault that each of these would catch: a tensor that is larger than what the code touches
// (the shipped function overruns the user's array), a subscript in the wrong row, or right code that is refused.
#include "meaning_cases.h"

#include <gmock/gmock.h>

namespace hone::import {
namespace {

// Fails if the function is checked at sizes where its own local array overflows the stack.
TEST(LocalArrays, StayWithinTheStack)
{
  const std::string code =
    "void f(int n, int m, const double *x, double *y) { double t[n][m];"
    "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) t[i][j] = x[i * m + j];"
    "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i * m + j] = t[i][j] + t[0][0]; }";
  ForeignFunction request;
  request.file = "given.c";
  const auto usual = kernel_from_text(request, code);
  ASSERT_TRUE(usual) << usual.error().text();
  ASSERT_TRUE(usual->questions.empty()) << usual->questions.front().what.text();
  EXPECT_THAT(usual->kernel.toml, testing::HasSubstr("where = [\"n * m <= 524288\"]"));
  EXPECT_THAT(usual->kernel.notes, testing::Contains(testing::HasSubstr("local array 't'")));
  request.sizes = {{"n", 1000}, {"m", 1000}};
  const auto large = kernel_from_text(request, code);
  ASSERT_TRUE(large && large->questions.empty());
  EXPECT_THAT(large->kernel.toml, testing::Not(testing::HasSubstr("where"))) << "the user's sizes go before";
}

class Shapes : public testing::TestWithParam<MeaningCase> {};

TEST_P(Shapes, AreWhatTheCodeTouches)
{
  expect_meaning(GetParam());
}

const MeaningCase k_shapes[] = {
  {"Diagonal", "void f(int n, double *D) { for (int r = 0; r < n; r++) D[r * n + r] *= 2; }",
   "D[r, r2] = select(r2 == r, D[r, r] * 2.0, D[r, r2])", "D=n,n inout"},
  {"DiagonalOfACube",
   "float f(int n, const float *X) { float s = 0; for (int i = 0; i < n; i++)"
   "s += X[(i * n + i) * n + i]; return s; }",
   "result = sum(i < n, X[i, i, i])", "X=n,n,n input"},
  {"SubdiagonalWithoutTheLastElement",
   "void f(int n, float *A, float v) { for (int i = 1; i < n; i++) A[i * n + i - 1] = v; }",
   "A[i, j] = select(j == n, v, A[i, j])", "A=n - 1,n + 1 inout"},
  {"DiagonalWithALeadingDimension",
   "double f(int n, const double *A, int lda) { double t = 1; for (int i = 0; i < n; i++) t *= A[i * lda + i];"
   "return t; }",
   "result = prod(i < n, A[i, i])", "A=n,n input"},
  {"PaddedRows",
   "void f(int h, int w, const float *x, float *y) { for (int i = 0; i < h; i++) for (int j = 0; j < w; j++)"
   "y[i * w + j] = x[(i + 1) * (w + 2) + j + 2]; }",
   "y[i, j] = x[i + 1, j + 2]", "x=h + 1,w + 2 input"},
  {"LastColumn",
   "void f(int m, int n, const float *A, float *y) { for (int i = 0; i < m; i++)"
   "y[i] = A[i * n + (n - 1)]; }",
   "y[i] = A[i, n - 1]", "A=m,n input"},
  {"LastRow",
   "void f(int m, int n, const float *A, float *y) { for (int j = 0; j < n; j++)"
   "y[j] = A[(m - 1) * n + j] + A[j]; }",
   "y[j < n] = A[j + m * n - n] + A[j]", "A=m * n input"},
  {"RowsBackwards",
   "void f(int m, int n, const float *A, float *B) { for (int i = 0; i < m; i++)"
   "for (int j = 0; j < n; j++) B[i * n + n - 1 - j] = A[i * n + j]; }",
   "B[i, j] = A[i, n - j - 1]", "B=m,n output"},
  {"WholeArrayInOneLoop",
   "void f(int m, int n, const float *x, float *C) { for (int i = 0; i < m * n; i++) C[i] = 1;"
   "for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) C[i * n + j] += x[j]; }",
   "C[i, j] = 1.0 + x[j]", "C=m,n output"},
  {"Halves",
   "void f(int m, int n, const float *x, float *y) { for (int i = 0; i < m; i++)"
   "for (int j = 0; j < n / 2; j++) y[i * (n / 2) + j] = x[i * n + j] + x[i * n + n / 2 + j]; }",
   "y[i, j < n / 2] = x[i, j] + x[i, j + n / 2]", "y=m,n / 2 output"},
  {"Heads",
   "void f(int t, int c, int heads, const float *x, float *y) { int size = c / heads;"
   "for (int i = 0; i < t; i++) for (int h = 0; h < heads; h++) { float s = 0;"
   "for (int k = 0; k < size; k++) s += x[i * c + h * size + k]; y[i * heads + h] = s; } }",
   "y[i, h] = sum(k < c / heads, x[i, c / heads * h + k])", "x=t,c input"},
  {"TwoResults",
   "void f(int n, const float *x, float *r) { float a = 0, b = 1; for (int i = 0; i < n; i++)"
   "{ a += x[i]; b *= x[i]; } r[1] = b; r[0] = a; }",
   "r[i] = select(i == 0, sum(i2 < n, x[i2]), prod(i2 < n, x[i2]))", "r=2 output"},
  {"ThreeResultsInAnyOrder", "void f(const float *x, float *r) { r[2] = x[0]; r[0] = x[1]; r[1] = x[2]; }",
   "r[i] = select(i == 1, x[2], select(i == 0, x[1], x[0]))", "r=3 output"},
  {"PairsInterleaved",
   "void f(int n, const float *a, const float *b, float *z) { for (int i = 0; i < n; i++)"
   "{ z[2 * i] = a[i]; z[2 * i + 1] = b[i]; } }",
   "z[i] = select(i % 2 == 1, b[i / 2], a[i / 2])", "z=2 * n output"},
  {"EverySecondWritten", "void f(int n, const float *x, float *y) { for (int i = 0; i < n; i++) y[3 * i] = x[i]; }",
   "y[i] = select(i % 3 == 0, x[i / 3], y[i])", "y=3 * n - 2 inout"},
};

INSTANTIATE_TEST_SUITE_P(Arrays, Shapes, testing::ValuesIn(k_shapes), name_of);

// The whole array is m * hop long, and the rows may overlap: nothing is assumed about n and hop.
TEST(ShapesOfC, KeepOneDimensionWhereRowsMayOverlap)
{
  const MeaningCase windows{
    "",
    "float f(int m, int n, int hop, const float *x, float *w) { float s = 0; for (int j = 0; j < hop; j++)"
    "s += w[j]; for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) s += x[i * hop + j]; return s; }",
    "result = sum(j < hop, w[j]) + sum(i < m, j < n, x[hop * i + j])", "x=hop * m + n - hop input"};
  expect_meaning(windows);
}

// A stride is never taken for 1 without a word: the note says so and [signature] makes the shipped function refuse
// others, or it is an extent where the user gives the shape. Neither invents values for it.
TEST(Strides, AreStatedOrSizes)
{
  const std::string code = "void axpy(int n, float a, const float *X, int incx, float *Y, int incy)"
                           "{ for (int i = 0; i < n; i++) Y[i * incy] += a * X[i * incx]; }";
  const auto plain = kernel_from_text(request_for("test.c"), code);
  ASSERT_TRUE(plain && plain->questions.empty());
  const std::string notes = join(plain->kernel.notes, "\n");
  EXPECT_NE(notes.find("incx is 1"), std::string::npos) << notes;
  EXPECT_EQ(notes.find("incx takes values"), std::string::npos) << notes;
  EXPECT_NE(plain->kernel.toml.find("{ name = \"incx\", type = \"int\", equals = \"1\" }"), std::string::npos);
  ForeignFunction strided = request_for("test.c");
  strided.shapes["X"] = {"n", "incx"};
  strided.shapes["Y"] = {"n", "incy"};
  EXPECT_EQ(meaning_of(code, strided), "Y[i, j] = select(j == 0, Y[i, 0] + a * X[i, 0], Y[i, j])");
  const kernel::Kernel kernel = kernel_of(code, strided);
  EXPECT_EQ(kernel::to_text(*kernel.find_argument("X")->shape.back()), "incx");
  EXPECT_EQ(kernel.find_argument("Y")->role, kernel::Role::inout) << "what lies between is kept";
  for (const kernel::SignatureParameter& parameter : kernel.signature.parameters) {
    EXPECT_EQ(parameter.equals, nullptr) << parameter.name;
  }
}

} // namespace
} // namespace hone::import
