// The parts of a kernel's proof: degenerate solutions, sizes to try, sums turned around.
#include "gate/addends_first.h"
#include "gate/lint/solutions.h"
#include "gate/lint/trials.h"
#include "gate/output_check.h"
#include "gate/reversed_sums.h"
#include "inputs/elements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace hone::gate {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

kernel::Kernel kernel_with(const std::string& type, const std::string& also = "any",
                           const std::string& sizes = "m = 7, n = 6", const std::string& accumulate = "f32")
{
  auto kernel =
    kernel::parse_kernel("[kernel]\nname = \"k\"\n[compute]\nexpr = \"Y[i,j] = X[i,j] + X[i,j]\"\n[arguments]\n"
                         "X = { type = \""
                           + type
                           + "\", shape = [\"m\", \"n\"] }\n"
                             "Y = { type = \""
                           + type + "\", shape = [\"m\", \"n\"] }\n[sizes]\ntimed = [ { " + sizes + " } ]\nalso = \""
                           + also + "\"\n[accuracy]\naccumulate = \"" + accumulate + "\"\n",
                         "lint_parts_test");
  if (!kernel) {
    throw std::runtime_error(kernel.error().text());
  }
  return std::move(*kernel);
}

constexpr std::size_t k_output = 1; // Y in Kernel::arguments

// A call of a kernel of 7 x 6 elements with right results made up.
class DegenerateSolutions : public testing::Test {
protected:
  // What a solution writes over poison of 99s, or nothing where it does not apply.
  std::optional<std::vector<double>> written(const std::string& name)
  {
    const kernel::DataType type = m_kernel.arguments[k_output].type;
    const std::size_t size = kernel::size_of(type);
    std::vector<std::byte> input(m_expected.values.size() * size);
    store_values(type, std::vector<double>(m_expected.values.size(), 3), input);
    const std::vector<const std::byte*> arguments{input.data(), nullptr};
    std::vector<std::byte> bytes(m_expected.values.size() * size);
    store_values(type, std::vector<double>(m_expected.values.size(), 99), bytes);
    Random random(5);
    const std::vector<std::int64_t> shape{m_sizes.at("m"), m_sizes.at("n")};
    const DegenerateCall call{m_kernel, m_sizes, m_kernel.arguments[k_output], shape, arguments, m_expected,
                              m_other,  random};
    if (!named(name).write(call, bytes)) {
      return std::nullopt;
    }
    m_check = check_outputs(m_kernel, m_sizes, std::vector<const std::byte*>{input.data(), bytes.data()},
                            std::vector<kernel::ReferenceOutput>{m_expected})
                .value();
    std::vector<double> values;
    for (std::size_t i = 0; i < m_expected.values.size(); ++i) {
      values.push_back(inputs::load_element(type, bytes.data() + i * size));
    }
    return values;
  }

  DegenerateSolution named(const std::string& name) const
  {
    for (DegenerateSolution& solution : degenerate_solutions(m_kernel, k_output)) {
      if (solution.name == name) {
        return std::move(solution);
      }
    }
    throw std::runtime_error("no solution " + name);
  }

  // Right results 1, 2, 3, ... plus a part, each with the same bound.
  void expect(double part, double bound)
  {
    m_expected = {};
    for (std::int64_t i = 0; i < m_sizes.at("m") * m_sizes.at("n"); ++i) {
      m_expected.values.push_back(static_cast<double>(i + 1) + part);
      m_expected.bounds.push_back(bound);
    }
    m_other = m_expected;
    std::ranges::reverse(m_other.values);
  }

  kernel::Kernel m_kernel = kernel_with("f32");
  kernel::Sizes m_sizes{{"m", 7}, {"n", 6}};
  kernel::ReferenceOutput m_expected, m_other;
  OutputCheck m_check;
};

TEST_F(DegenerateSolutions, LeaveOutTheEnd)
{
  expect(0, 0);
  const auto left = [&](const std::string& name) {
    std::set<int> out;
    const auto values = written(name).value();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == 99) {
        out.insert(static_cast<int>(i));
      }
    }
    EXPECT_FALSE(m_check.passed) << name;
    return out;
  };
  EXPECT_EQ(left("last row not written"), (std::set<int>{36, 37, 38, 39, 40, 41}));
  EXPECT_EQ(left("last column not written"), (std::set<int>{5, 11, 17, 23, 29, 35, 41}));
  // 7 x 6 in tiles of 4 x 4: the last has three rows and two columns.
  EXPECT_EQ(left("last tile not written"), (std::set<int>{28, 29, 34, 35, 40, 41}));
  m_sizes = {{"m", 4}, {"n", 3}};
  expect(0, 0);
  EXPECT_FALSE(written("last tile not written")) << "it is the only one";
}

TEST_F(DegenerateSolutions, MoveOneElementJustBeyondItsBound)
{
  for (const char* type : {"f32", "f64", "f16", "bf16", "i32", "u8"}) {
    m_kernel = kernel_with(type);
    for (const double bound : {0.0, 1e-6, 0.01, 2.0}) {
      expect(0, bound);
      const auto values = written("one element off by 1.5 times its bound");
      ASSERT_TRUE(values) << type << ' ' << bound;
      std::vector<double> distances; // of those that are off
      for (std::size_t i = 0; i < values->size(); ++i) {
        if ((*values)[i] != m_expected.values[i]) {
          distances.push_back(std::fabs((*values)[i] - m_expected.values[i]));
        }
      }
      ASSERT_EQ(distances.size(), 1U) << type << ' ' << bound;
      EXPECT_FALSE(m_check.passed) << type << ' ' << bound;
      const kernel::DataType data_type = m_kernel.arguments[k_output].type;
      const double step = kernel::is_float(data_type) ? 4 * kernel::unit_roundoff(data_type) * 42 : 1;
      EXPECT_LE(distances.front(), 1.5 * bound + step) << type << ' ' << bound;
    }
  }
  // A bound alone says nothing about an element that has none.
  expect(0, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(written("one element off by 1.5 times its bound"));
  // The largest byte has no neighbour above.
  m_kernel = kernel_with("u8");
  expect(0, 0);
  std::ranges::fill(m_expected.values, 255.0);
  EXPECT_TRUE(written("one element off by 1.5 times its bound"));
  EXPECT_FALSE(m_check.passed);
}

TEST_F(DegenerateSolutions, RoundToFewerBits)
{
  expect(0x1p-10, 0x1p-20);
  const auto eleven = written("rounded to the 11 bits of tf32 and f16");
  ASSERT_TRUE(eleven);
  EXPECT_EQ((*eleven)[0], 1 + 0x1p-10); // ten bits behind the leading one are enough
  EXPECT_EQ((*eleven)[1], 2);           // here they are not
  expect(0x1p-7, 0x1p-20);
  const auto eight = written("rounded to the 8 bits of bf16");
  ASSERT_TRUE(eight);
  EXPECT_EQ((*eight)[0], 1 + 0x1p-7);
  EXPECT_EQ((*eight)[1], 2);
  expect(0, 0x1p-20);
  EXPECT_FALSE(written("rounded to the 8 bits of bf16")) << "42 has six bits: it is exact";
  m_kernel = kernel_with("f32", "any", "m = 7, n = 6", "f16");
  EXPECT_THAT(named("rounded to the 11 bits of tf32 and f16").unfit, HasSubstr("sums may be kept in f16"));
  EXPECT_THAT(named("rounded to the 8 bits of bf16").unfit, IsEmpty());
  m_kernel = kernel_with("i32");
  EXPECT_THAT(named("rounded to a narrower type").unfit, HasSubstr("no floats"));
}

TEST_F(DegenerateSolutions, CopyAnInputOnlyWhereSizesSaySomething)
{
  expect(0, 0);
  EXPECT_EQ(written("copy of X")->front(), 3);
  m_sizes = {{"m", 7}, {"n", 1}};
  expect(0, 0);
  EXPECT_FALSE(written("copy of X"));
  m_kernel = kernel_with("f32", "timed", "m = 7, n = 1");
  EXPECT_TRUE(written("copy of X")) << "there are no other sizes";
}

TEST_F(DegenerateSolutions, RepeatWhatAnotherCallGave)
{
  expect(0, 0);
  EXPECT_EQ(written("another call's output")->front(), 42);
  EXPECT_EQ(written("mean of another call's output")->front(), 21.5);
  std::ranges::fill(m_expected.values, std::nan(""));
  EXPECT_FALSE(written("all NaN")) << "it is right";
}

kernel::Program program_of(const std::string& expression)
{
  const auto kernel =
    kernel::parse_kernel("[kernel]\nname = \"k\"\n[compute]\nexpr = \"" + expression
                           + "\"\n[arguments]\nX = { type = \"f32\", shape = [\"n\", \"n\"] }\n"
                             "Y = { type = \"f32\", shape = [\"n\"] }\n[sizes]\ntimed = [ { n = 8 } ]\n",
                         "expression");
  EXPECT_TRUE(kernel) << kernel.error().text();
  return kernel->program;
}

TEST(ReversedSums, TakeTheSameTermsFromTheLastOne)
{
  const auto reversed = [](const std::string& expression) {
    const kernel::Program program = program_of(expression);
    EXPECT_TRUE(has_sums(program));
    return kernel::to_text(with_sums_reversed(program).statements.front());
  };
  EXPECT_THAT(reversed("Y[i] = sum(k, X[i,k])"), HasSubstr("X[i, n - 1 - k]"));
  EXPECT_THAT(reversed("Y[i] = sum(k <= i, X[i,k])"), HasSubstr("X[i, i + 1 - 1 - k]"));
  EXPECT_THAT(reversed("Y[i] = prod(2 <= k < n, X[i,k])"), HasSubstr("X[i, n - 1 + 2 - k]"));
  // The inner range follows the outer index, which now counts down.
  EXPECT_THAT(reversed("Y[i] = sum(k, l <= k, X[k,l])"), HasSubstr("l < n - 1 - k + 1"));
  // Of equal ones the first is meant: positions, and maxima with them, stay.
  EXPECT_THAT(reversed("Y[i] = sum(k, X[i,k] + argmax(l, X[k,l]))"), HasSubstr("argmax(l < n, X[n - 1 - k, l])"));
}

TEST(AddendsFirst, TakeOneRoundMoreForWhatIsAdded)
{
  const auto begun = [](const std::string& expression) {
    return kernel::to_text(with_addends_first(program_of(expression)).statements.front());
  };
  EXPECT_THAT(begun("Y[i] = exp(X[i,0] + sum(k, X[i,k]))"),
              HasSubstr("exp(sum(-1 <= k < n, select(k == -1, X[i, 0], X[i, k])))"));
  EXPECT_THAT(begun("Y[i] = 2 * sum(k, X[i,k]) + X[i,0] * X[i,1]"),
              HasSubstr("sum(-1 <= k < n, select(k == -1, X[i, 0] * X[i, 1], 2 * X[i, k]))"));
  EXPECT_THAT(begun("Y[i] = X[i,0] - sum(k, X[i,k])"),
              HasSubstr("sum(-1 <= k < n, select(k == -1, X[i, 0], -X[i, k]))"));
  EXPECT_THAT(begun("Y[i] = sum(k, X[i,k]) - X[i,0]"),
              HasSubstr("sum(-1 <= k < n, select(k == -1, -X[i, 0], X[i, k]))"));
  for (const char* const sum : {"sum(k, X[i,k])", "X[i,0] * sum(k, X[i,k])", "X[i,0] + max(k, X[i,k])",
                                "X[i,0] + sum(k, l <= k, X[k,l])", "X[i,0] + sum(k, max(l, X[k,l]))"}) {
    const std::string expression = std::string("Y[i] = ") + sum;
    EXPECT_FALSE(adds_to_sums(program_of(expression))) << sum;
    EXPECT_EQ(begun(expression), kernel::to_text(program_of(expression).statements.front()));
  }
}

TEST(LintTrials, AreSmallAndDrawnByTheSeed)
{
  const kernel::Kernel kernel = kernel_with("f32", "any", "m = 4096, n = 4096");
  Random random(7);
  const auto trials = draw_lint_trials(kernel, random);
  ASSERT_TRUE(trials);
  EXPECT_THAT(trials->remark, IsEmpty());
  EXPECT_EQ(trials->all.front().sizes, (kernel::Sizes{{"m", 24}, {"n", 24}}));
  EXPECT_GE(trials->all.size(), 4U);
  for (const LintTrial& trial : trials->all) {
    EXPECT_LE(trial.sizes.at("m") * trial.sizes.at("n"), 20'000);
    EXPECT_EQ(trial.families.size(), inputs::all_value_families().size());
  }
  // One has the timed sizes' shape, and no extent of 1.
  EXPECT_TRUE(std::ranges::any_of(trials->all, [](const LintTrial& trial) {
    return trial.sizes == kernel::Sizes{{"m", 64}, {"n", 128}} || trial.sizes == kernel::Sizes{{"m", 128}, {"n", 64}};
  }));
  Random again(7);
  EXPECT_EQ(draw_lint_trials(kernel, again)->all.back().sizes, trials->all.back().sizes);
}

TEST(LintTrials, OfSpecialisedKernelsAreTheTimedSizesOrStandForThem)
{
  Random random(7);
  const auto small = draw_lint_trials(kernel_with("f32", "timed", "m = 40, n = 50"), random);
  ASSERT_TRUE(small);
  ASSERT_EQ(small->all.size(), 1U);
  EXPECT_EQ(small->all.front().sizes, (kernel::Sizes{{"m", 40}, {"n", 50}}));
  EXPECT_THAT(small->remark, IsEmpty());
  const auto large = draw_lint_trials(kernel_with("f32", "timed", "m = 40000, n = 50"), random);
  ASSERT_TRUE(large);
  EXPECT_EQ(large->all.front().sizes.at("n"), 50);
  EXPECT_EQ(large->all.front().sizes.at("m"), 40000); // 2 million elements are affordable
  EXPECT_LT(large->all.front().families.size(), inputs::all_value_families().size());
  const auto huge = draw_lint_trials(kernel_with("f32", "timed", "m = 40000, n = 50000"), random);
  ASSERT_TRUE(huge);
  EXPECT_THAT(huge->remark, HasSubstr("m=40000 n=50000 takes too long here"));
  EXPECT_LT(huge->all.front().sizes.at("m") * huge->all.front().sizes.at("n"), 12'000'000);
}

} // namespace
} // namespace hone::gate
