#include "backend/cpu/watch/guarded_variables.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace hone::backend::cpu {
namespace {

// Memory takes the place of a stack; what functions write there by themselves is tried by attacks.
class GuardedVariablesTest : public testing::Test {
protected:
  static void SetUpTestSuite() { ASSERT_TRUE(m_variables.add_stack(g_stack.data(), g_stack.data() + g_stack.size())); }
  void SetUp() override { m_variables.clear(address(0), address(g_stack.size())); }

  static std::uintptr_t address(std::size_t offset)
  {
    return reinterpret_cast<std::uintptr_t>(g_stack.data()) + offset;
  }

  std::string violation(std::size_t offset, std::size_t bytes) const
  {
    return m_variables.violation(g_stack.data() + offset, bytes);
  }

  alignas(64) static inline std::array<std::byte, 1 << 16> g_stack{};
  static inline GuardedVariables m_variables;
};

TEST_F(GuardedVariablesTest, ABlockOfTheStackEndsWhereItEnds)
{
  m_variables.add_block(address(1024), 44);
  EXPECT_EQ(violation(1024, 44), "");
  EXPECT_EQ(violation(1064, 4), "");
  EXPECT_EQ(violation(900, 8), "");
  for (const std::size_t beside : {1068U, 1023U, 1095U, 1000U}) {
    EXPECT_EQ(violation(beside, 1), "beside a block that it took from its stack") << beside;
  }
  EXPECT_NE(violation(1056, 16), "");
  m_variables.clear(address(512), address(2048));
  EXPECT_EQ(violation(1068, 4), "");
}

TEST_F(GuardedVariablesTest, AVariableIsOneUntilItsBlockIsOver)
{
  m_variables.end_lifetime(address(4096), 20);
  EXPECT_EQ(violation(4096, 4), "beside its local variables"); // no frame lies there that names it
  EXPECT_EQ(violation(4092, 4), "");
  m_variables.begin_lifetime(address(4096), 20);
  EXPECT_EQ(violation(4096, 20), "");
  EXPECT_NE(violation(4112, 8), "");
}

TEST_F(GuardedVariablesTest, ConstantsHaveNames)
{
  static constexpr std::array<float, 16> k_table{};
  m_variables.add_constant(k_table.data(), 20, 64, "halves");
  EXPECT_EQ(m_variables.violation(k_table.data(), 20), "");
  EXPECT_EQ(m_variables.violation(k_table.data() + 4, 8), "4 bytes past the end of halves, a constant of 20 bytes");
  EXPECT_EQ(m_variables.violation(k_table.data() + 16, 4), "");
}

TEST_F(GuardedVariablesTest, OtherMemoryIsNotChecked)
{
  float other = 0;
  EXPECT_EQ(m_variables.violation(&other, 400), "");
}

} // namespace
} // namespace hone::backend::cpu
