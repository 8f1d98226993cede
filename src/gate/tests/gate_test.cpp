// The whole gate on real compilers and runners: honest candidates pass, each kind of wrong one gets its status word.
#include "gate/gate.h"
#include "matmul_kit.h"
#include "util/fs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::gate {
namespace {

using test::contender_of;
using test::device_text;
using test::DeviceText;
using test::launch_text;
using testing::HasSubstr;

constexpr std::chrono::milliseconds k_deadline{2'000};

struct Opened {
  TemporaryFolder cache;
  std::shared_ptr<const kernel::Kernel> kernel;
  Gate gate;
};

Opened open_gate(const std::string& also = "any")
{
  auto cache = TemporaryFolder::create("gate-test");
  auto kernel = test::matmul_kernel(also);
  GateOptions options;
  options.cache = cache->path();
  options.seed = 7;
  options.call_deadline = k_deadline;
  auto gate = Gate::open(kernel, **backend::find_backend("cpu"), options);
  if (!gate) {
    throw std::runtime_error(gate.error().text());
  }
  return {std::move(*cache), kernel, std::move(*gate)};
}

// One gate for all cases: its reference is compiled once.
Opened& shared_gate()
{
  static Opened opened = open_gate();
  return opened;
}

record::Recipe recipe_of(const kernel::Kernel& kernel)
{
  record::Recipe recipe;
  recipe.sizes = kernel.timed.front();
  recipe.pairs = 2;
  recipe.seconds_per_pair = 0.005;
  return recipe;
}

record::Verdict validated(const record::Contender& contender, record::Depth depth = record::Depth::screen)
{
  Opened& opened = shared_gate();
  auto verdict = opened.gate.validate(contender, recipe_of(*opened.kernel), depth);
  EXPECT_TRUE(verdict) << verdict.error().text();
  return verdict ? *verdict : record::Verdict{};
}

record::Verdict validated(const DeviceText& text, const std::string& launch = launch_text())
{
  return validated(contender_of(*shared_gate().kernel, device_text(text), launch));
}

std::string described(const record::Verdict& verdict)
{
  return std::string(record::name_of(verdict.status)) + ": " + verdict.reason + "\n" + verdict.log;
}

TEST(Gate, AnHonestCandidatePassesEveryCheck)
{
  const record::Verdict verdict =
    validated(contender_of(*shared_gate().kernel, device_text(), launch_text()), record::Depth::promote);
  EXPECT_EQ(verdict.status, record::Status::correct) << described(verdict);
  EXPECT_EQ(verdict.reason, "");
  EXPECT_FALSE(verdict.module_hash.empty());
  EXPECT_LE(verdict.errors.worst_normalised, 1);
  EXPECT_GT(verdict.errors.worst_normalised, 0);
  std::vector<std::string> names;
  int hidden = 0;
  for (const record::CheckResult& check : verdict.checks) {
    EXPECT_TRUE(check.passed) << check.name;
    names.push_back(check.name);
    hidden += check.name.starts_with("hidden size") ? 1 : 0;
  }
  EXPECT_GE(hidden, 12);
  EXPECT_THAT(names, testing::IsSupersetOf({"poisoned outputs", "repeats", "work-groups", "timed sizes", "projection",
                                            "guard bands", "inputs", "seed"}));
}

struct Wrong {
  std::string name;
  DeviceText text;
  record::Status status;
  std::string reason; // a part of it
  std::string launch = launch_text();
};

void PrintTo(const Wrong& wrong, std::ostream* out)
{
  *out << wrong.name;
}

class WrongCandidate : public testing::TestWithParam<Wrong> {};

TEST_P(WrongCandidate, GetsItsStatus)
{
  const Wrong& wrong = GetParam();
  const record::Verdict verdict = validated(wrong.text, wrong.launch);
  EXPECT_EQ(verdict.status, wrong.status) << described(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr(wrong.reason));
  EXPECT_FALSE(verdict.reason.empty());
  EXPECT_FALSE(verdict.cold || verdict.hot);
  EXPECT_THAT(verdict.checks, testing::Contains(testing::Field(&record::CheckResult::passed, false)));
}

std::string scratch_launch()
{
  return launch_text("[[scratch]]\nname = \"partial\"\ntype = \"f32\"\nsize = \"m * n\"\n", "partial");
}

const Wrong k_wrong[] = {
  {"zero", {.per_element = "C[i * n + j] = 0 * s;"}, record::Status::correctness, "all zero"},
  {"copy", {.per_element = "C[i * n + j] = A[i * k + j % k];"}, record::Status::correctness, "C"},
  {"half", {.accumulator = "hone_f16"}, record::Status::correctness, "C"},
  {"last_column", {.per_element = "if (j < n - 1 || n == 1) C[i * n + j] = s;"}, record::Status::correctness, "C["},
  {"one_element",
   {.per_element = "C[i * n + j] = s + (i == m - 1 && j == n - 1 ? 3e-4f : 0);"},
   record::Status::correctness,
   "C"},
  {"overlap", {.last_column = "(x + 1) * TILE + 1"}, record::Status::correctness, "race: groups"},
  {"reads_neighbour", // wrong only where the group to its left, or above it, has not run yet
   {.per_element = "C[i * n + j] = s; if (i == y * TILE && j == x * TILE && x + y > 0) { "
                   "const long r = x > 0 ? i : i - 1, c = x > 0 ? j - 1 : j; float there = 0; "
                   "for (int p = 0; p < k; ++p) there += A[r * k + p] * B[p * n + c]; "
                   "if (!(__builtin_fabsf(C[r * n + c] - there) <= 1e-3f * k)) C[i * n + j] = 0; }"},
   record::Status::correctness,
   ""},
  {"last_bit_of_what_lay_there", // right to within all bounds
   {.per_element = "unsigned bits, there; __builtin_memcpy(&there, &C[i * n + j], 4); __builtin_memcpy(&bits, &s, 4); "
                   "bits ^= s != (float)(int)s ? there & 1 : 0; __builtin_memcpy(&C[i * n + j], &bits, 4);"},
   record::Status::correctness,
   "depends on memory that nothing initialised"},
  {"past_the_end", {.prologue = "C[m * n] = 1;"}, record::Status::rejected, "past the end of C"},
  {"writes_input", {.prologue = "((float*)A)[0] = 1;"}, record::Status::rejected, "input"},
  {"endless", {.prologue = "volatile int spin = 1; while (spin) {}"}, record::Status::timeout, ""},
  {"abort", {.prologue = "abort();", .globals = "#include <stdlib.h>"}, record::Status::runtime, ""},
  {"exit", {.prologue = "exit(0);", .globals = "#include <stdlib.h>"}, record::Status::runtime, "exited"},
  {"remembers",
   {.per_element = "if (remembered[i] == 0) remembered[i] = s; C[i * n + j] = s;",
    .globals = "static float remembered[4096];"},
   record::Status::compile,
   "state"},
  {"defers",
   {.per_element = "C[i * n + j] = partial[i * n + j]; partial[i * n + j] = s;"},
   record::Status::correctness,
   "",
   scratch_launch()},
  {"does_not_compile", {.prologue = "nonsense"}, record::Status::compile, ""},
};

// The last bit of one element flickers with the time: two calls agree by chance every other time, several hardly ever.
TEST(Gate, WhatTwoCallsHappenToAgreeOnIsSeenByMore)
{
  bool seen = false;
  for (int i = 0; i < 24 && !seen; ++i) {
    const record::Verdict verdict =
      validated({.per_element = "unsigned bits; __builtin_memcpy(&bits, &s, 4); "
                                "bits ^= i + j == 0 && s != (float)(int)s ? (time ^ time >> 5 ^ time >> 11) & 1 : 0; "
                                "__builtin_memcpy(&C[i * n + j], &bits, 4);",
                 .prologue = "const unsigned long time = __builtin_ia32_rdtsc() + " + std::to_string(i) + ";"});
    EXPECT_NE(verdict.status, record::Status::compile) << described(verdict);
    seen = verdict.reason.find("on the same inputs gave other bytes than the first") != std::string::npos;
  }
  EXPECT_TRUE(seen);
}

TEST(Gate, OnlyMultiplesOfATileIsAConstraint)
{
  std::string launch = launch_text();
  launch.replace(launch.find("default = 8 }\n"), 14, "default = 8 }\nconstraints = [\"m % 16 == 0\"]\n");
  const record::Verdict verdict = validated({}, launch);
  EXPECT_EQ(verdict.status, record::Status::constraints) << described(verdict);
  EXPECT_FALSE(verdict.reason.empty());
}

INSTANTIATE_TEST_SUITE_P(Gate, WrongCandidate, testing::ValuesIn(k_wrong),
                         [](const auto& parameter) { return parameter.param.name; });

TEST(Gate, CompilerMessagesPointIntoTheCandidate)
{
  const record::Verdict verdict = validated({.prologue = "nonsense"});
  EXPECT_EQ(verdict.status, record::Status::compile);
  EXPECT_THAT(verdict.log, HasSubstr("device.cpp"));
  EXPECT_THAT(verdict.log, testing::Not(HasSubstr("/tmp")));
}

TEST(Gate, ADeclaredReductionMayOverlap)
{
  DeviceText text;
  text.last_column = "(x + 1) * TILE + 1"; // twice the same value
  std::string launch = launch_text() + "reduce = [\"C\"]\n";
  const record::Verdict verdict = validated(text, launch);
  EXPECT_EQ(verdict.status, record::Status::correct) << described(verdict);
}

TEST(Gate, SpecialisedKernelsSkipHiddenSizesAndSaySo)
{
  Opened opened = open_gate("timed");
  const auto verdict = opened.gate.validate(contender_of(*opened.kernel, device_text()), recipe_of(*opened.kernel),
                                            record::Depth::promote);
  ASSERT_TRUE(verdict) << verdict.error().text();
  EXPECT_EQ(verdict->status, record::Status::correct) << described(*verdict);
  EXPECT_THAT(verdict->checks,
              testing::Contains(testing::AllOf(testing::Field(&record::CheckResult::name, "hidden sizes"),
                                               testing::Field(&record::CheckResult::detail, HasSubstr("skipped")))));
}

TEST(Gate, MeasuresAgainstAnIncumbentInBothRegimes)
{
  Opened& opened = shared_gate();
  const record::Contender contender = contender_of(*opened.kernel, device_text());
  record::Contender incumbent = contender;
  incumbent.point["TILE"] = 16;
  opened.gate.prebuild(incumbent, recipe_of(*opened.kernel));
  const auto verdict = opened.gate.judge(contender, incumbent, recipe_of(*opened.kernel), record::Depth::screen, true);
  ASSERT_TRUE(verdict) << verdict.error().text();
  EXPECT_EQ(verdict->status, record::Status::correct) << described(*verdict);
  ASSERT_TRUE(verdict->cold && verdict->hot);
  EXPECT_GT(verdict->cold->median, 0);
  ASSERT_EQ(verdict->comparisons.size(), 2U);
  EXPECT_EQ(verdict->comparisons[0].regime, record::Regime::cold);
  EXPECT_EQ(verdict->comparisons[1].regime, record::Regime::hot);
  for (const char* phase : {"measure", "check"}) {
    EXPECT_TRUE(verdict->spent.contains(phase)) << phase;
  }
}

TEST(Gate, WhatIsFasterThanTheCeilingIsRejected)
{
  auto cache = TemporaryFolder::create("gate-test");
  auto kernel = test::matmul_kernel();
  GateOptions options;
  options.cache = cache->path();
  options.seed = 7;
  options.ceilings.emplace();
  options.ceilings->gflops["f32"] = 1e-3; // a device on which this product takes a tenth of a second
  auto gate = Gate::open(kernel, **backend::find_backend("cpu"), options);
  ASSERT_TRUE(gate) << gate.error().text();
  const auto verdict =
    gate->measure(contender_of(*kernel, device_text()), recipe_of(*kernel), record::Depth::screen, false);
  ASSERT_TRUE(verdict) << verdict.error().text();
  EXPECT_EQ(verdict->status, record::Status::rejected);
  EXPECT_THAT(verdict->reason, HasSubstr("impossible speed"));
  EXPECT_FALSE(verdict->cold);
}

TEST(Gate, ModulesAreReadBackFromTheCache)
{
  Opened opened = open_gate();
  const record::Contender contender = contender_of(*opened.kernel, device_text());
  const record::Recipe recipe = recipe_of(*opened.kernel);
  const auto first = opened.gate.validate(contender, recipe, record::Depth::screen);
  ASSERT_TRUE(first);
  GateOptions options;
  options.cache = opened.cache.path();
  auto again = Gate::open(opened.kernel, **backend::find_backend("cpu"), options);
  ASSERT_TRUE(again) << again.error().text();
  const auto second = again->validate(contender, recipe, record::Depth::screen);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->status, record::Status::correct) << described(*second);
  EXPECT_EQ(second->module_hash, first->module_hash);
  EXPECT_EQ(again->environment(), opened.gate.environment());
  EXPECT_FALSE(fs::is_empty(opened.cache.path() / "modules"));
}

} // namespace
} // namespace hone::gate
