#include "backend/cpu/compile_log.h"
#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/elf_image.h"
#include "backend/cpu/embedded_files.h"
#include "backend/cpu/link_map.h"
#include "backend/cpu/prototypes.h"
#include "util/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::backend {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// X[n] -> Y[n] through one scratch buffer.
struct Sample {
  kernel::Kernel kernel;
  kernel::Candidate candidate;
  kernel::ResolvedPlan plan;

  Sample()
  {
    kernel.arguments.resize(2);
    kernel.arguments[0].name = "X";
    kernel.arguments[1].name = "Y";
    kernel.arguments[1].role = kernel::Role::output;
    candidate.files["device.cpp"] = "// device";
    plan.scratch = {{"partial", kernel::DataType::f64, 10}};
    using Kind = kernel::ResolvedArgument::Kind;
    kernel::ResolvedLaunch launch;
    launch.kernel = "f";
    launch.args = {{Kind::tensor, 0, 0}, {Kind::scratch, 0, 0}, {Kind::integer, 0, 3}};
    plan.launches = {launch};
  }

  BuildInput input() const { return {kernel, candidate, {{"TILE", 8}}, {{"n", 16}}, plan}; }
};

std::string joined(const std::vector<std::string>& words)
{
  std::string text;
  for (const std::string& word : words) {
    text += word + " ";
  }
  return text;
}

TEST(Backends, AreFoundByName)
{
  ASSERT_FALSE(backends().empty());
  EXPECT_EQ(backends().front()->name(), "cpu");
  EXPECT_EQ(find_backend("cpu").value(), &cpu_backend());
  const auto missing = find_backend("cpi");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("there are: cpu"));
  EXPECT_THAT(missing.error().hint, HasSubstr("did you mean 'cpu'"));
}

TEST(CpuBackend, ProbesThisMachine)
{
  const auto first = cpu_backend().probe();
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_EQ(first->backend, "cpu");
  EXPECT_FALSE(first->name.empty());
  EXPECT_EQ(first->fingerprint.size(), 64U);
  EXPECT_EQ(first->fingerprint, cpu_backend().probe()->fingerprint);
  for (const char* fact : {"isa", "compiler", "flags", "microcode", "l1", "l2", "l3"}) {
    EXPECT_THAT(first->facts, Contains(testing::Key(fact)));
  }
  EXPECT_THAT(first->facts.at("flags"), HasSubstr("-march=native"));
  EXPECT_THAT(first->facts.at("flags"), Not(HasSubstr("fast-math")));
  EXPECT_EQ(first->plan_facts.at("device.units"), 1);
  EXPECT_EQ(first->plan_facts.at("device.vector_bytes"), cpu_backend().dialect().vector_bytes);
  EXPECT_GT(first->plan_facts.at("device.l1"), 0);
  EXPECT_GT(first->plan_facts.at("device.shared_per_block"), 0);
}

TEST(CpuBackend, DescribesACompileJob)
{
  Sample sample;
  const auto job = cpu_backend().compile_job(sample.input());
  ASSERT_TRUE(job);
  EXPECT_EQ(job->files.at("device.cpp"), "// device");
  for (const char* name : {"macros.h", "hone.h", "hone_lanes.h", "hone_math.h", "hone_vector.h", "image.ld"}) {
    EXPECT_THAT(job->files, Contains(testing::Key(name)));
  }
  EXPECT_THAT(job->commands.front(), Contains("-DTILE=8"));
  EXPECT_THAT(joined(job->commands.front()), Not(HasSubstr("HONE_SIZE")));
  for (const auto& command : job->commands) {
    EXPECT_THAT(command.front(), StartsWith("/usr/bin/"));
  }
  sample.kernel.also = kernel::AlsoSizes::timed;
  EXPECT_THAT(cpu_backend().compile_job(sample.input())->commands.front(), Contains("-DHONE_SIZE_n=16"));
}

TEST(CpuBackend, BringsCmathAlongWhereItIsNamed)
{
  Sample sample;
  const auto prototypes = [&] { return cpu_backend().compile_job(sample.input())->files.at("hone_prototypes.h"); };
  EXPECT_THAT(prototypes(), StartsWith("#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS"));
  sample.candidate.files["macros.h"] = "#define ROOT(x) std::sqrt(x)";
  EXPECT_THAT(prototypes(), Not(HasSubstr("_GLIBCXX_INCLUDE_NEXT_C_HEADERS")));
}

TEST(Prototypes, AreTyped)
{
  const Sample sample;
  EXPECT_THAT(cpu::kernel_prototypes(sample.kernel, sample.plan, "").value(),
              HasSubstr("void f(const hone_group*, const float*, double*, int64_t);"));
}

TEST(Prototypes, KeepWhatTheCodePromises)
{
  const Sample sample;
  const char* text =
    "extern \"C\" void f(const hone_group* group, const float* X, const double* partial, int64_t n) {}";
  EXPECT_THAT(cpu::kernel_prototypes(sample.kernel, sample.plan, text).value(),
              HasSubstr("void f(const hone_group*, const float*, const double*, int64_t);"));
}

TEST(Prototypes, RefuseOneNameForTwoSignatures)
{
  Sample sample;
  sample.plan.launches.push_back(sample.plan.launches[0]);
  EXPECT_TRUE(cpu::kernel_prototypes(sample.kernel, sample.plan, ""));
  sample.plan.launches[1].args.pop_back();
  const auto text = cpu::kernel_prototypes(sample.kernel, sample.plan, "");
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("kernel f is launched with"));
}

TEST(EmbeddedFiles, AreWhole)
{
  EXPECT_THAT(cpu::embedded_files().at("hone.h"), HasSubstr("struct hone_group"));
  EXPECT_THAT(cpu::embedded_files().at("image.ld"), HasSubstr("SECTIONS"));
}

TEST(Elf, RefusesWhatIsNotOne)
{
  EXPECT_FALSE(cpu::read_elf(""));
  EXPECT_FALSE(cpu::read_elf("\177ELF"));
  EXPECT_FALSE(cpu::read_elf(std::string(200, 'x')));
}

TEST(Elf, SurvivesDamage)
{
  const std::string whole = read_file("/proc/self/exe").value();
  ASSERT_TRUE(cpu::read_elf(whole));
  for (std::size_t length = 0; length < 64 * 1024; length += 997) {
    EXPECT_FALSE(cpu::read_elf(std::string_view(whole).substr(0, length)));
  }
  Random source(7);
  for (int round = 0; round < 200; ++round) {
    std::string damaged = whole.substr(0, 4096);
    damaged[source.below(64)] = static_cast<char>(source.next());
    (void)cpu::read_elf(damaged); // any answer, but no crash
  }
}

TEST(LinkMap, ExplainsWhoBroughtState)
{
  const std::string head = "Archive member included to satisfy reference by file (symbol)\n\n"
                           "/usr/lib/libc.a(puts.lo)      device.o (puts)\n"
                           "/usr/lib/libc.a(a_very_long_member_name.lo)\n"
                           "                              /usr/lib/libc.a(puts.lo) (__stdout_FILE)\n\n"
                           "Discarded input sections\n\n"
                           " .bss._ZL4gone 0x0000000000000000        0x4 device.o\n\n"
                           "Memory Configuration\n\nLinker script and memory map\n\n";
  EXPECT_EQ(cpu::explain_writable(head, "device.o"), "");
  EXPECT_THAT(cpu::explain_writable(head
                                      + " .data         0x0000000000001000       0xe8 "
                                        "/usr/lib/libc.a(a_very_long_member_name.lo)\n",
                                    "device.o"),
              StartsWith("calls puts, which needs writable state; kernels cannot print"));
  EXPECT_EQ(cpu::explain_writable(head + " .bss._ZZ1fE5calls\n                0x0000000000001000        0x4 device.o\n",
                                  "device.o"),
            "keeps state between calls: calls");
  EXPECT_EQ(cpu::explain_writable("", "device.o"), "");
  EXPECT_EQ(cpu::explain_writable("garbage\n .bss\n .bss 0x", "device.o"), "");
}

TEST(LinkMap, PlainNames)
{
  EXPECT_EQ(cpu::plain_name("_ZL7counter"), "counter");
  EXPECT_EQ(cpu::plain_name("_ZZ6matmulE5calls"), "calls");
  EXPECT_EQ(cpu::plain_name("counter"), "counter");
  EXPECT_EQ(cpu::plain_name("_Z99999999999999999999x"), "_Z99999999999999999999x");
}

TEST(CompileLog, PointsIntoTheCandidate)
{
  const std::string log = "In file included from <command-line>:\n"
                          "device.cpp:2:7: error: 'x' was not declared in this scope\n"
                          "    2 |   y = x;\n"
                          "      |       ^\n"
                          "./hone_prototypes.h:3:17: note: previous declaration 'void f(int64_t)'\n"
                          "    3 | extern \"C\" void f(int64_t);\n"
                          "      |                 ^\n"
                          "compilation terminated.\n";
  EXPECT_EQ(cpu::translate_compile_log(log), "device.cpp:2:7: error: 'x' was not declared in this scope\n"
                                             "    2 |   y = x;\n"
                                             "      |       ^\n"
                                             "launch.toml: note: the launch passes what 'void f(int64_t)' takes\n");
}

TEST(CompileLog, NamesWhatIsMissingOnce)
{
  const std::string log =
    "/usr/bin/ld: device.o: in function `f':\n"
    "device.cpp:(.text.f+0x1): undefined reference to `operator new(unsigned long)'\n"
    "/usr/bin/ld: device.cpp:(.text.f+0x9): undefined reference to `operator new(unsigned long)'\n";
  const std::string text = cpu::translate_compile_log(log);
  EXPECT_THAT(text, StartsWith("device.cpp: error: operator new(unsigned long) is used but not defined"));
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  EXPECT_EQ(cpu::translate_compile_log(""), "");
}

} // namespace
} // namespace hone::backend
