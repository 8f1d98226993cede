#include "backend/launch_list.h"
#include "backend/opencl/oclgrind.h"
#include "backend/opencl/opencl_backend.h"
#include "backend/opencl/program_text.h"
#include "util/util.h"

#include <gmock/gmock.h>

namespace hone::backend {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class OpenclProgram : public testing::Test {
protected:
  std::expected<std::string, LoadFailure> program(const std::string& device, const std::string& macros = "")
  {
    kernel::Candidate candidate;
    candidate.backend = "opencl";
    candidate.files = {{"device.cl", device}, {"macros.h", macros}};
    const kernel::ResolvedPlan plan;
    return opencl_program_text({m_kernel, candidate, {{"TILE", 8}}, {{"n", 64}}, plan});
  }

  std::string refusal(const std::string& device)
  {
    const auto text = program(device);
    return text ? "" : text.error().reason;
  }

  kernel::Kernel m_kernel;
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
  m_kernel.also = kernel::AlsoSizes::timed;
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

  kernel::Kernel m_kernel;
  kernel::Candidate m_candidate;
  kernel::ResolvedPlan m_plan;
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
  m_plan.launches[0].shared_bytes = 128;
  const auto with_shared = job().files;
  EXPECT_NE(with_shared, small);
  m_plan.launches[0].shared_bytes = 4096;
  EXPECT_EQ(job().files, with_shared);
  m_plan.launches[0].shared_bytes = 0;
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

TEST(OpenclOclgrind, FindingsNameTheirPlaces)
{
  using Kind = InspectionFinding::Kind;
  const auto found = opencl::findings_in("\n"
                                         "Invalid read of size 4 at global memory address 0x1000000000200\n"
                                         "\tKernel: f\n"
                                         "\tEntity: Global(127,0,0) Local(63,0,0) Group(1,0,0)\n"
                                         "\t  %1 = load float, float addrspace(1)* %arrayidx\n"
                                         "\tAt line 12 (column 9) of device.cl:\n"
                                         "\t  x = A[i];\n"
                                         "\t\n"
                                         "Write-write data race at local memory address 0x100000000007c\n"
                                         "\tKernel: f\n"
                                         "\tFirst entity:  Global(32,0,0) Local(32,0,0) Group(0,0,0)\n"
                                         "\tAt line 5 (column 23) of device.cl:\n"
                                         "\tSecond entity: Global(31,0,0) Local(31,0,0) Group(0,0,0)\n"
                                         "\tAt line 4 (column 7) of macros.h:\n"
                                         "Invalid write of size 8 at local memory address 0x2000000\n"
                                         "Invalid read of size 4 at global memory address 0x1000000000204\n"
                                         "\tAt line 12 (column 9) of device.cl:\n"
                                         "Uninitialized value written to global memory address 0x2000\n"
                                         "Oclgrind: 64 errors generated - suppressing further errors\n");
  ASSERT_TRUE(found) << found.error().text();
  const std::vector<InspectionFinding>& findings = *found;
  ASSERT_EQ(findings.size(), 4U); // the place of the second read is known
  EXPECT_EQ(findings[0].kind, Kind::read_out_of_bounds);
  EXPECT_EQ(findings[0].text,
            "device.cl:12:9: invalid read of size 4 at global memory (work-item 63,0,0 of group 1,0,0)");
  EXPECT_EQ(findings[1].kind, Kind::race);
  EXPECT_EQ(findings[1].text, "device.cl:5:23: write-write data race at local memory with macros.h:4:7 (work-item "
                              "32,0,0 of group 0,0,0, work-item 31,0,0 of group 0,0,0)");
  EXPECT_EQ(findings[2].kind, Kind::write_out_of_bounds);
  EXPECT_EQ(findings[2].text, "invalid write of size 8 at local memory");
  EXPECT_EQ(findings[3].kind, Kind::other);
}

TEST(OpenclOclgrind, FindsNothingWhereItGaveUp)
{
  EXPECT_FALSE(
    opencl::findings_in("\nOCLGRIND FATAL ERROR (./src/core/WorkItem.cpp:1)\nUnsupported instruction: freeze\n"));
  EXPECT_TRUE(opencl::findings_in(""));
}

TEST(OpenclLaunchList, SurvivesTheRoundTrip)
{
  const std::vector<ListedLaunch> launches{
    {"f", {1, 2, 3}, {4, 5, 6}, 7, {{true, 2}, {false, -8}}, {{3, 0x3f80'0000, 4}}, {2, 5}},
    {"g", {8, 1, 1}, {1, 1, 1}, 0, {}, {}, {}}};
  EXPECT_EQ(launches_from(to_text(launches)), launches);
  EXPECT_TRUE(launches_from("").empty());
}

} // namespace
} // namespace hone::backend
