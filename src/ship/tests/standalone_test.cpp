// A candidate as a folder that stands alone: what is written, and what is refused. That it builds and computes the
// right things is the black-box suite's business.
#include "lower/lower.h"
#include "ship/names.h"
#include "ship/plan_text.h"
#include "ship/ship.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace hone;
using namespace hone::ship;
using testing::HasSubstr;
using testing::Not;

namespace {

kernel::Kernel kernel_from(const std::string& expression, const std::string& arguments, const std::string& sizes,
                           const std::string& also = "any", const std::string& name = "scale")
{
  const std::string toml = "[kernel]\nname = \"" + name + "\"\n[compute]\nexpr = \"\"\"\n" + expression
                           + "\n\"\"\"\n[arguments]\n" + arguments + "\n[sizes]\ntimed = [ { " + sizes
                           + " } ]\nalso = \"" + also + "\"\n";
  auto kernel = kernel::parse_kernel(toml, "kernel.toml");
  EXPECT_TRUE(kernel.has_value()) << (kernel ? "" : kernel.error().text());
  return kernel ? *kernel : kernel::Kernel{};
}

kernel::Kernel scale(const std::string& also = "any", const std::string& name = "scale")
{
  return kernel_from("Y[i] = X[i] * 2",
                     "X = { type = \"f32\", shape = [\"n\"] }\n"
                     "Y = { type = \"f32\", shape = [\"n\"], role = \"output\" }",
                     "n = 64", also, name);
}

kernel::Candidate candidate_of(const kernel::Kernel& kernel, const std::string& device, const std::string& launch)
{
  auto candidate =
    kernel::make_candidate(kernel, {{"device.cpp", device}, {"macros.h", "#pragma once\n"}, {"launch.toml", launch}});
  EXPECT_TRUE(candidate.has_value()) << (candidate ? "" : candidate.error().text());
  return candidate ? *candidate : kernel::Candidate{};
}

const std::string k_device = R"(#include "hone.h"
#include "macros.h"
extern "C" void scale(const hone_group* group, const float* X, float* Y)
{
  Y[group->id[0]] = X[group->id[0]] * 2;
}
)";
const std::string k_launch = "[[launch]]\nkernel = \"scale\"\ngrid = [\"n\"]\nargs = [\"X\", \"Y\"]\n";

StandaloneRequest request_for(const kernel::Kernel& kernel, const kernel::Candidate& candidate,
                              StandaloneLanguage language = StandaloneLanguage::c)
{
  StandaloneRequest request{kernel, candidate, {}, kernel.timed.front(), language, {{"device.l2", 1024}}, "avx2", {}};
  request.record.origin = "From a test.";
  return request;
}

std::map<std::string, std::string> written(const StandaloneRequest& request)
{
  auto files = standalone_files(request);
  EXPECT_TRUE(files.has_value()) << (files ? "" : files.error().text());
  return files ? *files : std::map<std::string, std::string>{};
}

std::string refusal(const StandaloneRequest& request)
{
  const auto files = standalone_files(request);
  return files ? "not refused" : files.error().text();
}

std::string plan(const std::string& text)
{
  const kernel::Kernel kernel = scale();
  const kernel::Candidate candidate = candidate_of(kernel, k_device, k_launch);
  StandaloneRequest request = request_for(kernel, candidate);
  ExportContext names = standalone_names(request);
  names.point = {{"TILE", 16}};
  const auto parsed = kernel::PlanExpression::parse(text, {});
  const auto out = parsed ? plan_text(names, *parsed) : Result<std::string>(parsed.error().message);
  return out ? *out : out.error().message;
}

} // namespace

TEST(Standalone, WritesAFunctionWithTheKernelsArgumentsAndWhatItTakesToBuildIt)
{
  const kernel::Kernel kernel = scale();
  const kernel::Candidate candidate = candidate_of(kernel, k_device, k_launch);
  const auto files = written(request_for(kernel, candidate));
  ASSERT_EQ(files.size(), 8u);
  EXPECT_THAT(files.at("scale.h"), HasSubstr("void scale(const float* X, float* Y, int64_t n);"));
  EXPECT_THAT(files.at("scale.h"), HasSubstr("From a test."));
  EXPECT_THAT(files.at("scale.h"), HasSubstr("Y[i] = X[i] * 2"));
  EXPECT_THAT(files.at("CMakeLists.txt"), HasSubstr("\"x86-64-v3\""));
  EXPECT_THAT(files.at("CMakeLists.txt"), HasSubstr("scale_check"));
  EXPECT_TRUE(files.contains("scale_check.cpp") && files.contains("scale_reference.cpp"));
  EXPECT_TRUE(files.contains("scale_example.c") && files.contains("README.md"));
}

TEST(Standalone, LeavesNothingOfHoneInTheSource)
{
  const kernel::Kernel kernel = scale();
  const kernel::Candidate candidate = candidate_of(kernel, k_device, k_launch);
  for (const StandaloneLanguage language : {StandaloneLanguage::c, StandaloneLanguage::cpp}) {
    const auto files = written(request_for(kernel, candidate, language));
    const bool is_c = language == StandaloneLanguage::c;
    for (const char* name : {"scale.", "scale_groups."}) {
      const std::string& source = files.at(name + std::string(is_c ? "c" : "cpp"));
      EXPECT_THAT(source, Not(HasSubstr("hone")));
      EXPECT_THAT(source, Not(HasSubstr("HONE")));
      EXPECT_THAT(source, Not(HasSubstr("vector_size"))) << "only what the code uses is carried";
      EXPECT_THAT(source, HasSubstr("void scale_groups(const scale_group*"));
      EXPECT_EQ(source.find("extern \"C\"") == std::string::npos, is_c);
    }
  }
}

TEST(Standalone, CarriesTheVectorsThatTheCodeUses)
{
  const kernel::Kernel kernel = scale();
  const std::string device = R"(#include "hone.h"
extern "C" void scale(const hone_group* group, const float* X, float* Y)
{
  hone_store(Y, hone_load(X) + f32v{});
}
)";
  const kernel::Candidate candidate = candidate_of(kernel, device, k_launch);
  const auto files = written(request_for(kernel, candidate));
  const std::string& c = files.at("scale_groups.c");
  EXPECT_THAT(c, HasSubstr("scale_store(Y, scale_load(X) + (f32v){0});"));
  EXPECT_THAT(c, HasSubstr("#define scale_load(from) _Generic"));
  EXPECT_THAT(c, HasSubstr("#if SCALE_VECTOR_BYTES != 32"));
  EXPECT_THAT(c, Not(HasSubstr("scale_max"))) << "nobody asked for it";
  EXPECT_THAT(files.at("scale.c"), HasSubstr("% 64 != 0")) << "vectors by hand may rely on alignment";
  const std::string cpp = written(request_for(kernel, candidate, StandaloneLanguage::cpp)).at("scale_groups.cpp");
  EXPECT_THAT(cpp, HasSubstr("scale_store(Y, scale_load(X) + f32v{});"));
}

// GCC copies a structure of them in vectors at multiples of 16 bytes.
TEST(Standalone, AsksForAlignmentWhereThereAreLongDoubles)
{
  const kernel::Kernel kernel = scale();
  for (const bool wide : {false, true}) {
    const kernel::Candidate candidate =
      candidate_of(kernel,
                   fmt::format("struct Four {{ {}double x[2]; }};\n"
                               "extern \"C\" void scale(const hone_group* group, "
                               "const float* X, float* Y) {{ *(Four*)Y = *(const Four*)X; }}",
                               wide ? "long " : ""),
                   k_launch);
    const auto files = written(request_for(kernel, candidate));
    EXPECT_EQ(files.at("scale.h").find("aligned to 64 bytes.") != std::string::npos, wide);
  }
}

TEST(Standalone, TurnsALaunchPlanIntoLoops)
{
  const kernel::Kernel kernel = scale();
  const std::string device = R"(
extern "C" void step(const hone_group* group, const float* X, float* Y, float* so_far, int64_t repeat_index) {}
)";
  const std::string launch = R"toml(
[tuning]
TILE = { values = [4, 8], default = 8 }
[[scratch]]
name = "so_far"
type = "bf16"
size = "round_up(n, TILE)"
[[launch]]
kernel = "step"
grid = ["ceil_div(n, TILE)", "2"]
args = ["X", "Y", "so_far", "repeat_index"]
when = "n > TILE"
repeat = "ceil_log2(n)"
shared = "64 * (repeat_index + 1)"
fill = { buffer = "so_far", value = 1 }
)toml";
  const kernel::Candidate candidate = candidate_of(kernel, device, launch);
  StandaloneRequest request = request_for(kernel, candidate);
  request.point = {{"TILE", 4}};
  const auto files = written(request);
  const std::string& c = files.at("scale.c");
  EXPECT_THAT(c, HasSubstr("if (n > 4) {"));
  EXPECT_THAT(c, HasSubstr("so_far[at].bits = 16256;"));
  EXPECT_THAT(c, HasSubstr("repeat_index < scale_plan_ceil_log2(n)"));
  EXPECT_THAT(c, HasSubstr("{scale_plan_ceil_div(n, 4), 2, 1}"));
  EXPECT_THAT(c, HasSubstr("scale_run_step(&group, X, Y, so_far, repeat_index);"));
  EXPECT_THAT(c, HasSubstr("const int64_t elements_of_so_far = scale_plan_round_up(n, 4);"));
  EXPECT_THAT(files.at("scale_groups.c"), HasSubstr("#define TILE 4"));
}

TEST(Standalone, CallsAFunctionThatIsNamedLikeAnArgumentByAnotherName)
{
  const kernel::Kernel kernel = scale();
  const std::string device = "extern \"C\" void scale_step(const hone_group* group, float* part) {} // what?"
                             "?/\n";
  const std::string launch = R"toml(
[[scratch]]
name = "scale_step"
size = "n"
[[launch]]
kernel = "scale_step"
grid = ["n"]
args = ["scale_step"]
)toml";
  const kernel::Candidate candidate = candidate_of(kernel, device, launch);
  const auto files = written(request_for(kernel, candidate));
  EXPECT_THAT(files.at("scale.c"), HasSubstr("scale_run_scale_step(&group, scale_step);"));
  EXPECT_THAT(files.at("scale_groups.c"), HasSubstr("\nvoid scale_run_scale_step(const scale_group* group"));
  EXPECT_THAT(files.at("scale_groups.c"), Not(HasSubstr("?"
                                                        "?")))
    << "strict C goes on in the next line";
}

TEST(Standalone, SaysAndChecksTheSizesThatItWasMadeFor)
{
  const kernel::Kernel kernel = scale("timed");
  const kernel::Candidate candidate = candidate_of(kernel, k_device, k_launch);
  const auto files = written(request_for(kernel, candidate));
  EXPECT_THAT(files.at("scale.h"), HasSubstr("Made for n=64 alone."));
  EXPECT_THAT(files.at("scale.c"), HasSubstr("if (n != 64) {"));
  EXPECT_THAT(files.at("scale_groups.c"), HasSubstr("#define SCALE_SIZE_n 64"));
}

TEST(Standalone, NamesOfCStayFree)
{
  EXPECT_EQ(standalone_name(scale("any", "matmul-i8")), "matmul_i8");
  EXPECT_EQ(standalone_name(scale("any", "exp")), "exp_");
  EXPECT_EQ(standalone_name(scale("any", "int")), "int_");
  EXPECT_EQ(standalone_name(scale("any", "2d.conv")), "kernel_2d_conv");
  EXPECT_EQ(standalone_name(scale("any", "X")), "X_");
  EXPECT_EQ(standalone_name(scale("any", "test")), "test_") << "CMake has a target of this name";
}

TEST(Standalone, WritesPlansAsC)
{
  EXPECT_EQ(plan("ceil_div(n, TILE)"), "scale_plan_ceil_div(n, 16)");
  EXPECT_EQ(plan("n*TILE+ 1"), "n * 16LL + 1LL");
  EXPECT_EQ(plan("TILE * 2"), "32");
  EXPECT_EQ(plan("device.l2 / TILE"), "64");
  EXPECT_EQ(plan("min(n, TILE, 3)"), "scale_plan_min(n, scale_plan_min(16, 3))");
  EXPECT_EQ(plan("n >= 2 && !(n % TILE) || -n < 0 ? 1 : 2"), "n >= 2 && !(n % 16LL) || -n < 0 ? 1 : 2");
  EXPECT_THAT(plan("n == 2 < 1"), HasSubstr("means something else in C"));
  EXPECT_THAT(plan("n + device.l9"), HasSubstr("device.l9"));
}

TEST(Standalone, RefusesWhatItCannotWrite)
{
  const kernel::Kernel kernel = scale();
  kernel::Candidate candidate = candidate_of(kernel, k_device, k_launch);
  candidate.backend = "opencl";
  EXPECT_THAT(refusal(request_for(kernel, candidate)), HasSubstr("only those of cpu can"));
  candidate.backend = "cpu";
  kernel::Kernel by_code = kernel;
  by_code.reference = kernel::ReferenceKind::code;
  EXPECT_THAT(refusal(request_for(by_code, candidate)), HasSubstr("reference.cpp"));
  StandaloneRequest request = request_for(kernel, candidate);
  request.point = {{"NONE", 1}};
  EXPECT_THAT(refusal(request), HasSubstr("NONE"));
}
