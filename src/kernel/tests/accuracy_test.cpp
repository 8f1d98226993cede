// Classes of accuracy: which bounds an output is held against, and what is left out of the comparison.
#include "kernel/accuracy.h"
#include "test_data.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace hone::kernel {
namespace {

using testing::HasSubstr;

constexpr const char* k_matmul_hash =
  "edc34ca3aa9f66419b79e97c59418faf998dcd1ab246ce8b6bc2aa85aa3a1213"; // since before there were classes

Kernel product_kernel(const std::string& accuracy)
{
  auto kernel = parse_kernel(kernel_text("C[m,n] = sum(k, A[m,k] * B[k,n])", k_matrices, "m = 8, n = 8, k = 8")
                               + "[accuracy]\n" + accuracy + "\n",
                             "test.toml");
  EXPECT_TRUE(kernel) << kernel.error().text();
  return kernel ? std::move(*kernel) : Kernel{};
}

Kernel sum_kernel(const std::string& accuracy, const std::string& expr = "S[i] = sum(j, X[i,j])")
{
  auto kernel = parse_kernel(kernel_text(expr,
                                         "X = { type = \"f32\", shape = [\"r\", \"n\"] }\n"
                                         "S = { type = \"f32\", shape = [\"r\"], role = \"output\" }",
                                         "r = 4, n = 64")
                               + "[accuracy]\n" + accuracy + "\n",
                             "test.toml");
  EXPECT_TRUE(kernel) << kernel.error().text();
  return kernel ? std::move(*kernel) : Kernel{};
}

using Matrix = std::vector<float>; // n x n

Matrix product(const Matrix& a, const Matrix& b, std::size_t n)
{
  Matrix c(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) {
        c[i * n + j] += a[i * n + k] * b[k * n + j];
      }
    }
  }
  return c;
}

Matrix combined(const Matrix& x, float factor, const Matrix& y)
{
  Matrix out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    out[i] = x[i] + factor * y[i];
  }
  return out;
}

Matrix block(const Matrix& whole, std::size_t n, std::size_t row, std::size_t column)
{
  const std::size_t half = n / 2;
  Matrix out(half * half);
  for (std::size_t i = 0; i < half; ++i) {
    std::copy_n(&whole[(row * half + i) * n + column * half], half, &out[i * half]);
  }
  return out;
}

void put_block(const Matrix& part, std::size_t n, std::size_t row, std::size_t column, Matrix& whole)
{
  const std::size_t half = n / 2;
  for (std::size_t i = 0; i < half; ++i) {
    std::copy_n(&part[i * half], half, &whole[(row * half + i) * n + column * half]);
  }
}

// One level of Strassen's algorithm: seven products of blocks.
Matrix strassen(const Matrix& a, const Matrix& b, std::size_t n)
{
  const Matrix a11 = block(a, n, 0, 0), a12 = block(a, n, 0, 1), a21 = block(a, n, 1, 0), a22 = block(a, n, 1, 1);
  const Matrix b11 = block(b, n, 0, 0), b12 = block(b, n, 0, 1), b21 = block(b, n, 1, 0), b22 = block(b, n, 1, 1);
  const std::size_t half = n / 2;
  const Matrix m1 = product(combined(a11, 1, a22), combined(b11, 1, b22), half);
  const Matrix m2 = product(combined(a21, 1, a22), b11, half);
  const Matrix m3 = product(a11, combined(b12, -1, b22), half);
  const Matrix m4 = product(a22, combined(b21, -1, b11), half);
  const Matrix m5 = product(combined(a11, 1, a12), b22, half);
  const Matrix m6 = product(combined(a21, -1, a11), combined(b11, 1, b12), half);
  const Matrix m7 = product(combined(a12, -1, a22), combined(b21, 1, b22), half);
  Matrix c(n * n);
  put_block(combined(combined(combined(m1, 1, m4), -1, m5), 1, m7), n, 0, 0, c);
  put_block(combined(m3, 1, m5), n, 0, 1, c);
  put_block(combined(m2, 1, m4), n, 1, 0, c);
  put_block(combined(combined(combined(m1, -1, m2), 1, m3), 1, m6), n, 1, 1, c);
  return c;
}

constexpr std::size_t k_n = 64;

// Rows of A and columns of B of very different sizes: what a block of small ones loses beside large ones shows.
struct Product {
  Kernel kernel;
  Sizes sizes{{"m", k_n}, {"n", k_n}, {"k", k_n}};
  Buffers buffers;
  Matrix a, b;
  ReferenceOutput expected;

  explicit Product(const std::string& accuracy)
    : kernel(product_kernel(accuracy)), buffers(normal_buffers(kernel, sizes, 7))
  {
    for (std::size_t i = 0; i < k_n * k_n / 2; ++i) { // the upper half of A
      buffers.data<float>(0)[i] *= 1e-5F;
    }
    a.assign(buffers.data<float>(0), buffers.data<float>(0) + k_n * k_n);
    b.assign(buffers.data<float>(1), buffers.data<float>(1) + k_n * k_n);
    auto outputs = reference_of(kernel).evaluate(sizes, buffers.pointers());
    EXPECT_TRUE(outputs) << outputs.error().text();
    expected = std::move(outputs->front());
  }

  // Elements beyond their bounds.
  std::size_t wrong(const Matrix& c) const
  {
    std::size_t count = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      count += std::fabs(static_cast<double>(c[i]) - expected.values[i]) <= expected.bounds[i] ? 0 : 1;
    }
    return count;
  }
};

// A normwise algorithm is refused by the default and accepted by its own class; a product without its last term is
// refused by both, which a norm of anything but this product would not do.
TEST(Accuracy, StrassenPassesNormwiseOnly)
{
  const Product elementwise("class = \"elementwise\"");
  const Product normwise("class = \"normwise\"");
  const Matrix fast = strassen(normwise.a, normwise.b, k_n);
  EXPECT_GT(elementwise.wrong(fast), k_n) << "rows of small elements";
  EXPECT_EQ(normwise.wrong(fast), 0U);
  EXPECT_EQ(elementwise.wrong(product(elementwise.a, elementwise.b, k_n)), 0U);

  Matrix short_a = normwise.a;
  for (std::size_t row = 0; row < k_n; ++row) {
    short_a[row * k_n + k_n - 1] = 0;
  }
  const Matrix wrong = strassen(short_a, normwise.b, k_n);
  EXPECT_GT(normwise.wrong(wrong), k_n);
  EXPECT_GT(elementwise.wrong(wrong), k_n);
}

// The bound is the one that docs/correctness.md gives, not merely a wide one.
TEST(Accuracy, TheNormOfAProductIsRowTimesColumn)
{
  const Product normwise("class = \"normwise\"");
  double rows = 0, columns = 0;
  for (std::size_t i = 0; i < k_n; ++i) {
    double row = 0, column = 0;
    for (std::size_t k = 0; k < k_n; ++k) {
      row += std::pow(static_cast<double>(normwise.a[i * k_n + k]), 2);
      column += std::pow(static_cast<double>(normwise.b[k * k_n + i]), 2);
    }
    rows = std::max(rows, std::sqrt(row));
    columns = std::max(columns, std::sqrt(column));
  }
  const double norm = rows * columns;
  const double u = 0x1p-24;
  const double rounding = u * norm * (1 + 4 * std::sqrt(k_n + 16.0)); // of the terms, and of their sum
  for (std::size_t i = 0; i < k_n * k_n; ++i) {
    EXPECT_NEAR(normwise.expected.bounds[i] / (rounding + u * std::fabs(normwise.expected.values[i])), 1, 1e-3) << i;
  }
}

// Outside a product of two arrays the largest bound of a sum counts; single elements have none.
TEST(Accuracy, OtherSumsShareTheirLargestBound)
{
  const Kernel kernel = sum_kernel("class = \"normwise\"", "S[i] = sum(j, abs(X[i,j]))");
  const Kernel plain = sum_kernel("", "S[i] = sum(j, abs(X[i,j]))");
  const Sizes sizes{{"r", 4}, {"n", 64}};
  Buffers buffers = normal_buffers(kernel, sizes, 3);
  for (std::size_t j = 0; j < 64; ++j) {
    buffers.data<float>(0)[j] *= 1000;
  }
  const ReferenceOutput together = reference_of(kernel).evaluate(sizes, buffers.pointers())->front();
  const ReferenceOutput apart = reference_of(plain).evaluate(sizes, buffers.pointers())->front();
  const double most = std::ranges::max(apart.bounds);
  EXPECT_GT(most, 100 * std::ranges::min(apart.bounds));
  for (const double bound : together.bounds) {
    EXPECT_GE(bound, most);
    EXPECT_LT(bound, 1.5 * most) << "but for 16 additions more";
  }
  EXPECT_FALSE(knows_elements(kernel));
  const std::vector<std::int64_t> first{0};
  EXPECT_THAT(reference_of(kernel).elements(sizes, buffers.pointers(), 0, first).error().message,
              HasSubstr("whole outputs"));
}

// A tolerance widens bounds and never narrows them; later statements still see what follows from the expression.
TEST(Accuracy, AToleranceIsTheLeastBound)
{
  const std::string tolerance = "relative = 1e-3\nabsolute = 1e-5";
  const Kernel loose = sum_kernel(tolerance);
  const Kernel tight = sum_kernel("relative = 1e-12");
  const Kernel plain = sum_kernel("");
  const Sizes sizes{{"r", 4}, {"n", 64}};
  const Buffers buffers = normal_buffers(loose, sizes, 5);
  const ReferenceOutput wide = reference_of(loose).evaluate(sizes, buffers.pointers())->front();
  const ReferenceOutput narrow = reference_of(tight).evaluate(sizes, buffers.pointers())->front();
  const ReferenceOutput derived = reference_of(plain).evaluate(sizes, buffers.pointers())->front();
  const std::vector<std::int64_t> places{0, 1, 2, 3};
  const auto single = reference_of(loose).elements(sizes, buffers.pointers(), 0, places);
  ASSERT_TRUE(single) << single.error().text();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(wide.bounds[i], 1e-5 + (1e-3 + 0x1p-24) * std::fabs(wide.values[i]), 1e-12);
    EXPECT_NEAR((*single)[i].bound, wide.bounds[i], 1e-12);
    EXPECT_GE(narrow.bounds[i], derived.bounds[i]);
    EXPECT_LT(narrow.bounds[i], wide.bounds[i]);
  }
  const auto two = [&](const std::string& accuracy) {
    auto kernel = parse_kernel(kernel_text("S[i] = sum(j, X[i,j]); T[i] = select(S[i] > 0.5, 1, 0)",
                                           "X = { type = \"f32\", shape = [\"r\", \"n\"] }\n"
                                           "S = { type = \"f32\", shape = [\"r\"], role = \"output\" }\n"
                                           "T = { type = \"f32\", shape = [\"r\"], role = \"output\" }",
                                           "r = 4, n = 64")
                                 + "[accuracy]\n" + accuracy + "\n",
                               "test.toml");
    EXPECT_TRUE(kernel) << kernel.error().text();
    return reference_of(*kernel).evaluate(sizes, normal_buffers(*kernel, sizes, 5).pointers())->back();
  };
  const ReferenceOutput certain = two("absolute = 0.4");
  for (const double bound : certain.bounds) {
    EXPECT_LT(bound, 0.5) << "the comparison is as certain as the sum is, whatever the tolerance";
  }
}

// Kahan's sum: the correction of an infinity is NaN, where plain loops give the infinity.
float compensated(const float* x, std::size_t count)
{
  volatile float sum = 0, lost = 0; // not to be simplified
  for (std::size_t i = 0; i < count; ++i) {
    const volatile float term = x[i] - lost;
    const volatile float next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  return sum;
}

bool is_right(double got, double value, double bound)
{
  const bool same = got == value || (std::isnan(got) && std::isnan(value));
  const bool overflows = std::isinf(got) && std::fabs(value) + bound > std::numeric_limits<float>::max();
  return std::isinf(bound) || same || overflows || std::fabs(got - value) <= bound;
}

// Without the option a compensated sum is refused for its NaN; with it rows near overflow are left out, and nothing
// else: a wrong sum of ordinary rows is still refused.
TEST(Accuracy, OverflowIsLeftOutOnlyWhereItIsNear)
{
  const Sizes sizes{{"r", 4}, {"n", 64}};
  const Kernel checked = sum_kernel("");
  const Kernel unchecked = sum_kernel("overflow = \"unchecked\"");
  Buffers buffers = normal_buffers(checked, sizes, 9);
  std::fill_n(buffers.data<float>(0), 64, 3e38F); // row 0: its sum is an infinity
  buffers.data<float>(0)[64] = 1e33F;             // row 1: near, but finite
  const auto results = [&](const Kernel& kernel) {
    const ReferenceOutput expected = reference_of(kernel).evaluate(sizes, buffers.pointers())->front();
    std::vector<bool> right;
    for (std::size_t row = 0; row < 4; ++row) {
      right.push_back(is_right(static_cast<double>(compensated(buffers.data<float>(0) + row * 64, 64)),
                               expected.values[row], expected.bounds[row]));
    }
    return std::pair(right, expected);
  };
  ASSERT_TRUE(std::isnan(compensated(buffers.data<float>(0), 64)));
  const auto [strict, strict_expected] = results(checked);
  const auto [lenient, expected] = results(unchecked);
  EXPECT_FALSE(strict[0]);
  EXPECT_EQ(lenient, std::vector<bool>(4, true));
  EXPECT_TRUE(std::isinf(expected.bounds[0]));
  EXPECT_TRUE(std::isinf(expected.bounds[1])) << "beyond u times the largest number";
  for (const std::size_t row : {2U, 3U}) {
    EXPECT_EQ(expected.bounds[row], strict_expected.bounds[row]);
    EXPECT_FALSE(is_right(expected.values[row] + 0.01, expected.values[row], expected.bounds[row])) << "a wrong sum";
  }
  const std::vector<std::int64_t> places{0, 2};
  const auto single = reference_of(unchecked).elements(sizes, buffers.pointers(), 0, places);
  ASSERT_TRUE(single) << single.error().text();
  EXPECT_TRUE(std::isinf((*single)[0].bound));
  EXPECT_TRUE(std::isfinite((*single)[1].bound));
}

// What is left out of one element stays with it, through tiles, later statements and sums that are carried along.
TEST(Accuracy, OnlyElementsThatMeetAnInfinityAreLeftOut)
{
  const float infinity = std::numeric_limits<float>::infinity();
  const Kernel tiled = product_kernel("nan = \"undefined\"");
  const Sizes sizes{{"m", 8}, {"n", 8}, {"k", 8}};
  Buffers matrices = normal_buffers(tiled, sizes, 11);
  matrices.data<float>(0)[3 * 8 + 2] = infinity;                                // row 3 of A
  matrices.data<float>(1)[1 * 8 + 5] = std::numeric_limits<float>::quiet_NaN(); // column 5 of B
  const ReferenceOutput c = reference_of(tiled).evaluate(sizes, matrices.pointers())->front();
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(std::isinf(c.bounds[i]), i / 8 == 3 || i % 8 == 5) << i;
    EXPECT_TRUE(std::isfinite(c.values[i])) << i;
  }

  const auto tail = parse_kernel(kernel_text("P[i,j < n] = sum(k <= j, X[i,k]); T[i,j] = tanh(P[i,j])",
                                             "X = { type = \"f32\", shape = [\"r\", \"n\"] }\n"
                                             "T = { type = \"f32\", shape = [\"r\", \"n\"], role = \"output\" }",
                                             "r = 2, n = 16")
                                   + "[accuracy]\nnan = \"undefined\"\n",
                                 "test.toml");
  ASSERT_TRUE(tail) << tail.error().text();
  const Sizes rows{{"r", 2}, {"n", 16}};
  Buffers running = normal_buffers(*tail, rows, 13);
  running.data<float>(0)[6] = infinity;
  const ReferenceOutput t = reference_of(*tail).evaluate(rows, running.pointers())->front();
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(std::isinf(t.bounds[i]), i >= 6 && i < 16) << i << ": tanh of what is not known is not known";
  }
}

// The default is no part of a kernel's identity, so that records from before it existed stay with their kernels.
TEST(Accuracy, OnlyOtherClassesChangeTheHash)
{
  const std::string plain = product_kernel("").hash;
  EXPECT_EQ(product_kernel("class = \"elementwise\"\noverflow = \"checked\"\nnan = \"propagate\"").hash, plain);
  EXPECT_EQ(shipped("matmul").hash, k_matmul_hash);
  std::vector<std::string> hashes{plain};
  for (const char* accuracy : {"class = \"normwise\"", "relative = 1e-3", "absolute = 1e-3", "overflow = \"unchecked\"",
                               "nan = \"undefined\""}) {
    hashes.push_back(product_kernel(accuracy).hash);
  }
  std::ranges::sort(hashes);
  EXPECT_EQ(std::ranges::adjacent_find(hashes), hashes.end());
  EXPECT_EQ(accuracy_text(product_kernel("")), "elementwise");
  EXPECT_EQ(accuracy_text(product_kernel("class = \"normwise\"\nrelative = 1e-3\nnan = \"undefined\"")),
            "normwise, within 0 + 0.001 of the output's largest value, NaN undefined");
}

// A projection and scaled products know rounding only: other classes do without.
TEST(Accuracy, ProjectionsAreForDerivedBounds)
{
  EXPECT_TRUE(supports_freivalds(product_kernel("")));
  for (const char* accuracy : {"class = \"normwise\"", "relative = 1e-3", "overflow = \"unchecked\""}) {
    EXPECT_FALSE(supports_freivalds(product_kernel(accuracy))) << accuracy;
  }
}

} // namespace
} // namespace hone::kernel
