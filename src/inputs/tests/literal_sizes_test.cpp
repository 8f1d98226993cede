#include "inputs/literal_sizes.h"
#include "shipped.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace hone::inputs {
namespace {

using testing::ElementsAre;

kernel::Candidate with_text(const std::string& text)
{
  kernel::Candidate candidate;
  candidate.files["device.cpp"] = text;
  return candidate;
}

TEST(LiteralSizes, NumbersAreReadFromCodeAndPlan)
{
  kernel::Candidate candidate = with_text("if (n >= 0x1000 && v8 < 65'536u) { x = 300.0F * y1234; }\n"
                                          "constexpr long k_limit = 1 << 14, k_room = 3 * 1024, half = 96 / 2;");
  candidate.files["launch.toml"] = "when = \"d < 3073\"\n";
  EXPECT_THAT(literals_in(candidate, {{"TILE", 208}}), ElementsAre(96, 208, 300, 1024, 3072, 3073, 4096, 16384, 65536));
}

TEST(LiteralSizes, NumbersMayBeBinaryAndGoOnInTheNextLine)
{
  EXPECT_THAT(
    literals_in(with_text("if (n == 0b101'1101 || n == 0B1100100u || n == 502\\\n57 || n == 60\\\r\n01) {}"), {}),
    ElementsAre(93, 100, 6001, 50257));
}

TEST(LiteralSizes, NumbersMayBeOctalAndThoseOfCodeCount)
{
  const std::vector<std::int64_t> compared{39, 1049, 1 << 26};
  EXPECT_THAT(literals_in(with_text("if (k == 02603 || k == 0'777u) {}"), {}, compared),
              ElementsAre(511, 777, 1049, 1411, 2603));
}

TEST(LiteralSizes, SmallHugeAndBrokenNumbersAreNotMeant)
{
  EXPECT_THAT(
    literals_in(with_text("float x[16] = {1e-6f, 1e30f, 0.5, 99.5, 39}; long y = 1 << 62; 77e z9000 12."), {}),
    ElementsAre(62, 77));
}

TEST(LiteralSizes, TopsOfValuesMayBeSmallerThanExtents)
{
  const std::vector<std::int64_t> compared{14, 63, 1 << 26};
  EXPECT_THAT(max_magnitudes_in(with_text("small = x[j] <= 15 && x[j] < 0x1p20f && j % 8 == 0;"), compared),
              ElementsAre(15, 63, 1 << 20));
}

// Most of what may lie beside an extent is too dear there.
TEST(LiteralSizes, ExactExtentsComeInEachOfManySymbols)
{
  constexpr std::int64_t k_literal = 3075;
  for (const char* name : {"avg-pool", "conv2d"}) {
    const kernel::Kernel kernel = shipped(name);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Random random(seed);
      const auto sizes = draw_literal_sizes(kernel, {{k_literal}, {}, {1}, {}}, 128, random);
      ASSERT_TRUE(sizes) << sizes.error().text();
      for (const std::string& symbol : kernel.symbols) {
        EXPECT_TRUE(std::ranges::any_of(*sizes, [&](const kernel::Sizes& one) { return one.at(symbol) == k_literal; }))
          << name << ": " << symbol << ", seed " << seed;
      }
    }
  }
}

class LiteralSizesOfMatmul : public testing::Test {
protected:
  void SetUp() override { m_kernel = shipped("matmul"); }

  std::vector<kernel::Sizes> drawn(const std::vector<std::int64_t>& numbers, std::size_t count, std::uint64_t seed = 1)
  {
    Random random(seed);
    const auto sizes = draw_literal_sizes(m_kernel, {numbers, {}, m_ratios, m_blocks}, count, random);
    EXPECT_TRUE(sizes);
    return sizes ? *sizes : std::vector<kernel::Sizes>();
  }
  kernel::Kernel m_kernel;
  std::vector<std::int64_t> m_ratios, m_blocks;
};

TEST_F(LiteralSizesOfMatmul, EachSymbolIsJustThatMuchOneLessAndOneMore)
{
  const std::vector<kernel::Sizes> sizes = drawn({96}, 1000);
  for (const std::string& symbol : m_kernel.symbols) {
    for (const std::int64_t extent : {95, 96, 97}) {
      EXPECT_TRUE(std::ranges::any_of(sizes, [&](const kernel::Sizes& one) { return one.at(symbol) == extent; }))
        << symbol << " " << extent;
    }
    EXPECT_TRUE(std::ranges::any_of(sizes, [&](const kernel::Sizes& one) { return one.at(symbol) > 97; }));
  }
}

TEST_F(LiteralSizesOfMatmul, ExactExtentsComeBeforeAllOthers)
{
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const std::vector<kernel::Sizes> sizes = drawn({64, 3072, 65536}, 40, seed);
    for (const std::string& symbol : m_kernel.symbols) {
      EXPECT_TRUE(std::ranges::any_of(sizes, [&](const kernel::Sizes& one) { return one.at(symbol) == 3072; }))
        << symbol;
    }
  }
}

// The loop that goes on with what an earlier block left runs in whole tiles only there.
TEST_F(LiteralSizesOfMatmul, ASecondBlockComesWithWholeTilesBesideIt)
{
  m_blocks = blocks_at({{"TILE_M", 768}, {"TILE_N", 128}, {"TILE_K", 1024}, {"REG_M", 6}});
  EXPECT_THAT(m_blocks, ElementsAre(128, 768, 1024));
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const std::vector<kernel::Sizes> sizes = drawn({64, 96, 128, 256, 512, 768, 1024, 1536, 2048, 3072}, 128, seed);
    EXPECT_TRUE(std::ranges::any_of(sizes, [](const kernel::Sizes& one) {
      return one.at("k") > 1024 && one.at("k") < 2048 && one.at("m") >= 16 && one.at("n") >= 16;
    }));
  }
}

TEST_F(LiteralSizesOfMatmul, ProductsOfTwoComeClose)
{
  const std::vector<kernel::Sizes> sizes = drawn({65536}, 1000);
  EXPECT_TRUE(std::ranges::any_of(sizes, [](const kernel::Sizes& one) {
    const std::int64_t product = one.at("m") * one.at("k");
    return one.at("m") > 1 && one.at("k") > 1 && one.at("k") < 60'000 && std::abs(product - 65536) <= 2 * one.at("m");
  }));
}

TEST_F(LiteralSizesOfMatmul, OneIsSoManyTimesAsLongAsAnother)
{
  kernel::Candidate candidate = with_text("x = 7;");
  candidate.files["launch.toml"] = "when = \"n > 5 * k\"\n";
  m_ratios = ratios_in(candidate);
  EXPECT_THAT(m_ratios, ElementsAre(1, 5));
  const std::vector<kernel::Sizes> sizes = drawn({}, 40);
  const auto some = [&](auto holds) { return std::ranges::any_of(sizes, holds); };
  EXPECT_TRUE(some([](const kernel::Sizes& one) { return one.at("n") == 5 * one.at("k"); }));
  EXPECT_TRUE(some([](const kernel::Sizes& one) { return one.at("k") == 5 * one.at("m"); }));
  EXPECT_TRUE(some([](const kernel::Sizes& one) { return one.at("n") == one.at("m"); }));
  EXPECT_TRUE(some([](const kernel::Sizes& one) { return one.at("n") == 5 * one.at("k") && one.at("k") >= 130; }));
}

TEST_F(LiteralSizesOfMatmul, ThereAreNoMoreThanAskedForAndOthersEachTime)
{
  const std::vector<std::int64_t> numbers{50, 96, 3072, 65536, 1'000'000};
  EXPECT_EQ(drawn(numbers, 40).size(), 40U);
  EXPECT_EQ(drawn(numbers, 40), drawn(numbers, 40));
  EXPECT_NE(drawn(numbers, 40), drawn(numbers, 40, 2));
  EXPECT_TRUE(drawn({}, 40).empty());
}

} // namespace
} // namespace hone::inputs
