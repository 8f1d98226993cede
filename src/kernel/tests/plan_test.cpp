#include "test_data.h"

#include <gmock/gmock.h>

#include <regex>

namespace hone::kernel {
namespace {

using testing::HasSubstr;

std::int64_t value_of(const std::string& text)
{
  const auto parsed = PlanExpression::parse(text, {"launch.toml", 3, 10});
  EXPECT_TRUE(parsed) << parsed.error().text();
  const auto value = parsed->evaluate({{"m", 100}, {"TILE", 32}, {"device.units", 8}});
  EXPECT_TRUE(value) << value.error().text();
  return value.value_or(-1);
}

TEST(PlanExpression, Evaluates)
{
  EXPECT_EQ(value_of("ceil_div(m, TILE)"), 4);
  EXPECT_EQ(value_of("round_up(m, TILE) - m"), 28);
  EXPECT_EQ(value_of("m / TILE * 2 + m % 7"), 8);
  EXPECT_EQ(value_of("m > 50 && !(TILE == 16) ? min(m, device.units) : 0"), 8);
  EXPECT_EQ(value_of("ceil_log2(m) + ceil_log2(1)"), 7);
  EXPECT_EQ(value_of("m < 5 || max(1, 2, 3) == 3"), 1);
  EXPECT_EQ(value_of("0 && 1 / 0"), 0); // not reached, so no error
  EXPECT_EQ(value_of("-(3 - 5)"), 2);
}

TEST(PlanExpression, ErrorsHaveAPlaceAndAWayOut)
{
  const auto error_of = [](const std::string& text) {
    const auto parsed = PlanExpression::parse(text, {"launch.toml", 3, 10});
    if (!parsed) {
      return parsed.error();
    }
    const auto value = parsed->evaluate({{"m", 100}, {"TILE_M", 32}});
    EXPECT_FALSE(value) << text;
    return value ? Error{} : value.error();
  };
  EXPECT_THAT(error_of("m / (TILE_M - 32)").message, HasSubstr("division by zero"));
  EXPECT_THAT(error_of("m + TILE_N").hint, HasSubstr("'TILE_M'"));
  EXPECT_EQ(error_of("m + TILE_N").place.column, 14);
  EXPECT_THAT(error_of("cel_div(m, 2)").hint, HasSubstr("'ceil_div'"));
  EXPECT_THAT(error_of("m +").message, HasSubstr("the end was not expected"));
  EXPECT_THAT(error_of("9223372036854775807 + m").message, HasSubstr("64 bits"));
  EXPECT_FALSE(PlanExpression::parse(std::string(1000, '('), {}));
  EXPECT_EQ(PlanExpression().evaluate({}).value(), 0);
  EXPECT_EQ(PlanExpression::parse("a + b * a", {})->names(), (std::vector<std::string>{"a", "b"}));
}

constexpr const char* k_plan = R"toml([tuning]
TILE = { values = [16, 32], default = 32 }
K_SPLITS = { values = [1, 2, 4] }
constraints = ["TILE * K_SPLITS <= 64", "shared <= device.shared_per_block"]

[[scratch]]
name = "partial"
type = "f64"
size = "K_SPLITS * m * n"

[[launch]]
kernel = "multiply"
grid = ["ceil_div(n, TILE)", "ceil_div(m, TILE)", "K_SPLITS"]
shared = "TILE * 8"
args = ["A", "B", "partial", "m", "n", "k"]
reduce = ["partial"]
fill = { buffer = "partial", value = 0 }

[[launch]]
kernel = "join"
grid = "m"
block = [1]
args = ["partial", "C", "repeat_index"]
repeat = "ceil_log2(K_SPLITS)"
when = "K_SPLITS > 1"
)toml";

std::map<std::string, std::string> files_with(const std::string& plan)
{
  return {{"device.cpp", "// code\n"}, {"macros.h", ""}, {"launch.toml", plan}};
}

TEST(LaunchPlan, Resolves)
{
  const Kernel kernel = shipped("matmul");
  const auto candidate = make_candidate(kernel, files_with(k_plan));
  ASSERT_TRUE(candidate) << candidate.error().text();
  EXPECT_EQ(candidate->backend, "cpu");
  EXPECT_EQ(candidate->plan.tuning.size(), 6);
  EXPECT_EQ(to_text(candidate->plan.tuning.defaults()), "K_SPLITS=1 TILE=32");

  const Sizes sizes{{"m", 33}, {"n", 65}, {"k", 10}};
  const PlanScope facts{{"device.shared_per_block", 4096}};
  const auto plan = resolve_plan(kernel, *candidate, sizes, {{"K_SPLITS", 4}, {"TILE", 16}}, facts);
  ASSERT_TRUE(plan) << plan.error().text();
  ASSERT_EQ(plan->launches.size(), 3u); // the second launch runs twice
  EXPECT_EQ(plan->launches[0].grid, (std::array<std::int64_t, 3>{5, 3, 4}));
  EXPECT_EQ(plan->launches[0].shared_bytes, 128);
  EXPECT_EQ(plan->scratch[0].elements, 4 * 33 * 65);
  EXPECT_EQ(plan->launches[0].args[2].kind, ResolvedArgument::Kind::scratch);
  EXPECT_EQ(plan->launches[0].args[3].integer, 33);
  EXPECT_EQ(plan->launches[0].fills.size(), 1u);
  EXPECT_EQ(plan->launches[2].args[2].integer, 1);
  EXPECT_EQ(plan->launches[2].args[1].position, 2u);

  EXPECT_EQ(resolve_plan(kernel, *candidate, sizes, {}, facts)->launches.size(), 1u);
}

// A map beyond its tensor would let copies read and write what is not the tensor's.
TEST(LaunchPlan, TensorMapsStayWithinTheirTensors)
{
  const Kernel kernel = shipped("matmul");
  const auto made = [&](const std::string& map, const char* device = "device.cu") {
    return make_candidate(kernel, {{device, "// code\n"},
                                   {"launch.toml", map + "\n[[launch]]\nkernel = \"f\"\nargs = [\"A\", \"map_A\"]\n"}});
  };
  const std::string map =
    "[[tensor_map]]\nname = \"map_A\"\ntensor = \"A\"\nsizes = [\"k\", \"m\"]\nbox = [64, 32]\nswizzle = 128\n";
  const auto candidate = made(map);
  ASSERT_TRUE(candidate) << candidate.error().text();
  const auto plan = resolve_plan(kernel, *candidate, {{"m", 33}, {"n", 65}, {"k", 10}}, {}, {});
  ASSERT_TRUE(plan) << plan.error().text();
  ASSERT_EQ(plan->maps.size(), 1u);
  EXPECT_EQ(plan->maps[0].sizes, (std::vector<std::int64_t>{10, 33}));
  EXPECT_EQ(plan->maps[0].box, (std::vector<std::int64_t>{64, 32}));
  EXPECT_EQ(plan->launches[0].args[1].kind, ResolvedArgument::Kind::map);

  const auto too_large = made(std::regex_replace(map, std::regex("\"m\"\\]"), "\"m + 1\"]"));
  ASSERT_TRUE(too_large) << too_large.error().text();
  const auto refused = resolve_plan(kernel, *too_large, {{"m", 33}, {"n", 65}, {"k", 10}}, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("the map 'map_A'"));
  const auto said = [&](const std::string& from, const std::string& to, const char* device = "device.cu") {
    const auto one = made(std::regex_replace(map, std::regex(from), to), device);
    return one ? std::string() : one.error().message;
  };
  EXPECT_THAT(said("tensor = \"A\"", "tensor = \"D\""), HasSubstr("'D' is no argument or scratch buffer"));
  EXPECT_THAT(said("64, 32", "64"), HasSubstr("as many entries"));
  EXPECT_THAT(said("128", "48"), HasSubstr("a swizzle of 48 bytes"));
  EXPECT_THAT(said("128", "128", "device.hip"), HasSubstr("hip has no tensor maps"));
}

// A driver would refuse the launch, without a word on where.
TEST(LaunchPlan, GridsAreMultiplesOfClusters)
{
  const Kernel kernel = shipped("matmul");
  const auto made = [&](const char* device) {
    return make_candidate(kernel, {{device, "// code\n"},
                                   {"launch.toml", "[[launch]]\nkernel = \"f\"\ngrid = [\"n\"]\nblock = [\"32\"]\n"
                                                   "cluster = [\"2\"]\nargs = [\"A\"]\n"}});
  };
  const auto candidate = made("device.cu");
  ASSERT_TRUE(candidate) << candidate.error().text();
  const auto resolved = [&](std::int64_t n, std::int64_t most) {
    return resolve_plan(kernel, *candidate, {{"m", 4}, {"n", n}, {"k", 4}}, {}, {{"device.cluster", most}});
  };
  ASSERT_TRUE(resolved(6, 8)) << resolved(6, 8).error().text();
  EXPECT_EQ(resolved(6, 8)->launches[0].cluster, (std::array<std::int64_t, 3>{2, 1, 1}));
  ASSERT_FALSE(resolved(7, 8));
  EXPECT_THAT(resolved(7, 8).error().message, HasSubstr("7 groups along x, no multiple of the cluster's 2"));
  ASSERT_FALSE(resolved(6, 0));
  EXPECT_THAT(resolved(6, 0).error().message, HasSubstr("of the cluster of 'f' is 2"));
  const auto other = made("device.hip");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("hip has no clusters"));
}

TEST(LaunchPlan, LimitsAreTheCandidatesMistakes)
{
  const Kernel kernel = shipped("matmul");
  const auto candidate = make_candidate(kernel, files_with(k_plan));
  ASSERT_TRUE(candidate);
  const PlanScope facts{{"device.shared_per_block", 4096}};
  const auto reason = [&](const Sizes& sizes, const TuningPoint& point, const PlanScope& scope) {
    const auto plan = resolve_plan(kernel, *candidate, sizes, point, scope);
    return plan ? std::string() : plan.error().message;
  };
  const Sizes sizes{{"m", 33}, {"n", 65}, {"k", 10}};
  EXPECT_THAT(reason(sizes, {{"K_SPLITS", 4}, {"TILE", 32}}, facts), HasSubstr("TILE * K_SPLITS <= 64"));
  EXPECT_THAT(reason(sizes, {{"TILE", 24}}, facts), HasSubstr("not one of its values"));
  EXPECT_THAT(reason(sizes, {{"TILES", 16}}, facts), HasSubstr("does not have"));
  EXPECT_THAT(reason(sizes, {}, {{"device.shared_per_block", 100}}), HasSubstr("256 bytes of shared memory"));
  EXPECT_THAT(reason({{"m", 1 << 20}, {"n", 1 << 20}, {"k", 1}}, {}, facts), HasSubstr("8 GiB"));
  EXPECT_THAT(reason({{"m", 4}}, {}, facts), HasSubstr("has no value"));
  EXPECT_THAT(reason(sizes, {{"TILE", 16}}, {{"device.max_groups_y", 2}}), HasSubstr("at most 2 along y and z"));
  const auto wide = make_candidate(
    kernel, files_with(std::regex_replace(std::string(k_plan), std::regex("block = \\[1\\]"), "block = [3]")));
  ASSERT_TRUE(wide);
  const auto refused =
    resolve_plan(kernel, *wide, sizes, {{"K_SPLITS", 2}}, {{"device.shared_per_block", 4096}, {"device.max_block", 2}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("at most 2 for all entries"));

  std::string why;
  const PlanScope scope = plan_scope(sizes, {{"TILE", 32}, {"K_SPLITS", 4}}, {});
  EXPECT_FALSE(*satisfies_constraints(candidate->plan.tuning, scope, &why));
  EXPECT_THAT(why, HasSubstr("TILE * K_SPLITS"));
}

TEST(LaunchPlan, Mistakes)
{
  const Kernel kernel = shipped("matmul");
  const auto error_with = [&](const std::string& from, const std::string& to) {
    std::string plan = k_plan;
    plan.replace(plan.find(from), from.size(), to);
    const auto candidate = make_candidate(kernel, files_with(plan));
    EXPECT_FALSE(candidate) << to;
    return candidate ? Error{} : candidate.error();
  };
  EXPECT_THAT(error_with("block = [1]", "blok = [1]").hint, HasSubstr("'block'"));
  EXPECT_EQ(error_with("block = [1]", "blok = [1]").place.line, 22);
  EXPECT_THAT(error_with("\"TILE * 8\"", "\"TLE * 8\"").hint, HasSubstr("'TILE'"));
  EXPECT_THAT(error_with("\"C\", \"repeat", "\"D\", \"repeat").message, HasSubstr("'D' is no argument"));
  EXPECT_THAT(error_with("reduce = [\"partial\"]", "reduce = [\"A\"]").message, HasSubstr("'A' is no output"));
  EXPECT_THAT(error_with("default = 32", "default = 33").message, HasSubstr("not one of its values"));
  EXPECT_THAT(error_with("name = \"partial\"", "name = \"A\"").message, HasSubstr("'A' is taken"));
  EXPECT_THAT(error_with("name = \"partial\"", "name = \"restrict\"").message, HasSubstr("cannot name a scratch"));
  EXPECT_THAT(error_with("grid = \"m\"", "grid = []").message, HasSubstr("expected 1 to 3"));
  EXPECT_EQ(error_with("\"TILE * 8\"", "\"TILE * (8\"").place.line, 14);
}

TEST(Candidate, IdentityIsOfItsFiles)
{
  const Kernel kernel = shipped("matmul");
  auto files = files_with(k_plan);
  const auto plain = make_candidate(kernel, files);
  files["schedule.toml"] = "steps = []\n";
  const auto with_schedule = make_candidate(kernel, files);
  files["macros.h"] = "#define X 1\n";
  const auto other = make_candidate(kernel, files);
  ASSERT_TRUE(plain && with_schedule && other);
  EXPECT_EQ(plain->hash(), with_schedule->hash());
  EXPECT_NE(plain->hash(), other->hash());
  EXPECT_EQ(with_schedule->schedule, "steps = []\n");
  EXPECT_EQ(plain->device_source(), "// code\n");
  EXPECT_EQ(device_file_name("opencl"), "device.cl");
  EXPECT_EQ(device_file_name("abacus"), "");
}

TEST(Candidate, RoundTripThroughAFolder)
{
  const Kernel kernel = shipped("matmul");
  auto files = files_with(k_plan);
  files["schedule.toml"] = "steps = []\n";
  const auto candidate = make_candidate(kernel, files);
  auto folder = TemporaryFolder::create("hone-candidate-test");
  ASSERT_TRUE(candidate && folder);
  const fs::path at = folder->path() / "one";
  ASSERT_TRUE(save_candidate(*candidate, at));
  const auto again = load_candidate(kernel, at);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->hash(), candidate->hash());
  EXPECT_EQ(again->schedule, candidate->schedule);
}

TEST(Candidate, FoldersAreNotTrusted)
{
  const Kernel kernel = shipped("matmul");
  const auto candidate = make_candidate(kernel, files_with(k_plan));
  auto folder = TemporaryFolder::create("hone-candidate-test");
  ASSERT_TRUE(candidate && folder);
  const auto refused = [&](const std::string& name, auto spoil) {
    const fs::path at = folder->path() / name;
    EXPECT_TRUE(save_candidate(*candidate, at));
    spoil(at);
    const auto loaded = load_candidate(kernel, at);
    EXPECT_FALSE(loaded) << name;
    return loaded ? std::string() : loaded.error().message;
  };
  EXPECT_THAT(refused("link",
                      [](const fs::path& at) {
                        fs::remove(at / "macros.h");
                        fs::create_symlink("/etc/passwd", at / "macros.h");
                      }),
              HasSubstr("not a plain file"));
  EXPECT_THAT(refused("folder", [](const fs::path& at) { fs::create_directory(at / "sub"); }), HasSubstr("'sub'"));
  EXPECT_THAT(
    refused("large", [](const fs::path& at) { ASSERT_TRUE(write_file(at / "macros.h", std::string(5 << 20, ' '))); }),
    HasSubstr("4 MiB"));
  EXPECT_THAT(
    refused("stranger", [](const fs::path& at) { ASSERT_TRUE(write_file(at / "host.cpp", "int main() {}")); }),
    HasSubstr("holds no file 'host.cpp'"));
  EXPECT_THAT(refused("two", [](const fs::path& at) { ASSERT_TRUE(write_file(at / "device.cl", "")); }),
              HasSubstr("one device file"));
  EXPECT_THAT(refused("none", [](const fs::path& at) { fs::remove(at / "launch.toml"); }), HasSubstr("needs a launch"));
  EXPECT_FALSE(load_candidate(kernel, folder->path() / "absent"));
}

} // namespace
} // namespace hone::kernel
