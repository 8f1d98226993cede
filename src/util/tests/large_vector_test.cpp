#include "util/large_vector.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

namespace hone {
namespace {

TEST(LargeVector, KeepsWhatIsWrittenHoweverLarge)
{
  for (const std::size_t count : {std::size_t{0}, std::size_t{3}, std::size_t{5} << 17, (std::size_t{5} << 17) + 1}) {
    LargeVector<double> values(count);
    std::iota(values.begin(), values.end(), 1.0);
    LargeVector<double> more = values;
    more.push_back(-1); // moves all of them
    ASSERT_EQ(more.size(), count + 1);
    EXPECT_EQ(LargeVector<double>(more.begin(), more.end() - 1), values);
    EXPECT_EQ(more.back(), -1);
  }
}

TEST(LargeVector, LargeOnesBeginOnHugePages)
{
  const LargeVector<double> values(std::size_t{1} << 20);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values.data()) % (2 << 20), 0U);
}

TEST(LargeVector, IsFilledWhereAValueIsGiven)
{
  EXPECT_EQ(LargeVector<double>(3, 7.0), (LargeVector<double>{7, 7, 7}));
}

} // namespace
} // namespace hone
