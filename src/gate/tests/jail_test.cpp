#include "gate/gate.h"
#include "gate/isolation.h"
#include "gate/jail.h"
#include "util/fs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace hone::gate {
namespace {

constexpr const char* k_gxx = "/usr/bin/g++";

// Every test runs with all the layers this machine has, and with Landlock and seccomp alone, as in a plain chroot.
class Jail : public testing::TestWithParam<bool> {
protected:
  void SetUp() override
  {
    m_layers = isolation();
    m_layers.bubblewrap = m_layers.bubblewrap && GetParam();
    if (GetParam() && !m_layers.bubblewrap) {
      GTEST_SKIP() << "no bubblewrap here: " << m_layers.bubblewrap_detail;
    }
  }

  JailOutcome jailed(const backend::CompileJob& job, const JailLimits& limits = {}) const
  {
    const auto outcome = run_in_jail(job, limits, m_layers);
    EXPECT_TRUE(outcome) << outcome.error().text();
    return outcome.value_or(JailOutcome{.status = record::Status::runtime});
  }

  Isolation m_layers;
};

INSTANTIATE_TEST_SUITE_P(Layers, Jail, testing::Bool(),
                         [](const auto& about) { return about.param ? "with_bubblewrap" : "alone"; });

backend::CompileJob compile_of(const std::string& source)
{
  return {{{"source.cpp", source}}, {{k_gxx, "-O1", "-c", "source.cpp", "-o", "out.o"}}, {"out.o"}, {}};
}

backend::CompileJob shell(const std::string& script, std::vector<std::string> outputs = {})
{
  return {{}, {{"/bin/bash", "-c", script}}, std::move(outputs), {}};
}

bool contains(const std::string& text, std::string_view part)
{
  return text.find(part) != std::string::npos;
}

// A file with a secret in it, outside the job's folder, that this user may read.
class PlantedSecret {
public:
  PlantedSecret() : m_folder(TemporaryFolder::create("secret-").value())
  {
    fs::permissions(m_folder.path(), fs::perms::all);
    std::ofstream(path()) << word() << "\n";
    fs::permissions(path(), fs::perms::all);
  }
  fs::path path() const { return m_folder.path() / "key.txt"; }
  static std::string word() { return "sesame_open_4711"; }

private:
  TemporaryFolder m_folder;
};

TEST_P(Jail, LetsAnHonestCompileThrough)
{
  const JailOutcome outcome = jailed(compile_of("int twice(int x) { return 2 * x; }\n"));
  EXPECT_EQ(outcome.status, record::Status::correct) << outcome.reason << outcome.log;
  EXPECT_EQ(outcome.outputs.at("out.o").substr(1, 3), "ELF");
  EXPECT_GT(outcome.seconds, 0);
}

TEST_P(Jail, ReportsCompilerErrorsWithoutOurPaths)
{
  const JailOutcome outcome = jailed(compile_of("int twice(int x) { return 2 * y; }\n"));
  EXPECT_EQ(outcome.status, record::Status::compile);
  EXPECT_EQ(outcome.reason, "g++ reported errors");
  EXPECT_TRUE(contains(outcome.log, "source.cpp:1:31: error")) << outcome.log;
  EXPECT_FALSE(contains(outcome.log, "hone-job")) << outcome.log;
  EXPECT_TRUE(outcome.outputs.empty());
}

TEST_P(Jail, AMissingToolIsNobodysMistakeInACandidate)
{
  backend::CompileJob job;
  job.commands = {{"/no/such/tool"}};
  const auto outcome = run_in_jail(job, {}, m_layers);
  ASSERT_FALSE(outcome);
  EXPECT_TRUE(contains(outcome.error().message, "cannot start /no/such/tool")) << outcome.error().message;
}

TEST_P(Jail, DoesNotShowTheFilesystem)
{
  const PlantedSecret secret;
  const std::string path = secret.path();
  const std::vector<std::string> thefts = {
    "#include \"" + path + "\"\n",
    "#include \"/etc/passwd\"\n",
    "#include \"/proc/self/environ\"\n",
    "asm(\".incbin \\\"" + path + "\\\"\");\n",
    "asm(\".include \\\"/etc/passwd\\\"\");\n",
  };
  for (const std::string& theft : thefts) {
    const JailOutcome outcome = jailed(compile_of(theft));
    EXPECT_EQ(outcome.status, record::Status::compile) << theft;
    EXPECT_FALSE(contains(outcome.log, PlantedSecret::word())) << outcome.log;
    EXPECT_FALSE(contains(outcome.log, "root:")) << outcome.log;
  }
}

TEST_P(Jail, EndlessIncludesEndSoon)
{
  JailLimits limits;
  limits.wall = std::chrono::seconds(10);
  for (const char* device : {"/dev/zero", "/dev/urandom", "/dev/tty"}) {
    const JailOutcome outcome = jailed(compile_of(std::string("#include \"") + device + "\"\n"), limits);
    EXPECT_EQ(outcome.status, record::Status::compile) << device;
    EXPECT_FALSE(contains(outcome.reason, "longer than")) << outcome.reason;
  }
}

TEST_P(Jail, WritesOnlyInItsFolder)
{
  const PlantedSecret secret;
  const std::string folder = secret.path().parent_path();
  const JailOutcome outcome = jailed(shell("echo x > here; echo x > " + folder + "/there; cat " + folder
                                             + "/key.txt; mkdir /usr/hone-was-here; echo done",
                                           {"here"}));
  EXPECT_EQ(outcome.status, record::Status::correct) << outcome.log;
  EXPECT_EQ(outcome.outputs.at("here"), "x\n");
  EXPECT_FALSE(fs::exists(folder + "/there"));
  EXPECT_FALSE(fs::exists("/usr/hone-was-here"));
  EXPECT_FALSE(contains(outcome.log, PlantedSecret::word()));
}

TEST_P(Jail, DoesNotRunWhatItBuilt)
{
  const JailOutcome outcome = jailed({{{"source.cpp", "int main() { return 0; }\n"}},
                                      {{k_gxx, "source.cpp", "-o", "program"}, {"/bin/bash", "-c", "./program"}},
                                      {},
                                      {}});
  EXPECT_EQ(outcome.status, record::Status::compile);
  EXPECT_TRUE(contains(outcome.log, "ermission denied")) << outcome.log;
}

TEST_P(Jail, HasNoNetwork)
{
  const JailOutcome outcome = jailed(shell("exec 3<>/dev/tcp/127.0.0.1/9"));
  EXPECT_EQ(outcome.status, record::Status::compile);
  EXPECT_TRUE(contains(outcome.log, "Operation not permitted")) << outcome.log;
}

TEST_P(Jail, SeesNoVariablesOfOurs)
{
  ::setenv("HONE_TEST_KEY", "sesame_open_4711", 1);
  const JailOutcome outcome = jailed(shell("export -p"));
  ::unsetenv("HONE_TEST_KEY");
  EXPECT_EQ(outcome.status, record::Status::correct);
  EXPECT_FALSE(contains(outcome.log, "sesame")) << outcome.log;
}

TEST_P(Jail, NeverRunsAsRoot)
{
  const JailOutcome outcome = jailed(shell("echo uid=$UID; set -e; unshare --user true"));
  EXPECT_EQ(outcome.status, record::Status::compile);
  EXPECT_FALSE(contains(outcome.log, "uid=0\n")) << outcome.log;
}

TEST_P(Jail, ForkBombIsBounded)
{
  JailLimits limits;
  limits.wall = std::chrono::seconds(3);
  const JailOutcome outcome = jailed(shell("for i in $(seq 300); do sleep 30 & done 2>&1; echo started; wait"), limits);
  EXPECT_EQ(outcome.status, record::Status::compile);
  EXPECT_TRUE(contains(outcome.log, "Resource temporarily unavailable") || contains(outcome.log, "retry"))
    << outcome.log;
}

TEST_P(Jail, TemplateBombRunsOutOfTime)
{
  JailLimits limits;
  limits.cpu_seconds = 1;
  limits.address_space = std::int64_t{1} << 30;
  const JailOutcome outcome =
    jailed(compile_of("template <int N, int M> struct Bomb {\n"
                      "  static constexpr long value = Bomb<N - 1, 2 * M>::value + "
                      "Bomb<N - 1, 2 * M + 1>::value;\n};\n"
                      "template <int M> struct Bomb<0, M> { static constexpr long value = M; };\n"
                      "long boom() { return Bomb<26, 0>::value; }\n"),
           limits);
  EXPECT_EQ(outcome.status, record::Status::compile);
  EXPECT_TRUE(contains(outcome.reason, "used more than 1 s of CPU time") || contains(outcome.reason, "memory"))
    << outcome.reason << outcome.log;
}

TEST_P(Jail, HugeObjectFileIsStopped)
{
  JailLimits limits;
  limits.file_size = 1 << 20;
  const JailOutcome outcome = jailed(compile_of("char big[1 << 26] = {1};\n"), limits);
  EXPECT_EQ(outcome.status, record::Status::compile);
  EXPECT_TRUE(contains(outcome.reason, "file larger than 1 MiB")) << outcome.reason << outcome.log;
}

TEST_P(Jail, WallDeadlineEndsEverything)
{
  JailLimits limits;
  limits.wall = std::chrono::milliseconds(300);
  const JailOutcome outcome = jailed(shell("sleep 60 & sleep 60"), limits);
  EXPECT_EQ(outcome.status, record::Status::compile);
  EXPECT_EQ(outcome.reason, "bash ran longer than 0.3 s");
  EXPECT_LT(outcome.seconds, 30);
}

TEST_P(Jail, TellsDeathsFromBrokenLimits)
{
  const JailOutcome killed = jailed(shell("kill -ABRT $$"));
  EXPECT_EQ(killed.status, record::Status::compile);
  EXPECT_EQ(killed.reason, "bash was killed by Aborted");
  EXPECT_FALSE(killed.broke_limit);
  const JailOutcome stopped = jailed(shell("kill -XFSZ $$"));
  EXPECT_TRUE(contains(stopped.reason, "bash wrote a file larger than")) << stopped.reason;
  EXPECT_TRUE(stopped.broke_limit);
  EXPECT_EQ(jailed(shell("exit 255")).reason, "bash reported errors"); // as ptxas does: no signal has that number
}

TEST_P(Jail, CapsTheLog)
{
  const JailOutcome outcome = jailed(shell("for i in $(seq 20000); do echo $i; done"));
  EXPECT_LE(outcome.log.size(), JailLimits{}.log_cap);
  EXPECT_TRUE(contains(outcome.log, "[cut]"));
}

TEST_P(Jail, RefusesOutputsThatAreNotFiles)
{
  const PlantedSecret secret;
  for (const std::string& script :
       {"ln -s " + secret.path().string() + " out", std::string("mkfifo out || mkdir out"), std::string("mkdir out")}) {
    const JailOutcome outcome = jailed(shell(script, {"out"}));
    EXPECT_EQ(outcome.status, record::Status::compile) << script;
    EXPECT_TRUE(outcome.outputs.empty());
  }
  EXPECT_TRUE(contains(jailed(shell("true", {"out"})).reason, "was not written"));
}

TEST_P(Jail, LetsToolsMoveFilesBetweenTheirFolders)
{
  const JailOutcome outcome = jailed(shell("mkdir one && echo text >one/file && mv one/file out", {"out"}));
  EXPECT_EQ(outcome.status, record::Status::correct) << outcome.log;
  EXPECT_EQ(outcome.outputs.at("out"), "text\n");
}

TEST_P(Jail, RefusesNamesThatLeadOut)
{
  EXPECT_FALSE(run_in_jail({{{"../x", ""}}, {}, {}, {}}, {}));
  EXPECT_FALSE(run_in_jail({{{"/tmp/x", ""}}, {}, {}, {}}, {}));
}

TEST(Isolation, FailsClosed)
{
  Isolation layers = isolation();
  layers.helper_works = false;
  layers.helper_detail = "this kernel has no Landlock";
  const auto outcome = run_in_jail(shell("true"), {}, layers);
  ASSERT_FALSE(outcome);
  EXPECT_TRUE(contains(outcome.error().message, "no Landlock"));
}

TEST(Isolation, NamesItsLayers)
{
  const auto layers = isolation_layers();
  for (const char* name : {"landlock", "seccomp", "user namespace", "bubblewrap", "separate uid"}) {
    EXPECT_TRUE(std::any_of(layers.begin(), layers.end(), [name](const auto& layer) { return layer.name == name; }))
      << name;
  }
}

} // namespace
} // namespace hone::gate
