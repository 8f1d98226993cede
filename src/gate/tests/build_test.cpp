// Small hand-written candidates through the whole build: compile job, jail, image checks, and a call of the result.
#include "backend/backend.h"
#include "gate/jail.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace hone::gate {
namespace {

// The layout that hone.h gives to candidates.
struct Group {
  std::int64_t id[3];
  std::int64_t count[3];
  void* shared;
  std::int64_t shared_bytes;
};
// The runner passes pointers and integers alike.
using Entry = void (*)(const Group*, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                       std::uint64_t);

bool contains(std::string_view text, std::string_view part)
{
  return text.find(part) != std::string_view::npos;
}

struct Built {
  JailOutcome compiled;
  std::string log; // translated
  std::expected<backend::Module, backend::LoadFailure> module;
};

// A kernel X[n] -> Y[n] and a plan that launches `f` on (X, Y, n).
class Builds : public testing::Test {
protected:
  Builds()
  {
    m_kernel.name = "map";
    m_kernel.arguments.resize(2);
    m_kernel.arguments[0].name = "X";
    m_kernel.arguments[1].name = "Y";
    m_kernel.arguments[1].role = kernel::Role::output;
    m_kernel.symbols = {"n"};
    m_candidate.backend = "cpu";
    using Kind = kernel::ResolvedArgument::Kind;
    kernel::ResolvedLaunch launch;
    launch.kernel = "f";
    launch.grid = {4, 1, 1};
    launch.args = {{Kind::tensor, 0, 0}, {Kind::tensor, 1, 0}, {Kind::integer, 0, 16}};
    m_plan.launches = {launch};
  }

  Built build(const std::string& device, const std::string& macros = "")
  {
    m_candidate.files = {{"device.cpp", device}, {"macros.h", macros}};
    const backend::BuildInput input{m_kernel, m_candidate, m_point, {{"n", 16}}, m_plan};
    const backend::Backend& backend = **backend::find_backend("cpu");
    Built built{{}, {}, std::unexpected(backend::LoadFailure{backend::LoadFailure::Kind::compile, "not loaded"})};
    const auto job = backend.compile_job(input);
    EXPECT_TRUE(job) << job.error().text();
    const auto compiled = run_in_jail(*job, {});
    EXPECT_TRUE(compiled) << compiled.error().text();
    built.compiled = *compiled;
    built.log = backend.translate_log(compiled->log);
    if (compiled->status == record::Status::correct) {
      built.module = backend.load(input, compiled->outputs);
    }
    return built;
  }

  // The reason for which a candidate that compiles is refused.
  std::string refusal(const std::string& device)
  {
    const Built built = build(device);
    EXPECT_EQ(built.compiled.status, record::Status::correct) << built.compiled.reason << built.log;
    EXPECT_FALSE(built.module) << "was not refused: " << device;
    return built.module ? "" : built.module.error().reason;
  }

  kernel::Kernel m_kernel;
  kernel::Candidate m_candidate;
  kernel::ResolvedPlan m_plan;
  kernel::TuningPoint m_point;
};

// A module's code, mapped as a runner maps it.
class Loaded {
public:
  explicit Loaded(const backend::Module& module) : m_module(module), m_size(module.image.size() + 64)
  {
    m_code = ::mmap(nullptr, m_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memcpy(m_code, module.image.data(), module.image.size());
    ::mprotect(m_code, m_size, PROT_READ | PROT_EXEC);
  }
  ~Loaded() { ::munmap(m_code, m_size); }

  void call(std::size_t launch, const Group& group, std::vector<std::uint64_t> arguments) const
  {
    arguments.resize(6);
    const auto address = reinterpret_cast<std::uintptr_t>(m_code) + m_module.entries.at(launch);
    reinterpret_cast<Entry>(address)(&group, arguments.at(0), arguments.at(1), arguments.at(2), arguments.at(3),
                                     arguments.at(4), arguments.at(5));
  }

private:
  backend::Module m_module;
  std::size_t m_size;
  void* m_code;
};

std::uint64_t word_of(const void* pointer)
{
  return reinterpret_cast<std::uint64_t>(pointer);
}

// How a process ends that makes one call.
int end_of_call(const backend::Module& module)
{
  const Loaded loaded(module);
  const pid_t child = ::fork();
  if (child == 0) {
    float x[16] = {}, y[16] = {};
    const std::vector<std::uint64_t> arguments = {word_of(x), word_of(y), 16};
    loaded.call(0, {{0, 0, 0}, {1, 1, 1}, nullptr, 0}, arguments);
    ::_exit(99);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

constexpr const char* k_signature =
  "extern \"C\" void f(const hone_group* group, const float* X, float* Y, int64_t n)\n";

std::string with_body(const std::string& body, const std::string& before = "")
{
  return before + k_signature + "{\n" + body + "\n}\n";
}

TEST_F(Builds, CallsACandidateThatUsesTheMathLibrary)
{
  const Built built =
    build(with_body("for (int64_t i = group->id[0] * QUARTER; i < (group->id[0] + 1) * QUARTER; ++i) {\n"
                    "  Y[i] = expf(X[i]) + erff(X[i]) + tanhf(X[i]) * n;\n}",
                    "#include \"macros.h\"\n#include <math.h>\n"),
          "#define QUARTER 4\n");
  ASSERT_TRUE(built.module) << built.module.error().reason << built.log;
  const Loaded loaded(*built.module);
  std::array<float, 16> x{}, y{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i) / 8 - 1;
  }
  const std::vector<std::uint64_t> arguments = {word_of(x.data()), word_of(y.data()), 16};
  for (std::int64_t g = 0; g < 4; ++g) {
    loaded.call(0, {{g, 0, 0}, {4, 1, 1}, nullptr, 0}, arguments);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(y[i], std::exp(x[i]) + std::erf(x[i]) + 16 * std::tanh(x[i]), 1e-4) << i;
  }
}

TEST_F(Builds, MultipliesMatrices)
{
  m_kernel.arguments.resize(3);
  m_kernel.arguments[1] = {};
  m_kernel.arguments[1].name = "B";
  m_kernel.arguments[2].name = "C";
  m_kernel.arguments[2].role = kernel::Role::output;
  using Kind = kernel::ResolvedArgument::Kind;
  m_plan.launches[0].kernel = "matmul";
  m_plan.launches[0].args = {{Kind::tensor, 0, 0},  {Kind::tensor, 1, 0},  {Kind::tensor, 2, 0},
                             {Kind::integer, 0, 0}, {Kind::integer, 0, 0}, {Kind::integer, 0, 0}};
  m_point = {{"TILE", 8}};
  const Built built =
    build("extern \"C\" void matmul(const hone_group* group, const float* A, const float* B, float* C,\n"
          "                       int64_t m, int64_t n, int64_t k)\n"
          "{\n"
          "  const int64_t end = (group->id[0] + 1) * TILE < m ? (group->id[0] + 1) * TILE : m;\n"
          "  for (int64_t i = group->id[0] * TILE; i < end; ++i) {\n"
          "    for (int64_t j = 0; j < n; ++j) {\n"
          "      float sum = 0;\n"
          "      for (int64_t l = 0; l < k; ++l) {\n"
          "        sum += A[i * k + l] * B[l * n + j];\n"
          "      }\n"
          "      C[i * n + j] = sum;\n"
          "    }\n"
          "  }\n"
          "}\n");
  ASSERT_TRUE(built.module) << built.module.error().reason << built.log;
  constexpr std::int64_t m = 19, n = 7, k = 5;
  std::vector<float> a(m * k), b(k * n), c(m * n, -1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i % 11) - 5;
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = static_cast<float>(i % 7) - 3;
  }
  const Loaded loaded(*built.module);
  const std::vector<std::uint64_t> arguments = {word_of(a.data()), word_of(b.data()), word_of(c.data()), m, n, k};
  for (std::int64_t g = 0; g < 3; ++g) {
    loaded.call(0, {{g, 0, 0}, {3, 1, 1}, nullptr, 0}, arguments);
  }
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        sum += a[i * k + l] * b[l * n + j];
      }
      EXPECT_EQ(c[i * n + j], sum) << i << " " << j;
    }
  }
}

TEST_F(Builds, TwoLaunchesGetTwoEntries)
{
  m_plan.launches.push_back(m_plan.launches[0]);
  m_plan.launches.push_back(m_plan.launches[0]);
  m_plan.launches[1].kernel = "g";
  const Built built =
    build(with_body("Y[0] = 1;")
          + "extern \"C\" void g(const hone_group*, const float* X, float* Y, int64_t n) { Y[1] = X[n - 1]; }\n");
  ASSERT_TRUE(built.module) << built.module.error().reason << built.log;
  EXPECT_EQ(built.module->entry_names, (std::vector<std::string>{"f", "g", "f"}));
  EXPECT_EQ(built.module->entries[0], built.module->entries[2]);
  EXPECT_NE(built.module->entries[0], built.module->entries[1]);
  EXPECT_EQ(built.module->hash.size(), 64U);
}

TEST_F(Builds, InjectsSizesOfSpecialisedKernels)
{
  m_kernel.also = kernel::AlsoSizes::timed;
  const Built built = build(with_body("static_assert(HONE_SIZE_n == 16);\nY[0] = X[0];"));
  EXPECT_TRUE(built.module) << built.log;
}

TEST_F(Builds, IsTheSameEveryTime)
{
  const Built first = build(with_body("Y[0] = X[0];"));
  const Built second = build(with_body("Y[0] = X[0];"));
  ASSERT_TRUE(first.module && second.module);
  EXPECT_EQ(first.module->hash, second.module->hash);
}

TEST_F(Builds, MistakesPointIntoTheCandidate)
{
  const Built built = build(with_body("Y[0] = Z[0];"));
  EXPECT_EQ(built.compiled.status, record::Status::compile);
  EXPECT_TRUE(built.log.starts_with("device.cpp: In function") || built.log.starts_with("device.cpp:3:8: error"))
    << built.log;
  EXPECT_TRUE(contains(built.log, "device.cpp:3:8: error: 'Z' was not declared")) << built.log;
  const Built in_macros = build("#include \"macros.h\"\n" + with_body("Y[0] = 1;"), "int broken(;\n");
  EXPECT_TRUE(contains(in_macros.log, "macros.h:1:")) << in_macros.log;
}

TEST_F(Builds, WrongSignaturesPointIntoTheCandidate)
{
  const Built built =
    build("extern \"C\" void f(const hone_group*, const double* X, float* Y, int64_t n) { Y[n] = X[0]; }\n");
  EXPECT_EQ(built.compiled.status, record::Status::compile);
  EXPECT_TRUE(built.log.starts_with("device.cpp:1:17: error: conflicting declaration of C function")) << built.log;
  EXPECT_TRUE(contains(built.log, "launch.toml: note: the launch passes what 'void f(const hone_group*, const float*"))
    << built.log;
  EXPECT_FALSE(contains(built.log, "hone_prototypes")) << built.log;
}

TEST_F(Builds, MissingKernelsAreNamed)
{
  const Built built = build("extern \"C\" void other(const hone_group*) {}\n");
  EXPECT_EQ(built.compiled.status, record::Status::compile);
  EXPECT_TRUE(contains(built.log, "error: launch.toml launches f, which is not defined here")) << built.log;
  EXPECT_FALSE(contains(built.log, "musl")) << built.log;
}

TEST_F(Builds, RefusesState)
{
  EXPECT_EQ(refusal(with_body("Y[0] = counter++;", "static int counter;\n")), "keeps state between calls: counter");
  EXPECT_EQ(refusal(with_body("static int calls = 7;\nY[0] = calls++;")), "keeps state between calls: calls");
  EXPECT_EQ(refusal(with_body("Y[0] = cache[n]++;", "float cache[1000];\n")), "keeps state between calls: cache");
  EXPECT_EQ(refusal(with_body("Y[0] = ++mine;", "static thread_local int mine;\n")), "keeps state between calls: mine");
  EXPECT_EQ(refusal(with_body("Y[0] = volume;", "float make() noexcept;\nfloat volume = make();\n"
                                                "__attribute__((noinline)) float make() noexcept { return 3; }\n"))
              .substr(0, 26),
            "keeps state between calls:");
  const auto hidden_in = [](const std::string& section) {
    return with_body("asm volatile(\".pushsection " + section
                     + "; here%=: .quad 1; .popsection; incl here%=(%%rip)\" ::: \"memory\");\nY[0] = 1;");
  };
  EXPECT_TRUE(contains(refusal(hidden_in(".data")), "keeps state between calls"));
  EXPECT_TRUE(contains(refusal(hidden_in(".hidden,\\\"aw\\\"")), "keeps state between calls: data in section .hidden"));
}

TEST_F(Builds, RefusesAddresses)
{
  const std::string reason = refusal(with_body(
    "Y[0] = table[n & 1](X[0]);", "#include <math.h>\nstatic float (*const table[])(float) = {sinf, cosf};\n"));
  EXPECT_EQ(reason, "table holds addresses, which are not known before loading; use offsets or a switch instead");
}

TEST_F(Builds, RefusesWhatNeedsTheSystem)
{
  EXPECT_EQ(refusal(with_body("printf(\"%f\\n\", X[0]);", "#include <stdio.h>\n")),
            "calls printf, which needs writable state; kernels cannot print");
  EXPECT_EQ(
    refusal(with_body("float* q = (float*)malloc(n); q[n] = X[0]; Y[0] = q[X[1] > 0];", "#include <stdlib.h>\n")),
    "calls malloc, which needs writable state; kernels cannot allocate; declare a scratch buffer in launch.toml");
  EXPECT_TRUE(
    contains(refusal(with_body("pthread_t t; pthread_create(&t, 0, work, Y);",
                               "#include <pthread.h>\nstatic void* work(void* y) { *(float*)y = 1; return 0; }\n")),
             "calls pthread_create"));
}

TEST_F(Builds, WhatIsNotThereIsNamed)
{
  const Built built = build(with_body("float* q = new float[n]; q[n - 1] = X[0]; Y[0] = q[X[1] > 0]; delete[] q;"));
  EXPECT_EQ(built.compiled.status, record::Status::compile);
  EXPECT_TRUE(contains(built.log, "error: operator new[](unsigned long) is used but not defined")) << built.log;
}

TEST_F(Builds, RefusesHugeImages)
{
  EXPECT_TRUE(contains(refusal(with_body("Y[0] = table[n];", "extern const char table[];\n"
                                                             "asm(\".section .rodata; "
                                                             "table: .zero 8000000; .text\");\n")),
                       "at most 4 MiB"));
}

TEST_F(Builds, EndingTheProcessHappensAtRunTime)
{
  const Built aborts = build(with_body("if (n > 3) abort();\nY[0] = X[0];", "#include <stdlib.h>\n"));
  ASSERT_TRUE(aborts.module) << aborts.module.error().reason << aborts.log;
  EXPECT_EQ(WTERMSIG(end_of_call(*aborts.module)), SIGILL);
  const Built exits = build(with_body("if (n > 3) exit(7);\nY[0] = X[0];", "#include <stdlib.h>\n"));
  ASSERT_TRUE(exits.module) << exits.module.error().reason << exits.log;
  EXPECT_EQ(WEXITSTATUS(end_of_call(*exits.module)), 7);
  const Built asserts = build(with_body("assert(n < 3);\nY[0] = X[0];", "#include <assert.h>\n"));
  ASSERT_TRUE(asserts.module) << asserts.module.error().reason << asserts.log;
  EXPECT_EQ(WTERMSIG(end_of_call(*asserts.module)), SIGILL);
}

TEST_F(Builds, IncludesOfForeignFilesShowNothing)
{
  const Built built = build("#include \"/etc/passwd\"\n" + with_body("Y[0] = 1;"));
  EXPECT_EQ(built.compiled.status, record::Status::compile);
  EXPECT_TRUE(contains(built.log, "device.cpp:1:10: fatal error: /etc/passwd")) << built.log;
  EXPECT_FALSE(contains(built.log, "root:")) << built.log;
}

} // namespace
} // namespace hone::gate
