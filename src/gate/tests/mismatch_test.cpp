#include "gate/mismatch.h"

#include <gtest/gtest.h>

#include <vector>

namespace hone::gate {
namespace {

template <class Wrong> std::string described(std::int64_t rows, std::int64_t columns, Wrong wrong)
{
  std::vector<std::uint8_t> marks;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      marks.push_back(wrong(r, c) ? 1 : 0);
    }
  }
  const std::int64_t shape[] = {rows, columns};
  return describe_mismatch(marks, shape);
}

TEST(Mismatch, NamesSimplePatterns)
{
  EXPECT_EQ(described(8, 8, [](auto, auto) { return true; }), "every element");
  EXPECT_EQ(described(1, 1, [](auto, auto) { return true; }), "every element (there is one element)");
  EXPECT_EQ(described(8, 8, [](auto r, auto c) { return r == 3 && c == 4; }), "one element");
  EXPECT_EQ(described(8, 8, [](auto, auto c) { return c == 7; }), "last column of every row");
  EXPECT_EQ(described(8, 8, [](auto, auto c) { return c >= 6; }), "last 2 columns of every row");
  EXPECT_EQ(described(8, 8, [](auto r, auto) { return r == 7; }), "last row");
  EXPECT_EQ(described(8, 8, [](auto r, auto) { return r == 2 || r == 3; }), "rows 2 to 3");
  EXPECT_EQ(described(128, 8, [](auto r, auto) { return r % 32 == 31; }), "every 32nd row");
  EXPECT_EQ(described(8, 8, [](auto r, auto c) { return r >= 6 && c >= 5; }), "last 3 columns in last 2 rows");
  EXPECT_EQ(described(8, 8, [](auto r, auto c) { return r == c; }), "8 of 64 elements");
}

TEST(Mismatch, WritesIndicesOfAnyRank)
{
  const std::int64_t shape[] = {2, 3, 4};
  EXPECT_EQ(multi_index(23, shape), "[1, 2, 3]");
  EXPECT_EQ(multi_index(5, shape), "[0, 1, 1]");
  EXPECT_EQ(multi_index(0, {}), "");
}

} // namespace
} // namespace hone::gate
