// Bad luck with rounding is no mistake: what errs like plain loops on the same values is right, what errs more is not;
// also where the outputs have overwritten what the loops must be given.
#include "gate/control_loops.h"
#include "gate/gate_state.h"
#include "gate/references.h"
#include "util/fs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace hone::gate {
namespace {

constexpr inputs::InputSet k_inputs{inputs::ValueFamily::normal, 7};

kernel::Kernel product_kernel(const std::string& addend, const std::string& role)
{
  auto kernel = kernel::parse_kernel("[kernel]\nname = \"product\"\n[compute]\n"
                                     "expr = \"C[m,n] = sum(k, A[m,k] * B[k,n])"
                                       + addend
                                       + "\"\n[arguments]\nA = { type = \"f32\", shape = [\"m\", \"k\"] }\n"
                                         "B = { type = \"f32\", shape = [\"k\", \"n\"] }\n"
                                         "C = { type = \"f32\", shape = [\"m\", \"n\"], role = \""
                                       + role + "\" }\n[sizes]\ntimed = [ { m = 48, n = 40, k = 32 } ]\n",
                                     "control_loops_test");
  if (!kernel) {
    throw std::runtime_error(kernel.error().text());
  }
  return std::move(*kernel);
}

struct Product {
  std::string name, addend, role;
};

class ControlLoopsTest : public testing::TestWithParam<Product> {
protected:
  // One cache for all: references and loops are compiled once.
  static void SetUpTestSuite() { s_cache = new TemporaryFolder(TemporaryFolder::create("control-loops").value()); }
  static void TearDownTestSuite()
  {
    delete s_cache;
    s_cache = nullptr;
  }

  void SetUp() override
  {
    ASSERT_TRUE(prepare_sessions());
    auto references = references_for(m_kernel, "test", s_cache->path());
    ASSERT_TRUE(references) << references.error().text();
    m_references.emplace(std::move(*references));
    ArenaSpec spec;
    spec.kernel = &m_kernel;
    spec.sizes = m_kernel.timed.front();
    auto arena = Arena::create(spec);
    ASSERT_TRUE(arena) << arena.error().text();
    m_arena.emplace(std::move(*arena));
    ASSERT_TRUE(fill_inputs(m_kernel, *m_arena, 0, k_inputs));
    auto expected = m_references->expected(*m_arena, 0, k_inputs, false);
    ASSERT_TRUE(expected) << expected.error().text();
    m_expected = **expected;
    ASSERT_EQ(m_expected.overwritten[2].empty(), GetParam().role == "output");
    // So narrow that a plain chain of additions is two bounds off.
    const auto worst =
      RoundingControls(m_kernel, "test", s_cache->path()).worst_error(*m_sizes, inputs(), m_expected.outputs);
    ASSERT_TRUE(worst) << worst.error().text();
    ASSERT_TRUE(*worst);
    ASSERT_GT(**worst, 0);
    ASSERT_LT(**worst, 1);
    for (double& bound : m_expected.outputs.front().bounds) {
      bound *= **worst / 2;
    }
  }

  std::vector<const std::byte*> inputs()
  {
    std::vector<const std::byte*> all = m_arena->arguments(0);
    all[2] = GetParam().role == "output" ? nullptr : all[2];
    return all;
  }

  // The right outputs, the first of them this many bounds off.
  OutputCheck check_off_by(double bounds)
  {
    auto* output = reinterpret_cast<float*>(m_arena->tensor(0, 2).data());
    const kernel::ReferenceOutput& expected = m_expected.outputs.front();
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
      output[i] = static_cast<float>(expected.values[i]);
    }
    output[0] = static_cast<float>(expected.values[0] + bounds * expected.bounds[0]);
    const auto checked = m_references->check(*m_arena, 0, m_expected);
    EXPECT_TRUE(checked) << checked.error().text();
    return checked.value_or(OutputCheck{});
  }

  kernel::Kernel m_kernel = product_kernel(GetParam().addend, GetParam().role);
  const kernel::Sizes* m_sizes = &m_kernel.timed.front();
  static TemporaryFolder* s_cache;
  std::optional<References> m_references;
  std::optional<Arena> m_arena;
  Expected m_expected;
};

TemporaryFolder* ControlLoopsTest::s_cache = nullptr;

TEST_P(ControlLoopsTest, ErringAsMuchIsExcused)
{
  EXPECT_TRUE(check_off_by(3).passed);
  EXPECT_EQ(m_references->doubts().asked, 1);
  EXPECT_EQ(m_references->doubts().excused, 1);
}

TEST_P(ControlLoopsTest, ErringMoreIsNot)
{
  const OutputCheck check = check_off_by(8);
  EXPECT_FALSE(check.passed);
  EXPECT_NE(check.reason.find("C[0, 0]"), std::string::npos) << check.reason;
  EXPECT_EQ(m_references->doubts().asked, 1);
  EXPECT_EQ(m_references->doubts().excused, 0);
}

TEST_P(ControlLoopsTest, NobodyIsAskedAboutWhatIsNoRounding)
{
  EXPECT_FALSE(check_off_by(100).passed);
  EXPECT_EQ(m_references->doubts().asked, 0);
}

// Of what is updated the loops need the old contents. Given the new ones they would be wrong beyond all bounds, and
// excuse everything.
INSTANTIATE_TEST_SUITE_P(Products, ControlLoopsTest,
                         testing::Values(Product{"Output", "", "output"}, Product{"Added", " + C[m,n]", "inout"},
                                         Product{"Scaled", " + 0.5 * C[m,n]", "inout"}),
                         [](const auto& param) { return param.param.name; });

} // namespace
} // namespace hone::gate
