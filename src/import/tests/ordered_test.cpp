// Loops whose iterations depend on each other. Each would be refused, or be read in another order, if its form were
// lost.
#include "meaning_cases.h"

#include <gmock/gmock.h>

namespace hone::import {
namespace {

class OrderedLoops : public testing::TestWithParam<MeaningCase> {};

TEST_P(OrderedLoops, AreUnderstood)
{
  expect_meaning(GetParam());
}

const MeaningCase k_ordered[] = {
  {"Filter",
   "void f(int n, float a, const float *x, float *y) { y[0] = x[0]; for (int t = 1; t < n; t++)"
   "y[t] = x[t] + a * y[t - 1]; }",
   "for once < 1 {\n  y[0] = x[0]\n}\nfor 1 <= t < n {\n  y[t] = x[t] + a * y[t - 1]\n}", "y=n output"},
  {"FilterWithAState",
   "void f(int n, float a, const float *x, float *y) { float s = 0; for (int t = 0; t < n; t++) {"
   "s = x[t] + a * s; y[t] = s; } }",
   "s = 0.0\nfor t < n {\n  s = x[t] + a * s\n  y[t] = s\n}"},
  {"StateThatIsReturned",
   "double f(int n, const double *x) { double s = 1; for (int t = 0; t < n; t++) s = 0.5 * s * s + x[t]; return s; }",
   "s = 1.0\nfor t < n {\n  s = 0.5 * s * s + x[t]\n}\nresult = s"},
  {"ForwardSubstitution",
   "void f(int n, const double *L, const double *b, double *x) { for (int i = 0; i < n; i++) { double s = b[i];"
   "for (int j = 0; j < i; j++) s -= L[i * n + j] * x[j]; x[i] = s / L[i * n + i]; } }",
   "for i < n {\n  x[i] = (b[i] - sum(j < i, L[i, j] * x[j])) / L[i, i]\n}", "x=n output"},
  {"BackSubstitution",
   "void f(int n, const double *U, const double *b, double *x) { for (int i = n - 1; i >= 0; i--) { double s = b[i];"
   "for (int j = i + 1; j < n; j++) s -= U[i * n + j] * x[j]; x[i] = s / U[i * n + i]; } }",
   "for i < n {\n  x[n - i - 1] = (b[n - i - 1] - sum(n - i <= j < n, U[n - i - 1, j] * x[j])) / U[n - i - 1, n - i - "
   "1]\n}",
   "x=n output"},
  {"OverRelaxationInPlace",
   "void f(int n, float *u) { for (int i = 1; i < n - 1; i++) u[i] = 0.5f * (u[i - 1] + u[i + 1]); }",
   "for 1 <= i < n - 1 {\n  u[i] = 0.5 * (u[i - 1] + u[i + 1])\n}", "u=n inout"},
  {"StepsInTime",
   "void f(int steps, int n, double *u, double *v) { for (int t = 0; t < steps; t++) {"
   "for (int i = 1; i < n - 1; i++) v[i] = u[i - 1] + u[i + 1]; for (int i = 1; i < n - 1; i++) u[i] = v[i]; } }",
   "for t < steps {\n  v[1 <= i < n - 1] = u[i - 1] + u[i + 1]\n  u[1 <= i < n - 1] = v[i]\n}", "v=n inout"},
  {"ShortestPaths",
   "void f(int n, float *d) { for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {"
   "float via = d[i * n + k] + d[k * n + j]; if (via < d[i * n + j]) d[i * n + j] = via; } }",
   "for k < n {\n  for i < n {\n    for j < n {\n      d[i, j] = min(d[i, k] + d[k, j], d[i, j])\n    }\n  }\n}",
   "d=n,n inout"},
  {"EditDistance",
   "void f(int m, int n, const signed char *a, const signed char *b, int *D) { int w = n + 1;"
   "for (int i = 0; i <= m; i++) D[i * w] = i; for (int j = 0; j <= n; j++) D[j] = j;"
   "for (int i = 1; i <= m; i++) for (int j = 1; j <= n; j++) {"
   "int c = D[(i - 1) * w + j - 1] + (a[i - 1] != b[j - 1]);"
   "int d = D[(i - 1) * w + j] + 1; if (d < c) c = d; d = D[i * w + j - 1] + 1; if (d < c) c = d; D[i * w + j] = c; } "
   "}",
   "for once < 1 {\n  D[i < m + 1, 0] = i\n}\nfor once < 1 {\n  D[0, j < n + 1] = j\n}\n"
   "for 1 <= i < m + 1 {\n  for 1 <= j < n + 1 {\n    D[i, j] = min(D[i, j - 1] + 1, min(D[i - 1, j] + 1, "
   "D[i - 1, j - 1] + select(a[i - 1] != b[j - 1], 1, 0)))\n  }\n}",
   "D=m + 1,n + 1 output"},
  {"SumsThatSeveralElementsUse",
   "void f(int n, double *A) { for (int k = 0; k < n; k++) for (int j = k + 1; j < n; j++) { double s = 0;"
   "for (int i = 0; i < n; i++) s += A[i * n + k] * A[i * n + j];"
   "for (int i = 0; i < n; i++) A[i * n + j] -= s * A[i * n + k]; } }",
   "for k < n {\n  for k + 1 <= j < n {\n    s = sum(i < n, A[i, k] * A[i, j])\n"
   "    A[i < n, j] = A[i, j] - s * A[i, k]\n  }\n}"},
};
INSTANTIATE_TEST_SUITE_P(Forms, OrderedLoops, testing::ValuesIn(k_ordered), name_of);

// The extent of what is subscripted with data is the user's to say.
TEST(OrderedLoops, PlacesThatDataSaysAreWrittenInOrder)
{
  const char* const code =
    "void f(int n, int m, const int *bin, float *h) { for (int i = 0; i < n; i++) h[bin[i]] += 1; }";
  EXPECT_THAT(meaning_of(code), testing::HasSubstr("the extent of 'h' is not known"));
  ForeignFunction request = request_for("test.c");
  request.shapes["h"] = {"m"};
  EXPECT_EQ(meaning_of(code, request), "for i < n {\n  h[bin[i]] = h[bin[i]] + 1.0\n}");
  EXPECT_EQ(kernel_of(code, request).find_argument("h")->role, kernel::Role::inout);
}

// Random values would make an elimination lose all its digits.
TEST(OrderedLoops, MatricesGetTheirFormFromWhatDivides)
{
  const kernel::Kernel solve = kernel_of(
    "void f(int n, const double *L, const double *b, double *x) { for (int i = 0; i < n; i++) { double s = b[i];"
    "for (int j = 0; j < i; j++) s -= L[i * n + j] * x[j]; x[i] = s / L[i * n + i]; } }");
  EXPECT_EQ(solve.find_argument("L")->matrix, kernel::MatrixForm::dominant);
  const kernel::Kernel cholesky = kernel_of(
    "double sqrt(double);\nvoid f(int n, double *A) { for (int i = 0; i < n; i++) {"
    "for (int j = 0; j < i; j++) { for (int k = 0; k < j; k++) A[i * n + j] -= A[i * n + k] * A[j * n + k];"
    "A[i * n + j] /= A[j * n + j]; }"
    "for (int k = 0; k < i; k++) A[i * n + i] -= A[i * n + k] * A[i * n + k]; A[i * n + i] = sqrt(A[i * n + i]); } }");
  EXPECT_EQ(cholesky.find_argument("A")->matrix, kernel::MatrixForm::positive_definite);
}

} // namespace
} // namespace hone::import
