// The tables that values are drawn from, as tables.
#include "inputs/catalogue.h"
#include "inputs/elements.h"
#include "inputs/value_stream.h"
#include "shipped.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace hone::inputs {
namespace {

constexpr std::array k_all_types{kernel::DataType::f64,  kernel::DataType::f32, kernel::DataType::f16,
                                 kernel::DataType::bf16, kernel::DataType::i64, kernel::DataType::i32,
                                 kernel::DataType::i16,  kernel::DataType::i8,  kernel::DataType::u32,
                                 kernel::DataType::u16,  kernel::DataType::u8,  kernel::DataType::boolean};

kernel::Argument argument_for(kernel::DataType type, kernel::Domain domain)
{
  kernel::Argument argument;
  argument.name = "A";
  argument.type = type;
  argument.domain = domain;
  return argument;
}

TEST(ValueRows, FamiliesAndRowsHaveNamesOfTheirOwnAndSayWhatTheyAreFor)
{
  std::set<std::string_view> names;
  for (const FamilyRows& family : value_table()) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
    for (const ValueRow& row : family.rows) {
      EXPECT_TRUE(names.insert(row.name).second) << row.name;
      EXPECT_TRUE(row.name.starts_with(std::string(family.name) + "/")) << row.name;
      EXPECT_TRUE(row.reason.ends_with(".") && !row.values.empty()) << row.name;
      EXPECT_NE(row.types(), 0U) << row.name;
    }
  }
  EXPECT_EQ(value_table().size(), all_value_families().size());
}

// A type whose shares do not fill the round would have calls without a row.
TEST(ValueRows, SharesAddUpToTheRoundForEveryType)
{
  for (const FamilyRows& family : value_table()) {
    for (Types type = 1; type <= k_indices; type <<= 1) {
      unsigned calls = 0;
      bool of_tensors = false;
      for (const ValueRow& row : family.rows) {
        calls += row.share_for(type);
        EXPECT_FALSE(of_tensors && row.picked_for == PickedFor::call && row.share_for(type) > 0)
          << row.name << " is for whole calls and stands behind others";
        of_tensors = of_tensors || (row.picked_for == PickedFor::tensor && row.share_for(type) > 0);
      }
      EXPECT_TRUE(calls == family.round || (type == k_indices && calls == 0)) << family.name << ", type " << type;
    }
  }
}

// Validation in full depth makes one call of a family at each of twelve sizes, of these two families four or more: a
// longer round would leave rows out of it.
TEST(ValueRows, ARoundIsNoLongerThanTheCallsOfAValidation)
{
  for (const FamilyRows& family : value_table()) {
    const bool often = family.family == ValueFamily::nearly || family.family == ValueFamily::whole;
    EXPECT_LE(family.round, often ? 24U : 12U) << family.name;
  }
}

// A row that no seed picks finds nothing.
TEST(ValueRows, EveryRowIsReached)
{
  for (const FamilyRows& family : value_table()) {
    std::set<const ValueRow*> reached;
    for (std::uint64_t seed = 0; seed < family.round; ++seed) {
      for (Types type = 1; type <= k_indices; type <<= 1) {
        reached.insert(pick_row({family.family, seed}, type, 0).row);
        reached.insert(pick_row({family.family, seed, 99}, type, 0).row); // with a top
      }
    }
    for (const ValueRow& row : family.rows) {
      if (row.name != "mixed/rows-of-all-sizes") { // a part of another row's calls: below
        EXPECT_TRUE(reached.contains(&row)) << row.name;
      }
    }
  }
}

TEST(ValueRows, SomeTensorsOfTheirOwnKindHaveRowsOfAllSizes)
{
  const auto forced = values_named("mixed/each-of-its-own-kind");
  ASSERT_TRUE(forced);
  std::set<std::string_view> names;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Stream stream{LaneRandom(seed), ValueFamily::mixed, k_f32, kernel::DataType::f32, 0, 8, 64, seed * 7919, seed};
    stream.picked = {forced->row, seed};
    forced->row->begin(stream);
    names.insert(stream.picked.row->name);
  }
  EXPECT_TRUE(names.contains("mixed/rows-of-all-sizes"));
  EXPECT_TRUE(names.contains("normal/plain"));
  EXPECT_GT(names.size(), 8U);
}

// A value outside would be an input that the kernel's author has excluded.
TEST(ValueRows, EveryRowKeepsToTheDomainForAllItsTypes)
{
  for (const FamilyRows& family : value_table()) {
    for (const ValueRow& row : family.rows) {
      for (const kernel::DataType type : k_all_types) {
        for (const kernel::Domain domain :
             {kernel::Domain{}, kernel::Domain{0, 1e300}, kernel::Domain{0, 1}, kernel::Domain{-3, 40}}) {
          const kernel::Argument argument = argument_for(type, domain);
          if ((row.types() & types_of(argument)) == 0) {
            continue;
          }
          for (std::uint64_t seed = 0; seed < 4; ++seed) {
            for (const std::size_t position : {0, 1}) {
              std::vector<std::byte> bytes(777 * kernel::size_of(type));
              fill_argument(bytes, argument, position, 37, {family.family, seed, 0, &row});
              for (std::size_t at = 0; at < bytes.size(); at += kernel::size_of(type)) {
                const double value = load_element(type, bytes.data() + at);
                ASSERT_TRUE(std::isfinite(value)) << row.name << ' ' << kernel::name_of(type);
                ASSERT_TRUE(value >= domain.low && value <= domain.high) << row.name << ' ' << kernel::name_of(type);
              }
            }
          }
        }
      }
    }
  }
}

// Otherwise a forced row would not reproduce what it was named for.
TEST(ValueRows, AForcedRowIsTheOnlyOneOfTensorsThatItIsFor)
{
  for (const FamilyRows& family : value_table()) {
    for (const ValueRow& row : family.rows) {
      for (Types type = 1; type <= k_indices; type <<= 1) {
        for (std::uint64_t seed = 0; seed < 30; ++seed) {
          const ValueRow* picked = pick_row({family.family, seed, 0, &row}, type, seed % 3).row;
          ASSERT_NE(picked, nullptr) << row.name;
          EXPECT_TRUE((row.types() & type) == 0 || picked == &row) << row.name << ": " << picked->name;
          EXPECT_TRUE((picked->types() & type) != 0) << row.name << ": " << picked->name;
        }
      }
    }
  }
}

TEST(ValueRows, IndicesOfForcedPeaksNameThem)
{
  const auto forced = values_named("peaks/twins-that-indices-name");
  ASSERT_TRUE(forced);
  EXPECT_EQ(pick_row({forced->family, 3, 0, forced->row}, k_indices, 1).row->name, "peaks/indices-at-peaks");
}

TEST(ValueRows, AreFoundByNameAndAWrongNameHasTheNearest)
{
  ASSERT_TRUE(values_named("large"));
  EXPECT_EQ(values_named("large")->row, nullptr);
  EXPECT_EQ(name_of(*values_named("large/around-a-middle")), "large/around-a-middle");
  const auto wrong = values_named("large/around-a-midle");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().text().find("large/around-a-middle"), std::string::npos) << wrong.error().text();
}

TEST(ValueRows, ThoseOfACallAreNamedOnceEach)
{
  const kernel::Kernel kernel = shipped("matmul");
  const auto forced = values_named("large/around-zero");
  ASSERT_TRUE(forced);
  EXPECT_EQ(row_names(kernel, kernel.timed.front(), {forced->family, 1, 0, forced->row}), "large/around-zero");
  std::set<std::string> names;
  for (std::uint64_t seed = 0; seed < 48; ++seed) {
    names.insert(row_names(kernel, kernel.timed.front(), {ValueFamily::large, seed}));
  }
  EXPECT_TRUE(names.contains("large/around-zero + large/range-of-each-row")) << names.size();
}

} // namespace
} // namespace hone::inputs
