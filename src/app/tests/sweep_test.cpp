// Which sizes --sizes means.
#include "app/sweep.h"

#include <gmock/gmock.h>

namespace hone::app {
namespace {

using testing::HasSubstr;

kernel::Kernel matmul()
{
  return *kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / "matmul");
}

std::vector<std::int64_t> extents(const std::string& text, const std::string& symbol)
{
  const kernel::Kernel kernel = matmul();
  const auto all = parse_sweep(kernel, kernel.timed.front(), text);
  std::vector<std::int64_t> out;
  for (const kernel::Sizes& sizes : all ? *all : std::vector<kernel::Sizes>()) {
    out.push_back(sizes.at(symbol));
  }
  return out;
}

// Both ends belong to a range; what is not named keeps the kernel's size.
TEST(Sweep, RangesDoubleOrStep)
{
  using Extents = std::vector<std::int64_t>;
  EXPECT_EQ(extents("n=2^3..2^6", "n"), (Extents{8, 16, 32, 64}));
  EXPECT_EQ(extents("n=100..350:100", "n"), (Extents{100, 200, 300}));
  EXPECT_EQ(extents("n=100..200:50", "m"), Extents(3, 1024));
  EXPECT_EQ(extents("m=n=k=64..128,", "k"), Extents());
  EXPECT_EQ(extents("m=n=k=64..128", "k"), (Extents{64, 128}));
  EXPECT_EQ(extents("m=n=k=64..128", "m"), (Extents{64, 128}));
  EXPECT_EQ(extents("m=1..2,n=3..6", "n"), (Extents{3, 6, 3, 6}));
  EXPECT_EQ(extents("m=1..2, n=7", "m"), (Extents{1, 2}));
}

TEST(Sweep, MistakesNameTheOption)
{
  const kernel::Kernel kernel = matmul();
  const auto error_of = [&](const std::string& text) {
    const auto sizes = parse_sweep(kernel, kernel.timed.front(), text);
    return sizes ? "no error" : sizes.error().text();
  };
  EXPECT_THAT(error_of("q=1..2"), HasSubstr("has no size 'q'"));
  EXPECT_THAT(error_of("n"), HasSubstr("no range of sizes"));
  EXPECT_THAT(error_of("n=9..3"), HasSubstr("begins above its end"));
  EXPECT_THAT(error_of("n=0..3"), HasSubstr("from 1 to 2^31"));
  EXPECT_THAT(error_of("n=1..2^40"), HasSubstr("from 1 to 2^31"));
  EXPECT_THAT(error_of("n=1..1000:1"), HasSubstr("more than 200"));
  EXPECT_THAT(error_of("n=1..100:1,m=1..100:1"), HasSubstr("at most 200"));
  EXPECT_THAT(error_of("n=x"), HasSubstr("--sizes"));
}

// The least gain is named, and sizes without a result do not count as one.
TEST(Sweep, TheSummaryNamesTheLeast)
{
  Sweep sweep{"best", "start", {}, false, true};
  EXPECT_EQ(sweep_summary(sweep), "nothing was compared");
  record::ComparisonResult comparison;
  for (const double ratio : {4.0, 1.0}) {
    comparison.ratio = ratio;
    sweep.rows.push_back({{{"n", static_cast<std::int64_t>(ratio)}}, comparison, {}});
  }
  sweep.rows.push_back({{{"n", 9}}, {}, "constraints: too large"});
  EXPECT_EQ(sweep_summary(sweep), "geometric mean 2.000x; least at n=1: 1.000x");
  EXPECT_EQ(sweep_table(sweep).size(), 4U);
  EXPECT_EQ(to_json(sweep).at("worst").at("sizes").at("n"), 1);
}

} // namespace
} // namespace hone::app
