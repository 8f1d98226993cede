// f64 programs: what overflows in a candidate overflows in the reference, too.
#include "test_data.h"

#include <cmath>
#include <limits>

namespace hone::kernel {
namespace {

constexpr double k_inf = std::numeric_limits<double>::infinity();
constexpr const char* k_vector = "X = { type = \"f64\", shape = [\"n\"] }\nY = { type = \"f64\", shape = [] }";
constexpr const char* k_product = "A = { type = \"f64\", shape = [\"m\", \"n\"] }\n"
                                  "B = { type = \"f64\", shape = [\"n\", \"m\"] }\n"
                                  "Y = { type = \"f64\", shape = [\"m\", \"m\"] }";

ReferenceOutput evaluate(const std::string& expr, const std::string& arguments, const std::string& sizes,
                         const std::vector<double>& values, const std::string& accuracy = "")
{
  const std::string text = kernel_text(expr, arguments, sizes) + "[accuracy]\naccumulate = \"f64\"\n" + accuracy;
  auto kernel = parse_kernel(text, "test.toml");
  EXPECT_TRUE(kernel) << kernel.error().text();
  std::size_t next = 0;
  const Buffers buffers(*kernel, kernel->timed.front(), [&] { return next < values.size() ? values[next++] : 0.0; });
  auto outputs = reference_of(*kernel).evaluate(kernel->timed.front(), buffers.pointers());
  EXPECT_TRUE(outputs) << outputs.error().text();
  return outputs ? outputs->at(0) : ReferenceOutput{};
}

ReferenceOutput of_four(const std::string& expr, const std::vector<double>& values)
{
  return evaluate(expr, k_vector, "n = 4", values);
}

// Fails if a NaN or an infinity is demanded that a fused multiply-add, or another order, does not give.
TEST(F64Reference, WhatOverflowsOnTheWayHasNoBound)
{
  const auto is_free = [](const ReferenceOutput& output) { return std::isinf(output.bounds[0]); };
  EXPECT_TRUE(is_free(of_four("Y = sum(k, X[k])", {1.5e308, 1.5e308, -1.5e308, -1e308})));
  EXPECT_TRUE(is_free(of_four("Y = sum(k, 10 * X[k])", {1e308, -1e308, 0, 0})));
  EXPECT_TRUE(is_free(of_four("Y = X[0] * X[1] - X[2] * X[3]", {1e200, 1e200, 1e200, 1e200})));
  EXPECT_TRUE(is_free(of_four("Y = X[0] / (X[1] * X[2])", {1e300, 1e160, 1e160, 0})));
  EXPECT_TRUE(is_free(of_four("Y = sqrt(X[0] * X[1])", {1e200, 1e200, 0, 0})));
  EXPECT_TRUE(is_free(of_four("T = X[0] * X[1]; Y = T - X[2]", {1e200, 1e200, k_inf, 0})));
  EXPECT_TRUE(is_free(of_four("T[i < 2] = X[i] * X[i + 2]; Y = T[0] + T[1]", {1e200, -1e200, 1e200, 1e200})));
  EXPECT_TRUE(is_free(of_four("Y = prod(k, X[k])", {1e200, 1e200, 1e-200, 1e-200})));
}

// Fails if candidates are let go whose result is certain.
TEST(F64Reference, WhatIsCertainIsDemanded)
{
  const auto demanded = [](const ReferenceOutput& output) {
    EXPECT_EQ(output.bounds[0], 0);
    return output.values[0];
  };
  EXPECT_EQ(demanded(of_four("Y = X[0] * X[1]", {1e200, 1e200, 0, 0})), k_inf);
  EXPECT_EQ(demanded(of_four("Y = X[0] + X[1]", {-1.5e308, -1e308, 0, 0})), -k_inf);
  EXPECT_EQ(demanded(of_four("Y = sum(k, X[k])", {1, -k_inf, 2, 3})), -k_inf);
  EXPECT_TRUE(std::isnan(demanded(of_four("Y = sum(k, X[k])", {k_inf, 1, -k_inf, 2}))));
  EXPECT_TRUE(std::isnan(demanded(of_four("Y = sum(k, X[k])", {1e308, 1e308, std::nan(""), -1e308}))));
  EXPECT_LT(of_four("Y = sum(k, X[k])", {1, 2, 3, 4}).bounds[0], 1e-14);
}

// Along the rounds of a loop the bounds outgrow everything; the values are those of the loop. Fails if they are
// dropped.
TEST(F64Reference, ValuesGoOnWhereTheirBoundsAreInfinite)
{
  const ReferenceOutput out =
    evaluate("for t < 900 { Y = (4 * Y - 3.5 * Y) / 2 + X / (4 - Y) }",
             "X = { type = \"f64\", shape = [] }\nY = { type = \"f64\", shape = [], role = \"inout\" }\n", "", {1, 0.5},
             "absolute = 1e-9\n");
  double y = 0.5;
  for (int t = 0; t < 900; ++t) {
    y = (4 * y - 3.5 * y) / 2 + 1 / (4 - y);
  }
  EXPECT_NEAR(out.values[0], y, 1e-12);
}

TEST(F64Reference, AProductTellsOverflowFromInfinities)
{
  const ReferenceOutput out = evaluate("Y[i, j] = sum(k < n, A[i, k] * B[k, j])", k_product, "m = 2, n = 3",
                                       {1e200, 1e200, 1, k_inf, 1, 1, 1e200, 1, -1e200, 2, 1, 3});
  // Row 0: 1e400 - 1e400 + 1, and 1e200 + 2e200 + 3; row 1: infinite in both.
  EXPECT_TRUE(std::isinf(out.bounds[0]));
  EXPECT_NEAR(out.values[1] / 3e200, 1, 1e-12);
  EXPECT_LT(out.bounds[1], 1e186);
  EXPECT_EQ(out.values[2], k_inf);
  EXPECT_EQ(out.bounds[2], 0);
  EXPECT_EQ(out.values[3], k_inf);
}

} // namespace
} // namespace hone::kernel
