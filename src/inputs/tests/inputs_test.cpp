#include "inputs/catalogue.h"
#include "inputs/elements.h"
#include "inputs/inputs.h"
#include "inputs/value_stream.h"
#include "util/fs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>
#include <span>
#include <vector>

namespace hone::inputs {
namespace {

kernel::Argument argument_of(kernel::DataType type, kernel::Domain domain = {})
{
  kernel::Argument argument;
  argument.name = "A";
  argument.type = type;
  argument.domain = domain;
  return argument;
}

std::vector<std::byte> filled(const kernel::Argument& argument, std::int64_t elements, std::int64_t row,
                              const InputSet& inputs, std::size_t position = 0, Store store = Store::cached)
{
  std::vector<std::byte> bytes(static_cast<std::size_t>(elements) * kernel::size_of(argument.type));
  fill_argument(bytes, argument, position, row, inputs, store);
  return bytes;
}

std::vector<std::byte> filled(const kernel::Argument& argument, std::int64_t elements, std::int64_t row,
                              ValueFamily family, std::uint64_t seed, Store store = Store::cached,
                              std::size_t position = 0)
{
  return filled(argument, elements, row, {family, seed}, position, store);
}

// Of one row alone.
InputSet of_row(const std::string& name, std::uint64_t seed)
{
  const auto forced = values_named(name);
  EXPECT_TRUE(forced) << name;
  return {forced->family, seed, 0, forced->row};
}

std::vector<double> values_of(kernel::DataType type, const std::vector<std::byte>& bytes)
{
  std::vector<double> values;
  for (std::size_t offset = 0; offset < bytes.size(); offset += kernel::size_of(type)) {
    values.push_back(load_element(type, bytes.data() + offset));
  }
  return values;
}

TEST(Inputs, SumsOfBytesLoseByTheirEndWhatTheyHadGained)
{
  constexpr std::int64_t k_terms = 4096, k_columns = 4;
  int calls = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto make = [&](std::int64_t elements, std::int64_t row, std::size_t position) {
      return values_of(kernel::DataType::i8, filled(argument_of(kernel::DataType::i8), elements, row,
                                                    ValueFamily::cancellation, seed, Store::cached, position));
    };
    const std::vector<double> a = make(k_terms, k_terms, 0), b = make(k_terms * k_columns, k_columns, 1);
    double sum = 0, most = 0;
    for (std::size_t k = 0; k < k_terms; ++k) {
      sum += a[k] * b[k * k_columns];
      most = std::max(most, sum);
    }
    calls += most > 0x1p24 && std::fabs(sum) < 0x1p23 ? 1 : 0;
  }
  EXPECT_GT(calls, 4);
  EXPECT_LT(calls, 16);
}

TEST(Inputs, NormalHasMeanZeroAndVarianceOne)
{
  for (const kernel::DataType type : {kernel::DataType::f32, kernel::DataType::f64}) {
    const auto values = values_of(type, filled(argument_of(type), 100'000, 100, ValueFamily::normal, 7));
    double sum = 0;
    double squares = 0;
    EXPECT_GT(std::ranges::count_if(values, [](double value) { return std::fabs(value) > 3.5; }), 0);
    EXPECT_TRUE(std::ranges::all_of(values, [](double value) { return std::fabs(value) < 7; }));
    for (const double value : values) {
      sum += value;
      squares += value * value;
    }
    EXPECT_NEAR(sum / 1e5, 0, 0.02);
    EXPECT_NEAR(squares / 1e5, 1, 0.02);
  }
}

TEST(Inputs, SeedArgumentAndFamilyDecideAndTheStoreDoesNot)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  const auto one = filled(argument, 5000, 50, ValueFamily::normal, 1);
  EXPECT_EQ(one, filled(argument, 5000, 50, ValueFamily::normal, 1));
  EXPECT_EQ(one, filled(argument, 5000, 50, ValueFamily::normal, 1, Store::streaming));
  EXPECT_NE(one, filled(argument, 5000, 50, ValueFamily::normal, 2));
  EXPECT_NE(one, filled(argument, 5000, 50, ValueFamily::uniform, 1));
  EXPECT_NE(one, filled(argument, 5000, 50, ValueFamily::normal, 1, Store::cached, 1));
}

TEST(Inputs, EveryFamilyOfEveryTypeIsFiniteAndInsideTheDomain)
{
  for (const kernel::DataType type :
       {kernel::DataType::f64, kernel::DataType::f32, kernel::DataType::f16, kernel::DataType::bf16,
        kernel::DataType::i32, kernel::DataType::i16, kernel::DataType::i8, kernel::DataType::u32,
        kernel::DataType::u16, kernel::DataType::u8, kernel::DataType::boolean}) {
    for (const ValueFamily family : all_value_families()) {
      for (const kernel::Domain domain : {kernel::Domain{}, kernel::Domain{0, 1e300}, kernel::Domain{0, 1}}) {
        const auto values = values_of(type, filled(argument_of(type, domain), 777, 37, family, 3));
        for (const double value : values) {
          ASSERT_TRUE(std::isfinite(value)) << kernel::name_of(type) << " " << name_of(family);
          ASSERT_GE(value, domain.low) << kernel::name_of(type) << " " << name_of(family);
          ASSERT_LE(value, domain.high) << kernel::name_of(type) << " " << name_of(family);
        }
      }
    }
  }
}

TEST(Inputs, FamiliesAreWhatTheyAreCalled)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  const auto make = [&](ValueFamily family) {
    return values_of(kernel::DataType::f32, filled(argument, 3200, 32, family, 11));
  };
  for (int row = 0; row < 100; ++row) {
    const auto hot = make(ValueFamily::one_hot);
    double sum = 0;
    for (int column = 0; column < 32; ++column) {
      sum += hot[static_cast<std::size_t>(row * 32 + column)];
    }
    ASSERT_EQ(sum, 1);
  }
  const auto zeros = make(ValueFamily::signed_zeros);
  EXPECT_TRUE(std::ranges::any_of(zeros, [](double value) { return value == 0 && std::signbit(value); }));
  const auto largest_of = [](const std::vector<double>& values, std::size_t row) {
    return std::ranges::max(std::span(values).subspan(row * 32, 32));
  };
  const auto others = values_of(kernel::DataType::f32,
                                filled(argument, 3200, 32, ValueFamily::signed_zeros, 12)); // begin with the other row
  for (std::size_t row = 0; row + 1 < 100; row += 2) {
    ASSERT_EQ(largest_of(zeros, row), 0);
    ASSERT_EQ(largest_of(others, row + 1), 0);
  }
  for (const double value : make(ValueFamily::small_integers)) {
    ASSERT_EQ(value, std::nearbyint(value));
  }
  const auto pairs = make(ValueFamily::cancellation);
  EXPECT_LT(std::fabs(pairs[0] + pairs[1]), 10);
  EXPECT_GT(std::fabs(pairs[0]), 900);
}

TEST(Inputs, SomeAreFarOffOrNearlyOneOrNearTheLowestOrTheLargestNumber)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  int far_off = 0, nearly_one = 0, extreme = 0, lowest = 0, highest = 0, faint = 0;
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const auto make = [&](ValueFamily family) {
      return values_of(kernel::DataType::f32, filled(argument, 6400, 64, family, seed));
    };
    const auto far = make(ValueFamily::far_off);
    const auto [low, high] = std::ranges::minmax(far);
    far_off += low * high > 1e20;
    nearly_one += std::fabs(std::fabs(low) - 1) < 0.001 && high < 1.001 && std::fabs(far[6]) + std::fabs(far[7]) == 2;
    const auto ends = make(ValueFamily::extreme);
    const auto [least, most] = std::ranges::minmax(ends);
    lowest += most < -0.9e38;
    highest += least > 0.9e38;
    faint += least > -0x1p-100 && most < 0x1p-100;
    extreme += least < -1e10 && most > 1e10 && most < 1e20;
  }
  EXPECT_EQ(far_off + nearly_one, 39);
  EXPECT_EQ(extreme + lowest + highest + faint, 39);
  EXPECT_TRUE(far_off > 5 && nearly_one > 5 && extreme > 5 && lowest > 0 && highest > 0 && faint > 0)
    << far_off << " " << lowest;
}

TEST(Inputs, SomeLeaveMuchOutInTwoHalvesAndSomeRowsAreAllTheLowest)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  int bf16 = 0, half = 0, lowest = 0;
  for (std::uint64_t seed = 1; seed < 97; ++seed) {
    const auto make = [&](ValueFamily family) {
      return values_of(kernel::DataType::f32, filled(argument, 6400, 64, family, seed));
    };
    const auto [low, high] = std::ranges::minmax(make(ValueFamily::shifted));
    bf16 += low > 1 + 0x1p-9 && high < 1 + 0x1p-8;
    half += low > 1 + 0x1p-12 && high < 1 + 0x1p-11;
    const auto ends = make(ValueFamily::extreme);
    lowest += std::all_of(ends.begin() + 64, ends.begin() + 128, [](double value) { return value == -FLT_MAX; });
  }
  EXPECT_TRUE(bf16 > 3 && half > 3 && lowest > 4) << bf16 << ' ' << half << ' ' << lowest;
}

TEST(Inputs, SomeRowsReadTheSameFromEitherEndAndSomeTensorsAreAlike)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  int mirrored = 0, twins = 0;
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const auto make = [&](ValueFamily family, std::size_t position) {
      return values_of(kernel::DataType::f32, filled(argument, 650, 13, family, seed, Store::cached, position));
    };
    const auto integers = make(ValueFamily::small_integers, 0);
    bool same = true;
    for (std::size_t i = 0; i < 13; ++i) {
      same = same && integers[26 + i] == integers[26 + 12 - i];
    }
    mirrored += same;
    const auto one = make(ValueFamily::mixed, 0), other = make(ValueFamily::mixed, 1);
    std::size_t alike = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      alike += one[i] == other[i];
    }
    twins += alike > 400 && alike < 650;
  }
  EXPECT_TRUE(mirrored > 2 && mirrored < 30) << mirrored;
  EXPECT_TRUE(twins > 2 && twins < 30) << twins;
}

TEST(Inputs, ASpikeOutweighsTheRestOfItsRowOrOfAll)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  bool of_rows = false, of_all = false;
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const auto values = values_of(kernel::DataType::f32, filled(argument, 6400, 64, ValueFamily::spikes, seed));
    const auto spikes = std::ranges::count_if(values, [](double value) { return std::fabs(value) > 8; });
    EXPECT_TRUE(spikes == 1 || spikes == 100) << spikes;
    of_rows = of_rows || spikes == 100;
    of_all = of_all || spikes == 1;
  }
  EXPECT_TRUE(of_rows && of_all);
}

TEST(Inputs, OutliersAreInPlacesThatSomebodyWouldLookAt)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  std::set<std::set<int>> seen;
  for (std::uint64_t seed = 1; seed < 400; ++seed) {
    const auto values = values_of(kernel::DataType::f32, filled(argument, 640, 64, ValueFamily::framed, seed * 7919));
    std::vector<double> sorted(values.begin(), values.begin() + 64);
    std::ranges::sort(sorted);
    const double usual = sorted[32];
    if (std::fabs(usual) < 5) { // the others are plain
      std::set<int> columns;
      for (int i = 0; i < 640; ++i) {
        if (std::fabs(values[static_cast<std::size_t>(i)]) > 30) {
          columns.insert(i % 64);
        }
      }
      seen.insert(columns);
    } else {
      EXPECT_LT(sorted[58] - sorted[6], usual / 50);
    }
  }
  EXPECT_EQ(seen.size(), 3U + 3U + 4U);
  EXPECT_TRUE(seen.contains({0, 63}));
  EXPECT_TRUE(seen.contains({1, 2}));
  EXPECT_TRUE(seen.contains({0, 16, 48}));
}

TEST(Inputs, APeakIsAsMuchAsManyExponentials)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f64);
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    auto values = values_of(kernel::DataType::f64, filled(argument, 6400, 64, ValueFamily::peaks, seed));
    std::ranges::sort(values);
    EXPECT_LT(values[6199], 2);
    EXPECT_GT(values[6350], std::log(64) - 0.5);
    EXPECT_LT(values[6399], 4 * std::log(65) + 3.6);
  }
}

TEST(Inputs, InHalfOfTheCallsAPeakHasANeighbourOneUnitBelow)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  std::set<std::pair<bool, bool>> seen; // which comes first, and whether they differ in the last bit only
  int in_pairs = 0;
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const auto values = values_of(kernel::DataType::f32, filled(argument, 6400, 64, ValueFamily::peaks, seed));
    int pairs = 0;
    for (auto row = values.begin(); row != values.end(); row += 64) {
      const auto top = std::max_element(row, row + 64);
      const auto below = std::find(row, row + 64, std::nextafter(static_cast<float>(*top), 0.0F));
      if (below != row + 64) {
        ++pairs;
        seen.insert({below < top, (std::bit_cast<std::uint32_t>(static_cast<float>(*top)) & 1) == 1});
      }
    }
    EXPECT_TRUE(pairs == 0 || pairs == 100) << pairs;
    in_pairs += pairs == 100 ? 1 : 0;
  }
  EXPECT_TRUE(in_pairs > 10 && in_pairs < 30) << in_pairs;
  EXPECT_EQ(seen.size(), 4U);
}

TEST(Inputs, IndicesPointAtPeaksInHalfOfTheCalls)
{
  constexpr std::size_t k_rows = 100, k_columns = 64;
  int all = 0;
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const auto matrix = values_of(kernel::DataType::f64, filled(argument_of(kernel::DataType::f64), k_rows * k_columns,
                                                                k_columns, ValueFamily::peaks, seed));
    const auto indices = values_of(kernel::DataType::i64, filled(argument_of(kernel::DataType::i64, {0, k_columns - 1}),
                                                                 k_rows, k_rows, ValueFamily::peaks, seed));
    std::size_t hits = 0;
    for (std::size_t row = 0; row < k_rows; ++row) {
      const auto begin = matrix.begin() + static_cast<std::ptrdiff_t>(row * k_columns);
      hits += std::max_element(begin, begin + k_columns) - begin == static_cast<std::ptrdiff_t>(indices[row]) ? 1 : 0;
    }
    EXPECT_TRUE(hits < k_rows / 5 || hits > k_rows * 4 / 5) << hits;
    all += hits > k_rows / 2 ? 1 : 0;
  }
  EXPECT_TRUE(all > 5 && all < 35) << all;
}

double sum_of(const std::vector<double>& values, std::size_t first, std::size_t count, std::size_t step = 1)
{
  double sum = 0;
  for (std::size_t i = first; i < first + count; i += step) {
    sum += values[i];
  }
  return sum;
}

TEST(Inputs, SumsOfBalancedRowsAreNothingOrTheirLength)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  for (const std::size_t row : {48, 49, 3, 1}) {
    std::set<double> sums;
    for (std::uint64_t seed = 1; seed < 100; ++seed) {
      const auto values =
        values_of(kernel::DataType::f32, filled(argument, 6 * static_cast<std::int64_t>(row),
                                                static_cast<std::int64_t>(row), ValueFamily::balanced, seed));
      sums.insert(sum_of(values, row, row));
    }
    EXPECT_TRUE(sums.contains(0) && sums.contains(static_cast<double>(row))) << row;
  }
}

TEST(Inputs, PatchesAreBandsLateHalvesOrIslands)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  int bands = 0, halves = 0, islands = 0;
  for (std::uint64_t seed = 1; seed < 60; ++seed) {
    const auto values = values_of(kernel::DataType::f32, filled(argument, 6400, 64, ValueFamily::patches, seed * 7919));
    const auto most = static_cast<double>(std::ranges::count(values, values[0]));
    const auto tiny = std::ranges::count_if(values, [](double value) { return std::fabs(value) < 1e-5; });
    if (most > 5000) { // one number nearly everywhere
      ++islands;
      EXPECT_LT(most, 6400);
    } else if (std::ranges::count(values, 0.0) > 2500) {
      ++halves;
      EXPECT_TRUE(std::ranges::none_of(values, [](double value) { return value < 0; }));
    } else {
      ++bands;
      EXPECT_TRUE(tiny > 1000 && tiny < 6400) << tiny;
    }
  }
  EXPECT_TRUE(bands > 5 && halves > 5 && islands > 5) << bands << " " << halves << " " << islands;
}

TEST(Inputs, StructuresFitEveryType)
{
  for (const kernel::DataType type : {kernel::DataType::f16, kernel::DataType::bf16, kernel::DataType::f32,
                                      kernel::DataType::f64, kernel::DataType::i8, kernel::DataType::i32}) {
    const kernel::Argument argument = argument_of(type);
    for (std::uint64_t seed = 1; seed < 60; ++seed) {
      for (const double value : values_of(type, filled(argument, 640, 64, ValueFamily::nearly, seed * 7919))) {
        ASSERT_TRUE(std::isfinite(value) && (kernel::is_float(type) || std::fabs(value) < 128))
          << kernel::name_of(type);
      }
    }
  }
}

// Whoever sees the structure in some rows must find it broken in others.
TEST(Inputs, StructuresHoldNearlyEverywhere)
{
  constexpr std::size_t k_row = 64, k_rows = 128;
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  int bands = 0, steady = 0, rising = 0, mirrored = 0;
  for (std::uint64_t seed = 1; seed < 150; ++seed) {
    const auto values =
      values_of(kernel::DataType::f32, filled(argument, k_row * k_rows, k_row, ValueFamily::nearly, seed * 7919));
    std::size_t zeros = 0, repeated = 0, higher = 0, same = 0;
    for (std::size_t i = k_row; i < values.size(); ++i) {
      ASSERT_TRUE(std::isfinite(values[i]));
      const std::size_t column = i % k_row;
      zeros += values[i] == 0 ? 1 : 0;
      repeated += values[i] == values[i - k_row] && values[i] != 0 ? 1 : 0;
      higher += column > 0 && values[i] > values[i - 1] ? 1 : 0;
      same += values[i] == values[i - column + (k_row - 1 - column)] && values[i] != 0 ? 1 : 0;
    }
    const std::size_t looked_at = values.size() - k_row;
    const auto nearly_all = [&](std::size_t count) { return count > looked_at * 9 / 10 && count < looked_at; };
    bands += nearly_all(zeros);
    steady += nearly_all(repeated);
    rising += nearly_all(higher);
    mirrored += !nearly_all(repeated) && nearly_all(same);
  }
  EXPECT_TRUE(bands > 3 && steady > 3 && rising > 3 && mirrored > 3)
    << bands << " " << steady << " " << rising << " " << mirrored;
}

TEST(Inputs, WholeNumbersAreLargeAndOfOneSign)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  double largest = 0;
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    for (const double value :
         values_of(kernel::DataType::f32, filled(argument, 640, 64, ValueFamily::whole, seed * 7919))) {
      EXPECT_TRUE(value >= 0 && value == std::floor(value)) << value;
      largest = std::max(largest, value);
    }
  }
  EXPECT_GT(largest, 4e6);
}

// Whoever takes values of 32 bits for an array of integers may add up their products in 64.
TEST(Inputs, WholeNumbersMayFit32BitsAndTheirProductsLeave64)
{
  for (const kernel::DataType type : {kernel::DataType::f32, kernel::DataType::f64}) {
    int found = 0;
    for (std::uint64_t seed = 1; seed < 40; ++seed) {
      const auto row = values_of(type, filled(argument_of(type), 64, 64, ValueFamily::whole, seed * 7919));
      const double of_squares = std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
      found += std::ranges::max(row) < 0x1p31 && of_squares > 0x1p64 ? 1 : 0;
    }
    EXPECT_TRUE(found > 3 && found < 20) << found;
  }
}

TEST(Inputs, LargeRowsMayEachHaveARangeOfTheirOwn)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  int ranges = 0;
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const auto values = values_of(kernel::DataType::f32, filled(argument, 6400, 64, ValueFamily::large, seed * 7919));
    ranges += std::ranges::all_of(values, [](double value) { return std::fabs(value) <= 128; }) ? 1 : 0;
  }
  EXPECT_TRUE(ranges > 5 && ranges < 35) << ranges;
}

TEST(Inputs, WhatIsSmallerInOneTensorIsLargerInTheNext)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  bool found = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const InputSet inputs = of_row("mixed/seesaw", seed);
    const auto first = values_of(kernel::DataType::f32, filled(argument, 4096, 64, inputs));
    const auto second = values_of(kernel::DataType::f32, filled(argument, 4096, 64, inputs, 1));
    double columns = 0, rows = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
      columns = std::max(columns, i % 64 >= 32 ? std::fabs(first[i]) : 0);
      rows = std::max(rows, i / 64 >= 32 ? std::fabs(second[i]) : 0);
    }
    EXPECT_NEAR(std::log2(columns) + std::log2(rows), 4, 3);
    found = found || rows > 1e9;
  }
  EXPECT_TRUE(found);
}

TEST(Inputs, ReorderedRowsHaveTheSameSums)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  int others = 0, with_equal_eighths = 0;
  for (std::uint64_t seed = 1; seed < 100; ++seed) {
    const auto values = values_of(kernel::DataType::f32, filled(argument, 640, 64, ValueFamily::reordered, seed));
    EXPECT_EQ(sum_of(values, 0, 64), sum_of(values, 64, 64));
    const bool same = std::equal(values.begin(), values.begin() + 64, values.begin() + 64);
    others += same ? 0 : 1;
    bool eighths = !same;
    for (std::size_t lane = 0; lane < 8; ++lane) {
      eighths = eighths && sum_of(values, lane, 64 - lane, 8) == sum_of(values, 64 + lane, 64 - lane, 8);
    }
    with_equal_eighths += eighths ? 1 : 0;
  }
  EXPECT_GT(others, 60);
  EXPECT_GT(with_equal_eighths, 10);
}

TEST(Inputs, SparseOnesAreNearlyAllAlikeAndQuadrantsAreFarApart)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    auto values = values_of(kernel::DataType::f32, filled(argument, 6400, 64, ValueFamily::sparse, seed));
    std::ranges::sort(values);
    const double usual = values[3200];
    const auto alike = std::ranges::count_if(values, [&](double value) { return std::fabs(value - usual) < 0.05; });
    EXPECT_GT(alike, 6000);
    EXPECT_LT(alike, 6400);
  }
  const auto matrix = values_of(kernel::DataType::f32, filled(argument, 6400, 80, ValueFamily::quadrants, 1));
  EXPECT_GT(std::fabs(matrix[0]) + std::fabs(matrix[1]), 1e-3);
  EXPECT_LT(std::fabs(matrix[79]), 1e-5);
}

TEST(Inputs, SomeAreMaskedSomeAreLateAndRowsMayBeAlone)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  std::set<int> heights;
  int lowest = 0, highest = 0; // powers of two
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    const auto make = [&](ValueFamily family) {
      return values_of(kernel::DataType::f32, filled(argument, 6400, 64, family, seed));
    };
    const auto masked = make(ValueFamily::masked);
    const auto below = std::ranges::count_if(masked, [](double value) { return value < -1e9; });
    const auto usual = std::ranges::count_if(masked, [](double value) { return std::fabs(value) < 7; });
    EXPECT_EQ(below + usual, 6400);
    EXPECT_TRUE(below > 400 && usual > 2000) << below << " " << usual;
    const auto late = make(ValueFamily::late);
    EXPECT_LT(std::fabs(*std::max_element(late.begin(), late.end() - 64)), 0.01);
    EXPECT_TRUE(std::ranges::any_of(late.end() - 64, late.end(), [](double value) { return std::fabs(value) > 0.1; }));
    const auto rows = make(ValueFamily::own_rows);
    std::set<int> exponents;
    for (std::size_t row = 0; row < 6400; row += 64) {
      exponents.insert(std::ilogb(rows[row]));
      EXPECT_LT(std::fabs(rows[row] / rows[row + 63] - 1), 0.2);
    }
    EXPECT_GT(exponents.size(), 15U);
    const auto any = make(ValueFamily::any_size);
    const bool by_rows = std::ilogb(any[0]) == std::ilogb(any[1]) && std::ilogb(any[0]) == std::ilogb(any[2]);
    std::set<int> sizes;
    for (std::size_t i = 0; i < 6400; ++i) {
      sizes.insert(std::ilogb(any[i]));
      EXPECT_EQ(std::ilogb(any[i]), std::ilogb(any[by_rows ? i / 64 * 64 : i % 64]));
    }
    EXPECT_TRUE(sizes.size() > 30 && *sizes.rbegin() - *sizes.begin() < 48) << sizes.size();
    lowest = std::min(lowest, *sizes.begin());
    highest = std::max(highest, *sizes.rbegin());
    const auto first = make(ValueFamily::first_row);
    const double height = std::fabs(*std::max_element(first.begin(), first.begin() + 64));
    heights.insert(height < 0.01 ? -1 : height > 8 ? 1 : 0);
    EXPECT_LT(*std::max_element(first.begin() + 64, first.end()), 5);
    EXPECT_TRUE(seed < 9 || heights.size() == 3);
    const auto rounded = make(ValueFamily::rounded);
    EXPECT_LT(std::set<double>(rounded.begin(), rounded.end()).size(), 230U);
  }
  EXPECT_TRUE(lowest > -121 && lowest < -110 && highest > 44 && highest < 53) << lowest << " " << highest;
}

TEST(Inputs, RowsRepeatInOneCallOfTwo)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  int calls = 0;
  for (std::uint64_t seed = 1; seed < 41; ++seed) {
    const auto values = values_of(kernel::DataType::f32, filled(argument, 6400, 64, ValueFamily::shifted, seed));
    int repeated = 0;
    for (auto row = values.begin() + 64; row != values.end(); row += 64) {
      repeated += std::equal(row, row + 64, row - 64) ? 1 : 0;
    }
    EXPECT_TRUE(repeated == 0 || (repeated > 10 && repeated < 45)) << repeated;
    calls += repeated > 0 ? 1 : 0;
  }
  EXPECT_TRUE(calls > 8 && calls < 32) << calls;
}

TEST(Inputs, SomeRunAwaySomeAreAtTheBrimAndSomeAreMixed)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  int far_apart = 0, run_away = 0, steps = 0, all_positive = 0;
  std::set<int> sizes;
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const auto make = [&](ValueFamily family) {
      return values_of(kernel::DataType::f32, filled(argument, 6400, 64, family, seed));
    };
    constexpr std::array k_without_peaks{"trends/levels", "trends/ramp-down-columns", "trends/ramp-along-rows"};
    const auto trends =
      values_of(kernel::DataType::f32, filled(argument, 6400, 64, of_row(k_without_peaks[seed % 3], seed)));
    const double away = std::fabs(std::ranges::max(trends, {}, [](double value) { return std::fabs(value); }));
    EXPECT_TRUE(away < 5 || (away > 85 && away < 740)) << away;
    run_away += away < 5 ? 0 : 1;
    for (std::size_t i = 64; i < 6400 && away < 5; ++i) {
      steps += i % 64 != 0 && std::fabs(trends[i] - trends[i - 1]) > 1 ? 1 : 0;
    }
    far_apart += std::fabs(trends[0] - trends[63]) > 1 ? 1 : 0;
    const auto brim = make(ValueFamily::brim);
    const auto [low, high] = std::ranges::minmax(brim);
    if (low > 0) {
      EXPECT_TRUE(low > 75 && high < 90 && high - low < 2) << low << " " << high;
      EXPECT_GT(std::log(64.0) + high, 80);
    } else {
      EXPECT_TRUE(low < -80 && low > -110 && high > -1 && high < 2) << low << " " << high;
    }
    const auto rectified = make(ValueFamily::rectified);
    const auto zeros = std::ranges::count(rectified, 0.0);
    const auto [least, most] = std::ranges::minmax(rectified);
    EXPECT_TRUE(zeros == 0 ? least >= 0.5 : zeros > 2800 && zeros < 3600 && (least == 0 || most == 0)) << zeros;
    all_positive += zeros == 0 ? 1 : 0;
    const auto mixed = make(ValueFamily::mixed);
    double largest = 0;
    for (const double value : mixed) {
      largest = std::max(largest, std::fabs(value));
    }
    EXPECT_TRUE(std::isfinite(largest));
    sizes.insert(std::ilogb(largest));
  }
  EXPECT_TRUE(run_away > 10 && run_away < 38) << run_away;
  EXPECT_TRUE(far_apart > 5 && far_apart < 35) << far_apart;
  EXPECT_TRUE(all_positive > 3 && all_positive < 30) << all_positive;
  EXPECT_GT(steps, 100); // of ramps there are none
  EXPECT_GT(sizes.size(), 5U);
}

// Of a row that rises where it is looked at the largest element may lie anywhere; a row below what has a reciprocal may
// hold zeros.
TEST(Inputs, RampsHaveALargerElementAndTheSmallestNumbersHaveZerosBesideThem)
{
  constexpr std::size_t k_row = 64;
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  const auto make = [&](ValueFamily family, std::uint64_t seed) {
    return values_of(kernel::DataType::f32, filled(argument, 6400, k_row, family, seed));
  };
  const auto largest_in_front = [](std::span<const double> row) {
    const auto largest = std::ranges::max_element(row);
    return row[k_row / 4] < row[k_row / 2] && row[k_row / 2] < row[k_row - 1] && largest < row.begin() + k_row / 2;
  };
  int rising = 0, runs = 0, with_zeros = 0, without = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    for (const ValueFamily family : {ValueFamily::trends, ValueFamily::nearly}) {
      const auto values = make(family, seed);
      for (std::size_t first = 0; first < values.size(); first += k_row) {
        const bool found = largest_in_front(std::span(values).subspan(first, k_row));
        (family == ValueFamily::trends ? rising : runs) += found ? 1 : 0;
      }
    }
    const auto smallest = make(ValueFamily::subnormals, seed);
    const bool no_reciprocal = std::ranges::all_of(smallest, [](double value) { return std::fabs(value) < 0x1p-127; });
    const auto zeros = std::ranges::count(smallest, 0.0);
    EXPECT_TRUE(zeros < 3 || (zeros > 300 && zeros < 1000)) << zeros;
    (zeros > 2 ? with_zeros : without) += no_reciprocal ? 1 : 0;
  }
  EXPECT_GT(rising, 200);
  EXPECT_GT(runs, 100);
  EXPECT_TRUE(with_zeros > 50 && without > 50) << with_zeros << " " << without;
}

TEST(Inputs, TinyValuesAreOfManySizesAndTheirSquaresNormal)
{
  std::set<int> exponents;
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const auto values =
      values_of(kernel::DataType::f32, filled(argument_of(kernel::DataType::f32), 100, 10, ValueFamily::tiny, seed));
    const double largest = *std::max_element(values.begin(), values.end());
    EXPECT_GT(largest * largest, kernel::smallest_normal(kernel::DataType::f32));
    EXPECT_LT(largest, 0.01);
    exponents.insert(std::ilogb(largest));
  }
  EXPECT_GT(exponents.size(), 10U);
}

TEST(Inputs, SomeTinyValuesOfF64HaveProductsHardlyAboveTheSmallestNormalNumber)
{
  int found = 0;
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const auto values =
      values_of(kernel::DataType::f64, filled(argument_of(kernel::DataType::f64), 100, 10, ValueFamily::tiny, seed));
    const double largest = *std::max_element(values.begin(), values.end());
    EXPECT_GT(largest * largest, kernel::smallest_normal(kernel::DataType::f64));
    found += largest * largest < 1e-290 ? 1 : 0;
  }
  EXPECT_TRUE(found > 3 && found < 20) << found;
}

TEST(Inputs, SomeAreSubnormalOrOfAnySizeWhoseSquaresAre)
{
  int subnormal = 0;
  std::set<int> exponents;
  for (std::uint64_t seed = 1; seed < 100; ++seed) {
    const auto values = values_of(kernel::DataType::f32,
                                  filled(argument_of(kernel::DataType::f32), 100, 10, ValueFamily::subnormals, seed));
    const double largest = *std::max_element(values.begin(), values.end());
    EXPECT_LT(largest, 0x1p-58);
    subnormal += largest < kernel::smallest_normal(kernel::DataType::f32) ? 1 : 0;
    exponents.insert(std::ilogb(largest));
  }
  EXPECT_TRUE(subnormal > 20 && subnormal < 80) << subnormal;
  EXPECT_GT(exponents.size(), 20U);
}

TEST(Inputs, BytesAreAllNearOneEndNowAndThen)
{
  int saturated = 0;
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const auto values =
      values_of(kernel::DataType::i8, filled(argument_of(kernel::DataType::i8), 100, 10, ValueFamily::extreme, seed));
    const auto [least, most] = std::ranges::minmax(values);
    saturated += least >= 124 || most <= -124 ? 1 : 0;
  }
  EXPECT_TRUE(saturated > 5 && saturated < 35) << saturated;
}

// Read as signed, or in too few bits, these are other numbers.
TEST(Inputs, WordsAreNearAnEndOfTheirTypeNowAndThen)
{
  for (const kernel::DataType type : {kernel::DataType::i16, kernel::DataType::u16, kernel::DataType::u32}) {
    int low = 0;
    int high = 0;
    for (std::uint64_t seed = 1; seed < 40; ++seed) {
      const auto values = values_of(type, filled(argument_of(type), 100, 10, ValueFamily::extreme, seed));
      const auto [least, most] = std::ranges::minmax(values);
      low += most <= kernel::lowest_value(type) + 3 ? 1 : 0;
      high += least >= kernel::largest_value(type) - 3 ? 1 : 0;
    }
    EXPECT_GT(low, 3) << kernel::name_of(type);
    EXPECT_GT(high, 3) << kernel::name_of(type);
  }
}

TEST(Inputs, IntegersWithAFiniteDomainCoverAllOfIt)
{
  const auto values = values_of(kernel::DataType::i32,
                                filled(argument_of(kernel::DataType::i32, {0, 4}), 1000, 10, ValueFamily::normal, 5));
  int seen[5] = {};
  for (const double value : values) {
    ++seen[static_cast<int>(value)];
  }
  for (const int count : seen) {
    EXPECT_GT(count, 100);
  }
}

TEST(Inputs, IntegersAreCrowdedSortedAndAllTheSameToo)
{
  const auto make = [](ValueFamily family) {
    return values_of(kernel::DataType::i32, filled(argument_of(kernel::DataType::i32, {0, 99}), 2000, 10, family, 5));
  };
  const auto share_of = [](const std::vector<double>& values, double from, double to) {
    const auto inside = std::count_if(values.begin(), values.end(), [&](double x) { return x >= from && x <= to; });
    return static_cast<double>(inside) / static_cast<double>(values.size());
  };
  EXPECT_EQ(share_of(make(ValueFamily::tiny), 0, 0), 1);
  EXPECT_EQ(share_of(make(ValueFamily::large), 99, 99), 1);
  const auto same = make(ValueFamily::one_hot);
  EXPECT_EQ(share_of(same, same[0], same[0]), 1);
  const auto sorted = make(ValueFamily::shifted);
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  EXPECT_EQ(sorted.back(), 99);
  EXPECT_GT(share_of(make(ValueFamily::heavy_tail), 0, 6), 0.4);
  EXPECT_EQ(share_of(make(ValueFamily::cancellation), 1, 98), 0);
  const auto after_each_other = [](const char* row) {
    const auto in_turn =
      values_of(kernel::DataType::i32, filled(argument_of(kernel::DataType::i32, {0, 99}), 2000, 10, of_row(row, 5)));
    int count = 0;
    for (std::size_t i = 1; i < in_turn.size(); ++i) {
      count += in_turn[i] == in_turn[i - 1] + 1 ? 1 : 0;
    }
    return count;
  };
  const int in_turn = after_each_other("rounded/indices-in-turn");
  const int with_swaps = after_each_other("rounded/indices-in-turn-with-swaps");
  EXPECT_TRUE(in_turn > 1800 && in_turn < 1980) << in_turn;
  EXPECT_TRUE(with_swaps > 1200 && with_swaps < 1800) << with_swaps;
  const auto late = make(ValueFamily::odd_suffix);
  EXPECT_EQ(std::count(late.end() - 250, late.end(), late.back()), 250);
  EXPECT_LT(share_of(late, late.back(), late.back()), 0.2);
  const double mostly_low = share_of(make(ValueFamily::sparse), 0, 1);
  EXPECT_TRUE(mostly_low > 0.95 && mostly_low < 0.99) << mostly_low;
  const auto but_for_one = make(ValueFamily::spikes);
  EXPECT_GE(share_of(but_for_one, but_for_one[0], but_for_one[0]), 0.999);
}

// Rows that fall would be no rows, and ends elsewhere would leave elements to none of them.
TEST(Inputs, RisingRowsBeginAndEndAtTheDomainsEndsInEveryFamily)
{
  kernel::Argument argument = argument_of(kernel::DataType::i32, {2, 500});
  argument.rising = true;
  constexpr std::size_t k_row = 40;
  bool is_any_empty = false, is_any_long = false;
  for (const ValueFamily family : all_value_families()) {
    for (std::uint64_t seed = 1; seed < 12; ++seed) {
      const auto values = values_of(argument.type, filled(argument, 3 * k_row, k_row, family, seed));
      for (std::size_t row = 0; row < values.size(); row += k_row) {
        EXPECT_EQ(values[row], 2) << name_of(family);
        EXPECT_EQ(values[row + k_row - 1], 500) << name_of(family);
        for (std::size_t i = row + 1; i < row + k_row; ++i) {
          ASSERT_LE(values[i - 1], values[i]) << name_of(family);
          is_any_empty = is_any_empty || values[i - 1] == values[i];
          is_any_long = is_any_long || values[i] - values[i - 1] > 100;
        }
      }
    }
  }
  EXPECT_TRUE(is_any_empty);
  EXPECT_TRUE(is_any_long);
}

// A sum of whole numbers that are small enough for 32 bits is not: in some calls of rows of a few hundred.
TEST(Inputs, SumsOfSomeWholeNumbersJustLeave32Bits)
{
  constexpr std::size_t k_row = 700;
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  int sums = 0, squares = 0;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    const auto row = values_of(kernel::DataType::f32, filled(argument, k_row, k_row, ValueFamily::whole, seed));
    const double largest = std::ranges::max(row);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    const double of_squares = std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
    sums += sum > 0x1p31 && sum < 0x1p33 && largest < 0x1p24 ? 1 : 0;
    squares += of_squares > 0x1p31 && of_squares < 0x1p35 ? 1 : 0;
  }
  EXPECT_TRUE(sums > 8 && sums < 40) << sums;
  EXPECT_TRUE(squares > 4 && squares < 32) << squares;
}

// A chain of additions rounds them all to one side.
TEST(Inputs, ProductsOfTwoTensorsAreNeverAllAlike)
{
  constexpr std::int64_t k_terms = 64, k_columns = 4;
  std::vector<float> left(k_columns * k_terms), right(k_terms * k_columns);
  for (const std::size_t position : {0, 1}) {
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
      fill_argument(std::as_writable_bytes(std::span(left)), argument_of(kernel::DataType::f32), position, k_terms,
                    {ValueFamily::nearly, seed * 7919});
      fill_argument(std::as_writable_bytes(std::span(right)), argument_of(kernel::DataType::f32), position + 1,
                    k_columns, {ValueFamily::nearly, seed * 7919});
      std::set<float> products;
      for (std::size_t p = 0; p < k_terms; ++p) {
        products.insert(left[k_terms + p] * right[p * k_columns + 1]);
      }
      EXPECT_TRUE(products.size() > 1 || *products.begin() == 0) << "position " << position << ", seed " << seed;
    }
  }
}

// Catches both factors of a product being hardly beside 1 all along: plain code would be refused.
TEST(Inputs, SerialSumsOfProductsOfNearlyOnesStayExact)
{
  constexpr std::int64_t k_terms = 1199, k_columns = 4;
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  for (const std::size_t position : {0, 1, 2}) {
    for (std::uint64_t seed = 0; seed < 64; ++seed) {
      const InputSet of_call = of_row("far-off/nearly-one", seed);
      const auto left = values_of(argument.type, filled(argument, k_columns * k_terms, k_terms, of_call, position));
      const auto right =
        values_of(argument.type, filled(argument, k_terms * k_columns, k_columns, of_call, position + 1));
      float serial = 0;
      double exact = 0;
      for (std::size_t p = 0; p < k_terms; ++p) {
        serial += static_cast<float>(left[k_terms + p]) * static_cast<float>(right[p * k_columns + 1]);
        exact += left[k_terms + p] * right[p * k_columns + 1];
      }
      EXPECT_NEAR(serial, exact, 1e-4) << "position " << position << ", seed " << seed;
    }
  }
}

// As quantised weights beside what they weigh.
TEST(Inputs, BytesHaveASignInEveryOtherTensorNowAndThen)
{
  for (const kernel::DataType type : {kernel::DataType::f32, kernel::DataType::bf16}) {
    const kernel::Argument argument = argument_of(type);
    const auto lowest = [&](const char* row, std::size_t position) {
      return std::ranges::min(values_of(argument.type, filled(argument, 4096, 64, of_row(row, 8), position)));
    };
    EXPECT_EQ(lowest("whole-numbers/any-byte", 0), 0);
    EXPECT_EQ(lowest("whole-numbers/any-byte", 1), -128);
    EXPECT_EQ(lowest("whole-numbers/from-64-to-255", 0), 64);
    EXPECT_EQ(lowest("whole-numbers/from-64-to-255", 1), 64);
  }
}

TEST(Inputs, TensorsOfOneShapeMayDifferInTheMiddleOnly)
{
  const kernel::Argument argument = argument_of(kernel::DataType::f32);
  const auto values = [&](std::size_t position) {
    return values_of(argument.type, filled(argument, 30 * 8, 8, of_row("mixed/twins-but-in-the-middle", 8), position));
  };
  const std::vector<double> one = values(0), other = values(1);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i] == other[i], i / 8 < 10 || i / 8 >= 20) << i;
  }
}

TEST(Inputs, WholeNumbersComeUpToATop)
{
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    std::vector<float> row(300);
    fill_argument(std::as_writable_bytes(std::span(row)), argument_of(kernel::DataType::f32), 0, 300,
                  {ValueFamily::whole, seed, 63});
    const auto [least, most] = std::ranges::minmax(row);
    EXPECT_TRUE(least >= (seed % 2 == 0 ? 59 : 31) && least <= 60 && most == 62) << least << ' ' << most;
  }
}

TEST(Inputs, TheTwoLargestSubnormalsOfSomeRowsAreNeighbours)
{
  int found = 0;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    auto row = values_of(kernel::DataType::f32,
                         filled(argument_of(kernel::DataType::f32), 40, 40, ValueFamily::subnormals, seed));
    std::ranges::sort(row, std::greater<>());
    found += std::nextafter(static_cast<float>(row[1]), 1.0F) == static_cast<float>(row[0]) ? 1 : 0;
  }
  EXPECT_GE(found, 6);
}

// What is said of a family holds whatever the seed.
TEST(Inputs, NoFirstRowIsLargerThanByTheFactorThatIsSaid)
{
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto values = values_of(kernel::DataType::f32,
                                  filled(argument_of(kernel::DataType::f32), 64, 16, ValueFamily::first_row, seed));
    EXPECT_LT(std::ranges::max(values), 32 * 8) << seed;
  }
}

TEST(Inputs, NormalsAreTheSameInAnyRegisters)
{
  LaneRandom random(7);
  LaneRandom one_by_one(7);
  std::vector<float> values(256 * k_lanes);
  draw_normal(random, values.data(), values.size());
  for (std::size_t base = 0; base < values.size(); base += k_lanes) {
    std::uint32_t x[k_lanes];
    std::uint32_t y[k_lanes];
    one_by_one.next(x);
    one_by_one.next(y);
    for (std::size_t i = 0; i < k_lanes; ++i) {
      const std::uint32_t sum = (x[i] >> 8) + (y[i] >> 8) + ((x[i] & 0xffff) << 8) + ((y[i] & 0xffff) << 8);
      const float normal = (static_cast<float>(sum) * 0x1p-24F - 2) * 1.7320508F;
      ASSERT_EQ(values[base + i], x[i] % 4096 == 0 ? 2 * normal : normal) << base + i;
    }
  }
  EXPECT_EQ(random.state(), one_by_one.state());
}

TEST(Inputs, StreamingCopiesUnalignedRanges)
{
  std::vector<std::byte> from(1000, std::byte{7});
  std::vector<std::byte> to(1003, std::byte{0});
  copy_streaming(std::span(to).subspan(3), from);
  EXPECT_EQ(std::memcmp(to.data() + 3, from.data(), from.size()), 0);
  EXPECT_EQ(to[2], std::byte{0});
}

} // namespace
} // namespace hone::inputs
