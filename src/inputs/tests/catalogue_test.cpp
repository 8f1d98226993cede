#include "inputs/catalogue.h"
#include "inputs/size_draw.h"
#include "shipped.h"

#include <gtest/gtest.h>

#include <set>

namespace hone::inputs {
namespace {

TEST(Catalogue, ThePageOfValuesIsWhatTheTablesSay)
{
  const auto page = read_file(fs::path(HONE_SOURCE_ROOT) / "docs" / "values.md");
  ASSERT_TRUE(page);
  EXPECT_TRUE(*page == inputs_page()) << "docs/values.md is behind the tables of src/inputs. Write it anew:\n"
                                         "  hone inputs --markdown > docs/values.md";
}

TEST(Catalogue, KindsOfSizesHaveNamesOfTheirOwnAndGenerators)
{
  std::set<std::string_view> names;
  for (const SizeRow& row : size_table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(row.generator != nullptr && row.reason.ends_with(".")) << row.name;
  }
  EXPECT_EQ((*size_row_named("farthest"))->name, "farthest");
  const auto wrong = size_row_named("fartest");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().text().find("farthest"), std::string::npos) << wrong.error().text();
}

// A kind that no kernel gets finds nothing.
TEST(Catalogue, EveryKindOfSizesIsDrawnForSomeKernel)
{
  const LiteralSources sources{{96, 3072}, {101}, {1, 5}, {128}};
  std::set<std::string_view> drawn;
  for (const char* name : {"matmul", "conv2d", "softmax", "matmul-i8"}) {
    const kernel::Kernel kernel = shipped(name);
    for (const SizeRow& row : size_table()) {
      Random random(3);
      const auto hidden = draw_hidden_sizes(kernel, {}, {2, 4e6}, random);
      const auto longer = draw_long_sizes(kernel, 3, 4e6, random, &row);
      const auto further = draw_further_sizes(kernel, {{"SLICE_K", 16}}, 1.5e7, random, &row);
      const auto strata = draw_strata(kernel, 5e6, random, &row);
      const auto corners = draw_corners(kernel, 8, {.flops = 2e7, .bytes = 4e6}, random, &row);
      const auto literal = draw_literal_sizes(kernel, sources, 64, random, &row);
      ASSERT_TRUE(hidden && longer && further && strata && corners && literal);
      std::size_t groups = row.group == SizeGroup::hidden ? 1 : 0;
      for (const auto* sizes : {&*longer, &*further, &*strata, &*corners, &*literal}) {
        groups += sizes->empty() ? 0 : 1;
      }
      EXPECT_LE(groups, 1U) << row.name << " is drawn in several groups";
      if (groups > 0) {
        drawn.insert(row.name);
      }
    }
  }
  for (const SizeRow& row : size_table()) {
    EXPECT_TRUE(drawn.contains(row.name)) << row.name;
  }
}

} // namespace
} // namespace hone::inputs
