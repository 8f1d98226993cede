// Steps for convolutions and pooling: what they refuse, what they print, and that any legal sequence gives the
// reference's results.
#include "rewrite/builtin/rewrites.h"
#include "sequence_harness.h"
#include "shipped_kernels.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace hone::rewrite {
namespace {

using testing::HasSubstr;
using testing::Not;

// Arguments as "NAME SHAPE" with the output last; sizes are small.
kernel::Kernel window_kernel(const std::string& expression,
                             const std::vector<std::pair<std::string, std::string>>& arguments,
                             const std::string& type = "f32")
{
  std::string text = fmt::format("[kernel]\nname = \"written\"\n[compute]\nexpr = \"{}\"\n[arguments]\n", expression);
  std::string shapes;
  for (const auto& [name, shape] : arguments) {
    text += fmt::format("{} = {{ type = \"{}\", shape = {}{} }}\n", name, type, shape,
                        name == arguments.back().first ? ", role = \"output\"" : "");
    shapes += shape;
  }
  std::vector<std::string> sizes;
  for (const char* symbol : {"b", "ci", "co", "h", "w", "g"}) {
    if (shapes.find(symbol) != std::string::npos) {
      sizes.push_back(fmt::format("{} = 9", symbol));
    }
  }
  return or_throw(kernel::parse_kernel(
    text + fmt::format("[sizes]\ntimed = [ {{ {} }} ]\nalso = \"any\"\n", join(sizes, ", ")), "written"));
}

const std::string k_image = "[\"b\", \"ci\", \"h\", \"w\"]";
const std::string k_planes = "[\"b\", \"co\", \"h\", \"w\"]";

TEST(WindowRewrites, SayWhyTheyDoNotFit)
{
  const kernel::Kernel pool = shipped("max-pool");
  EXPECT_THAT(refusal(shipped("matmul"), {"vectorize-windows"}), HasSubstr("is a contraction"));
  EXPECT_THAT(refusal(shipped("conv2d-transposed"), {"vectorize-windows"}),
              HasSubstr("is for convolutions and pooling"));
  EXPECT_THAT(refusal(pool, {"tile-channels"}), HasSubstr("no vectors"));
  EXPECT_THAT(refusal(pool, {"vectorize-windows", "tile-channels"}), HasSubstr("no loads could be shared"));
  EXPECT_THAT(refusal(pool, {"vectorize-windows", "vectorize-windows"}), HasSubstr("already"));
  EXPECT_THAT(refusal(window_kernel("Y[i] = sum(k < 3, X[i + k] * W[k] where i + k < w)",
                                    {{"X", "[\"w\"]"}, {"W", "[3]"}, {"Y", "[\"w\"]"}}),
                      {"vectorize-windows", "block-windows"}),
              HasSubstr("one row"));
  EXPECT_THAT(
    refusal(window_kernel("Y[i] = sum(k < 3, exp(X[i + k]) where i + k < w)", {{"X", "[\"w\"]"}, {"Y", "[\"w\"]"}}),
            {"vectorize-windows", "pack-windows"}),
    HasSubstr("outside its border"));
  EXPECT_THAT(refusal(pool, {"vectorize-windows", "join-rows", "pack-windows"}), HasSubstr("joined rows"));
  EXPECT_THAT(refusal(shipped("conv2d"), {"vectorize-windows", "block-windows", "pack-windows", "join-rows"}),
              HasSubstr("carried out"));
  EXPECT_THAT(
    refusal(window_kernel("Y[i] = sum(k < 3, X[i + k] where i + k < w - 1)", {{"X", "[\"w\"]"}, {"Y", "[\"w\"]"}}),
            {"vectorize-windows", "pack-windows"}),
    HasSubstr("is not the border"));
  EXPECT_FALSE(rewrite_schedule(lower::naive_schedule(pool), "vectorize-windows", {pool, lower::opencl_dialect()}));
}

TEST(WindowRewrites, TakeTheConditionsOutOfTheTile)
{
  const kernel::Kernel kernel = shipped("conv2d");
  const auto source = [&](const std::vector<std::string>& steps) {
    return or_throw(lower::lower_schedule(kernel, or_throw(after(kernel, steps)), k_cpu)).device_source();
  };
  EXPECT_THAT(source({"vectorize-windows"}), HasSubstr("hone_load_between"));
  const std::string packed = source({"vectorize-windows", "tile-channels", "pack-windows"});
  const std::string tile =
    packed.substr(packed.find("compute_tile"), packed.find("compute_edge_tile") - packed.find("compute_tile"));
  EXPECT_THAT(tile, Not(HasSubstr("if (")));
  EXPECT_THAT(tile, HasSubstr("hone_load(packed"));
}

TEST(WindowRewrites, BeginWithTilesThatTheRegistersHold)
{
  const kernel::Kernel kernel = shipped("conv2d");
  for (const auto& [vector_bytes, registers] : {std::pair{16, 12}, std::pair{32, 12}, std::pair{64, 28}}) {
    const lower::Dialect dialect = lower::cpu_dialect(vector_bytes, true);
    lower::Schedule schedule = lower::naive_schedule(kernel);
    for (const char* step : {"vectorize-windows", "tile-channels"}) {
      schedule = or_throw(rewrite_schedule(std::move(schedule), step, {kernel, dialect}));
    }
    std::int64_t sums = 1;
    for (const kernel::TuningParameter& parameter : schedule.tuning) {
      sums *= parameter.name == "CHANNELS" || parameter.name == "VECTORS" ? parameter.default_value : 1;
    }
    EXPECT_LE(sums, registers) << vector_bytes;
    EXPECT_GT(sums, registers / 2) << vector_bytes;
  }
}

// Windows of the kinds that people write.
std::vector<kernel::Kernel> window_kernels()
{
  const std::string border = "0 <= y + r - 1 < h && 0 <= x + s - 1 < w";
  const std::string filter = "[\"co\", \"ci\", 3, 3]";
  std::vector<kernel::Kernel> out;
  for (const char* name : {"conv2d", "conv2d-depthwise", "max-pool", "avg-pool"}) {
    out.push_back(shipped(name));
  }
  // In doubles, with bias and activation.
  out.push_back(window_kernel("Y[n,o,y,x] = max(sum(c, r < 3, s < 3, X[n,c,y + r - 1,x + s - 1] * W[o,c,r,s] where "
                                + border + ") + B[o], 0)",
                              {{"X", k_image}, {"W", filter}, {"B", "[\"co\"]"}, {"Y", k_planes}}, "f64"));
  // No border: the image is two larger than the output; a residual is added.
  out.push_back(
    window_kernel("Y[n,o,y,x] = tanh(sum(c, r < 3, s < 3, X[n,c,y + r,x + s] * W[o,c,r,s])) + Z[n,o,y,x]",
                  {{"X", "[\"b\", \"ci\", \"h + 2\", \"w + 2\"]"}, {"W", filter}, {"Z", k_planes}, {"Y", k_planes}}));
  // Channels last, with a border.
  out.push_back(window_kernel(
    "Y[n,y,x,o] = sum(r < 3, s < 3, c, X[n,y + r - 1,x + s - 1,c] * W[r,s,c,o] where " + border + ") * 0.5",
    {{"X", "[\"b\", \"h\", \"w\", \"ci\"]"}, {"W", "[3, 3, \"ci\", \"co\"]"}, {"Y", "[\"b\", \"h\", \"w\", \"co\"]"}}));
  // Depthwise with the channels last, and the largest of each window there.
  out.push_back(window_kernel(
    "Y[n,y,x,c] = sum(r < 3, s < 3, X[n,y + r - 1,x + s - 1,c] * W[r,s,c] where " + border + ")",
    {{"X", "[\"b\", \"h\", \"w\", \"ci\"]"}, {"W", "[3, 3, \"ci\"]"}, {"Y", "[\"b\", \"h\", \"w\", \"ci\"]"}}));
  out.push_back(
    window_kernel("Y[n,y,x,c] = max(r < 2, s < 2, X[n,2 * y + r,2 * x + s,c])",
                  {{"X", "[\"b\", \"2 * h\", \"2 * w\", \"ci\"]"}, {"Y", "[\"b\", \"h\", \"w\", \"ci\"]"}}));
  // A dilated filter, groups of channels, a filter that is mirrored, a stride of three.
  out.push_back(window_kernel("Y[n,o,y,x] = sum(c, r < 3, s < 5, X[n,c,y + 2 * r - 2,x + 2 * s - 4] * W[o,c,r,s] where "
                              "0 <= y + 2 * r - 2 < h && 0 <= x + 2 * s - 4 < w)",
                              {{"X", k_image}, {"W", "[\"co\", \"ci\", 3, 5]"}, {"Y", k_planes}}));
  out.push_back(window_kernel("Y[n,k,o,x] = sum(c, s < 3, X[n,k,c,x - s + 1] * W[k,o,c,s] where 0 <= x - s + 1 < w)",
                              {{"X", "[\"b\", \"g\", \"ci\", \"w\"]"},
                               {"W", "[\"g\", \"co\", \"ci\", 3]"},
                               {"Y", "[\"b\", \"g\", \"co\", \"w\"]"}}));
  out.push_back(
    window_kernel("Y[n,c,y,x] = sum(r < 2, s < 4, X[n,c,3 * y + r,3 * x + s - 1] where 3 * x + s - 1 >= 0) / 8",
                  {{"X", "[\"b\", \"ci\", \"3 * h\", \"3 * w\"]"}, {"Y", "[\"b\", \"ci\", \"h\", \"w - 1\"]"}}));
  // The smallest, in doubles; a condition on the row alone; one dimension; a formula in the window.
  out.push_back(window_kernel("Y[n,c,y,x] = min(r < 3, s < 2, X[n,c,y + r,2 * x + s] where y + r < h)",
                              {{"X", "[\"b\", \"ci\", \"h\", \"2 * w\"]"}, {"Y", "[\"b\", \"ci\", \"h\", \"w\"]"}},
                              "f64"));
  out.push_back(window_kernel("Y[x] = sum(s < 7, X[x + s - 3] * W[s] where 0 <= x + s - 3 < w)",
                              {{"X", "[\"w\"]"}, {"W", "[7]"}, {"Y", "[\"w\"]"}}));
  out.push_back(window_kernel("Y[o,x] = max(c, s < 3, abs(X[c,x + s] - W[o,c,s]) where x + s < w)",
                              {{"X", "[\"ci\", \"w\"]"}, {"W", "[\"co\", \"ci\", 3]"}, {"Y", "[\"co\", \"w\"]"}}));
  return out;
}

// All schedules that some legal order of some steps leads to, each once.
void explore(const kernel::Kernel& kernel, const lower::Schedule& schedule,
             std::map<std::string, std::vector<std::string>>& found)
{
  lower::Schedule without_history = schedule;
  without_history.done.clear();
  found.emplace(lower::to_toml(without_history), schedule.done);
  for (const Rewrite& rewrite : rewrites()) {
    if (rewrite.family != RewriteFamily::windows) {
      continue;
    }
    if (const Result<lower::Schedule> next = rewrite_schedule(schedule, rewrite.name, {kernel, k_cpu})) {
      explore(kernel, *next, found);
    }
  }
}

TEST(WindowSequences, AllSubsetsInAllOrdersGiveTheReferencesResults)
{
  const std::vector<kernel::Kernel> kernels = window_kernels();
  Random random(3);
  std::vector<SequenceCase> cases;
  for (const kernel::Kernel& kernel : kernels) {
    ASSERT_TRUE(after(kernel, {"vectorize-windows"}))
      << kernel.expression_text << refusal(kernel, {"vectorize-windows"});
    std::map<std::string, std::vector<std::string>> found;
    explore(kernel, lower::naive_schedule(kernel), found);
    for (const auto& [schedule, steps] : found) {
      cases.push_back(or_throw(make_case(kernel, k_cpu, steps, random)));
    }
  }
  EXPECT_GE(cases.size(), 60U);
  SequenceRun run;
  run.extents = {{3}, {2, 1, 17, 5, 4}, {1, 4, 3, 7, 33}, {2, 17, 3, 19, 40}, {1, 3, 2, 65, 70}};
  // Each case for one instruction set, all sets for every kernel.
  const std::vector<std::vector<std::string>> sets = {{"-march=native"}, {"-mavx2", "-mfma"}, {"-msse2"}};
  for (std::size_t set = 0; set < sets.size(); ++set) {
    std::vector<SequenceCase> chosen;
    for (std::size_t i = set; i < cases.size(); i += sets.size()) {
      chosen.push_back(cases[i]);
    }
    run.flags = sets[set];
    const Result<std::vector<std::string>> failures = run_cases(chosen, run);
    ASSERT_TRUE(failures) << failures.error().text();
    EXPECT_THAT(*failures, testing::IsEmpty()) << join(run.flags, " ");
  }
}

} // namespace
} // namespace hone::rewrite
