// Bad luck with rounding is no mistake: what errs like plain loops on the same values is right, what errs more is not.
#include "gate/control_loops.h"
#include "gate/gate_state.h"
#include "gate/references.h"
#include "matmul_kit.h"
#include "util/fs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace hone::gate {
namespace {

constexpr inputs::InputSet k_inputs{inputs::ValueFamily::normal, 7};

class ControlLoopsTest : public testing::Test {
protected:
  void SetUp() override
  {
    ASSERT_TRUE(prepare_sessions());
    auto references = references_for(*m_kernel, "test", m_cache->path());
    ASSERT_TRUE(references) << references.error().text();
    m_references.emplace(std::move(*references));
    ArenaSpec spec;
    spec.kernel = m_kernel.get();
    spec.sizes = m_kernel->timed.front();
    auto arena = Arena::create(spec);
    ASSERT_TRUE(arena) << arena.error().text();
    m_arena.emplace(std::move(*arena));
    ASSERT_TRUE(fill_inputs(*m_kernel, *m_arena, 0, k_inputs));
    auto expected = m_references->expected(*m_arena, 0, k_inputs, false);
    ASSERT_TRUE(expected) << expected.error().text();
    m_expected = **expected;
    // So narrow that a plain chain of additions is two bounds off.
    const auto worst = RoundingControls(*m_kernel, "test", m_cache->path()).worst_error(*m_sizes, inputs(), m_expected);
    ASSERT_TRUE(worst) << worst.error().text();
    ASSERT_TRUE(*worst);
    ASSERT_GT(**worst, 0);
    ASSERT_LT(**worst, 1);
    for (double& bound : m_expected.front().bounds) {
      bound *= **worst / 2;
    }
  }

  std::vector<const std::byte*> inputs()
  {
    std::vector<const std::byte*> all = m_arena->arguments(0);
    all[2] = nullptr;
    return all;
  }

  // The right outputs, the first of them this many bounds off.
  OutputCheck check_off_by(double bounds)
  {
    auto* output = reinterpret_cast<float*>(m_arena->tensor(0, 2).data());
    const kernel::ReferenceOutput& expected = m_expected.front();
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
      output[i] = static_cast<float>(expected.values[i]);
    }
    output[0] = static_cast<float>(expected.values[0] + bounds * expected.bounds[0]);
    const auto checked = m_references->check(*m_arena, 0, m_expected);
    EXPECT_TRUE(checked) << checked.error().text();
    return checked.value_or(OutputCheck{});
  }

  std::shared_ptr<const kernel::Kernel> m_kernel = test::matmul_kernel();
  const kernel::Sizes* m_sizes = &m_kernel->timed.front();
  Result<TemporaryFolder> m_cache = TemporaryFolder::create("honest-loops");
  std::optional<References> m_references;
  std::optional<Arena> m_arena;
  std::vector<kernel::ReferenceOutput> m_expected;
};

TEST_F(ControlLoopsTest, ErringAsMuchIsExcused)
{
  EXPECT_TRUE(check_off_by(3).passed);
  EXPECT_EQ(m_references->doubts().asked, 1);
  EXPECT_EQ(m_references->doubts().excused, 1);
}

TEST_F(ControlLoopsTest, ErringMoreIsNot)
{
  const OutputCheck check = check_off_by(8);
  EXPECT_FALSE(check.passed);
  EXPECT_NE(check.reason.find("C[0, 0]"), std::string::npos) << check.reason;
  EXPECT_EQ(m_references->doubts().asked, 1);
  EXPECT_EQ(m_references->doubts().excused, 0);
}

TEST_F(ControlLoopsTest, NobodyIsAskedAboutWhatIsNoRounding)
{
  EXPECT_FALSE(check_off_by(100).passed);
  EXPECT_EQ(m_references->doubts().asked, 0);
}

} // namespace
} // namespace hone::gate
