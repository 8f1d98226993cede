#include "test_data.h"

#include <cmath>

namespace hone::kernel {
namespace {

struct ProjectionCase {
  Kernel kernel;
  Sizes sizes;
  Buffers buffers;
  std::size_t elements;

  ProjectionCase(const std::string& name, std::uint64_t seed, double shift)
    : kernel(shipped(name)), sizes(small_sizes(kernel)), buffers(filled(kernel, sizes, seed, shift)),
      elements(static_cast<std::size_t>(*elements_of(kernel.arguments.back(), sizes)))
  {
    store_reference();
  }

  static Sizes small_sizes(const Kernel& kernel)
  {
    Sizes out;
    std::int64_t next = 40;
    for (const std::string& symbol : kernel.symbols) {
      out[symbol] = symbol == "b" ? 3 : next += 23;
    }
    return out;
  }

  static Buffers filled(const Kernel& kernel, const Sizes& sizes, std::uint64_t seed, double shift)
  {
    Random random(seed);
    return Buffers(kernel, sizes, [&] { return random.normal() + shift; });
  }

  // The exact result, rounded to the output's type.
  void store_reference()
  {
    const auto outputs = reference_of(kernel).evaluate(sizes, buffers.pointers());
    ASSERT_TRUE(outputs) << outputs.error().text();
    for (std::size_t i = 0; i < elements; ++i) {
      set(i, outputs->at(0).values[i]);
    }
  }

  bool is_double() const { return kernel.arguments.back().type == DataType::f64; }
  double get(std::size_t i)
  {
    const std::size_t last = kernel.arguments.size() - 1;
    return is_double() ? buffers.data<double>(last)[i] : static_cast<double>(buffers.data<float>(last)[i]);
  }
  void set(std::size_t i, double value)
  {
    const std::size_t last = kernel.arguments.size() - 1;
    if (is_double()) {
      buffers.data<double>(last)[i] = value;
    } else {
      buffers.data<float>(last)[i] = static_cast<float>(value);
    }
  }

  ProjectionOutcome check(std::uint64_t seed = 1)
  {
    const auto outcome = check_freivalds(kernel, sizes, buffers.pointers(), seed);
    EXPECT_TRUE(outcome) << outcome.error().text();
    return outcome.value_or(ProjectionOutcome{});
  }
};

constexpr std::array<const char*, 6> k_bilinear{"matmul",    "matmul-f64",     "matmul-ta",
                                                "matmul-tb", "matmul-batched", "attention-scores"};

TEST(Projection, RightResultsPass)
{
  for (const char* name : k_bilinear) {
    for (const double shift : {0.0, 5.0}) {
      ProjectionCase test(name, 21, shift);
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const ProjectionOutcome outcome = test.check(seed);
        EXPECT_TRUE(outcome.passed) << name << " " << outcome.worst << " " << outcome.where;
      }
    }
  }
}

TEST(Projection, SingleChainsPass)
{
  ProjectionCase test("matmul", 22, 1.0);
  const std::int64_t m = test.sizes.at("m"), n = test.sizes.at("n"), k = test.sizes.at("k");
  const float* a = test.buffers.data<float>(0);
  const float* b = test.buffers.data<float>(1);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        sum += a[i * k + l] * b[l * n + j];
      }
      test.set(static_cast<std::size_t>(i * n + j), sum);
    }
  }
  EXPECT_TRUE(test.check().passed) << test.check().worst;
}

TEST(Projection, WrongResultsFailAndAreNamed)
{
  for (const char* name : k_bilinear) {
    ProjectionCase zero(name, 23, 0.0);
    for (std::size_t i = 0; i < zero.elements; ++i) {
      zero.set(i, 0);
    }
    EXPECT_FALSE(zero.check().passed) << name;

    ProjectionCase one(name, 23, 0.0);
    one.set(one.elements - 1, one.get(one.elements - 1) + 1);
    const ProjectionOutcome outcome = one.check();
    EXPECT_FALSE(outcome.passed) << name;
    EXPECT_NE(outcome.where.find("batch " + std::to_string(one.sizes.contains("b") ? 2 : 0)), std::string::npos)
      << outcome.where;

    ProjectionCase narrow(name, 23, 0.0);
    for (std::size_t i = 0; i < narrow.elements; ++i) {
      narrow.set(i, narrow.get(i) * (i % 2 == 0 ? 1.0005 : 0.9995));
    }
    EXPECT_FALSE(narrow.check().passed) << name;

    ProjectionCase nan(name, 23, 0.0);
    nan.set(5, std::nan(""));
    EXPECT_FALSE(nan.check().passed) << name;
    nan.set(5, HUGE_VAL);
    EXPECT_FALSE(nan.check().passed) << name;
  }
}

TEST(Projection, OnlyForBilinearOutputs)
{
  for (const char* name : k_shipped) {
    const Kernel kernel = shipped(name);
    const auto contraction = as_contraction(kernel);
    const bool wide = contraction && size_of(contraction->a->type) >= 4; // narrow operands are not projected
    EXPECT_EQ(supports_freivalds(kernel), wide && contraction->linear) << name;
  }
  EXPECT_TRUE(supports_freivalds(shipped("matmul-tb")));
  EXPECT_FALSE(supports_freivalds(shipped("matmul-bias-relu")));
  const Kernel in_place = kernel_of("A[i, j] = sum(k < n, A[i, k] * B[k, j])",
                                    "A = { type = \"f32\", shape = [\"m\", \"n\"], role = \"inout\" }\n"
                                    "B = { type = \"f32\", shape = [\"n\", \"n\"] }",
                                    "m = 5, n = 7");
  EXPECT_FALSE(supports_freivalds(in_place)) << "the operand is gone once the output is there";
  const Kernel softmax = shipped("softmax");
  EXPECT_FALSE(check_freivalds(softmax, softmax.timed.front(), {}, 1));
}

} // namespace
} // namespace hone::kernel
