#include "gate/gate.h"
#include "util/util.h"

#include <gmock/gmock.h>

namespace hone::gate {
namespace {

using testing::HasSubstr;

class FakeBackend : public backend::Backend {
public:
  std::string_view name() const override { return "cpu"; }
  record::Tier tier() const override { return record::Tier::b; }
  std::string_view lock_profile() const override { return ""; }
  Result<backend::DeviceInfo> probe() const override
  {
    backend::DeviceInfo info;
    info.fingerprint = "print-of-this-device";
    return info;
  }
  lower::Dialect dialect() const override { return {}; }
  Result<backend::CompileJob> compile_job(const backend::BuildInput&) const override { return backend::CompileJob{}; }
  std::expected<backend::Module, backend::LoadFailure> load(const backend::BuildInput&,
                                                            const std::map<std::string, std::string>&) const override
  {
    return backend::Module{};
  }
  std::string translate_log(std::string_view log) const override { return std::string(log); }
  std::string_view runner_program() const override { return ""; }
};

Ceilings example()
{
  Ceilings ceilings;
  ceilings.fingerprint = "abc";
  ceilings.method = "by hand";
  ceilings.gflops = {{"f32", 100}, {"f64", 50}, {"f32/avx2", 100}};
  ceilings.gbytes = {{"L1", 200}, {"L2", 100}, {"L3", 50}, {"DRAM", 10}};
  ceilings.capacities = {{"L1", 32 << 10}, {"L2", 1 << 20}, {"L3", 32 << 20}};
  return ceilings;
}

// A roof that was measured beside other work stayed too low for good: kernels were shown above it.
TEST(Ceilings, GrowWhereTheyWereTooLow)
{
  Ceilings low = example();
  low.gflops["f32"] = 1e-3;
  low.gflops["f64"] = 1e-3;
  low.gflops["bf16"] = 2e-3;
  low.gbytes["DRAM"] = 1e-3;
  const FakeBackend backend;
  const auto grew = raise_ceilings(low, backend);
  ASSERT_TRUE(grew);
  EXPECT_EQ(*grew, backend.capabilities().host_ceilings);
  EXPECT_GT(low.gflops["f32"], 0.1);
  EXPECT_GT(low.gflops["f64"], 0.1) << "products of doubles were shown above their roof";
  EXPECT_DOUBLE_EQ(low.gflops["bf16"], 2 * low.gflops["f32"]);
  EXPECT_GT(low.gbytes["DRAM"], 0.1);
  Ceilings high = example();
  high.gflops["f32"] = 1e9;
  high.gflops["f64"] = 1e9;
  high.gbytes["DRAM"] = 1e9;
  EXPECT_FALSE(*raise_ceilings(high, backend));
  EXPECT_EQ(high.gbytes["DRAM"], 1e9);
}

kernel::Kernel kernel_from(const std::string& type)
{
  auto kernel =
    kernel::parse_kernel("[kernel]\nname = \"matmul\"\n[compute]\nexpr = \"C[m,n] = sum(k, A[m,k] * B[k,n])\"\n"
                         "[arguments]\nA = { type = \""
                           + type
                           + "\", shape = [\"m\", \"k\"] }\n"
                             "B = { type = \""
                           + type
                           + "\", shape = [\"k\", \"n\"] }\n"
                             "C = { type = \""
                           + type
                           + "\", shape = [\"m\", \"n\"], role = \"output\" }\n"
                             "[sizes]\ntimed = [ { m = 64, n = 64, k = 64 } ]\n",
                         "kernel.toml");
  EXPECT_TRUE(kernel) << kernel.error().text();
  return kernel ? *kernel : kernel::Kernel{};
}

TEST(Ceilings, MeasuresEveryRateAndLevelOfThisCpu)
{
  const auto ceilings = measure_ceilings(FakeBackend());
  ASSERT_TRUE(ceilings) << ceilings.error().text();
  EXPECT_EQ(ceilings->fingerprint, "print-of-this-device");
  for (const char* rate : {"f32", "f64", "f32/sse2", "f64/sse2"}) {
    ASSERT_TRUE(ceilings->gflops.contains(rate)) << rate;
    EXPECT_GT(ceilings->gflops.at(rate), 0.1) << rate;
  }
  EXPECT_GE(ceilings->gflops.at("f32"), ceilings->gflops.at("f32/sse2"));
  ASSERT_TRUE(ceilings->gbytes.contains("DRAM"));
  EXPECT_GT(ceilings->gbytes.at("DRAM"), 0.1);
  for (const auto& [level, capacity] : ceilings->capacities) {
    EXPECT_GT(capacity, 1024) << level;
  }
}

TEST(Ceilings, SurviveTheirFile)
{
  auto folder = TemporaryFolder::create("hone-ceilings");
  ASSERT_TRUE(folder);
  const fs::path path = folder->path() / "made" / "ceilings-cpu.json";
  ASSERT_TRUE(save_ceilings(example(), path));
  const auto loaded = load_ceilings(path, "abc");
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_EQ(to_json(*loaded), to_json(example()));
}

TEST(Ceilings, OfAnotherDeviceAreRefused)
{
  auto folder = TemporaryFolder::create("hone-ceilings");
  ASSERT_TRUE(folder);
  const fs::path path = folder->path() / "ceilings-cpu.json";
  ASSERT_TRUE(save_ceilings(example(), path));
  const auto other = load_ceilings(path, "another");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("measured on another device"));
  EXPECT_THAT(other.error().hint, HasSubstr("hone device --measure"));
  EXPECT_FALSE(load_ceilings(folder->path() / "missing.json", "abc"));
  Json old = to_json(example()); // from before the memory of ceilings was that of calls
  old.erase("version");
  ASSERT_TRUE(write_file(path, old.dump()));
  const auto stale = load_ceilings(path, "abc");
  ASSERT_FALSE(stale);
  EXPECT_THAT(stale.error().message, HasSubstr("another version of Hone"));
}

TEST(Ceilings, DamagedJsonIsAnErrorThatNamesTheMember)
{
  Json json = to_json(example());
  json["gflops"]["f32"] = "fast";
  const auto damaged = ceilings_from_json(json);
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().message, HasSubstr("f32"));
  EXPECT_FALSE(ceilings_from_json(Json::array()));
}

TEST(Floor, IsArithmeticForACompactProductAndTrafficForAThinOne)
{
  // 2 * 64^3 operations at 100 and at 50 GFLOP/s.
  const kernel::Sizes cube{{"m", 64}, {"n", 64}, {"k", 64}};
  EXPECT_NEAR(roofline_seconds(kernel_from("f32"), cube, example()), 2.0 * 64 * 64 * 64 / 100e9, 1e-9);
  EXPECT_NEAR(roofline_seconds(kernel_from("f64"), cube, example()), 2.0 * 64 * 64 * 64 / 50e9, 1e-9);
  // A matrix larger than the last cache times a vector: bound by DRAM.
  const kernel::Sizes thin{{"m", 4096}, {"n", 1}, {"k", 4096}};
  const double bytes = 4.0 * (4096.0 * 4096 + 2 * 4096);
  EXPECT_NEAR(roofline_seconds(kernel_from("f32"), thin, example()), bytes / 10e9, 1e-9);
  // The same shape, small enough for L2.
  const kernel::Sizes small{{"m", 256}, {"n", 1}, {"k", 256}};
  EXPECT_NEAR(roofline_seconds(kernel_from("f32"), small, example()), 4.0 * (256.0 * 256 + 512) / 100e9, 1e-9);
}

// A cold call was held against the cache's bandwidth: gelu was shown at a third of what it reached.
TEST(Roof, OfAColdCallIsTheBandwidthOfMemory)
{
  const kernel::Sizes small{{"m", 256}, {"n", 1}, {"k", 256}};
  const double bytes = 4.0 * (256.0 * 256 + 512);
  const Roof cold = roof_of(kernel_from("f32"), small, example(), 1, record::Regime::cold);
  EXPECT_NEAR(cold.seconds, bytes / 10e9, 1e-9);
  EXPECT_EQ(cold.level, "DRAM");
  EXPECT_EQ(cold.gbytes, 10);
  const Roof hot = roof_of(kernel_from("f32"), small, example(), 2, record::Regime::hot);
  EXPECT_NEAR(hot.seconds, bytes / 200e9, 1e-9);
  EXPECT_EQ(hot.level, "L2");
  EXPECT_EQ(hot.gbytes, 200);
  const Roof cube =
    roof_of(kernel_from("f32"), {{"m", 1024}, {"n", 1024}, {"k", 1024}}, example(), 1, record::Regime::cold);
  EXPECT_EQ(cube.level, "");
  EXPECT_EQ(cube.gflops, 100);
}

// An optimiser's step was shown at 132 % of memory's bandwidth: what it changed was still in the cache at the end.
TEST(Roof, OfAColdUpdateLeavesOutWhatTheCacheHolds)
{
  const auto kernel =
    kernel::parse_kernel("[kernel]\nname = \"step\"\n[compute]\nexpr = \"p[i] = p[i] - g[i]\"\n[arguments]\n"
                         "p = { type = \"f32\", shape = [\"n\"], role = \"inout\" }\n"
                         "g = { type = \"f32\", shape = [\"n\"] }\n[sizes]\ntimed = [ { n = 64 } ]\n",
                         "step");
  ASSERT_TRUE(kernel) << kernel.error().text();
  const auto bytes = [&](double elements) {
    return roof_of(*kernel, {{"n", static_cast<std::int64_t>(elements)}}, example(), 1, record::Regime::cold).bytes;
  };
  const double million = 1 << 20;
  EXPECT_EQ(bytes(million), 2 * 4 * million);
  EXPECT_EQ(bytes(64 * million), 3 * 4 * 64 * million - 32 * million);
}

} // namespace
} // namespace hone::gate
