// Sizes that a candidate is validated at without having been told.
#include "inputs/corners.h"
#include "inputs/sizes.h"
#include "shipped.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace hone::inputs {
namespace {

std::vector<kernel::Sizes> further_sizes(const kernel::Kernel& kernel, double work_limit, std::uint64_t seed)
{
  Random random(seed);
  const auto sizes = draw_further_sizes(kernel, {}, work_limit, random);
  EXPECT_TRUE(sizes) << sizes.error().text();
  return sizes ? *sizes : std::vector<kernel::Sizes>();
}

TEST(HiddenSizes, AreManyAndNeverTheTimedOnes)
{
  const kernel::Kernel kernel = shipped("attention-scores");
  Random random(1);
  const auto sizes = draw_hidden_sizes(kernel, {{"TILE", 48}}, {12, 4e6}, random);
  ASSERT_TRUE(sizes) << sizes.error().text();
  EXPECT_EQ(sizes->size(), 12U);
  EXPECT_EQ(std::ranges::count(*sizes, kernel.timed.front()), 0);
}

TEST(HiddenSizes, SomeAreLongInOneSymbolAndCheap)
{
  const kernel::Kernel kernel = shipped("matmul");
  std::set<std::string> longest;
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    Random random(seed);
    const auto sizes = draw_long_sizes(kernel, 3, 4e6, random);
    ASSERT_TRUE(sizes) << sizes.error().text();
    EXPECT_EQ(sizes->size(), 3U);
    for (const kernel::Sizes& one : *sizes) {
      EXPECT_EQ(std::ranges::count_if(one, [](const auto& size) { return size.second >= 256; }), 1);
      EXPECT_TRUE(is_affordable(kernel, one, 4e6).value());
      longest.insert(std::ranges::max_element(one, {}, &kernel::Sizes::value_type::second)->first);
    }
  }
  EXPECT_EQ(longest.size(), 3U);
}

// A leading dimension that is shorter than its rows means nothing; one that is never drawn shows no mistake.
TEST(HiddenSizes, MeetTheConditionsBetweenSizesWithGapsAndWithout)
{
  const auto kernel = kernel::parse_kernel(R"toml(
[kernel]
name = "block"
[compute]
expr = "C[i,j] = select(j < n, 2 * C[i,j], C[i,j])"
[arguments]
C = { type = "f32", shape = ["m", "ldc"], role = "inout" }
[sizes]
timed = [ { m = 64, n = 48, ldc = 50 } ]
where = [ "n <= ldc" ]
)toml",
                                           "block");
  ASSERT_TRUE(kernel) << kernel.error().text();
  std::size_t tight = 0, gaps = 0, longest_n = 0;
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    Random random(seed);
    std::vector<kernel::Sizes> all = further_sizes(*kernel, 2e6, seed);
    for (const auto& more : {draw_hidden_sizes(*kernel, {}, {8, 2e6}, random), draw_long_sizes(*kernel, 4, 2e6, random),
                             draw_strata(*kernel, 2e6, random), draw_corners(*kernel, 8, {1e6, 1e6}, random)}) {
      ASSERT_TRUE(more) << more.error().text();
      all.insert(all.end(), more->begin(), more->end());
    }
    for (const kernel::Sizes& sizes : all) {
      ASSERT_LE(sizes.at("n"), sizes.at("ldc")) << kernel::to_text(sizes);
      ++(sizes.at("n") == sizes.at("ldc") ? tight : gaps);
      longest_n = std::max(longest_n, static_cast<std::size_t>(sizes.at("n")));
    }
  }
  EXPECT_GT(tight, 20U);
  EXPECT_GT(gaps, 20U);
  EXPECT_GT(longest_n, 10'000U); // the size that must be smaller is far in some, too
}

TEST(HiddenSizes, NoneIsSoLongThatItsSumsAreFitForAFewValuesOnly)
{
  const kernel::Kernel kernel = shipped("frobenius-norm");
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    Random random(seed);
    const auto sizes = draw_long_sizes(kernel, 3, 4e6, random);
    ASSERT_TRUE(sizes) << sizes.error().text();
    for (const kernel::Sizes& one : *sizes) {
      EXPECT_LT(one.at("m") * one.at("n"), 9000);
    }
  }
}

TEST(HiddenSizes, EverySymbolIsOnceLargerThanTimed)
{
  const kernel::Kernel kernel = shipped("attention-scores");
  const std::vector<kernel::Sizes> sizes = further_sizes(kernel, 4e6, 2);
  for (const std::string& symbol : kernel.symbols) {
    EXPECT_TRUE(std::ranges::any_of(
      sizes, [&](const kernel::Sizes& one) { return one.at(symbol) > kernel.timed.front().at(symbol); }))
      << symbol;
  }
}

TEST(HiddenSizes, EverySymbolIsFarBeyondWhatIsTimed)
{
  const kernel::Kernel kernel = shipped("softmax");
  std::set<int> magnitudes;
  bool beside_others = false;
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const std::vector<kernel::Sizes> sizes = further_sizes(kernel, 3e7, seed);
    for (const std::string& symbol : kernel.symbols) {
      const auto is_far = [&](const kernel::Sizes& one) {
        return one.at(symbol) > 2 * kernel.timed.front().at(symbol) + 64;
      };
      const auto far = std::ranges::find_if(sizes, is_far);
      ASSERT_NE(far, sizes.end()) << symbol;
      magnitudes.insert(std::ilogb(static_cast<double>(far->at(symbol))));
      beside_others |= far->at("m") > 4 && far->at("n") > 4;
      const auto is_farthest = [&](const kernel::Sizes& one) { return one.at(symbol) >= 1 << 20; };
      EXPECT_TRUE(std::ranges::any_of(sizes, is_farthest)) << symbol;
    }
  }
  EXPECT_GT(magnitudes.size(), 5U);
  EXPECT_TRUE(beside_others);
}

// Where there is one element to a row, its largest is all there is.
TEST(HiddenSizes, LongestExtentsLieBesideSeveralToo)
{
  const kernel::Kernel kernel = shipped("cross-entropy");
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    const std::vector<kernel::Sizes> sizes = further_sizes(kernel, 1.5e7, seed);
    const auto any = [&](const auto& is_wanted) { return std::ranges::any_of(sizes, is_wanted); };
    EXPECT_TRUE(any([](const kernel::Sizes& one) { return one.at("n") > 1 << 19 && one.at("v") > 1; }));
    EXPECT_TRUE(any([](const kernel::Sizes& one) { return one.at("v") > 1 << 16 && one.at("n") >= 8; }));
  }
}

TEST(HiddenSizes, SomeAreLongOnBothSidesAndUnequal)
{
  const kernel::Kernel kernel = shipped("argmax");
  bool tall = false, wide = false;
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    const std::vector<kernel::Sizes> sizes = further_sizes(kernel, 3e7, seed);
    for (const kernel::Sizes& one : sizes) {
      tall |= one.at("m") > 4000 && one.at("n") > 300;
      wide |= one.at("n") > 4000 && one.at("m") > 300;
    }
  }
  EXPECT_TRUE(tall);
  EXPECT_TRUE(wide);
}

TEST(HiddenSizes, SomeHaveNoShortSymbolAndNoRoundOne)
{
  const kernel::Kernel kernel = shipped("layer-norm");
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const std::vector<kernel::Sizes> sizes = further_sizes(kernel, 3e7, seed);
    EXPECT_TRUE(std::ranges::any_of(sizes,
                                    [](const kernel::Sizes& one) {
                                      return std::ranges::all_of(one, [](const auto& size) {
                                        return size.second >= 150 && size.second % 16 != 0;
                                      });
                                    }))
      << seed;
  }
}

TEST(HiddenSizes, OneIsAsLongInAllSymbolsAsIsAffordableAndOdd)
{
  const kernel::Kernel kernel = shipped("matmul");
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const std::vector<kernel::Sizes> sizes = further_sizes(kernel, 1.5e7, seed);
    EXPECT_TRUE(std::ranges::any_of(sizes,
                                    [](const kernel::Sizes& one) {
                                      return std::ranges::all_of(one, [](const auto& size) {
                                        return size.second >= 174 && size.second % 2 != 0;
                                      });
                                    }))
      << seed;
  }
}

TEST(HiddenSizes, AnyThreeOfManySymbolsAreLongAtOnce)
{
  const kernel::Kernel kernel = shipped("conv2d");
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    const std::vector<kernel::Sizes> sizes = further_sizes(kernel, 1.5e7, seed);
    for (const std::vector<std::string>& some : combinations(kernel.symbols, 3)) {
      EXPECT_TRUE(std::ranges::any_of(sizes,
                                      [&](const kernel::Sizes& one) {
                                        return std::ranges::all_of(
                                          some, [&](const std::string& symbol) { return one.at(symbol) >= 24; });
                                      }))
        << seed << ": " << some[0] << ' ' << some[1] << ' ' << some[2];
    }
  }
}

TEST(HiddenSizes, AnyTwoSymbolsAreLongAtOnce)
{
  const kernel::Kernel kernel = shipped("conv2d");
  int met = 0;
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const std::vector<kernel::Sizes> sizes = further_sizes(kernel, 3e7, seed);
    met += std::ranges::any_of(sizes, [](const kernel::Sizes& one) { return one.at("ci") > 512 && one.at("co") > 512; })
             ? 1
             : 0;
  }
  EXPECT_GT(met, 15);
}

// A square matrix times a few columns, or a few rows times one.
TEST(HiddenSizes, AnyTwoSymbolsAreAlikeBesideAShortOne)
{
  const kernel::Kernel kernel = shipped("matmul");
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    const std::vector<kernel::Sizes> sizes = further_sizes(kernel, 1.5e7, seed);
    for (const std::string& other : kernel.symbols) {
      const std::string& one = kernel.symbols[other == kernel.symbols[0] ? 1 : 0];
      const std::string& two = kernel.symbols[other == kernel.symbols[2] ? 1 : 2];
      EXPECT_GE(std::ranges::count_if(sizes,
                                      [&](const kernel::Sizes& each) {
                                        return each.at(one) == each.at(two) && each.at(one) >= 16
                                               && each.at(other) <= 8;
                                      }),
                2)
        << one << " and " << two << " beside " << other << ", seed " << seed;
    }
  }
}

TEST(HiddenSizes, WhatIsAlikeWhereItIsTimedIsAlikeElsewhereToo)
{
  const kernel::Kernel kernel = shipped("conv2d-bias-relu");
  ASSERT_EQ(kernel.timed.front().at("h"), kernel.timed.front().at("w"));
  ASSERT_EQ(kernel.timed.front().at("ci"), kernel.timed.front().at("co"));
  const std::vector<kernel::Sizes> sizes = further_sizes(kernel, 1.5e7, 7);
  const auto alike = [](const kernel::Sizes& each) {
    return each.at("h") == each.at("w") && each.at("ci") == each.at("co");
  };
  EXPECT_TRUE(
    std::ranges::any_of(sizes, [&](const kernel::Sizes& each) { return alike(each) && each.at("h") > each.at("ci"); }));
  EXPECT_TRUE(
    std::ranges::any_of(sizes, [&](const kernel::Sizes& each) { return alike(each) && each.at("h") < each.at("ci"); }));
}

// Whoever goes wrong in a range of one symbol.
TEST(HiddenSizes, EveryHalfOctaveOfEverySymbolIsMet)
{
  for (const auto& [name, longest] : {std::pair{"matmul", 2048.0}, {"gelu", 262'144.0}}) {
    const kernel::Kernel kernel = shipped(name);
    for (std::uint64_t seed = 1; seed < 10; ++seed) {
      Random random(seed);
      const auto sizes = draw_strata(kernel, 1.5e7, random);
      ASSERT_TRUE(sizes) << sizes.error().text();
      for (const std::string& symbol : kernel.symbols) {
        for (double first = 4; first < longest; first *= 2) { // a third and more of it to either side
          EXPECT_TRUE(std::ranges::any_of(*sizes,
                                          [&](const kernel::Sizes& one) {
                                            const auto extent = static_cast<double>(one.at(symbol));
                                            return extent >= std::floor(first * 0.8)
                                                   && extent <= std::ceil(first * 1.26);
                                          }))
            << name << ' ' << symbol << ' ' << first;
        }
      }
    }
  }
}

// Whoever goes wrong in a range of one symbol, but not beside a few elements.
TEST(HiddenSizes, LongSymbolsAreMetBesideOthersThatAreNoRarity)
{
  const kernel::Kernel kernel = shipped("softmax");
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    Random random(seed);
    const auto sizes = draw_strata(kernel, 5e6, random);
    ASSERT_TRUE(sizes) << sizes.error().text();
    EXPECT_GE(
      std::ranges::count_if(*sizes, [](const kernel::Sizes& one) { return one.at("m") > 8192 && one.at("n") >= 6; }),
      4);
    EXPECT_GE(
      std::ranges::count_if(*sizes, [](const kernel::Sizes& one) { return one.at("m") > 8192 && one.at("n") < 5; }), 4);
    EXPECT_GE(
      std::ranges::count_if(*sizes, [](const kernel::Sizes& one) { return one.at("n") > 8192 && one.at("m") >= 6; }),
      4);
  }
}

TEST(HiddenSizes, FarSymbolsAreMetBesideOthersThatAreNoRarity)
{
  const kernel::Kernel kernel = shipped("embedding");
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    Random random(seed);
    const auto sizes = draw_strata(kernel, 5e6, random);
    ASSERT_TRUE(sizes) << sizes.error().text();
    for (const std::string& symbol : kernel.symbols) {
      EXPECT_TRUE(std::ranges::any_of(
        *sizes,
        [&](const kernel::Sizes& one) {
          return one.at(symbol) > 65'536 && std::ranges::all_of(one, [](const auto& each) { return each.second >= 4; });
        }))
        << symbol << ' ' << seed;
    }
  }
}

// Of many symbols not all others can be longer there, but each of them is in turn.
TEST(HiddenSizes, LongSymbolsOfManyAreMetBesideEachOfTheOthers)
{
  const kernel::Kernel kernel = shipped("conv2d");
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    Random random(seed);
    const auto sizes = draw_strata(kernel, 5e6, random);
    ASSERT_TRUE(sizes) << sizes.error().text();
    for (const std::string& symbol : kernel.symbols) {
      for (const std::string& other : kernel.symbols) {
        EXPECT_TRUE(symbol == other
                    || std::ranges::any_of(*sizes,
                                           [&](const kernel::Sizes& one) {
                                             return one.at(symbol) > 2048 && one.at(symbol) < 3072
                                                    && one.at(other) >= 9;
                                           }))
          << symbol << " beside " << other;
      }
    }
  }
}

// A block of the sum, and a whole tile of rows and columns behind it.
TEST(HiddenSizes, LeaveRoomForWholeTilesBesideTheLongestSymbol)
{
  const kernel::Kernel kernel = shipped("matmul");
  Random random(3);
  const kernel::TuningPoint point{{"TILE_K", 2048}, {"REG_M", 14}, {"TILE_N", 64}};
  const auto sizes = draw_further_sizes(kernel, point, 6e7, random);
  ASSERT_TRUE(sizes) << sizes.error().text();
  EXPECT_TRUE(std::ranges::any_of(
    *sizes, [](const kernel::Sizes& one) { return one.at("k") > 2048 && one.at("m") > 14 && one.at("n") > 64; }));
}

TEST(HiddenSizes, WhatMeansNothingOrIsTooLargeIsNotAmongOthersAsFar)
{
  for (const char* name : {"conv2d-depthwise", "max-pool"}) {
    const kernel::Kernel kernel = shipped(name);
    Random random(5);
    const auto others = draw_sizes_as_far(kernel, {{"b", 100}, {"ch", 2}, {"h", 4}, {"w", 300'000}}, 400, 3e7, random);
    ASSERT_TRUE(others) << others.error().text();
    for (const kernel::Sizes& sizes : *others) {
      EXPECT_TRUE(kernel::check_sizes(kernel, sizes)) << kernel::to_text(sizes);
    }
  }
}

TEST(HiddenSizes, OthersAreAsFarInTheSameSymbols)
{
  const auto loaded = kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / "matmul");
  ASSERT_TRUE(loaded) << loaded.error().text();
  const kernel::Kernel& kernel = *loaded;
  Random random(3);
  const kernel::Sizes far{{"m", 3}, {"n", 40}, {"k", 900'000}};
  const auto others = draw_sizes_as_far(kernel, far, 400, 3e7, random);
  ASSERT_TRUE(others) << others.error().text();
  EXPECT_GT(others->size(), 100U);
  int round = 0;
  std::int64_t longest = 0;
  for (const kernel::Sizes& sizes : *others) {
    EXPECT_TRUE(is_far_beyond(kernel, sizes));
    EXPECT_TRUE(sizes.at("m") <= 3 && sizes.at("n") <= 40);
    round += sizes.at("k") % 64 == 0 ? 1 : 0;
    longest = std::max(longest, sizes.at("k"));
  }
  EXPECT_GT(round, 20);
  EXPECT_GT(longest, 1'000'000);
}

TEST(HiddenSizes, SomeAreLongAndThinAndSomeAreRoundAndNotSquare)
{
  const kernel::Kernel kernel = shipped("matmul");
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const std::vector<kernel::Sizes> sizes = further_sizes(kernel, 6e7, seed);
    EXPECT_TRUE(std::ranges::any_of(
      sizes, [](const kernel::Sizes& one) { return one.at("k") > 4 * one.at("m") * one.at("n") && one.at("n") <= 4; }));
    EXPECT_TRUE(std::ranges::any_of(sizes,
                                    [](const kernel::Sizes& one) {
                                      return one.at("m") % 64 == 0 && one.at("n") % 64 == 0 && one.at("k") % 64 == 0
                                             && one.at("n") != one.at("k");
                                    }))
      << seed;
  }
}

// A pipeline of two blocks is right for two blocks of terms; one whose depth must divide their number is right for
// some.
TEST(FurtherSizes, SumsGoOverSeveralBlocksOfACandidate)
{
  const kernel::Kernel kernel = shipped("matmul");
  Random random(11);
  const auto sizes = draw_further_sizes(kernel, {{"SLICE_K", 16}, {"GROUP_M", 8}}, 6e7, random);
  ASSERT_TRUE(sizes) << sizes.error().text();
  const auto some = [&](std::int64_t least, std::int64_t most) {
    return std::ranges::any_of(*sizes,
                               [&](const kernel::Sizes& one) { return one.at("k") >= least && one.at("k") <= most; });
  };
  EXPECT_TRUE(some(49, 63));
  EXPECT_TRUE(some(80, 80));
}

} // namespace
} // namespace hone::inputs
