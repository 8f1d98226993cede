#include "backend/opencl/launch_list.h"
#include "backend/opencl/opencl_backend.h"
#include "backend/opencl/program_text.h"
#include "util/util.h"

#include <gmock/gmock.h>

namespace hone {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class OpenclProgram : public testing::Test {
protected:
  std::expected<std::string, LoadFailure> program(const std::string& device, const std::string& macros = "")
  {
    Candidate candidate;
    candidate.backend = "opencl";
    candidate.files = {{"device.cl", device}, {"macros.h", macros}};
    const ResolvedPlan plan;
    return opencl_program_text({m_kernel, candidate, {{"TILE", 8}}, {{"n", 64}}, plan});
  }

  std::string refusal(const std::string& device)
  {
    const auto text = program(device);
    return text ? "" : text.error().reason;
  }

  Kernel m_kernel;
};

TEST_F(OpenclProgram, PutsTuningValuesAndMacrosBeforeTheDeviceCode)
{
  const auto text = program("#include \"macros.h\"\n__kernel void f(__global float* x) {}\n",
                            "#pragma once\n#define TWICE (2 * TILE)\n");
  ASSERT_TRUE(text) << text.error().reason;
  const auto tile = text->find("#define TILE 8");
  const auto twice = text->find("#define TWICE");
  const auto code = text->find("__kernel void f");
  EXPECT_LT(tile, twice);
  EXPECT_LT(twice, code);
  EXPECT_THAT(*text, AllOf(HasSubstr("#line 1 \"device.cl\""), Not(HasSubstr("include")), Not(HasSubstr("once")),
                           Not(HasSubstr("HONE_SIZE"))));
}

TEST_F(OpenclProgram, InjectsSizesOfSpecialisedKernels)
{
  m_kernel.also = AlsoSizes::timed;
  const auto text = program("__kernel void f(__global float* x) {}\n");
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("#define HONE_SIZE_n 64\n"));
}

TEST_F(OpenclProgram, RefusesOtherFilesAndAssembly)
{
  EXPECT_THAT(refusal("#include \"/etc/passwd\"\n"), HasSubstr("`include`"));
  EXPECT_THAT(refusal("#inc\\\nlude \"/etc/passwd\"\n"), HasSubstr("`include`"));
  EXPECT_THAT(refusal("/**/ # /**/ include \"/etc/passwd\"\n"), HasSubstr("`include`"));
  EXPECT_THAT(refusal("%:include </etc/passwd>\n"), HasSubstr("`include`"));
  EXPECT_THAT(refusal("?\?=include </etc/passwd>\n"), HasSubstr("`include`"));
  EXPECT_THAT(refusal("__kernel void f() { __asm__ volatile(\"syscall\"); }\n"), HasSubstr("`__asm__`"));
  EXPECT_THAT(refusal("__constant char s[] = \"//\"; __kernel void f() { asm(\"\"); }\n"), HasSubstr("`asm`"));
  EXPECT_THAT(refusal("#undef asm\n"), HasSubstr("`asm`"));
  EXPECT_THAT(refusal("#if __has_include(\"/root/x\")\n#endif\n"), HasSubstr("`__has_include`"));
}

TEST_F(OpenclProgram, AllowsTheWordsInCommentsAndTheUsualPragmas)
{
  EXPECT_EQ(refusal("// tiles include the edge; asm would not help\n/* include */ __kernel void f() {}\n"), "");
  EXPECT_EQ(refusal("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n__kernel void f() {\n#pragma unroll 4\n}\n"), "");
}

TEST(OpenclLog, NamesTheCandidatesFileFirst)
{
  EXPECT_EQ(translate_opencl_log("1 error generated.\nerror: device.cl:3:7: use of undeclared x\nDevice pthread-EPYC "
                                 "failed to build the program\n\n"),
            "device.cl:3:7: error: use of undeclared x\n");
  EXPECT_EQ(translate_opencl_log("error: cache/tempfile_Zz9.cl:3:7: use of undeclared x\n"),
            "device.cl:3:7: error: use of undeclared x\n");
  EXPECT_EQ(translate_opencl_log("2 warnings and 1 error generated.\nwarning: macros.h:1:2: odd\n"),
            "macros.h:1:2: warning: odd\n");
}

TEST(OpenclDevice, IsDescribedOrItsPackagesAreNamed)
{
  const auto device = opencl_backend().probe();
  if (!device) {
    EXPECT_THAT(device.error().hint, HasSubstr("pocl-opencl-icd"));
    GTEST_SKIP() << device.error().text();
  }
  EXPECT_FALSE(device->name.empty());
  EXPECT_EQ(device->fingerprint.size(), 64U);
  EXPECT_GE(device->plan_facts.at("device.units"), 1);
  EXPECT_GT(device->plan_facts.at("device.shared_per_block"), 0);
  EXPECT_GT(device->plan_facts.at("device.max_block"), 0);
}

class OpenclCompileJob : public testing::Test {
protected:
  OpenclCompileJob()
  {
    m_candidate.files = {{"device.cl", "__kernel void f(__global float* x) {}\n"}};
    m_plan.launches.resize(2);
    m_plan.launches[0].kernel = "f";
    m_plan.launches[1].kernel = "g";
  }

  BuildInput input() const { return {m_kernel, m_candidate, {}, {}, m_plan}; }
  CompileJob job() const
  {
    auto made = opencl_backend().compile_job(input());
    EXPECT_TRUE(made) << made.error().text();
    return *made;
  }

  Kernel m_kernel;
  Candidate m_candidate;
  ResolvedPlan m_plan;
};

TEST_F(OpenclCompileJob, BecomesAModuleWithOneEntryPerLaunch)
{
  const CompileJob made = job();
  EXPECT_EQ(made.commands.size(), 1U);
  EXPECT_THAT(made.commands.front().front(), HasSubstr("hone-opencl-compiler"));
  const auto module = opencl_backend().load(input(), {{made.outputs.front(), "bytes of a driver"}});
  ASSERT_TRUE(module) << module.error().reason;
  EXPECT_EQ(module->image, "bytes of a driver");
  EXPECT_EQ(module->entry_names, (std::vector<std::string>{"f", "g"}));
  EXPECT_EQ(module->hash.size(), 64U);
}

TEST_F(OpenclCompileJob, IsTheSameForGridsThatNeedTheSameCode)
{
  m_plan.launches[0].block = {64, 1, 1};
  m_plan.launches[0].grid = {3, 500, 1};
  const auto small = job().files;
  m_plan.launches[0].grid = {4, 7, 2};
  EXPECT_EQ(job().files, small);
  m_plan.launches[0].grid = {4, 70'000, 2};
  const auto wide = job().files;
  EXPECT_NE(wide, small);
  m_plan.launches[0].grid = {4, 80'000, 2};
  EXPECT_EQ(job().files, wide);
  m_plan.launches[0].block = {32, 1, 1};
  EXPECT_NE(job().files, wide);
}

TEST_F(OpenclCompileJob, IsEmptyWhereTheTextIsRefused)
{
  m_candidate.files["device.cl"] = "#include \"/etc/passwd\"\n";
  EXPECT_TRUE(job().commands.empty());
  const auto module = opencl_backend().load(input(), {});
  ASSERT_FALSE(module);
  EXPECT_THAT(module.error().reason, HasSubstr("`include`"));
}

TEST(OpenclLaunchList, SurvivesTheRoundTrip)
{
  const std::vector<opencl::ListedLaunch> launches{{"f", {1, 2, 3}, {4, 5, 6}, 7, "bib"}, {"g", {8, 1, 1}, {}, 0, ""}};
  EXPECT_EQ(opencl::launches_from(to_text(launches)), launches);
  EXPECT_TRUE(opencl::launches_from("").empty());
}

} // namespace
} // namespace hone
