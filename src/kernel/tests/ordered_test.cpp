// Loops that are run in order: what they mean, and what is refused.
#include "test_data.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace hone::kernel {
namespace {

using testing::HasSubstr;

std::string toml(const std::string& expression, const std::string& arguments, const std::string& sizes)
{
  return "[kernel]\nname = \"ordered\"\n[compute]\nexpr = \"\"\"\n" + expression + "\n\"\"\"\n[arguments]\n" + arguments
         + "\n[sizes]\ntimed = [ { " + sizes + " } ]\n";
}

Kernel made(const std::string& expression, const std::string& arguments, const std::string& sizes)
{
  Result<Kernel> kernel = parse_kernel(toml(expression, arguments, sizes), "ordered");
  if (!kernel) {
    throw std::runtime_error(kernel.error().text());
  }
  return std::move(*kernel);
}

std::string refusal(const std::string& expression, const std::string& arguments, const std::string& sizes = "n = 8")
{
  const Result<Kernel> kernel = parse_kernel(toml(expression, arguments, sizes), "ordered");
  return kernel ? "" : kernel.error().text();
}

constexpr const char* k_square = "A = { type = \"f64\", shape = [\"n\", \"n\"], role = \"inout\" }\n";
constexpr const char* k_series = "x = { type = \"f64\", shape = [\"n\"] }\n"
                                 "y = { type = \"f64\", shape = [\"n\"], role = \"output\" }\n";

std::vector<double> drawn(std::size_t count, double low, double high)
{
  std::mt19937 random(7);
  std::uniform_real_distribution<double> one(low, high);
  std::vector<double> out(count);
  std::ranges::generate(out, [&] { return one(random); });
  return out;
}

// The first output of an evaluation on arguments of doubles; an empty one is an output.
std::vector<double> results(const Kernel& kernel, const Sizes& sizes, const std::vector<std::vector<double>>& arguments)
{
  const fs::path cache = fs::path(testing::TempDir()) / "hone-ordered";
  const Result<Reference> reference = Reference::build(kernel, cache);
  if (!reference) {
    throw std::runtime_error(reference.error().text());
  }
  std::vector<const std::byte*> pointers;
  for (const std::vector<double>& one : arguments) {
    pointers.push_back(one.empty() ? nullptr : reinterpret_cast<const std::byte*>(one.data()));
  }
  const auto all = reference->evaluate(sizes, pointers);
  if (!all) {
    throw std::runtime_error(all.error().text());
  }
  std::vector<double> out(all->front().values.begin(), all->front().values.end());
  const std::vector<std::int64_t> last{static_cast<std::int64_t>(out.size()) - 1};
  const auto single = reference->elements(sizes, pointers, 0, last);
  EXPECT_TRUE(single) << single.error().text();
  EXPECT_EQ(single->front().value, out.back()); // one element is that of all of them
  return out;
}

// A reference that forgot the order would read y[t - 1] before it is there.
TEST(Ordered, ALaterRoundReadsWhatAnEarlierOneWrote)
{
  const Kernel kernel = made("for t < n { y[t] = x[t] + 0.5 * select(t > 0, y[t - 1], 0) }", k_series, "n = 8");
  const std::vector<double> x = drawn(40, -1, 1);
  const std::vector<double> y = results(kernel, {{"n", 40}}, {x, {}});
  double before = 0;
  for (std::size_t t = 0; t < x.size(); ++t) {
    before = x[t] + 0.5 * before;
    ASSERT_DOUBLE_EQ(y[t], before);
  }
}

TEST(Ordered, AFactorisationIsThatOfThreePlainLoops)
{
  const Kernel kernel = made("for k < n {\n  A[k < i < n, k] = A[i,k] / A[k,k]\n"
                             "  A[k < i < n, k < j < n] = A[i,j] - A[i,k] * A[k,j]\n}",
                             k_square, "n = 8");
  const std::size_t n = 13;
  std::vector<double> a = drawn(n * n, -1, 1);
  for (std::size_t i = 0; i < n; ++i) {
    a[i * n + i] = 20;
  }
  const std::vector<double> got = results(kernel, {{"n", n}}, {a});
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      a[i * n + k] /= a[k * n + k];
      for (std::size_t j = k + 1; j < n; ++j) {
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
      }
    }
  }
  for (std::size_t i = 0; i < n * n; ++i) {
    ASSERT_NEAR(got[i], a[i], 1e-12);
  }
}

// One statement computes all of its elements before it stores the first; one element per round does not.
TEST(Ordered, AStatementReadsWhatWasThereBeforeIt)
{
  const std::string argument = "x = { type = \"f64\", shape = [\"n\"], role = \"inout\" }\n";
  const std::vector<double> x{1, 2, 3, 4};
  EXPECT_EQ(results(made("for t < 1 { x[1 <= i < n] = x[i - 1] }", argument, "n = 8"), {{"n", 4}}, {x}),
            (std::vector<double>{1, 1, 2, 3}));
  EXPECT_EQ(results(made("for t < 1, 1 <= i < n { x[i] = x[i - 1] }", argument, "n = 8"), {{"n", 4}}, {x}),
            (std::vector<double>{1, 1, 1, 1}));
}

TEST(Ordered, ElementsThatAreNotWrittenKeepTheirValueAndOutputsBeginAsZero)
{
  const std::string inout = "x = { type = \"f64\", shape = [\"n\"], role = \"inout\" }\n";
  EXPECT_EQ(results(made("for t < 1 { x[i] = 9 where i % 2 == 1 }", inout, "n = 8"), {{"n", 4}}, {{1, 2, 3, 4}}),
            (std::vector<double>{1, 9, 3, 9}));
  const std::string output = "x = { type = \"f64\", shape = [\"n\"] }\n"
                             "y = { type = \"f64\", shape = [\"n\"], role = \"output\" }\n";
  EXPECT_EQ(results(made("for t < 1 { y[0] = x[1] }", output, "n = 8"), {{"n", 3}}, {{1, 2, 3}, {}}),
            (std::vector<double>{2, 0, 0}));
}

TEST(Ordered, ASubscriptOfATargetMayBeReadFromData)
{
  const Kernel kernel = made("for i < n { h[at[i]] = h[at[i]] + x[i] }",
                             "at = { type = \"i32\", shape = [\"n\"] }\nx = { type = \"f64\", shape = [\"n\"] }\n"
                             "h = { type = \"f64\", shape = [\"m\"], role = \"output\" }\n",
                             "n = 8, m = 3");
  EXPECT_EQ(to_text(*kernel.arguments[0].highest), "m - 1"); // else a write would leave the tensor
  const std::vector<std::int32_t> at{2, 0, 2, 1};
  const std::vector<double> x{1, 2, 4, 8};
  const auto reference = Reference::build(kernel, fs::path(testing::TempDir()) / "hone-ordered");
  ASSERT_TRUE(reference) << reference.error().text();
  const std::vector<const std::byte*> pointers{reinterpret_cast<const std::byte*>(at.data()),
                                               reinterpret_cast<const std::byte*>(x.data()), nullptr};
  const auto all = reference->evaluate({{"n", 4}, {"m", 3}}, pointers);
  ASSERT_TRUE(all) << all.error().text();
  EXPECT_THAT(all->front().values, testing::ElementsAre(2, 8, 5));
}

// Without a bound that grows along the rounds an honest f32 series would be refused.
TEST(Ordered, BoundsGrowWithTheRounds)
{
  const Kernel kernel = made("for t < n { y[t] = x[t] + 0.99 * select(t > 0, y[t - 1], 0) }",
                             "x = { type = \"f32\", shape = [\"n\"] }\n"
                             "y = { type = \"f32\", shape = [\"n\"], role = \"output\" }\n",
                             "n = 8");
  std::mt19937 random(3);
  std::uniform_real_distribution<float> one(-1, 1);
  std::vector<float> x(3000);
  std::ranges::generate(x, [&] { return one(random); });
  const auto reference = Reference::build(kernel, fs::path(testing::TempDir()) / "hone-ordered");
  ASSERT_TRUE(reference) << reference.error().text();
  const std::vector<const std::byte*> pointers{reinterpret_cast<const std::byte*>(x.data()), nullptr};
  const auto all = reference->evaluate({{"n", 3000}}, pointers);
  ASSERT_TRUE(all) << all.error().text();
  float before = 0;
  double worst = 0;
  for (std::size_t t = 0; t < x.size(); ++t) {
    before = x[t] + 0.99F * before;
    const double error = std::fabs(static_cast<double>(before) - all->front().values[t]);
    ASSERT_LE(error, all->front().bounds[t]) << t;
    worst = std::max(worst, error / all->front().bounds[t]);
  }
  EXPECT_GT(worst, 1e-3); // a bound that says something
}

// Worst cases outgrow all results in a few hundred rounds: a given tolerance counts instead.
TEST(Ordered, AToleranceTakesThePlaceOfBounds)
{
  const std::string text =
    toml("for t < n { y[t] = x[t] + 3 * select(t > 1, y[t - 1] - y[t - 2], 0) }", k_series, "n = 8")
    + "[accuracy]\nabsolute = 0.5\n";
  const auto kernel = parse_kernel(text, "ordered");
  ASSERT_TRUE(kernel) << kernel.error().text();
  const auto reference = Reference::build(*kernel, fs::path(testing::TempDir()) / "hone-ordered");
  ASSERT_TRUE(reference) << reference.error().text();
  const std::vector<double> x = drawn(600, -1, 1);
  const std::vector<const std::byte*> pointers{reinterpret_cast<const std::byte*>(x.data()), nullptr};
  const auto all = reference->evaluate({{"n", 600}}, pointers);
  ASSERT_TRUE(all) << all.error().text();
  EXPECT_NEAR(all->front().bounds[0], 0.5, 1e-9);
  EXPECT_LE(all->front().bounds[599], 0.5 + 1e-9 * std::fabs(all->front().values[599]));
}

TEST(Ordered, WorkCountsEveryRound)
{
  const Kernel kernel = made("for t < n { y[t] = x[t] + 0.5 * select(t > 0, y[t - 1], 0) }", k_series, "n = 8");
  EXPECT_EQ(work_of(kernel, {{"n", 100}})->flops, 200);
}

TEST(Ordered, LoopsArePartOfTheIdentity)
{
  const Kernel a = made("for t < n { y[t] = x[t] }", k_series, "n = 8");
  const Kernel b = made("for t < n { y[n - 1 - t] = x[n - 1 - t] }", k_series, "n = 8");
  const Kernel c = made("y[t] = x[t]", k_series, "n = 8");
  EXPECT_NE(a.hash, b.hash);
  EXPECT_NE(a.hash, c.hash);
}

struct Refused {
  const char* expression;
  const char* message;
};

TEST(Ordered, MistakesAreToldWithTheirPlace)
{
  const Refused cases[] = {
    {"for t < n { y[t] = x[t]", "expected '}' to close the loop"},
    {"for t < n y[t] = x[t]", "expected '{' after the range of the loop"},
    {"for t < n { }", "the loop holds no statement"},
    {"y[t] = x[t] }", "this '}' closes no loop"},
    {"for t { y[t] = x[t] }", "expected a new index and where it runs"},
    {"for t < n, t < n { y[t] = x[t] }", "expected a new index and where it runs"},
    {"for t < n { y[t + 1] = x[t] }", "subscript 1 of y may leave the tensor"},
    {"for t < n { y[t] = s * x[t]; s = 1.0 }", "no statement above computes it"},
    {"for t < n { y[t] = x[t] }; y[i] = x[i]", "'y' is computed twice"},
    {"for t < n { z[n - 1 - t] = x[t] }; y[i] = z[i]", "the extent of dimension 1 of 'z' is not clear"},
    {"for t < n { s = 0; s = s + x[t]; y[t] = s }", "begin 's' with a float"},
    {"for t < n { y[i < n + t] = 1.0 * x[t] }", "subscript 1 of y may leave the tensor"},
  };
  for (const Refused& one : cases) {
    EXPECT_THAT(refusal(one.expression, k_series), HasSubstr(one.message)) << one.expression;
  }
}

TEST(Ordered, OnlySquareInputsOfFloatsHaveAForm)
{
  const auto with = [](const std::string& argument) {
    return refusal("y[i] = sum(j, A[i,j])",
                   "A = " + argument + "\ny = { type = \"f64\", shape = [\"n\"], role = \"output\" }\n",
                   "n = 8, m = 4");
  };
  EXPECT_THAT(with("{ type = \"f64\", shape = [\"n\", \"m\"], matrix = \"dominant\" }"), HasSubstr("last two extents"));
  EXPECT_THAT(with("{ type = \"i32\", shape = [\"n\", \"n\"], matrix = \"dominant\" }"), HasSubstr("last two extents"));
  EXPECT_THAT(with("{ type = \"f64\", shape = [\"n\", \"n\"], matrix = \"dominnat\" }"), HasSubstr("dominant"));
}

} // namespace
} // namespace hone::kernel
