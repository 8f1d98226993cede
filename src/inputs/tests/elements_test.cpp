#include "inputs/elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace hone::inputs {
namespace {

double through(kernel::DataType type, double value)
{
  std::byte bytes[8];
  store_element(type, bytes, value);
  return load_element(type, bytes);
}

TEST(Elements, HalfRoundsToNearestEven)
{
  EXPECT_EQ(through(kernel::DataType::f16, 1.0 + 0x1p-11), 1.0);              // halfway, even below
  EXPECT_EQ(through(kernel::DataType::f16, 1.0 + 3 * 0x1p-11), 1.0 + 0x1p-9); // halfway, even above
  EXPECT_EQ(through(kernel::DataType::f16, 2047.9), 2048.0);                  // carries into the exponent
  EXPECT_EQ(through(kernel::DataType::f16, 65504.0), 65504.0);
  EXPECT_EQ(through(kernel::DataType::f16, 65520.0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(through(kernel::DataType::f16, -0x1p-24), -0x1p-24); // smallest subnormal
  EXPECT_EQ(through(kernel::DataType::f16, 0x1p-14 - 0x1p-26), 0x1p-14);
  EXPECT_TRUE(std::isnan(through(kernel::DataType::f16, std::nan(""))));
}

TEST(Elements, EveryFiniteHalfSurvives)
{
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    std::byte bytes[2];
    std::memcpy(bytes, &half, 2);
    const double value = load_element(kernel::DataType::f16, bytes);
    if (std::isfinite(value)) {
      EXPECT_EQ(through(kernel::DataType::f16, value), value) << bits;
    }
  }
}

TEST(Elements, BfloatKeepsEightBits)
{
  EXPECT_EQ(through(kernel::DataType::bf16, 1.0 + 0x1p-7), 1.0 + 0x1p-7);
  EXPECT_EQ(through(kernel::DataType::bf16, 1.0 + 0x1p-8), 1.0);
  EXPECT_TRUE(std::isnan(through(kernel::DataType::bf16, std::nan(""))));
}

TEST(Elements, IntegersRoundAndStayInRange)
{
  EXPECT_EQ(through(kernel::DataType::i8, 200), 127);
  EXPECT_EQ(through(kernel::DataType::i8, -1e9), -128);
  EXPECT_EQ(through(kernel::DataType::u8, 2.4), 2);
  EXPECT_EQ(through(kernel::DataType::i16, -40000), -32768);
  EXPECT_EQ(through(kernel::DataType::u16, 40000), 40000);
  EXPECT_EQ(through(kernel::DataType::u16, -1), 0);
  EXPECT_EQ(through(kernel::DataType::u32, 4294967295.0), 4294967295.0);
  EXPECT_EQ(through(kernel::DataType::u32, 1e10), 4294967295.0);
  EXPECT_EQ(through(kernel::DataType::i32, -3.6), -4);
  EXPECT_EQ(through(kernel::DataType::boolean, 0.5), 1);
  EXPECT_EQ(through(kernel::DataType::i32, 2.5), 2); // halves to even
  EXPECT_EQ(through(kernel::DataType::i64, 0x1p52 + 1), 0x1p52 + 1);
  EXPECT_EQ(through(kernel::DataType::i8, std::nan("")), 0);
  EXPECT_GT(through(kernel::DataType::i64, 1e300), 9e18);
  EXPECT_GT(through(kernel::DataType::i64, std::numeric_limits<double>::infinity()), 9e18);
  EXPECT_EQ(through(kernel::DataType::i64, -std::numeric_limits<double>::infinity()), -0x1p63);
}

} // namespace
} // namespace hone::inputs
