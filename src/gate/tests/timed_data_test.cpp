// Data of timed calls: what is known about them is right, and what a block leaves behind is looked at.
#include "gate/timed_data.h"
#include "matmul_kit.h"
#include "util/fs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace hone::gate {
namespace {

constexpr std::size_t k_sets = 6;

class TimedDataTest : public testing::Test {
protected:
  TimedDataTest() : m_references(*m_kernel, reference()), m_data(*m_kernel, m_references, 11, 12), m_arena(arena(false))
  {
    std::iota(m_all.begin(), m_all.end(), 0U);
  }

  kernel::Reference reference()
  {
    auto cache = TemporaryFolder::create("timed-data");
    auto built = kernel::Reference::build(*m_kernel, cache->path());
    EXPECT_TRUE(built) << built.error().text();
    return *built;
  }

  Arena arena(bool shared_inputs)
  {
    ArenaSpec spec;
    spec.kernel = m_kernel.get();
    spec.sizes = m_kernel->timed.front();
    spec.sets = k_sets;
    spec.shared_inputs = shared_inputs;
    auto made = Arena::create(spec);
    EXPECT_TRUE(made) << made.error().text();
    return std::move(*made);
  }

  // What an honest candidate does.
  static void multiply(Arena& arena, std::size_t set)
  {
    const std::size_t m = 48, n = 40, k = 32;
    const auto* a = reinterpret_cast<const float*>(arena.tensor(set, 0).data());
    const auto* b = reinterpret_cast<const float*>(arena.tensor(set, 1).data());
    auto* c = reinterpret_cast<float*>(arena.tensor(set, 2).data());
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        float sum = 0;
        for (std::size_t p = 0; p < k; ++p) {
          sum += a[i * k + p] * b[p * n + j];
        }
        c[i * n + j] = sum;
      }
    }
  }

  bool passes(Arena& arena)
  {
    const auto checked = m_data.check(arena, m_all, Arm::candidate);
    EXPECT_TRUE(checked) << checked.error().text();
    return checked && checked->has_value();
  }

  std::shared_ptr<const kernel::Kernel> m_kernel = test::matmul_kernel();
  References m_references;
  TimedData m_data;
  Arena m_arena;
  std::vector<std::uint32_t> m_all = std::vector<std::uint32_t>(k_sets);
};

TEST_F(TimedDataTest, HonestResultsPassWithFullChecksAndProjections)
{
  m_data.begin(k_sets, false);
  for (int block = 0; block < 8; ++block) {
    ASSERT_TRUE(m_data.fill(m_arena, m_all, Arm::candidate));
    ASSERT_TRUE(m_data.ensure_known(m_arena, m_all, Arm::candidate));
    for (const std::uint32_t set : m_all) {
      multiply(m_arena, set);
    }
    ASSERT_TRUE(passes(m_arena));
  }
  EXPECT_GT(m_data.full_checks(), 0);
  EXPECT_GT(m_data.projections(), 0);
}

TEST_F(TimedDataTest, InputsAreFreshEveryTime)
{
  m_data.begin(k_sets, false);
  ASSERT_TRUE(m_data.fill(m_arena, m_all, Arm::candidate));
  const auto tensor = m_arena.tensor(3, 0);
  const std::vector<std::byte> before(tensor.begin(), tensor.end());
  ASSERT_TRUE(m_data.fill(m_arena, m_all, Arm::candidate));
  EXPECT_FALSE(std::equal(before.begin(), before.end(), tensor.begin()));
  EXPECT_FALSE(std::ranges::equal(m_arena.tensor(0, 0), m_arena.tensor(1, 0)));
}

TEST_F(TimedDataTest, OutputsOfAnotherCallAreFound)
{
  m_data.begin(k_sets, false);
  ASSERT_TRUE(m_data.fill(m_arena, m_all, Arm::candidate));
  multiply(m_arena, 0);
  for (std::size_t set = 1; set < k_sets; ++set) {
    const auto from = m_arena.tensor(0, 2);
    std::memcpy(m_arena.tensor(set, 2).data(), from.data(), from.size());
  }
  EXPECT_FALSE(passes(m_arena));
}

TEST_F(TimedDataTest, OneSlightlyWrongElementIsFoundWhereTheAnswerIsKnown)
{
  m_data.begin(k_sets, false);
  ASSERT_TRUE(m_data.fill(m_arena, m_all, Arm::candidate));
  ASSERT_TRUE(m_data.ensure_known(m_arena, m_all, Arm::candidate));
  for (const std::uint32_t set : m_all) {
    multiply(m_arena, set);
    reinterpret_cast<float*>(m_arena.tensor(set, 2).data())[17] += 3e-3F;
  }
  EXPECT_FALSE(passes(m_arena));
  EXPECT_GT(m_data.full_checks(), 0);
}

TEST_F(TimedDataTest, SharedInputsGiveOneAnswerThatIsRecognised)
{
  Arena shared = arena(true);
  m_data.begin(k_sets, true);
  ASSERT_TRUE(m_data.fill(shared, m_all, Arm::candidate));
  for (const std::uint32_t set : m_all) {
    multiply(shared, set);
  }
  EXPECT_TRUE(passes(shared));
  EXPECT_EQ(m_data.full_checks(), 1);
  EXPECT_EQ(m_data.recognised(), static_cast<std::int64_t>(k_sets) - 1);
}

// A kernel without a projection: outputs of fresh inputs are judged by a few elements.
TEST(TimedDataOfMaps, ResultsOfAnotherCallAreFound)
{
  const auto kernel = kernel::parse_kernel(R"TOML([kernel]
name = "gate"
summary = "a product, but not of sums"
[compute]
expr = "Y[i,j] = X[i,j] * max(X[i,j], 0)"
[arguments]
X = { type = "f32", shape = ["m", "n"] }
Y = { type = "f32", shape = ["m", "n"], role = "output" }
[sizes]
timed = [{ m = 24, n = 40 }]
also = "timed"
)TOML",
                                           "gate");
  ASSERT_TRUE(kernel) << kernel.error().text();
  const auto cache = TemporaryFolder::create("timed-data");
  auto reference = kernel::Reference::build(*kernel, cache->path());
  ASSERT_TRUE(reference) << reference.error().text();
  References references(*kernel, *reference);
  TimedData data(*kernel, references, 11, 12);
  ArenaSpec spec;
  spec.kernel = &*kernel;
  spec.sizes = kernel->timed.front();
  spec.sets = k_sets;
  auto arena = Arena::create(spec);
  ASSERT_TRUE(arena);
  std::vector<std::uint32_t> all(k_sets);
  std::iota(all.begin(), all.end(), 0U);
  const auto compute = [&](std::size_t from, std::size_t to) {
    const auto* x = reinterpret_cast<const float*>(arena->tensor(from, 0).data());
    auto* y = reinterpret_cast<float*>(arena->tensor(to, 1).data());
    for (std::size_t i = 0; i < 24 * 40; ++i) {
      y[i] = x[i] * std::max(x[i], 0.0F);
    }
  };
  data.begin(k_sets, false);
  for (int block = 0; block < 8; ++block) {
    ASSERT_TRUE(data.fill(*arena, all, Arm::candidate));
    for (const std::size_t set : all) {
      compute(set, set);
    }
    const auto honest = data.check(*arena, all, Arm::candidate);
    ASSERT_TRUE(honest && honest->has_value()) << (*honest).error().reason;
  }
  EXPECT_GT(data.full_checks(), 0);
  EXPECT_GT(data.element_checks(), 0);

  ASSERT_TRUE(data.fill(*arena, all, Arm::candidate));
  for (const std::size_t set : all) {
    compute((set + 1) % k_sets, set);
  }
  const auto copied = data.check(*arena, all, Arm::candidate);
  ASSERT_TRUE(copied);
  EXPECT_FALSE(copied->has_value());
}

TEST_F(TimedDataTest, ScaledReferencesAreThoseOfTheScaledInputs)
{
  const auto scaling = BilinearScaling::of(*m_kernel);
  ASSERT_TRUE(scaling);
  const inputs::InputSet inputs{inputs::ValueFamily::normal, 5};
  ASSERT_TRUE(fill_inputs(*m_kernel, m_arena, 0, inputs));
  const auto base = m_references.expected(m_arena, 0, inputs, false);
  ASSERT_TRUE(base);
  const auto scaled = scaling->apply(m_arena, 0, (*base)->outputs.front(), 6);
  ASSERT_TRUE(scaled);
  const auto direct = m_references.expected(m_arena, 0, {inputs::ValueFamily::normal, 99}, false);
  ASSERT_TRUE(direct);
  EXPECT_NE((*base)->outputs.front().values, (*direct)->outputs.front().values);
  for (std::size_t i = 0; i < (*direct)->outputs.front().values.size(); ++i) {
    const double value = (*direct)->outputs.front().values[i];
    ASSERT_NEAR((*scaled)->outputs.front().values[i], value, 1e-12 * std::abs(value) + 1e-13) << i;
    ASSERT_NEAR((*scaled)->outputs.front().bounds[i] / (*direct)->outputs.front().bounds[i], 1, 1e-6) << i;
  }
}

TEST_F(TimedDataTest, WhatIsEvaluatedAheadIsTheSame)
{
  const inputs::InputSet normal{inputs::ValueFamily::normal, 5}, one_hot{inputs::ValueFamily::one_hot, 5};
  References ahead(*m_kernel, reference());
  ahead.evaluate_ahead(m_arena.sizes(), {normal, one_hot, normal});
  for (const inputs::InputSet& inputs : {one_hot, normal}) {
    ASSERT_TRUE(fill_inputs(*m_kernel, m_arena, 0, inputs));
    const auto known = ahead.expected(m_arena, 0, inputs, true);
    const auto direct = m_references.expected(m_arena, 0, inputs, true);
    ASSERT_TRUE(known && direct);
    EXPECT_EQ((*known)->outputs.front().values, (*direct)->outputs.front().values);
    EXPECT_EQ((*known)->outputs.front().bounds, (*direct)->outputs.front().bounds);
    EXPECT_EQ(*ahead.expected(m_arena, 0, inputs, true), *known); // it is kept
  }
  ahead.evaluate_ahead(m_arena.sizes(), {{inputs::ValueFamily::normal, 6}}); // nobody asks for it
  ahead.finish_ahead();
}

TEST_F(TimedDataTest, SingleCallsOfEachArmAreKnownInFullOnce)
{
  m_data.begin(k_sets, false);
  const std::vector<std::uint32_t> one{2};
  for (const Arm arm : {Arm::candidate, Arm::incumbent}) {
    const auto before = m_data.full_checks();
    ASSERT_TRUE(m_data.fill(m_arena, one, arm));
    multiply(m_arena, one.front());
    ASSERT_TRUE(m_data.check(m_arena, one, arm)->has_value());
    EXPECT_EQ(m_data.full_checks(), before + 1);
  }
}

} // namespace
} // namespace hone::gate
