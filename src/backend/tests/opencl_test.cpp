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
                           Not(HasSubstr("#define n "))));
}

TEST_F(OpenclProgram, InjectsSizesOfSpecialisedKernels)
{
  m_kernel.also = AlsoSizes::timed;
  const auto text = program("__kernel void f(__global float* x) {}\n");
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("#define n 64\n"));
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

TEST(OpenclLog, NamesTheCandidatesFile)
{
  EXPECT_EQ(translate_opencl_log("error: /tmp/hone-opencl-Ab12Cd/tempfile_Zz9.cl:3:7: error: use of undeclared x\n"),
            "error: device.cl:3:7: error: use of undeclared x\n");
  EXPECT_EQ(translate_opencl_log("device.cl:3:7: error: use of undeclared x\n"),
            "device.cl:3:7: error: use of undeclared x\n");
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

TEST(OpenclBackend, LoadsAProgramWithOneEntryPerLaunch)
{
  const Kernel kernel;
  Candidate candidate;
  candidate.files = {{"device.cl", "__kernel void f(__global float* x) {}\n"}};
  ResolvedPlan plan;
  plan.launches.resize(2);
  plan.launches[0].kernel = "f";
  plan.launches[1].kernel = "g";
  const BuildInput input{kernel, candidate, {}, {}, plan};
  const auto job = opencl_backend().compile_job(input);
  ASSERT_TRUE(job);
  EXPECT_TRUE(job->commands.empty());
  const auto module = opencl_backend().load(input, {});
  ASSERT_TRUE(module) << module.error().reason;
  EXPECT_EQ(module->entry_names, (std::vector<std::string>{"f", "g"}));
  EXPECT_EQ(module->hash.size(), 64U);
}

} // namespace
} // namespace hone
