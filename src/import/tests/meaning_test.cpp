// Small functions and the statements that they mean.
#include "harness.h"

#include <gtest/gtest.h>

namespace hone::import {
namespace {

struct Case {
  const char* name;
  const char* code;
  const char* semantics;
};

void PrintTo(const Case& one, std::ostream* out)
{
  *out << one.name;
}

class Semantics : public testing::TestWithParam<Case> {};

TEST_P(Semantics, IsStated)
{
  EXPECT_EQ(meaning_of(GetParam().code), GetParam().semantics);
}

const Case k_cases[] = {
  {"Axpy", "void f(int n, float a, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i]; }",
   "y[i] = a * x[i] + y[i]"},
  {"CompoundAssignment",
   "void f(int n, float a, const float *x, float *y) { for (int i = 0; i < n; ++i) y[i] += a * x[i]; }",
   "y[i] = y[i] + a * x[i]"},
  {"LoopToAndWithTheLast",
   "void f(const float *x, float *y, int n) { for (int i = 0; i <= n - 1; i += 1) y[i] = x[i]; }", "y[i] = x[i]"},
  {"LoopDownwards", "void f(int n, const float *x, float *y) { for (int i = n - 1; i >= 0; i--) y[i] = x[i]; }",
   "y[i] = x[i]"},
  {"IndexDeclaredOutside", "void f(int n, const float *x, float *y) { int i; for (i = 0; i != n; i++) y[i] = x[i]; }",
   "y[i] = x[i]"},
  {"ReturnedSum",
   "float f(int n, const float *x, const float *y)"
   "{ float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }",
   "result = sum(i < n, x[i] * y[i])"},
  {"SumThroughAPointer",
   "void f(int n, const float *x, float *out)"
   "{ float s = 0; for (int i = 0; i < n; i++) s = s + x[i]; *out = s; }",
   "out = sum(i < n, x[i])"},
  {"MatrixTimesVector",
   "void f(int m, int n, const double *A, const double *x, double *y) { for (int i = 0; i < m; i++)"
   "{ double s = 0; for (int j = 0; j < n; j++) s += A[i * n + j] * x[j]; y[i] = s; } }",
   "y[i] = sum(j < n, A[i, j] * x[j])"},
  {"AccumulatedInPlaceAfterZero",
   "void f(int n, int m, int k, const float *A, const float *B, float *C) { for (int i = 0; i < n; i++)"
   "for (int j = 0; j < m; j++) { C[i*m+j] = 0; for (int p = 0; p < k; p++) C[i*m+j] += A[i*k+p] * B[p*m+j]; } }",
   "C[i, j] = sum(p < k, A[i, p] * B[p, j])"},
  {"ZeroedFirstAndLoopsReordered",
   "void f(int n, int m, int k, const float *A, const float *B, float *C) { for (int i = 0; i < n; i++)"
   "for (int j = 0; j < m; j++) C[i*m+j] = 0; for (int i = 0; i < n; i++) for (int p = 0; p < k; p++)"
   "for (int j = 0; j < m; j++) C[i*m+j] += A[i*k+p] * B[p*m+j]; }",
   "C[i, j] = sum(p < k, A[i, p] * B[p, j])"},
  {"AccumulatedOntoTheOldContents",
   "void f(int n, float A[n][n], float B[n][n], float C[n][n]) { for (int i = 0; i < n; i++) for (int j = 0; j < n; "
   "j++)"
   "for (int p = 0; p < n; p++) C[i][j] += A[i][p] * B[p][j]; }",
   "C[i, j] = C[i, j] + sum(p < n, A[i, p] * B[p, j])"},
  {"RuntimeShapes",
   "void f(int n, int m, int k, const double A[restrict n][k], const double B[restrict k][m], double C[restrict n][m])"
   "{ for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { double t = 0;"
   "for (int p = 0; p < k; p++) t += A[i][p] * B[p][j]; C[i][j] = t; } }",
   "C[i, j] = sum(p < k, A[i, p] * B[p, j])"},
  {"ConstantSizes",
   "#define N 64\nvoid f(const float A[N][N], const float *x, float *y) { for (int i = 0; i < N; i++)"
   "{ y[i] = 0; for (int j = 0; j < N; j++) y[i] += A[i][j] * x[j]; } }",
   "y[i] = sum(j < 64, A[i, j] * x[j])"},
  {"PointerToRows",
   "void f(int n, float (*A)[32]) { for (int i = 0; i < n; i++) for (int j = 0; j < 32; j++) A[i][j] *= 2; }",
   "A[i, j] = A[i, j] * 2.0"},
  {"ColumnMajor",
   "void f(int m, int n, int k, const double *A, int lda, const double *B, int ldb, double *C, int ldc)"
   "{ for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) { double s = 0; for (int p = 0; p < k; p++)"
   "s += A[i + p * lda] * B[p + j * ldb]; C[i + j * ldc] = s; } }",
   "C[j, i] = sum(p < k, A[p, i] * B[j, p])"},
  {"ThreeDimensionsInOneSubscript",
   "void f(int b, int m, int n, int k, const float *A, const float *B, float *C) { for (int t = 0; t < b; t++)"
   "for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { float s = 0; for (int p = 0; p < k; p++)"
   "s += A[(t*m + i)*k + p] * B[(t*k + p)*n + j]; C[(t*m + i)*n + j] = s; } }",
   "C[t, i, j] = sum(p < k, A[t, i, p] * B[t, p, j])"},
  {"StridesOfVectors",
   "void f(int n, double a, const double *x, int incx, double *y, int incy)"
   "{ for (int i = 0; i < n; i++) y[i*incy] += a * x[i*incx]; }",
   "y[i] = y[i] + a * x[i]"},
  {"InterleavedChannels",
   "void f(int n, const float *rgb, float *y)"
   "{ for (int i = 0; i < n; i++) y[i] = 0.5f * rgb[3*i] + 0.25f * rgb[3*i+2]; }",
   "y[i] = 0.5 * rgb[3 * i] + 0.25 * rgb[3 * i + 2]"},
  {"Transposed",
   "void f(int m, int n, const float *x, float *y)"
   "{ for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) y[j*m+i] = x[i*n+j]; }",
   "y[j, i] = x[i, j]"},
  {"MaximumByIf",
   "void f(int m, int n, const float *x, float *y) { for (int i = 0; i < m; i++) { float best = x[i*n];"
   "for (int j = 1; j < n; j++) if (x[i*n+j] > best) best = x[i*n+j]; y[i] = best; } }",
   "y[i] = max(j < n, x[i, j])"},
  {"MinimumByTernary",
   "#include <math.h>\nvoid f(int m, int n, const float *x, float *y) { for (int i = 0; i < m; i++) { float best = "
   "INFINITY;"
   "for (int j = 0; j < n; j++) best = x[i*n+j] < best ? x[i*n+j] : best; y[i] = best; } }",
   "y[i] = min(j < n, x[i, j])"},
  {"MaximumByFunctionFromTheLeastNumber",
   "#include <math.h>\n#include <float.h>\nvoid f(int m, int n, const float *x, float *y) { for (int i = 0; i < m; i++)"
   "{ float best = -FLT_MAX; for (int j = 0; j < n; j++) best = fmaxf(best, x[i*n+j]); y[i] = best; } }",
   "y[i] = max(j < n, x[i, j])"},
  {"ConditionalOverwrite", "void f(int n, float *x) { for (int i = 0; i < n; i++) if (x[i] < 0) x[i] = 0; }",
   "x[i] = max(0.0, x[i])"},
  {"TwoBranches",
   "void f(int n, const float *x, float *y)"
   "{ for (int i = 0; i < n; i++) { if (x[i] >= 0) y[i] = x[i]; else y[i] = 0.01f * x[i]; } }",
   "y[i] = select(x[i] >= 0.0, x[i], 0.01 * x[i])"},
  {"ConditionalSum",
   "void f(int n, const float *x, float *y) { float s = 0; for (int i = 0; i < n; i++)"
   "{ if (x[i] < 0) continue; s += x[i]; } y[0] = s; }",
   "y = sum(i < n, x[i] where !(x[i] < 0.0))"},
  {"GuardedWindow",
   "void f(int n, const float *x, const float *w, float *y) { for (int i = 0; i < n; i++) { float s = 0;"
   "for (int r = -1; r <= 1; r++) if (i + r >= 0 && i + r < n) s += w[r + 1] * x[i + r]; y[i] = s; } }",
   "y[i] = sum(-1 <= r < 2, w[r + 1] * x[i + r] where i + r >= 0 && i + r < n)"},
  {"Convolution",
   "void f(int n, int k, const float *x, const float *w, float *y) { for (int i = 0; i < n - k + 1; i++)"
   "{ float s = 0; for (int r = 0; r < k; r++) s += x[i + r] * w[r]; y[i] = s; } }",
   "y[i] = sum(r < k, x[i + r] * w[r])"},
  {"StencilKeepsTheBorder",
   "void f(int n, const float *in, float *out) { for (int i = 1; i < n - 1; i++) out[i] = in[i-1] + in[i] + in[i+1]; }",
   "out[i] = select(1 <= i && i < n - 1, in[i - 1] + in[i] + in[i + 1], out[i])"},
  {"CumulativeSum",
   "void f(int n, const float *x, float *y)"
   "{ float s = 0; for (int i = 0; i < n; i++) { s += x[i]; y[i] = s; } }",
   "y[i] = sum(i2 < i + 1, x[i2])"},
  {"ExclusiveSum",
   "void f(int n, const float *x, float *y)"
   "{ float s = 0; for (int i = 0; i < n; i++) { y[i] = s; s += x[i]; } }",
   "y[i] = sum(i2 < i, x[i2])"},
  {"Triangle",
   "void f(int n, const double *A, const double *x, double *y) { for (int i = 0; i < n; i++) { double s = 0;"
   "for (int j = 0; j <= i; j++) s += A[i*n+j] * x[j]; y[i] = s; } }",
   "y[i] = sum(j < i + 1, A[i, j] * x[j])"},
  {"Variance",
   "void f(int m, int n, const float *x, float *v) { for (int i = 0; i < m; i++) { float mean = 0;"
   "for (int j = 0; j < n; j++) mean += x[i*n+j]; mean /= n; float s = 0; for (int j = 0; j < n; j++)"
   "{ float d = x[i*n+j] - mean; s += d * d; } v[i] = s / n; } }",
   "mean[i < m] = sum(j < n, x[i, j]) / n\n"
   "v[i] = sum(j < n, (x[i, j] - mean[i]) * (x[i, j] - mean[i])) / n"},
  {"LocalArrayPerRow",
   "void f(int m, int n, const float *x, float *y) { float t[n]; for (int i = 0; i < m; i++) {"
   "for (int j = 0; j < n; j++) t[j] = x[i*n+j] * 2; for (int j = 0; j < n; j++) y[i*n+j] = t[n-1-j]; } }",
   "y[i, j] = x[i, n - j - 1] * 2.0"},
  {"RowPointers",
   "void f(int m, int n, const float *x, float *y) { for (int i = 0; i < m; i++) { const float *a = x + i * n;"
   "float *b = &y[i * n]; for (int j = 0; j < n; j++) b[j] = a[j] + 1; } }",
   "y[i, j] = x[i, j] + 1.0"},
  {"TwoOutputs",
   "void f(int n, const float *x, float *s, float *d)"
   "{ for (int i = 0; i < n; i++) { s[i] = x[i] + 1; d[i] = x[i] - 1; } }",
   "s[i] = x[i] + 1.0\nd[i] = x[i] - 1.0"},
  {"IndexAsAValue", "void f(int n, float *y) { for (int i = 0; i < n; i++) y[i] = (float)i / n; }",
   "y[i] = f32(i) / f32(n)"},
  {"SumsInDouble",
   "void f(int n, const float *x, const float *y, float *out) { double s = 0;"
   "for (int i = 0; i < n; i++) s += (double)x[i] * y[i]; out[0] = (float)s; }",
   "out = sum(i < n, f64(x[i]) * f64(y[i]))"},
  {"MacroWithOperators",
   "#define AT(i, j) ((i) * n + (j))\n#define TWICE(x) ((x) + (x))\nvoid f(int m, int n, const float *x,"
   "float *y) { for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) y[AT(i, j)] = TWICE(x[AT(i, j)]); }",
   "y[i, j] = x[i, j] + x[i, j]"},
};

INSTANTIATE_TEST_SUITE_P(Functions, Semantics, testing::ValuesIn(k_cases),
                         [](const testing::TestParamInfo<Case>& tested) { return std::string(tested.param.name); });

TEST(MeaningOfHelpers, RunInPlace)
{
  ForeignFunction request = request_for("test.c");
  request.function = "f";
  EXPECT_EQ(
    meaning_of("#include <math.h>\nstatic inline float g(float v) { return 0.5f * v * (1.0f + erff(v * 0.7f)); }"
               "void f(int n, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = g(x[i]); }",
               request),
    "y[i] = 0.5 * x[i] * (1.0 + erf(x[i] * 0.7))");
  EXPECT_EQ(
    meaning_of(
      "static float clip(float v, float lo) { if (v < lo) return lo; return 2 * v; }"
      "void f(int n, float lo, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = clip(x[i], lo); }",
      request),
    "y[i] = select(x[i] < lo, lo, 2.0 * x[i])");
  EXPECT_EQ(
    meaning_of(
      "static void row(int n, const float *x, float *y) { for (int j = 0; j < n; j++) y[j] = x[j] * x[j]; }"
      "void f(int m, int n, const float *x, float *y) { for (int i = 0; i < m; i++) row(n, x + i*n, y + i*n); }",
      request),
    "y[i, j] = x[i, j] * x[i, j]");
}

TEST(MeaningOfCpp, UsesItsOwnWords)
{
  EXPECT_EQ(meaning_of("#include <algorithm>\n#include <cmath>\n#include <cstddef>\n"
                       "void f(std::size_t n, const float* x, float* y) { for (std::size_t i = 0; i < n; ++i)"
                       "y[i] = std::max(static_cast<float>(std::exp(x[i])), 0.5F); }",
                       request_for("test.cpp")),
            "y[i] = max(exp(x[i]), 0.5)");
}

} // namespace
} // namespace hone::import
