#include "app/figures.h"
#include "app/headline.h"
#include "policy/baselines.h"
#include "util/util.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone::app {
namespace {

// "406x [57.6, 2853]" and "87.1x [0.000, inf]" said nothing that anybody could believe.
TEST(Figures, WideIntervalsAreSaidInWords)
{
  EXPECT_EQ(ratio_text(3.42, {3.40, 3.44}), "3.420x [3.400, 3.440]");
  EXPECT_EQ(ratio_text(406, {57.6, 2853}), "at least 57.6x");
  EXPECT_EQ(ratio_text(0.5, {0.3, 0.9}), "at most 0.900x");
  EXPECT_EQ(ratio_text(87.1, {0, INFINITY}), "about 87.1x (uncertain)");
  EXPECT_EQ(ratio_text(1.05, {0.9, 1.2}), "about 1.050x (uncertain)");
}

// Would catch a ship or verify that says nothing of a busy machine, or cries wolf on a quiet one.
TEST(Figures, SayWhereTheMachineWasBusy)
{
  record::Record record;
  EXPECT_EQ(busy_text(record, "measured"), "");
  record.verdict.comparisons.resize(1);
  record.verdict.comparisons.front().explanation.emplace();
  record.verdict.comparisons.front().explanation->on_clock_s = 1;
  record.verdict.comparisons.front().explanation->cpu_missing = 0.01;
  EXPECT_EQ(busy_text(record, "measured"), "");
  record.verdict.comparisons.front().explanation->cpu_missing = 0.23;
  EXPECT_EQ(busy_text(record, "measured"),
            "measured on a busy machine (others took 23 % of the CPU time): take its times with care");
}

policy::BaselineResult against(const char* name, const char* setting, double ratio)
{
  policy::BaselineResult result{{name, setting}, {}};
  result.comparison.ratio = ratio;
  result.comparison.ci95 = {ratio * 0.99, ratio * 1.01};
  return result;
}

TEST(Headline, NamesTheBestLibraryThePlainLoopsAndTheRoof)
{
  ClimbResult result;
  EXPECT_EQ(headline(result), "");
  EXPECT_EQ(gain_over_start(result), "");
  result.baselines = {against("openblas", "OPENBLAS_CORETYPE=SkylakeX", 1.1), against("onednn", "", 1.4),
                      against(policy::k_plain_loops, "our compiler and flags", 5.7)};
  result.scale.floor_s = 0.92e-3;
  result.final_record.emplace();
  result.final_record->verdict.cold = record::TimeEstimate{};
  result.final_record->verdict.cold->median = 1e-3;
  EXPECT_EQ(best_library(result), &result.baselines.front());
  result.library_versions = {{"openblas", "0.3.21"}};
  EXPECT_EQ(headline(result), "1.100x [1.089, 1.111] the best library (OpenBLAS 0.3.21, SkylakeX), "
                              "5.700x [5.643, 5.757] plain loops, 92 % of this machine's roof");
  result.left_out = {"blis"};
  EXPECT_NE(headline(result).find("the best library compared (OpenBLAS"), std::string::npos) << "not the best of all";
  result.baselines.clear();
  EXPECT_EQ(headline(result), "92 % of this machine's roof");
}

// Would catch names that are cut in the table, and versions that are read out of an interface's number.
TEST(LibraryNames, AreShortWhereTheyMustBeAndVersionsComeFromFiles)
{
  EXPECT_EQ(short_library_text("openblas (OPENBLAS_CORETYPE=SkylakeX)"), "openblas SkylakeX");
  EXPECT_EQ(short_library_text("onednn (matmul primitive)"), "onednn matmul primitive");
  EXPECT_EQ(short_library_text("blis"), "blis");
  EXPECT_EQ(library_text("blis", "BLIS_ARCH_TYPE=6", {}), "BLIS, BLIS_ARCH_TYPE=6");
  auto folder = TemporaryFolder::create("hone-libraries");
  ASSERT_TRUE(folder);
  for (const auto& [link, file] :
       {std::pair{"libopenblas.so.0", "libopenblasp-r0.3.29.so"}, std::pair{"libdnnl.so.2", "libdnnl.so.2.7"}}) {
    ASSERT_TRUE(write_file(folder->path() / file, ""));
    fs::create_symlink(file, folder->path() / link);
  }
  ASSERT_TRUE(write_file(folder->path() / "libblis.so.4", ""));
  const std::vector<fs::path> folders{folder->path()};
  EXPECT_EQ(library_versions(folders), (LibraryVersions{{"onednn", "2.7"}, {"openblas", "0.3.29"}}));
}

TEST(Headline, SaysWhatBoundsACall)
{
  ClimbScale scale{.flops = 2e9, .bytes = 1e8, .floor_s = 0.9e-2};
  EXPECT_EQ(roof_text(scale, 1e-2),
            "compute-bound: 200.0 GFLOP/s, 90 % of the roof, which is 222.2 GFLOP/s as measured here");
  EXPECT_EQ(roof_text(scale, 1),
            "latency-bound: 2.0 GFLOP/s, 1 % of the roof, which is 222.2 GFLOP/s as measured here");
  scale.bound_by = "DRAM";
  EXPECT_EQ(roof_text(scale, 1e-2),
            "bandwidth-bound (memory): 10.0 GB/s, 90 % of the roof, which is 11.1 GB/s of memory as measured here");
  scale.bound_by = "L2";
  EXPECT_EQ(roof_text(scale, 1e-2),
            "bandwidth-bound (L2): 10.0 GB/s, 90 % of the roof, which is 11.1 GB/s of L2 as measured here");
  EXPECT_EQ(roof_text({}, 1), "");
}

} // namespace
} // namespace hone::app
