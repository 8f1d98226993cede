#include "util/large_vector.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(LargeVector, TakesMemoryOfTheOneBefore)
{
  constexpr std::size_t k_count = std::size_t{1} << 20;
  const double* before = nullptr;
  {
    LargeVector<double> values(k_count);
    before = values.data();
  }
  EXPECT_GE(large_memory_kept(), k_count * sizeof(double));
  const LargeVector<double> next(k_count - 1), beside(k_count - 1);
  EXPECT_EQ(next.data(), before);
  EXPECT_NE(beside.data(), before);
}

TEST(LargeVector, KeepsNoMoreThanItsLimit)
{
  for (const std::size_t bytes : {k_most_large_memory_kept / 3, 2 * k_most_large_memory_kept}) {
    std::vector<void*> taken(4);
    std::ranges::generate(taken, [bytes] { return take_large_memory(bytes); });
    std::ranges::for_each(taken, give_back_large_memory);
    EXPECT_LE(large_memory_kept(), k_most_large_memory_kept);
  }
}

TEST(LargeVector, IsFilledWhereAValueIsGiven)
{
  EXPECT_EQ(LargeVector<double>(3, 7.0), (LargeVector<double>{7, 7, 7}));
}

} // namespace
} // namespace hone
