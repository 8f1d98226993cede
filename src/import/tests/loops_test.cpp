// Loops as people write them. Each would be refused, or be read as another computation, if its form were lost.
#include "meaning_cases.h"

namespace hone::import {
namespace {

class Loops : public testing::TestWithParam<MeaningCase> {};

TEST_P(Loops, AreUnderstood)
{
  expect_meaning(GetParam());
}

const MeaningCase k_loops[] = {
  {"SumInTheTest", "void f(int n, const float *x, float *d) { for (int i = 0; i + 2 < n; ++i) d[i] = x[i + 2]; }",
   "d[i] = x[i + 2]", "x=n input"},
  {"SizeOnTheLeft", "void f(int n, const float *x, float *y) { for (int i = 0; n > i; ++i) y[i] = x[i]; }",
   "y[i] = x[i]"},
  {"UnsignedDownwards",
   "void f(unsigned n, const float *x, float *y) { for (unsigned i = n; i-- > 0;) y[i] = x[n - 1 - i]; }",
   "y[i] = x[n - i - 1]"},
  {"WhileWithAStep", "void f(int n, const float *x, float *y) { int i = 0; while (i < n) { y[i] = x[i]; i++; } }",
   "y[i] = x[i]"},
  {"PointersThatMove", "void f(long n, const float *x, float *y) { while (n--) *y++ = 3 * *x++; }",
   "y[i] = 3.0 * x[i]"},
  {"LoopOverAPointer",
   "double f(const double *x, long n) { double s = 0; for (const double *p = x; p != x + n; p++) s += *p * *p;"
   "return s; }",
   "result = sum(p < n, x[p] * x[p])"},
  {"PointersMovedByRows",
   "void f(long m, long n, const float *x, float *y) { for (long i = 0; i < m; i++, x += n) { float s = 0;"
   "for (long j = 0; j < n; j++) s += x[j]; y[i] = s; } }",
   "y[i] = sum(j < n, x[i, j])", "x=m,n input"},
  {"RowsMovedInTheBody",
   "void f(long m, long n, const float *x, float *y) { for (long i = 0; i < m; i++) { float s = 0;"
   "for (long j = 0; j < n; j++) s += x[j]; y[i] = s; x += n; } }",
   "y[i] = sum(j < n, x[i, j])", "x=m,n input"},
  {"CounterBesideTheIndex",
   "void f(int n, const float *x, float *z) { int k = 0; for (int i = 0; i < n; i++) { z[k++] = x[i];"
   "z[k++] = -x[i]; } }",
   "z[i] = select(i % 2 == 1, -x[i / 2], x[i / 2])", "z=2 * n output"},
  {"UnrolledByHand",
   "float f(int n, const float *x) { float s = 0; int i = 0; for (; i + 1 < n; i += 2) s += x[i] + x[i + 1];"
   "for (; i < n; i++) s += x[i]; return s; }",
   "result = sum(i < n / 2, x[2 * i] + x[2 * i + 1]) + sum(2 * (n / 2) <= i < n, x[i])", "x=n input"},
  {"Blocked",
   "#define T 16\nvoid f(int m, int n, int k, const float *A, const float *B, float *C) {"
   "for (int ii = 0; ii < m; ii += T) for (int pp = 0; pp < k; pp += T)"
   "for (int i = ii; i < (ii + T < m ? ii + T : m); i++) for (int p = pp; p < (pp + T < k ? pp + T : k); p++)"
   "for (int j = 0; j < n; j++) C[i * n + j] += A[i * k + p] * B[p * n + j]; }",
   "C[i, j] = C[i, j] + sum(p < k, A[i, p] * B[p, j])"},
  {"WindowThatIsCut",
   "#define MAX(a, b) ((a) > (b) ? (a) : (b))\n#define MIN(a, b) ((a) < (b) ? (a) : (b))\n"
   "void f(int n, int r, const float *x, float *y) { for (int i = 0; i < n; i++) { float s = 0;"
   "for (int j = MAX(0, i - r); j < MIN(n, i + r + 1); j++) s += x[j]; y[i] = s; } }",
   "y[i] = sum(j < 2 * r + 1, x[i + j - r] where 0 <= i + j - r && i + j - r < n)", "x=n input"},
  // Rows below are read before they are written: refused if a sum forgets the range of its index.
  {"TriangleInPlace",
   "void f(int m, int n, const float *A, float *B) { for (int i = 0; i < m; i++) for (int j = 0; j < n; j++)"
   "for (int k = i + 1; k < m; k++) B[i * n + j] += A[k * m + i] * B[k * n + j]; }",
   "B[i, j] = B[i, j] + sum(i + 1 <= k < m, A[k, i] * B[k, j])"},
  // Both halves hold the same sum: two sums under a condition are computed twice, and no step knows them as a product.
  {"SymmetricHalves",
   "void f(int n, int m, const float *X, float *C) { for (int a = 0; a < m; a++) { C[a * m + a] = 1;"
   "for (int b = a + 1; b < m; b++) { float s = 0; for (int i = 0; i < n; i++) s += X[i * m + a] * X[i * m + b];"
   "C[a * m + b] = s; C[b * m + a] = s; } } }",
   "C[b, a] = select(a + 1 <= b || b + 1 <= a, sum(i < n, X[i, a] * X[i, b]), 1.0)"},
  // A sum that decides has a name: written out, each element that depends on it would compute it again.
  {"SumThatDecides",
   "void f(int m, int n, const float *X, float *Y) { float t[m]; for (int i = 0; i < m; i++) { t[i] = 0;"
   "for (int j = 0; j < n; j++) t[i] += X[i * n + j]; if (t[i] < 1) t[i] = 1; }"
   "for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) Y[i * n + j] = X[i * n + j] / t[i]; }",
   "t[i < m] = sum(j < n, X[i, j])\nY[i, j] = X[i, j] / max(1.0, t[i])"},
  // Where the sum was not stored, every later read must find what was there before, not only the first.
  {"SumInPlaces",
   "void f(int m, int n, const float *X, const float *c, float *Y) { float t[m]; for (int i = 0; i < m; i++) { t[i] = "
   "5;"
   "if (c[i] > 0) { float s = 0; for (int j = 0; j < n; j++) s += X[i * n + j]; t[i] = s; } }"
   "for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) Y[i * n + j] = t[i];"
   "for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) Y[i * n + j] *= t[i]; }",
   "t[i < m] = sum(j < n, X[i, j]) where c[i] > 0.0\n"
   "Y[i, j] = select(c[i] > 0.0, t[i], 5.0) * select(c[i] > 0.0, t[i], 5.0)"},
  {"MemoryIsSet",
   "#include <string.h>\nvoid f(int m, int n, const float *A, float *s) { memset(s, 0, n * sizeof *s);"
   "for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) s[j] += A[i * n + j]; }",
   "s[j] = sum(i < m, A[i, j])"},
  {"MemoryIsCopied",
   "#include <string.h>\nvoid f(int n, const float *x, float *y) { memcpy(y, x, sizeof(float) * n); y[0] = 0; }",
   "y[i] = select(i == 0, 0.0, x[i])"},
  {"Assertions",
   "#include <assert.h>\nvoid f(int n, const float *x, float *y) { assert(x && n > 0); (void)n;"
   "for (int i = 0; i < n; i++) y[i] = x[i]; }",
   "y[i] = x[i]"},
  {"StatementsWithoutEffect",
   "void f(int n, const float *x, float *y, int spare) { (void)spare; 0; for (int i = 0; i < n; i++) y[i] = x[i]; }",
   "y[i] = x[i]"},
  // The counter moves only where the iteration goes on: taken for unconditional, it would be 9 everywhere.
  {"CounterBehindContinue",
   "void f(int n, const float *x, float *y) { for (int i = 0; i < n; i++) { float s = 0; int count = 0;"
   "for (int r = 0; r < 9; r++) { if (i + r >= n) continue; s += x[i + r]; count++; } y[i] = s / count; } }",
   "y[i] = sum(r < 9, x[i + r] where i + r < n) / sum(r < 9, 1 where i + r < n)"},
  {"TableOfTheFile",
   "static const float weight[2] = {0.25f, 0.75f};\nvoid f(int n, const float *x, float *y) {"
   "for (int i = 0; i < n; i++) y[i] = weight[i % 2] * x[i]; }",
   "y[i] = select(i % 2 == 1, 0.75, 0.25) * x[i]"},
  {"ShiftsAndMasks",
   "void f(int n, const float *x, float *y) { for (int i = 0; i < n >> 1; i++) y[i] = x[i << 1] + x[i & 3]; }",
   "y[i] = x[2 * i] + x[i % 4]"},
};

INSTANTIATE_TEST_SUITE_P(Functions, Loops, testing::ValuesIn(k_loops), name_of);

} // namespace
} // namespace hone::import
