// Long because every part of the reference is compared with the same plain loops and data.
#include "kernel/function_library.h"
#include "test_data.h"
#include "util/stop_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <sstream>

namespace hone::kernel {
namespace {

// Largest |candidate - value| / bound.
template <class T> double worst_ratio(const ReferenceOutput& expected, const std::vector<T>& candidate)
{
  double worst = 0;
  for (std::size_t i = 0; i < candidate.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(candidate[i]) - expected.values[i]) / expected.bounds[i]);
  }
  return worst;
}

// Rounds to 11 significant bits, as fp16 does (ranges aside).
float to_half(float value)
{
  int exponent = 0;
  const float significand = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(significand, 11)), exponent - 11);
}

using Summation = std::function<float(std::size_t, const std::function<float(std::size_t)>&)>;

float forward(std::size_t count, const std::function<float(std::size_t)>& term)
{
  float sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += term(i);
  }
  return sum;
}

float backward(std::size_t count, const std::function<float(std::size_t)>& term)
{
  return forward(count, [&](std::size_t i) { return term(count - 1 - i); });
}

float in_lanes(std::size_t count, const std::function<float(std::size_t)>& term)
{
  std::array<float, 16> lanes{};
  for (std::size_t i = 0; i < count; ++i) {
    lanes[i % 16] += term(i);
  }
  float sum = 0;
  for (const float lane : lanes) {
    sum += lane;
  }
  return sum;
}

float in_halves(std::size_t count, const std::function<float(std::size_t)>& term)
{
  float sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum = to_half(sum + to_half(term(i)));
  }
  return sum;
}

struct MatmulCase {
  Kernel kernel = shipped("matmul");
  Sizes sizes{{"m", 20}, {"n", 24}, {"k", 1013}};
  Buffers buffers;
  ReferenceOutput expected;

  explicit MatmulCase(std::function<double()> draw) : buffers(kernel, sizes, draw)
  {
    auto outputs = reference_of(kernel).evaluate(sizes, buffers.pointers());
    EXPECT_TRUE(outputs) << outputs.error().text();
    expected = std::move(outputs->at(0));
  }

  std::vector<float> multiply(const Summation& sum, std::size_t terms = 1013)
  {
    const float* a = buffers.data<float>(0);
    const float* b = buffers.data<float>(1);
    std::vector<float> out;
    for (std::size_t i = 0; i < 20; ++i) {
      for (std::size_t j = 0; j < 24; ++j) {
        out.push_back(sum(terms, [&](std::size_t k) { return a[i * 1013 + k] * b[k * 24 + j]; }));
      }
    }
    return out;
  }
};

std::vector<std::function<double()>> families()
{
  auto random = std::make_shared<Random>(42);
  return {[=] { return random->normal(); },
          [=] { return random->uniform(); },
          [=] { return random->normal() + 5; },
          [=] { return 1e-3 * random->normal(); },
          [=] { return std::exp(3 * random->normal()) * (random->uniform() < 0.5 ? -1 : 1); },
          [=] { return static_cast<double>(random->below(2)); }};
}

TEST(Reference, HonestSumsPassInAnyOrder)
{
  for (const auto& family : families()) {
    MatmulCase test(family);
    for (const Summation& sum : {Summation(forward), Summation(backward), Summation(in_lanes)}) {
      EXPECT_LE(worst_ratio(test.expected, test.multiply(sum)), 1.0);
    }
  }
}

TEST(Reference, MarginOfOneChain)
{
  Random random(3);
  MatmulCase test([&] { return random.normal(); });
  const double ratio = worst_ratio(test.expected, test.multiply(forward));
  EXPECT_LT(ratio, 0.5);
  EXPECT_GT(ratio, 0.005); // a bound so wide that nothing fails would be no bound
}

TEST(Reference, NarrowArithmeticFails)
{
  Random random(5);
  MatmulCase test([&] { return random.normal(); });
  EXPECT_GT(worst_ratio(test.expected, test.multiply(in_halves)), 4.0);

  float* a = test.buffers.data<float>(0);
  float* b = test.buffers.data<float>(1);
  std::transform(a, a + 20 * 1013, a, to_half);
  std::transform(b, b + 24 * 1013, b, to_half);
  EXPECT_GT(worst_ratio(test.expected, test.multiply(forward)), 1.0) << "inputs rounded to fp16";
}

TEST(Reference, WrongResultsFail)
{
  Random random(6);
  MatmulCase test([&] { return random.normal(); });
  EXPECT_GT(worst_ratio(test.expected, test.multiply(forward, 1012)), 1.0) << "the last term dropped";
  EXPECT_GT(worst_ratio(test.expected, std::vector<float>(20 * 24, 0.0f)), 1.0);
  std::vector<float> one_off = test.multiply(forward);
  one_off[77] += static_cast<float>(4 * test.expected.bounds[77]);
  EXPECT_GT(worst_ratio(test.expected, one_off), 1.0);
}

// Straightforward loops over any contraction-like kernel, for the tiled path's tails and layouts.
void expect_contractions_at(std::int64_t rows, std::int64_t columns)
{
  const Sizes sizes{{"b", 3}, {"m", rows}, {"n", columns}, {"k", 300}};
  const auto at = [](std::initializer_list<std::int64_t> index, std::initializer_list<std::int64_t> shape) {
    std::int64_t out = 0;
    for (auto i = index.begin(), s = shape.begin(); i != index.end(); ++i, ++s) {
      out = out * *s + *i;
    }
    return static_cast<std::size_t>(out);
  };
  for (const std::string name : {"matmul", "matmul-ta", "matmul-tb", "matmul-batched"}) {
    const Kernel kernel = shipped(name);
    Sizes own = sizes;
    if (name != "matmul-batched") {
      own.erase("b");
    }
    Buffers buffers = normal_buffers(kernel, own, 11);
    const auto outputs = reference_of(kernel).evaluate(own, buffers.pointers());
    ASSERT_TRUE(outputs) << outputs.error().text();
    const float* a = buffers.data<float>(0);
    const float* b = buffers.data<float>(1);
    for (std::int64_t batch = 0; batch < (name == "matmul-batched" ? 3 : 1); ++batch) {
      for (std::int64_t m = 0; m < rows; ++m) {
        for (std::int64_t n = 0; n < columns; ++n) {
          double sum = 0;
          double magnitude = 0;
          for (std::int64_t k = 0; k < 300; ++k) {
            const double x = name == "matmul-ta" ? a[at({k, m}, {300, rows})] : a[at({batch, m, k}, {3, rows, 300})];
            const double y =
              name == "matmul-tb" ? b[at({n, k}, {columns, 300})] : b[at({batch, k, n}, {3, 300, columns})];
            sum += x * y;
            magnitude += std::abs(x * y);
          }
          const std::size_t i = at({batch, m, n}, {3, rows, columns});
          ASSERT_NEAR(outputs->at(0).values[i], sum, 1e-12 * magnitude) << name;
          ASSERT_GT(outputs->at(0).bounds[i], 0);
          ASSERT_LT(outputs->at(0).bounds[i], 1e-5 * magnitude);
        }
      }
    }
  }
}

TEST(Reference, AgreesWithPlainLoops)
{
  expect_contractions_at(13, 37);
}

TEST(Reference, ContractionsOfOneRowOrColumn)
{
  for (const auto& [rows, columns] :
       {std::pair<std::int64_t, std::int64_t>{1, 37}, {1, 1100}, {29, 1}, {700, 1}, {1, 1}}) {
    expect_contractions_at(rows, columns);
  }
}

TEST(Reference, SingleElementsAgree)
{
  Random random(9);
  for (const char* name : k_shipped) {
    const Kernel kernel = shipped(name);
    Sizes sizes;
    for (const std::string& symbol : kernel.symbols) {
      sizes[symbol] = 3 + static_cast<std::int64_t>(random.below(30));
    }
    const Buffers buffers = normal_buffers(kernel, sizes, 12);
    const Reference reference = reference_of(kernel);
    const auto outputs = reference.evaluate(sizes, buffers.pointers());
    ASSERT_TRUE(outputs) << outputs.error().text();
    for (int i = 0; i < 20; ++i) {
      const std::size_t at = random.below(outputs->at(0).values.size());
      const std::int64_t wanted[] = {static_cast<std::int64_t>(at), 0};
      const auto elements = reference.elements(sizes, buffers.pointers(), 0, wanted);
      ASSERT_TRUE(elements) << elements.error().text();
      const ElementReference& element = elements->front();
      EXPECT_LE(std::abs(element.value - outputs->at(0).values[at]), 0.5 * outputs->at(0).bounds[at]) << name;
      EXPECT_NEAR(element.bound, outputs->at(0).bounds[at], 1e-6 * element.bound) << name;
    }
    EXPECT_FALSE(reference.elements(sizes, buffers.pointers(), 0, std::vector<std::int64_t>{0, -1}));
    EXPECT_FALSE(reference.elements(sizes, buffers.pointers(), 1, std::vector<std::int64_t>{0}));
  }
}

TEST(Reference, LargeProductsAreComputedInPartsOfTheirLongerSide)
{
  const Kernel kernel = shipped("matmul");
  const Reference reference = reference_of(kernel);
  for (const Sizes& sizes : {Sizes{{"m", 611}, {"n", 487}, {"k", 350}}, Sizes{{"m", 487}, {"n", 613}, {"k", 350}}}) {
    const Buffers buffers = normal_buffers(kernel, sizes, 13);
    const auto outputs = reference.evaluate(sizes, buffers.pointers());
    ASSERT_TRUE(outputs) << outputs.error().text();
    std::vector<std::int64_t> wanted;
    for (std::int64_t i = 0; i < sizes.at("m") * sizes.at("n"); i += 97) { // in every row, at every column in turn
      wanted.push_back(i);
    }
    const auto elements = reference.elements(sizes, buffers.pointers(), 0, wanted);
    ASSERT_TRUE(elements) << elements.error().text();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto at = static_cast<std::size_t>(wanted[i]);
      ASSERT_NEAR(elements->at(i).value, outputs->front().values[at], 1e-6 * elements->at(i).bound) << at;
      ASSERT_NEAR(elements->at(i).bound, outputs->front().bounds[at], 1e-2 * elements->at(i).bound) << at; // repeats
    }
  }
}

// Most results are finished many at a time, which must not show where some of them are no ordinary numbers.
// An element that two threads compute, or none, would differ from what one thread computes.
TEST(Reference, ElementsInPartsAreThoseOfOneThread)
{
  const Kernel kernel = kernel_of("t[i] = sum(k, A[i,k]); C[i,j] = sum(k, abs(A[i,k] - B[j,k])) + t[i]",
                                  "A = { type = \"f32\", shape = [\"m\", \"k\"] }\n"
                                  "B = { type = \"f32\", shape = [\"n\", \"k\"] }\n"
                                  "C = { type = \"f32\", shape = [\"m\", \"n\"], role = \"output\" }",
                                  "m = 8, n = 8, k = 8");
  for (const Sizes& sizes : {Sizes{{"m", 67}, {"n", 129}, {"k", 257}}, Sizes{{"m", 1}, {"n", 4099}, {"k", 801}}}) {
    const Buffers buffers = normal_buffers(kernel, sizes, 5);
    const Reference reference = reference_of(kernel);
    const auto one = reference.evaluate(sizes, buffers.pointers(), ReferenceThreads::one);
    const auto several = reference.evaluate(sizes, buffers.pointers());
    ASSERT_TRUE(one && several);
    EXPECT_EQ(one->at(0).values, several->at(0).values);
    EXPECT_EQ(one->at(0).bounds, several->at(0).bounds);
  }
}

// Sums of plain arithmetic are evaluated many terms at a time; one with a condition, term by term. Values and bounds
// must be the same, also where some terms are no ordinary numbers.
TEST(Reference, TermsTogetherAreThoseOfOneAtATime)
{
  const auto kernel = [](const char* condition) {
    return kernel_of(fmt::format("C[i] = sum(k, sqrt(abs(A[i,k] - B[k])) * A[i,k] / B[k] + 0.1 * k{})", condition),
                     "A = { type = \"f32\", shape = [\"m\", \"k\"] }\n"
                     "B = { type = \"f32\", shape = [\"k\"] }\n"
                     "C = { type = \"f32\", shape = [\"m\"], role = \"output\" }",
                     "m = 8, k = 8");
  };
  const Kernel together = kernel(""), single = kernel(" where k >= 0");
  const float specials[] = {0.0F, -0.0F, INFINITY, -INFINITY, NAN, 3e38F, -3e38F, 1e-40F};
  for (const std::int64_t terms : {1, 7, 255, 256, 257, 4096, 5003}) {
    int drawn = 0;
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    const Sizes sizes{{"m", 24}, {"k", terms}};
    // The first rows hold ordinary numbers only, and B does.
    const Buffers buffers(together, sizes, [&] {
      const int at = drawn++;
      const bool special = at > 8 * terms && at < 24 * terms && at % 797 == 5;
      return special ? static_cast<double>(specials[at / 797 % 8]) : normal(random);
    });
    const auto a = reference_of(together).evaluate(sizes, buffers.pointers());
    const auto b = reference_of(single).evaluate(sizes, buffers.pointers());
    ASSERT_TRUE(a && b);
    for (std::size_t i = 0; i < a->at(0).values.size(); ++i) {
      const double x = a->at(0).values[i], y = b->at(0).values[i];
      EXPECT_TRUE(x == y || std::isnan(x) == std::isnan(y)) << terms << " " << i;
      EXPECT_TRUE(std::isnan(x) || x == y || std::abs(x - y) <= 1e-6 * b->at(0).bounds[i]) << terms << " " << i;
      EXPECT_TRUE(a->at(0).bounds[i] == b->at(0).bounds[i]
                  || std::abs(a->at(0).bounds[i] - b->at(0).bounds[i]) <= 1e-6 * b->at(0).bounds[i])
        << terms << " " << i;
    }
  }
}

TEST(Reference, OverflowAmongPlainResultsIsThatOfSingleElements)
{
  const Kernel kernel = shipped("matmul");
  const Reference reference = reference_of(kernel);
  const Sizes sizes{{"m", 3}, {"n", 1203}, {"k", 3}};
  Buffers buffers = normal_buffers(kernel, sizes, 17);
  float* const b = buffers.data<float>(1);
  for (std::size_t column : {511, 512, 700, 1202}) { // among and at the ends of those that are finished together
    b[column] = 3e38f;
  }
  b[20] = std::numeric_limits<float>::infinity();
  b[700 + 1203] = -3e38f;
  b[900] = std::numeric_limits<float>::quiet_NaN();
  const auto outputs = reference.evaluate(sizes, buffers.pointers());
  ASSERT_TRUE(outputs) << outputs.error().text();
  std::vector<std::int64_t> all(3 * 1203);
  std::iota(all.begin(), all.end(), 0);
  const auto elements = reference.elements(sizes, buffers.pointers(), 0, all);
  ASSERT_TRUE(elements) << elements.error().text();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double value = outputs->front().values[i], bound = outputs->front().bounds[i];
    const ElementReference& one = elements->at(i);
    if (std::isfinite(one.value) && std::isfinite(one.bound)) {
      ASSERT_NEAR(value, one.value, 1e-6 * one.bound) << i;
      ASSERT_NEAR(bound, one.bound, 1e-6 * one.bound) << i;
    } else {
      ASSERT_EQ(std::isnan(value), std::isnan(one.value)) << i;
      ASSERT_TRUE(std::isnan(value) || value == one.value || std::isfinite(one.value)) << i;
      ASSERT_EQ(bound, one.bound) << i;
    }
  }
}

TEST(Reference, SoftmaxThroughIntermediates)
{
  const Kernel kernel = shipped("softmax");
  const Sizes sizes{{"m", 7}, {"n", 501}};
  Random random(1);
  Buffers buffers(kernel, sizes, [&] { return 20 * random.normal(); });
  const auto outputs = reference_of(kernel).evaluate(sizes, buffers.pointers());
  ASSERT_TRUE(outputs);
  const float* x = buffers.data<float>(0);
  std::vector<float> honest;
  std::vector<float> unnormalised;
  for (std::size_t i = 0; i < 7; ++i) {
    const float top = *std::max_element(x + i * 501, x + (i + 1) * 501);
    float total = 0;
    for (std::size_t j = 0; j < 501; ++j) {
      total += std::exp(x[i * 501 + j] - top);
    }
    for (std::size_t j = 0; j < 501; ++j) {
      honest.push_back(std::exp(x[i * 501 + j] - top) / total);
      unnormalised.push_back(honest.back() * 1.0001f);
    }
  }
  EXPECT_LE(worst_ratio(outputs->at(0), honest), 0.7);
  EXPECT_GT(worst_ratio(outputs->at(0), unnormalised), 1.0);
  EXPECT_GT(worst_ratio(outputs->at(0), std::vector<float>(honest.size(), 0.0f)), 1.0);
}

ReferenceOutput evaluate_text(const std::string& expr, const std::string& arguments, const std::string& sizes,
                              std::vector<float> x)
{
  const Kernel kernel = kernel_of(expr, arguments, sizes);
  std::size_t next = 0;
  Buffers buffers(kernel, kernel.timed.front(), [&] { return next < x.size() ? x[next++] : 0.0f; });
  auto outputs = reference_of(kernel).evaluate(kernel.timed.front(), buffers.pointers());
  EXPECT_TRUE(outputs) << outputs.error().text();
  return outputs ? outputs->at(0) : ReferenceOutput{};
}

TEST(Reference, WindowsGuardsAndDependentRanges)
{
  const auto values = [](const std::string& expr) { return evaluate_text(expr, k_xy, "n = 4", {1, 2, 3, 4}).values; };
  using Values = LargeVector<double>;
  EXPECT_EQ(values("Y[i] = sum(r < 3, X[i + r - 1] where 0 <= i + r - 1 < n)"), (Values{3, 6, 9, 7}));
  EXPECT_EQ(values("Y[i] = sum(k <= i, X[k])"), (Values{1, 3, 6, 10}));
  EXPECT_EQ(values("Y[i] = max(i <= k < n, -X[k])"), (Values{-1, -2, -3, -4}));
  EXPECT_EQ(values("Y[i] = min(k, X[k]) + max(k, X[k])"), (Values{5, 5, 5, 5}));
  EXPECT_EQ(values("Y[i] = X[i] where i % 2 == 0"), (Values{1, 0, 3, 0}));
  EXPECT_EQ(values("Y[i] = select(X[i] > 2.5, X[i], -1)"), (Values{-1, -1, 3, 4}));
  EXPECT_EQ(values("Y[i] = X[n - 1 - i] * n + i / 2"), (Values{16, 12, 9, 5}));
  EXPECT_EQ(values("T[i] = X[i] + 1; U[i] = T[i] * T[i]; Y[i] = U[i] - X[i]"), (Values{3, 7, 13, 21}));
  EXPECT_EQ(values("S = sum(k, X[k]); Y[i] = X[i] / S"), (Values{0.1, 0.2, 3.0 / 10, 0.4}));
}

// Terms that are taken once for a whole row must give what each element's own terms give, bit for bit where they come
// in the same order.
TEST(Reference, CarriedReductionsAreThoseOfSingleElements)
{
  struct Carry {
    const char* expr;
    bool same_order;
  };
  const std::array kernels{
    Carry{"Y[i < m,j < n] = sum(k <= j, X[i,k])", true},
    Carry{"Y[i < m,j < n] = sum(k <= i, X[k,j]) / (i + 1)", true}, // along the first index
    Carry{"Y[i < m,j < n] = max(k <= j, X[i,k]) - min(k < j + 1, X[i,k])", true},
    Carry{"Y[i < m,j < n] = prod(k <= j, 1 + X[i,k] / 64) * X[i,j]", true},
    Carry{"Y[i < m,j < n] = sum(1 <= k < 2 * j, X[i,k] where 2 * j <= n)", true}, // the guard names the index: anew
    Carry{"Y[i < m,j < n] = sum(1 <= k < min(j + 3, n), X[i,k] where X[i,k] > 0)", true},
    Carry{"Y[i < m,j < n] = sum(k <= j, l < m, X[l,k] * X[i,k])", true},
    Carry{"Y[i < m,j < n] = select(j > 2, sum(k <= j, X[i,k]), X[i,j])", true}, // asked for late
    Carry{"Y[i < m,j < n] = sum(k <= j, X[i,k]) where j < 5", true},
    Carry{"Y[i < m,j < n] = sum(j <= k < n, X[i,k])", false},
    Carry{"Y[i < m,j < n] = sum(j - 2 <= k <= j, X[i,k] where 0 <= k)", true}, // a window loses terms: anew
    Carry{"M[i < m,j < n] = max(k <= j, X[i,k]); Y[i,j] = sum(k <= j, exp(X[i,k] - M[i,k])) + M[i,j]", true},
    Carry{"Y[i < m,j < n] = gelu(sum(k <= j, X[i,k])) + sum(k, X[k,j] where k <= i)", true},
  };
  const char* arguments = "X = { type = \"f32\", shape = [\"m\", \"n\"] }\n"
                          "Y = { type = \"f32\", shape = [\"m\", \"n\"], role = \"output\" }";
  for (const Carry& carry : kernels) {
    const Kernel kernel = kernel_of(carry.expr, arguments, "m = 7, n = 11");
    const Reference reference = reference_of(kernel);
    const Sizes sizes = kernel.timed.front();
    const Buffers buffers = normal_buffers(kernel, sizes, 5);
    const auto all = reference.evaluate(sizes, buffers.pointers());
    ASSERT_TRUE(all) << all.error().text();
    std::vector<std::int64_t> places(77);
    std::iota(places.begin(), places.end(), 0);
    const auto single = reference.elements(sizes, buffers.pointers(), 0, places);
    ASSERT_TRUE(single) << single.error().text();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double apart = std::fabs((*all)[0].values[i] - (*single)[i].value);
      EXPECT_LE(apart, carry.same_order ? 0 : 1e-12) << carry.expr << " at " << i;
      EXPECT_LE(std::fabs((*all)[0].bounds[i] - (*single)[i].bound), carry.same_order ? 0 : 1e-6) << carry.expr;
    }
  }
}

// Begun anew for each element, this would take hours.
TEST(Reference, ALongCumulativeSumIsCarriedAlong)
{
  const Kernel kernel = kernel_of("Y[i] = sum(k <= i, X[k])", k_xy, "n = 2097152");
  const Reference reference = reference_of(kernel);
  const Sizes sizes = kernel.timed.front();
  Buffers buffers = normal_buffers(kernel, sizes, 5);
  const auto all = reference.evaluate(sizes, buffers.pointers());
  ASSERT_TRUE(all) << all.error().text();
  double sum = 0;
  for (std::size_t i = 0; i < (*all)[0].values.size(); ++i) {
    sum += static_cast<double>(buffers.data<float>(0)[i]);
    ASSERT_EQ((*all)[0].values[i], sum);
  }
}

// Not looked at, the request would be obeyed an hour later.
TEST(Reference, AnEvaluationEndsSoonAfterARequestToStop)
{
  const auto stopped = [](const std::string& expr, const std::string& arguments, const std::string& sizes) {
    const Kernel kernel = kernel_of(expr, arguments, sizes);
    const Reference reference = reference_of(kernel);
    const Buffers buffers = normal_buffers(kernel, kernel.timed.front(), 5);
    request_stop(); // for good: hence a process of its own
    const auto all = reference.evaluate(kernel.timed.front(), buffers.pointers());
    std::fprintf(stderr, "%s\n", all ? "it went on" : all.error().text().c_str());
    std::exit(0);
  };
  EXPECT_EXIT(stopped("Y[i] = sum(k, abs(X[k] - X[i]))", k_xy, "n = 4194304"), testing::ExitedWithCode(0),
              "a stop was asked for");
}

TEST(Reference, ProductsAndPositions)
{
  const auto values = [](const std::string& expr) { return evaluate_text(expr, k_xy, "n = 4", {3, 1, 4, 1}).values; };
  using Values = LargeVector<double>;
  EXPECT_EQ(values("Y[i] = prod(k <= i, X[k])"), (Values{3, 3, 12, 12}));
  EXPECT_EQ(values("Y[i] = f32(argmax(k, X[k])) + f32(argmin(k, X[k]))"), (Values{3, 3, 3, 3})); // ties: the first
  EXPECT_EQ(values("Y[i] = f32(argmax(k <= i, X[k]))"), (Values{0, 0, 2, 2}));
  EXPECT_EQ(values("Y[i] = f32(argmax(k, X[k] where k > i))"), (Values{2, 2, 3, -1})); // -1: nothing to compare
  EXPECT_EQ(values("T = argmax(k, X[k]); Y[i] = X[T] + f32(T)"), (Values{6, 6, 6, 6}));
  EXPECT_EQ(values("Y[i] = f32(i32(X[i] / 2))"), (Values{1, 0, 2, 0}));
  EXPECT_EQ(values("Y[i] = f32(i8(i * 100)) + 0 * X[i]"), (Values{0, 100, -56, 44})); // integers wrap to the type
  EXPECT_EQ(values("Y[i] = f32(i16(i * 30000)) + 0 * X[i]"), (Values{0, 30000, -5536, 24464}));
  EXPECT_EQ(values("Y[i] = f32(u16(i * 40000)) + 0 * X[i]"), (Values{0, 40000, 14464, 54464}));
  EXPECT_EQ(values("Y[i] = f32(u32(i * 2147483648) / 1024) + 0 * X[i]"), (Values{0, 2097152, 0, 2097152}));
}

// Rounding decides which of two close values is the larger: the bound reaches from one to the other, and no farther.
TEST(Reference, ClosePositionsAllowBoth)
{
  const ReferenceOutput out =
    evaluate_text("Y[i] = f32(argmax(k, exp(X[k])))", k_xy, "n = 5", {1, 1.0000001f, 0, 0.5f, 1});
  EXPECT_EQ(out.values[0], 1);
  EXPECT_GE(out.bounds[0], 3); // position 4 holds exp(1), too
  EXPECT_LT(out.bounds[0], 3.1);
  const ReferenceOutput clear = evaluate_text("Y[i] = f32(argmax(k, exp(X[k])))", k_xy, "n = 3", {1, 2, 0});
  EXPECT_LT(clear.bounds[0], 1e-5);
}

TEST(Reference, GathersAndRaggedRanges)
{
  const Kernel kernel = kernel_of("Y[i] = T[I[i],1] * 10 + sum(k < L[i], T[0,k])",
                                  "T = { type = \"f32\", shape = [\"r\", \"c\"] }\n"
                                  "I = { type = \"i32\", shape = [\"n\"] }\nL = { type = \"i64\", shape = [\"n\"] }\n"
                                  "Y = { type = \"f32\", shape = [\"n\"] }",
                                  "r = 4, c = 3, n = 2");
  EXPECT_EQ(to_text(*kernel.arguments[1].highest), "r - 1");
  EXPECT_EQ(to_text(*kernel.arguments[2].highest), "c");
  EXPECT_EQ(domain_of(kernel.arguments[1], kernel.timed.front())->high, 3);
  double next = 0;
  Buffers buffers(kernel, kernel.timed.front(), [&] { return next++; }); // T: 0 to 11, I: 12.., L: 14..
  buffers.data<std::int32_t>(1)[0] = 3;
  buffers.data<std::int32_t>(1)[1] = 0;
  buffers.data<std::int64_t>(2)[0] = 2;
  buffers.data<std::int64_t>(2)[1] = 0;
  const auto outputs = reference_of(kernel).evaluate(kernel.timed.front(), buffers.pointers());
  ASSERT_TRUE(outputs) << outputs.error().text();
  EXPECT_EQ(outputs->at(0).values, (LargeVector<double>{101, 10}));
}

TEST(Reference, IntegersAreExact)
{
  const Kernel kernel = kernel_of("C[m,n] = sum(k, A[m,k] * B[k,n])",
                                  "A = { type = \"i8\", shape = [\"m\", \"k\"] }\n"
                                  "B = { type = \"i8\", shape = [\"k\", \"n\"] }\n"
                                  "C = { type = \"i32\", shape = [\"m\", \"n\"] }",
                                  "m = 1, n = 2, k = 3");
  Buffers buffers(kernel, kernel.timed.front(), [] { return -128; });
  const auto outputs = reference_of(kernel).evaluate(kernel.timed.front(), buffers.pointers());
  ASSERT_TRUE(outputs) << outputs.error().text();
  EXPECT_EQ(outputs->at(0).values, (LargeVector<double>{3 * 16384, 3 * 16384}));
  EXPECT_EQ(outputs->at(0).bounds, (LargeVector<double>{0, 0}));
}

TEST(Reference, MasksAreConditions)
{
  const Kernel kernel =
    kernel_of("B[i] = X[i] > 1.5 && M[i]; Y[i] = sum(k <= i, X[k] where M[k]); Z[i] = X[i] where B[i]",
              "X = { type = \"f32\", shape = [\"n\"] }\nM = { type = \"bool\", shape = [\"n\"] }\n"
              "B = { type = \"bool\", shape = [\"n\"] }\nY = { type = \"f32\", shape = [\"n\"] }\n"
              "Z = { type = \"f32\", shape = [\"n\"] }",
              "n = 3");
  Buffers buffers(kernel, kernel.timed.front(), [] { return 0; });
  for (int i = 0; i < 3; ++i) {
    buffers.data<float>(0)[i] = static_cast<float>(i + 1);
    buffers.data<std::uint8_t>(1)[i] = i != 1;
  }
  const auto outputs = reference_of(kernel).evaluate(kernel.timed.front(), buffers.pointers());
  ASSERT_TRUE(outputs) << outputs.error().text();
  EXPECT_EQ(outputs->at(0).values, (LargeVector<double>{0, 0, 1}));
  EXPECT_EQ(outputs->at(1).values, (LargeVector<double>{1, 1, 4}));
  EXPECT_EQ(outputs->at(2).values, (LargeVector<double>{0, 0, 3}));
}

// Every function of the library, against the C library's mathematics.
TEST(Reference, LibraryFunctions)
{
  const auto soft = [](double x) { return std::log1p(std::exp(x)); };
  const std::vector<std::pair<std::string, std::function<double(double)>>> functions{
    {"clamp(X[i], -1, 2)", [](double x) { return std::clamp(x, -1.0, 2.0); }},
    {"hardtanh(X[i], -1, 2)", [](double x) { return std::clamp(x, -1.0, 2.0); }},
    {"elu(X[i], 0.7)", [](double x) { return x > 0 ? x : 0.7 * std::expm1(x); }},
    {"gelu(X[i])", [](double x) { return x * 0.5 * std::erfc(-x / std::sqrt(2.0)); }},
    {"gelu_tanh(X[i])",
     [](double x) { return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x))); }},
    {"hardsigmoid(X[i])", [](double x) { return std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
    {"hardswish(X[i])", [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; }},
    {"leaky_relu(X[i], 0.1)", [](double x) { return x > 0 ? x : 0.1 * x; }},
    {"mish(X[i])", [&](double x) { return x * std::tanh(soft(x)); }},
    {"relu(X[i])", [](double x) { return std::fmax(x, 0); }},
    {"relu6(X[i])", [](double x) { return std::clamp(x, 0.0, 6.0); }},
    {"selu(X[i])", [](double x) { return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x)); }},
    {"sigmoid(X[i])", [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"silu(X[i])", [](double x) { return x / (1 + std::exp(-x)); }},
    {"swish(X[i])", [](double x) { return x / (1 + std::exp(-x)); }},
    {"softplus(X[i])", soft},
    {"softsign(X[i])", [](double x) { return x / (1 + std::fabs(x)); }},
    {"square(X[i])", [](double x) { return x * x; }},
    {"tanhshrink(X[i])", [](double x) { return x - std::tanh(x); }},
  };
  EXPECT_EQ(functions.size(), library_functions().size());
  std::string expr;
  std::string arguments = "X = { type = \"f32\", shape = [\"n\"] }\n";
  for (std::size_t f = 0; f < functions.size(); ++f) {
    expr += fmt::format("Y{}[i] = {}; ", f, functions[f].first);
    arguments += fmt::format("Y{} = {{ type = \"f32\", shape = [\"n\"] }}\n", f);
  }
  const Kernel kernel = kernel_of(expr, arguments, "n = 7");
  const std::vector<float> x{-7.5f, -1.25f, -0.3f, 0, 0.4f, 2.5f, 6.5f};
  std::size_t next = 0;
  const Buffers buffers(kernel, kernel.timed.front(), [&] { return next < x.size() ? x[next++] : 0.0f; });
  const auto outputs = reference_of(kernel).evaluate(kernel.timed.front(), buffers.pointers());
  ASSERT_TRUE(outputs) << outputs.error().text();
  EXPECT_EQ(functions.size(), library_functions().size());
  for (std::size_t f = 0; f < functions.size(); ++f) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double right = functions[f].second(x[i]);
      EXPECT_NEAR(outputs->at(f).values[i], right, 1e-12 * (1 + std::fabs(right))) << functions[f].first << x[i];
      EXPECT_LT(outputs->at(f).bounds[i], 4e-5) << functions[f].first << " of " << x[i];
    }
  }
}

// Values whose last bits are larger than any exponent: the row is still one 1 and otherwise zeros.
TEST(Reference, SoftmaxOfFarOffValuesIsKnown)
{
  const ReferenceOutput out = evaluate_text("T = max(k, X[k]); W[i] = exp(X[i] - T); S = sum(k, W[k]); Y[i] = W[i] / S",
                                            k_xy, "n = 4", {-3e11F, -2.8e11F, -2.9e11F, -3.1e11F});
  EXPECT_EQ(out.values, (LargeVector<double>{0, 1, 0, 0}));
  for (const double bound : out.bounds) {
    EXPECT_LT(bound, 1e-5);
  }
}

// What is far below the largest is off by more than any exponent, which does not matter.
TEST(Reference, SoftmaxBesideFarComputedValuesIsKnown)
{
  const std::string text =
    "S[i] = X[i] * 3.3; T = max(k, S[k]); W[i] = exp(S[i] - T); D = sum(k, W[k]); Y[i] = W[i] / D";
  const ReferenceOutput out = evaluate_text(text, k_xy, "n = 4", {0, 1, -1e9F, 0.5F});
  EXPECT_GT(out.values[1], 0.5);
  for (const double bound : out.bounds) {
    EXPECT_LT(bound, 1e-5);
  }
  EXPECT_EQ(evaluate_text(text, k_xy, "n = 4", {0, 1e9F, 0, 0}).bounds[1], HUGE_VAL)
    << "a difference of two that are off";
}

// Of two numbers as of many.
TEST(Reference, WhatIsBelowAMaximumAddsWhatMayReachBeyondIt)
{
  for (const char* text : {"S[i] = X[i] * 3.3; Y[i] = max(k, S[k])", "S[i] = X[i] * 3.3; Y[i] = max(S[0], S[i])"}) {
    EXPECT_LT(evaluate_text(text, k_xy, "n = 2", {1, -1e9F}).bounds[1], 1e-6);
    const double one = evaluate_text(text, k_xy, "n = 2", {1e6F, 1e6F}).bounds[1];
    const double reaches = evaluate_text(text, k_xy, "n = 2", {0.1F, -1e6F}).bounds[1];
    EXPECT_GT(one, 0.3);
    EXPECT_LT(reaches, 1e-6) << "off by a third, a million below";
  }
  const ReferenceOutput lowest = evaluate_text("S[i] = X[i] * 3.3; Y[i] = min(k, S[k])", k_xy, "n = 2", {1, 1e9F});
  EXPECT_LT(lowest.bounds[0], 1e-6);
}

// exp(100) is an infinity in f32: what comes after it cannot be held against a candidate, unless it cannot matter.
TEST(Reference, OverflowOnTheWay)
{
  const ReferenceOutput ratio = evaluate_text("Y[i] = exp(X[i]) / exp(X[i] - 1)", k_xy, "n = 2", {100, 3});
  EXPECT_EQ(ratio.bounds[0], HUGE_VAL);
  EXPECT_LT(ratio.bounds[1], 1e-4);
  const ReferenceOutput gone = evaluate_text("Y[i] = 1 / (1 + exp(X[i]))", k_xy, "n = 2", {100, 3});
  EXPECT_LT(gone.bounds[0], 1e-37);
  const ReferenceOutput both =
    evaluate_text("Y[i] = exp(X[i]) * 1e-30 / exp(X[i] + 1)", k_xy, "n = 2", {100, 3}); // inf / inf
  EXPECT_EQ(both.bounds[0], HUGE_VAL);
  EXPECT_LT(both.bounds[1], 1e-30);
  const ReferenceOutput product = evaluate_text("Y[i] = prod(k, X[k])", k_xy, "n = 4", {1e30f, 1e30f, 1e-30f, 1e-30f});
  EXPECT_EQ(product.bounds[0], HUGE_VAL);
}

// alpha * A[i,k] is 0 in f32 although alpha * A[i,k] * B[k,j] is not: nobody is held to the order of the factors.
TEST(Reference, AFactorOfASumMayUnderflowWithAnOperand)
{
  const Kernel kernel = kernel_of("C[m,n] = 1e-20 * sum(k, A[m,k] * B[k,n])",
                                  "A = { type = \"f32\", shape = [\"m\", \"k\"] }\n"
                                  "B = { type = \"f32\", shape = [\"k\", \"n\"] }\n"
                                  "C = { type = \"f32\", shape = [\"m\", \"n\"] }",
                                  "m = 1, k = 2, n = 1");
  const auto bound_of = [&](float a, float b) {
    std::size_t next = 0;
    const Buffers buffers(kernel, kernel.timed.front(), [&] { return next++ < 2 ? a : b; });
    const auto outputs = reference_of(kernel).evaluate(kernel.timed.front(), buffers.pointers());
    EXPECT_TRUE(outputs);
    return outputs ? outputs->front().bounds.front() : -1;
  };
  EXPECT_GE(bound_of(1e-30F, 1e30F), 1e-20);
  EXPECT_LT(bound_of(1e-10F, 1e30F), 1e-6);
  EXPECT_LT(bound_of(1e-10F, 1e10F), 1e-16);
}

// A sum of equal terms rounds the same way again and again.
TEST(Reference, HonestSumsOfEqualTermsPass)
{
  const Kernel kernel = kernel_of(
    "Y = sum(k, X[k])", "X = { type = \"f32\", shape = [\"n\"] }\nY = { type = \"f32\", shape = [] }", "n = 1500");
  for (const float term : {0.1f, 0.3f, 1.0f / 3, 0.7f, 1.1f}) {
    const Buffers buffers(kernel, kernel.timed.front(), [&] { return term; });
    const auto outputs = reference_of(kernel).evaluate(kernel.timed.front(), buffers.pointers());
    ASSERT_TRUE(outputs) << outputs.error().text();
    const std::vector<float> sum{forward(1500, [&](std::size_t) { return term; })};
    EXPECT_LE(worst_ratio(outputs->at(0), sum), 1) << term;
  }
}

// Two passes over a row of which one part is a million times smaller: the squares of that part are nearly equal, and
// added last they round the same way. The expression has them first or last.
TEST(Reference, AlikeTermsMayBeAddedLastToo)
{
  constexpr std::size_t k_terms = 600;
  const Kernel kernel = kernel_of("a = sum(k, X[k]) / n; Y = sum(k, square(X[k] - a)) / n",
                                  "X = { type = \"f32\", shape = [\"n\"] }\nY = { type = \"f32\", shape = [] }",
                                  fmt::format("n = {}", k_terms));
  std::mt19937 random(5);
  std::normal_distribution<float> any(0, 1);
  double worst = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<float> x(k_terms);
    for (std::size_t i = 0; i < k_terms; ++i) {
      x[i] = any(random) * ((i < k_terms / 2) == (trial % 2 == 0) ? 1e-6f : 1.0f);
    }
    std::size_t next = 0;
    const Buffers buffers(kernel, kernel.timed.front(), [&] { return next < x.size() ? x[next++] : 0.0f; });
    const auto outputs = reference_of(kernel).evaluate(kernel.timed.front(), buffers.pointers());
    ASSERT_TRUE(outputs) << outputs.error().text();
    const auto in_order = [&](auto value) {
      float forwards = 0, backwards = 0;
      for (std::size_t i = 0; i < k_terms; ++i) {
        forwards += value(x[i]);
        backwards += value(x[k_terms - 1 - i]);
      }
      return std::pair(forwards / k_terms, backwards / k_terms);
    };
    const float mean = in_order([](float value) { return value; }).first;
    const auto [forwards, backwards] = in_order([&](float value) { return (value - mean) * (value - mean); });
    for (const float result : {forwards, backwards}) {
      worst = std::max(worst, worst_ratio(outputs->at(0), std::vector<float>{result}));
    }
  }
  EXPECT_LE(worst, 1);
  EXPECT_GT(worst, 0.2) << "no room beyond what it takes";
}

// Beginning with a bias, partial sums may leave the range although the result does not: nobody is held to it then.
TEST(Reference, ASumThatOverflowsOnTheWayFromItsAddendHasNoBound)
{
  const auto bound_with = [](const char* expression, float first, float second, float addend) {
    const Kernel kernel = kernel_of(expression,
                                    "X = { type = \"f32\", shape = [\"n\"] }\nb = { type = \"f32\", shape = [] }\n"
                                    "Y = { type = \"f32\", shape = [] }",
                                    "n = 2");
    const std::vector<float> all{first, second, addend, 0};
    std::size_t next = 0;
    const Buffers buffers(kernel, kernel.timed.front(), [&] { return all[next++ % all.size()]; });
    const auto outputs = reference_of(kernel).evaluate(kernel.timed.front(), buffers.pointers());
    return outputs ? outputs->at(0).bounds[0] : -1;
  };
  EXPECT_TRUE(std::isinf(bound_with("Y = sum(k, X[k]) + b", 1e38f, -1e38f, 3e38f)));
  EXPECT_TRUE(std::isinf(bound_with("Y = 2 * sum(k, X[k]) + b", 5e37f, -5e37f, 3e38f)));
  EXPECT_LT(bound_with("Y = sum(k, X[k]) + b", 1e37f, -1e37f, 3e38f), 1e33);
  EXPECT_LT(bound_with("Y = sum(k, X[k]) + b", 1e38f, 1e38f, 3e38f), 1e33) << "infinite in any order";
}

// As a product's accumulator that holds the bias before its first term. The sum may be scaled, or subtracted.
struct BegunSum {
  const char* expression;
  float factor;
};

class BegunSums : public testing::TestWithParam<BegunSum> {};

TEST_P(BegunSums, MayBeginWithWhatIsAddedToThem)
{
  constexpr int k_terms = 1500;
  const Kernel kernel = kernel_of(GetParam().expression,
                                  "X = { type = \"f32\", shape = [\"n\"] }\nb = { type = \"f32\", shape = [] }\n"
                                  "Y = { type = \"f32\", shape = [] }",
                                  fmt::format("n = {}", k_terms));
  std::mt19937 random(7);
  std::uniform_real_distribution<float> any(0, 1);
  double worst = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const float alike = trial % 2 == 0 ? any(random) : 0; // roundings of one kind, or of all kinds
    std::vector<float> x;
    for (int i = 0; i < k_terms; ++i) {
      x.push_back(alike != 0 ? alike : any(random));
    }
    x.push_back(std::ldexp(1 + any(random), trial % 20));
    std::size_t next = 0;
    const Buffers buffers(kernel, kernel.timed.front(), [&] { return next < x.size() ? x[next++] : 0.0f; });
    const auto outputs = reference_of(kernel).evaluate(kernel.timed.front(), buffers.pointers());
    ASSERT_TRUE(outputs) << outputs.error().text();
    float sum = x.back();
    for (int i = 0; i < k_terms; ++i) {
      sum += GetParam().factor * x[static_cast<std::size_t>(i)];
    }
    worst = std::max(worst, worst_ratio(outputs->at(0), std::vector<float>{sum}));
  }
  EXPECT_LE(worst, 1);
  EXPECT_GT(worst, 0.1) << "no room beyond what it takes";
}

INSTANTIATE_TEST_SUITE_P(Reference, BegunSums,
                         testing::Values(BegunSum{"Y = sum(k, X[k]) + b", 1},
                                         BegunSum{"Y = 0.7 * sum(k, X[k]) + b", 0.7f},
                                         BegunSum{"Y = b - sum(k, X[k])", -1}));

// Where a function has an edge, rounding may fall on either side of it.
TEST(Reference, EdgesOfFunctions)
{
  const auto one = [](const std::string& expr, float x) {
    const ReferenceOutput out = evaluate_text(expr, k_xy, "n = 2", {x, x});
    return std::pair(out.values[0], out.bounds[0]);
  };
  // The fp64 difference is 0; an honest f32 one is a few 1e-8.
  EXPECT_GT(one("T[i] = exp(X[i]) - exp(X[i] + 0.0); Y[i] = sqrt(T[i])", 1).second, 1e-4);
  EXPECT_LT(one("T[i] = exp(X[i]) - exp(X[i] + 0.0); Y[i] = pow(T[i], 2)", 1).second, 1e-10);
  EXPECT_GT(one("T[i] = exp(X[i]) - exp(X[i] + 0.0); Y[i] = pow(T[i], 2)", 1).second, 1e-15);
  EXPECT_EQ(one("T[i] = exp(X[i]) - exp(X[i] + 0.0); Y[i] = log(T[i])", 1).second, HUGE_VAL);
  EXPECT_EQ(one("T[i] = exp(X[i]) - exp(X[i] + 0.0); Y[i] = 1 / T[i]", 1).second, HUGE_VAL);
  EXPECT_LT(one("Y[i] = prod(k, select(k == 0, 0, X[k]))", 2).second, 1e-37);
  EXPECT_LT(one("Y[i] = X[min(max(i32(exp(X[i]) * 1e7), 0), 1)]", 0).second, 1e-6); // far from both ends
}

// What is read through a position that rounding may move has no bound, and the reference stays inside the tensor.
TEST(Reference, MovingSubscripts)
{
  const ReferenceOutput close =
    evaluate_text("T = argmax(k, exp(X[k])); Y[i] = X[max(T, 0)]", k_xy, "n = 3", {1, 1.0000001f, 0});
  EXPECT_EQ(close.bounds[0], HUGE_VAL);
  const ReferenceOutput clear =
    evaluate_text("T = argmax(k, exp(X[k])); Y[i] = X[max(T, 0)]", k_xy, "n = 3", {1, 2, 0});
  EXPECT_EQ(clear.values[0], 2);
  EXPECT_LT(clear.bounds[0], 1e-6);
  const ReferenceOutput outside =
    evaluate_text("Y[i] = select(0 <= i32(exp(X[i])) && i32(exp(X[i])) < n, X[i32(exp(X[i]))], 0)", k_xy, "n = 3",
                  {1.0986123f, 0, 5});
  EXPECT_EQ(outside.bounds[0], HUGE_VAL); // exp(ln 3): 2 or 3
  EXPECT_EQ(outside.values[2], 0);
}

// A million squares in one chain: small ones vanish beside the sum, all in the same direction.
TEST(Reference, HonestVeryLongSumsPass)
{
  const Kernel kernel =
    kernel_of("Y = sum(k, X[k] * X[k])", "X = { type = \"f32\", shape = [\"n\"] }\nY = { type = \"f32\", shape = [] }",
              "n = 1048576");
  for (const std::uint64_t seed : {1, 2, 3}) {
    Buffers buffers = normal_buffers(kernel, kernel.timed.front(), seed);
    const auto outputs = reference_of(kernel).evaluate(kernel.timed.front(), buffers.pointers());
    ASSERT_TRUE(outputs) << outputs.error().text();
    const float* x = buffers.data<float>(0);
    const std::vector<float> sum{forward(1048576, [&](std::size_t k) { return x[k] * x[k]; })};
    EXPECT_LE(worst_ratio(outputs->at(0), sum), 0.5);
    EXPECT_GT(worst_ratio(outputs->at(0), std::vector<float>{sum[0] * 1.02f}), 1);
  }
}

TEST(Reference, WorkCountsASharedSumOnce)
{
  const std::string arguments =
    "X = { type = \"f32\", shape = [\"m\", \"k\"] }\nY = { type = \"f32\", shape = [\"m\"] }";
  const Kernel once = kernel_of("Y[i] = gelu(sum(k, X[i,k]))", arguments, "m = 10, k = 1000");
  const auto work = work_of(once, once.timed.front());
  ASSERT_TRUE(work) << work.error().text();
  EXPECT_GT(work->flops, 10 * 1000);
  EXPECT_LT(work->flops, 10 * 1000 * 1.1);
}

TEST(Reference, FunctionsFollowTheMathematics)
{
  const std::vector<std::pair<std::string, double (*)(double)>> functions{
    {"exp", std::exp}, {"log", std::log}, {"log1p", std::log1p}, {"sqrt", std::sqrt}, {"tanh", std::tanh},
    {"erf", std::erf}, {"sin", std::sin}, {"cos", std::cos},     {"abs", std::fabs},  {"floor", std::floor}};
  std::ostringstream expr;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    expr << "T" << i << "[i] = " << functions[i].first << "(X[i]); ";
  }
  expr << "Y[i] = rsqrt(X[i]) + pow(X[i], 3) + sign(X[i])";
  for (std::size_t i = 0; i < functions.size(); ++i) {
    expr << " + T" << i << "[i]";
  }
  const std::vector<float> x{0.3f, 1.7f, 2.5f, 4.1f};
  const ReferenceOutput out = evaluate_text(expr.str(), k_xy, "n = 4", x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = x[i];
    double expected = 1 / std::sqrt(v) + v * v * v + 1;
    for (const auto& [name, function] : functions) {
      expected += function(v);
    }
    EXPECT_NEAR(out.values[i], expected, 1e-12 * expected);
    EXPECT_LT(out.bounds[i], 1e-5 * expected);
    EXPECT_GT(out.bounds[i], 1e-8 * expected);
  }
}

TEST(Reference, InfinitiesAndNan)
{
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const ReferenceOutput sums = evaluate_text("Y[i] = X[i] + 1", k_xy, "n = 4", {infinity, -infinity, nan, 1});
  EXPECT_EQ(sums.values[0], infinity);
  EXPECT_EQ(sums.values[1], -infinity);
  EXPECT_TRUE(std::isnan(sums.values[2]));
  EXPECT_EQ(sums.bounds[0], 0);
  EXPECT_EQ(sums.bounds[2], 0);
  const ReferenceOutput exps = evaluate_text("Y[i] = exp(X[i] - max(k, X[k]))", k_xy, "n = 2", {-infinity, 3});
  EXPECT_EQ(exps.values[0], 0);
  EXPECT_LT(exps.bounds[0], 1e-30);
  EXPECT_EQ(exps.values[1], 1);
}

// Whether or not rounding decides which integers count.
TEST(Reference, AnEmptyMaximumOfIntegersIsTheSmallest)
{
  const ReferenceOutput sure = evaluate_text("Y[i] = X[i] + max(k < n, 0 where k > 9)", k_xy, "n = 1", {0});
  EXPECT_EQ(sure.values[0], -0x1p63);
  const ReferenceOutput unsure =
    evaluate_text("T[i] = exp(X[i]); Y[i] = X[i] + max(k < n, 0 where T[k] > 5)", k_xy, "n = 1", {0});
  EXPECT_EQ(unsure.values[0], -0x1p63);
  const ReferenceOutput least =
    evaluate_text("T[i] = exp(X[i]); Y[i] = X[i] + min(k < n, 0 where T[k] > 5)", k_xy, "n = 1", {0});
  EXPECT_EQ(least.values[0], 0x1p63);
}

// A comparison that rounding may turn is not held against a candidate that saw it the other way.
TEST(Reference, CloseComparisonsAllowBothBranches)
{
  const ReferenceOutput out =
    evaluate_text("T[i] = exp(X[i]); Y[i] = select(T[i] > 1, 5, T[i])", k_xy, "n = 2", {0, 1});
  EXPECT_GE(out.bounds[0], 4);
  EXPECT_LT(out.bounds[1], 1e-5);
}

// Whichever side is taken, its error counts: clamping does not make a computed value exact.
TEST(Reference, MaxAndMinKeepTheErrorsOfTheirOperands)
{
  const std::vector<float> x{0.5f, 1.5f};
  const ReferenceOutput plain = evaluate_text("Y[i] = exp(X[i])", k_xy, "n = 2", x);
  for (const std::string value : {"max(exp(X[i]), 0)", "max(0, exp(X[i]))", "min(exp(X[i]), 9)", "min(9, exp(X[i]))"}) {
    const ReferenceOutput out = evaluate_text("Y[i] = " + value, k_xy, "n = 2", x);
    EXPECT_EQ(out.values, plain.values) << value;
    EXPECT_EQ(out.bounds, plain.bounds) << value;
  }
}

TEST(Reference, HalvesAreReadRight)
{
  const Kernel kernel = kernel_of("Y[i] = f32(H[i]) + f32(G[i])",
                                  "H = { type = \"f16\", shape = [\"n\"] }\nG = { type = \"bf16\", shape = [\"n\"] }\n"
                                  "Y = { type = \"f32\", shape = [\"n\"] }",
                                  "n = 3");
  Buffers buffers(kernel, kernel.timed.front(), [] { return 0.0; });
  const std::array<std::uint16_t, 3> halves{0x3C00, 0xC500, 0x0001}; // 1, -5, 2^-24
  const std::array<std::uint16_t, 3> brains{0x3F80, 0x4040, 0x0000}; // 1, 3, 0
  std::memcpy(buffers.data<std::byte>(0), halves.data(), sizeof(halves));
  std::memcpy(buffers.data<std::byte>(1), brains.data(), sizeof(brains));
  const auto outputs = reference_of(kernel).evaluate(kernel.timed.front(), buffers.pointers());
  ASSERT_TRUE(outputs) << outputs.error().text();
  EXPECT_EQ(outputs->at(0).values, (LargeVector<double>{2, -2, 0x1p-24}));
}

TEST(Reference, RefusesWhatItCannotRead)
{
  const Kernel kernel = kernel_of("Y[i] = X[i] + X[3]", k_xy, "n = 4");
  const Reference reference = reference_of(kernel);
  const Buffers buffers = normal_buffers(kernel, kernel.timed.front(), 1);
  EXPECT_TRUE(reference.evaluate({{"n", 4}}, buffers.pointers()));
  EXPECT_FALSE(reference.evaluate({{"n", 3}}, buffers.pointers())) << "X[3] does not exist";
  EXPECT_FALSE(reference.evaluate({}, buffers.pointers()));
  EXPECT_FALSE(reference.evaluate({{"n", 4}}, std::vector<const std::byte*>{}));
  EXPECT_FALSE(reference.evaluate({{"n", 4}}, std::vector<const std::byte*>{nullptr, nullptr}));
}

} // namespace
} // namespace hone::kernel
