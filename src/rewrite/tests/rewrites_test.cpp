#include "rewrite/builtin/rewrites.h"
#include "rewrite/rewrite.h"
#include "sequence_harness.h"
#include "shipped_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::rewrite {
namespace {

using testing::HasSubstr;

const std::vector<std::string> k_full_climb = {
  "reorder-loops", "refactor-into-macros", "cache-tiling", "register-tiling",
  "vectorize",     "pack-panels",          "unroll-k",     "mask-edges"};

Result<kernel::Candidate> carry_out(const kernel::Kernel& kernel, const kernel::Candidate& current,
                                    const std::string& name)
{
  catalogue::Transformation transformation;
  transformation.name = name;
  return builtin_engine().apply({kernel, current, transformation, k_cpu});
}

TEST(Rewrites, AtLeastSixtyPercentOfOrderedPairsAreLegal)
{
  const kernel::Kernel kernel = shipped("matmul");
  int legal = 0;
  for (const Rewrite& first : rewrites()) {
    const Result<lower::Schedule> after = rewrite_schedule(lower::naive_schedule(kernel), first.name, {kernel, k_cpu});
    for (const Rewrite& second : rewrites()) {
      legal += after && rewrite_schedule(*after, second.name, {kernel, k_cpu}).has_value() ? 1 : 0;
    }
  }
  EXPECT_GE(legal, 34); // of the 72 of contractions
}

TEST(Rewrites, RefuseASecondTimeAndSayWhatToDoFirst)
{
  const kernel::Kernel kernel = shipped("matmul");
  const RewriteSubject subject{kernel, k_cpu};
  for (const Rewrite& rewrite : rewrites()) {
    if (const Result<lower::Schedule> once = rewrite_schedule(lower::naive_schedule(kernel), rewrite.name, subject)) {
      EXPECT_FALSE(rewrite_schedule(*once, rewrite.name, subject)) << rewrite.name;
    }
  }
  const Result<lower::Schedule> early = rewrite_schedule(lower::naive_schedule(kernel), "mask-edges", subject);
  ASSERT_FALSE(early);
  EXPECT_THAT(early.error().hint, HasSubstr("vectorize"));
}

TEST(Rewrites, LeaveDotProductsOfTheLastColumnsToOperandsThatLieAlongTheSum)
{
  const std::vector<std::string> before = {"cache-tiling", "register-tiling", "vectorize", "mask-edges"};
  for (const auto& [name, legal] : {std::pair{"matmul", true}, {"matmul-tb", true}, {"matmul-ta", false}}) {
    const kernel::Kernel kernel = shipped(name);
    Result<lower::Schedule> schedule = lower::naive_schedule(kernel);
    EXPECT_FALSE(rewrite_schedule(*schedule, "dot-remainders", {kernel, k_cpu})) << name;
    for (const std::string& step : before) {
      schedule = rewrite_schedule(*schedule, step, {kernel, k_cpu});
      ASSERT_TRUE(schedule) << schedule.error().text();
    }
    EXPECT_EQ(rewrite_schedule(*schedule, "dot-remainders", {kernel, k_cpu}).has_value(), legal) << name;
  }
}

TEST(Rewrites, AreForContractionsOnTheCpu)
{
  const kernel::Kernel softmax = shipped("softmax");
  const Result<lower::Schedule> wrong_class =
    rewrite_schedule(lower::naive_schedule(softmax), "vectorize", {softmax, k_cpu});
  ASSERT_FALSE(wrong_class);
  EXPECT_THAT(wrong_class.error().message, HasSubstr("for contractions"));

  const kernel::Kernel matmul = shipped("matmul");
  EXPECT_FALSE(rewrite_schedule(lower::naive_schedule(matmul), "vectorize", {matmul, lower::opencl_dialect()}));
  EXPECT_FALSE(rewrite_schedule(lower::naive_schedule(matmul), "no-such-step", {matmul, k_cpu}));
}

TEST(Engine, NeedsTheScheduleThatOnlyItsOwnCandidatesHave)
{
  const kernel::Kernel kernel = shipped("matmul");
  Result<kernel::Candidate> candidate = lower::naive_candidate(kernel, k_cpu);
  ASSERT_TRUE(candidate) << candidate.error().text();
  EXPECT_TRUE(carry_out(kernel, *candidate, "vectorize"));
  candidate->schedule.clear();
  const Result<kernel::Candidate> refused = carry_out(kernel, *candidate, "vectorize");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("no schedule"));
  EXPECT_FALSE(refused.error().hint.empty());
}

TEST(Engine, RestatesTheWorkOfOthersAndNotItsOwn)
{
  const kernel::Kernel kernel = shipped("matmul");
  Result<kernel::Candidate> candidate = lower::naive_candidate(kernel, k_cpu);
  ASSERT_TRUE(candidate) << candidate.error().text();
  EXPECT_FALSE(carry_out(kernel, *candidate, "restate"));
  candidate->schedule.clear();
  candidate->files.at("device.cpp") += "// by hand\n";
  const Result<kernel::Candidate> restated = carry_out(kernel, *candidate, "restate");
  ASSERT_TRUE(restated) << restated.error().text();
  EXPECT_TRUE(carry_out(kernel, *restated, "vectorize"));
}

TEST(Engine, EachStepOfTheFullClimbChangesTheSource)
{
  const kernel::Kernel kernel = shipped("matmul");
  Result<kernel::Candidate> current = lower::naive_candidate(kernel, k_cpu);
  ASSERT_TRUE(current) << current.error().text();
  for (const std::string& step : k_full_climb) {
    Result<kernel::Candidate> next = carry_out(kernel, *current, step);
    ASSERT_TRUE(next) << step << ": " << next.error().text();
    EXPECT_NE(next->hash(), current->hash()) << step;
    current = std::move(next);
  }
}

TEST(Engine, MakesSizesConstantsWhereOthersNeedNotBeRight)
{
  kernel::Kernel kernel = shipped("matmul");
  Result<kernel::Candidate> current = lower::naive_candidate(kernel, k_cpu);
  ASSERT_TRUE(current) << current.error().text();
  EXPECT_FALSE(carry_out(kernel, *current, "fix-sizes"));
  kernel.also = kernel::AlsoSizes::timed;
  for (const std::string& step : k_full_climb) {
    current = carry_out(kernel, *current, step);
    ASSERT_TRUE(current) << step << ": " << current.error().text();
  }
  current = carry_out(kernel, *current, "fix-sizes");
  ASSERT_TRUE(current) << current.error().text();
  EXPECT_THAT(current->device_source(), HasSubstr("static const int64_t k = HONE_SIZE_k;"));
  EXPECT_THAT(current->plan.launches.front().args, testing::ElementsAre("A", "B", "C"));
}

TEST(Engine, PassesNoNumbersAsParameters)
{
  const Result<kernel::Kernel> kernel = kernel::parse_kernel(R"toml(
[kernel]
name = "fixed-columns"
[compute]
expr = "C[m,n] = sum(k, A[m,k] * B[k,n])"
[arguments]
A = { type = "f32", shape = ["m", 48] }
B = { type = "f32", shape = [48, 80] }
C = { type = "f32", shape = ["m", 80], role = "output" }
[sizes]
timed = [ { m = 64 } ]
also = "any"
[accuracy]
accumulate = "f32"
)toml",
                                                             "kernel.toml");
  ASSERT_TRUE(kernel) << kernel.error().text();
  Result<kernel::Candidate> current = lower::naive_candidate(*kernel, k_cpu);
  ASSERT_TRUE(current) << current.error().text();
  for (const char* step : {"register-tiling", "vectorize", "split-k"}) {
    current = carry_out(*kernel, *current, step);
    ASSERT_TRUE(current) << step << ": " << current.error().text();
    EXPECT_THAT(current->device_source(), testing::Not(HasSubstr("int64_t 80"))) << step;
    EXPECT_THAT(current->device_source(), testing::Not(HasSubstr("int64_t 48"))) << step;
  }
}

TEST(Engine, AddsThePartsOfASplitSumInASecondLaunch)
{
  const kernel::Kernel kernel = shipped("matmul-bias-gelu");
  Result<kernel::Candidate> current = lower::naive_candidate(kernel, k_cpu);
  ASSERT_TRUE(current) << current.error().text();
  current = carry_out(kernel, *current, "split-k");
  ASSERT_TRUE(current) << current.error().text();
  ASSERT_EQ(current->plan.launches.size(), 2U);
  ASSERT_EQ(current->plan.scratch.size(), 1U);
  EXPECT_THAT(current->plan.launches[0].args, testing::Not(testing::Contains("bias")));
  EXPECT_THAT(current->plan.launches[1].args, testing::IsSupersetOf({"bias", "parts"}));
}

TEST(Engine, StreamsFinishedTilesOnly)
{
  const kernel::Kernel kernel = shipped("matmul");
  const RewriteSubject subject{kernel, k_cpu};
  lower::Schedule schedule = lower::naive_schedule(kernel);
  EXPECT_FALSE(rewrite_schedule(schedule, "stream-output", subject));
  for (const char* step : {"cache-tiling", "register-tiling", "vectorize"}) {
    const Result<lower::Schedule> next = rewrite_schedule(schedule, step, subject);
    ASSERT_TRUE(next) << next.error().text();
    schedule = *next;
  }
  const Result<lower::Schedule> streaming = rewrite_schedule(schedule, "stream-output", subject);
  ASSERT_TRUE(streaming) << streaming.error().text();
  const Result<kernel::Candidate> candidate = lower::lower_schedule(kernel, *streaming, k_cpu);
  ASSERT_TRUE(candidate) << candidate.error().text();
  EXPECT_THAT(candidate->device_source(), HasSubstr("STREAM == 1 && p_end - p_block == k;"));
  EXPECT_THAT(candidate->device_source(), HasSubstr("hone_stream("));

  EXPECT_FALSE(rewrite_schedule(*streaming, "split-k", subject)); // parts of sums are read again
  const Result<lower::Schedule> split = rewrite_schedule(schedule, "split-k", subject);
  ASSERT_TRUE(split) << split.error().text();
  EXPECT_FALSE(rewrite_schedule(*split, "stream-output", subject));
}

TEST(Engine, KnowsItsNameAndItsSteps)
{
  EXPECT_EQ(builtin_engine().name(), "builtin");
  EXPECT_TRUE(builtin_engine().knows("pack-panels"));
  EXPECT_FALSE(builtin_engine().knows("no-such-step"));
}

// The long version of this, over many more sequences and instruction sets, is tests/property.
TEST(Sequences, RandomOnesGiveTheReferencesResults)
{
  Random random(20);
  std::vector<kernel::Kernel> kernels;
  for (const char* name :
       {"matmul", "matmul-ta", "matmul-tb", "attention-scores", "matmul-bias-gelu", "softmax", "matmul-f64"}) {
    kernels.push_back(shipped(name));
  }
  std::vector<SequenceCase> cases;
  for (const kernel::Kernel& kernel : kernels) {
    Result<SequenceCase> naive = make_case(kernel, k_cpu, {}, random);
    ASSERT_TRUE(naive) << naive.error().text();
    cases.push_back(std::move(*naive));
  }
  for (std::size_t i = 0; i < 12; ++i) {
    Result<SequenceCase> one = random_case(kernels[i % 5], k_cpu, 1 + random.below(8), random);
    ASSERT_TRUE(one) << one.error().text();
    cases.push_back(std::move(*one));
  }
  Result<SequenceCase> full = make_case(kernels[0], k_cpu, k_full_climb, random);
  ASSERT_TRUE(full) << full.error().text();
  cases.push_back(std::move(*full));

  std::vector<std::string> in_passing = k_full_climb;
  in_passing.insert(in_passing.end(),
                    {"pack-in-passing", "prefetch-columns", "prefetch-rows", "prefetch-output", "stream-output"});
  for (int i = 0; i < 4; ++i) { // at other tuning points each time
    Result<SequenceCase> one = make_case(kernels[0], k_cpu, in_passing, random);
    ASSERT_TRUE(one) << one.error().text();
    cases.push_back(std::move(*one));
  }
  std::vector<std::string> dots = in_passing;
  dots.emplace_back("dot-remainders");
  const std::vector<std::string> unpacked = {"cache-tiling", "vectorize", "register-tiling", "mask-edges",
                                             "dot-remainders"};
  for (const std::size_t kernel : {0u, 0u, 2u, 4u, 6u}) {
    Result<SequenceCase> one = make_case(kernels[kernel], k_cpu, kernel == 0 ? dots : unpacked, random);
    ASSERT_TRUE(one) << one.error().text();
    cases.push_back(std::move(*one));
  }
  std::vector<std::string> broadcast = in_passing;
  broadcast.emplace_back("register-broadcast");
  for (const std::size_t kernel : {0u, 0u, 2u, 4u, 6u}) {
    Result<SequenceCase> one = make_case(kernels[kernel], k_cpu, kernel == 2 ? k_full_climb : broadcast, random);
    ASSERT_TRUE(one) << one.error().text();
    cases.push_back(std::move(*one));
  }
  std::vector<std::string> balanced = in_passing;
  balanced.insert(balanced.begin() + 3, "balance-tiles");
  const std::vector<std::string> plain = {"cache-tiling", "balance-tiles"};
  const std::vector<std::string> both_packed = {"cache-tiling", "balance-tiles", "register-tiling",
                                                "vectorize",    "mask-edges",    "pack-panels"};
  for (const std::size_t kernel : {0u, 0u, 1u, 2u, 3u, 4u, 6u}) {
    const bool first = kernel == 0;
    Result<SequenceCase> one = make_case(kernels[kernel], k_cpu,
                                         first         ? balanced
                                         : kernel == 1 ? both_packed
                                                       : plain,
                                         random);
    ASSERT_TRUE(one) << one.error().text();
    cases.push_back(std::move(*one));
  }
  Result<SequenceCase> spread = make_case(kernels[0], k_cpu, {"reorder-loops", "unroll-k", "spread-k"}, random);
  ASSERT_TRUE(spread) << spread.error().text();
  cases.push_back(std::move(*spread));

  std::vector<std::string> split = k_full_climb;
  split.insert(split.begin() + 4, "split-k");
  split.emplace_back("prefetch-output");
  for (const std::size_t kernel : {0, 3, 4}) { // plain, batched, and with a bias and GELU
    Result<SequenceCase> one = make_case(kernels[kernel], k_cpu, split, random);
    ASSERT_TRUE(one) << one.error().text();
    cases.push_back(std::move(*one));
  }

  EXPECT_EQ(wrong_results(cases, {{1}, {2, 31, 33}, {33, 127, 31}, {127, 65, 130}, {35, 54, 270}, {9, 99, 40}}), "");
}

kernel::Kernel update_kernel(const std::string& expression, const std::string& type)
{
  const auto argument = [&](const std::string& name, const std::string& shape) {
    return name + " = { type = \"" + type + "\", shape = [" + shape + "]";
  };
  return or_throw(kernel::parse_kernel(
    "[kernel]\nname = \"update\"\n[compute]\nexpr = \"" + expression + "\"\n[arguments]\n"
      + argument("A", "\"m\", \"k\"") + " }\n" + argument("B", "\"k\", \"n\"") + " }\n" + argument("C", "\"m\", \"n\"")
      + ", role = \"inout\" }\n" + argument("beta", "") + " }\n[sizes]\ntimed = [ { m = 300, n = 300, k = 600 } ]\n",
    "rewrites_test"));
}

// Old values are read when the sums are finished: no block of k before the last may have stored anything over them.
TEST(Sequences, UpdatesReadOldValuesOnceTheirSumsAreFinished)
{
  const std::vector<kernel::Kernel> kernels = {
    update_kernel("C[m,n] = sum(k, A[m,k] * B[k,n]) + beta * C[m,n]", "f64"),
    update_kernel("C[m,n] = sum(k, beta * A[m,k] * B[k,n]) + C[m,n]", "f32"), // one factor for all terms
    update_kernel("C[m,n] = max(C[m,n] - 0.5 * sum(k, A[m,k] * B[k,n]), beta)", "f32")};
  std::vector<std::string> all = k_full_climb;
  all.insert(all.end(), {"pack-in-passing", "prefetch-columns", "prefetch-output", "stream-output", "dot-remainders"});
  std::vector<std::string> split = k_full_climb;
  split.insert(split.begin() + 4, "split-k");
  const std::vector<std::vector<std::string>> sequences = {
    {},
    {"reorder-loops", "unroll-k", "spread-k"},
    {"reorder-loops", "cache-tiling"},
    {"cache-tiling", "pack-panels"},
    {"cache-tiling", "register-tiling", "vectorize"},
    {"cache-tiling", "register-tiling", "vectorize", "mask-edges", "dot-remainders"},
    all,
    split};
  Random random(11);
  std::vector<SequenceCase> cases;
  for (const kernel::Kernel& kernel : kernels) {
    for (const std::vector<std::string>& steps : sequences) {
      for (const std::int64_t depth : {128, 256}) { // several blocks of k, and one
        Result<SequenceCase> one = make_case(kernel, k_cpu, steps, random);
        ASSERT_TRUE(one) << one.error().text();
        if (const auto tile = one->point.find("TILE_K"); tile != one->point.end()) {
          tile->second = depth;
        }
        cases.push_back(std::move(*one));
      }
    }
  }
  EXPECT_EQ(wrong_results(cases, {{1}, {257}, {33, 127, 31}, {270, 35, 54}, {35, 270, 54}, {35, 54, 270}}), "");
}

// Copies of both operands would have one name.
TEST(Sequences, AProductOfATensorWithItselfPacksBoth)
{
  const kernel::Kernel kernel =
    or_throw(kernel::parse_kernel("[kernel]\nname = \"gram\"\n[compute]\nexpr = \"C[i,j] = sum(k, A[i,k] * A[j,k])\"\n"
                                  "[arguments]\nA = { type = \"f32\", shape = [\"m\", \"k\"] }\n"
                                  "C = { type = \"f32\", shape = [\"m\", \"m\"], role = \"output\" }\n"
                                  "[sizes]\ntimed = [ { m = 300, k = 600 } ]\n",
                                  "rewrites_test"));
  Random random(11);
  std::vector<SequenceCase> cases;
  std::vector<std::string> taken;
  for (const char* step : {"cache-tiling", "pack-panels", "register-tiling", "vectorize", "mask-edges"}) {
    taken.emplace_back(step);
    cases.push_back(or_throw(make_case(kernel, k_cpu, taken, random)));
  }
  EXPECT_EQ(wrong_results(cases, {{1}, {33, 127}, {270, 35}}), "");
}

// Fails if a sum over two indices is walked in another order than its operands are addressed.
TEST(Sequences, ASumOverSeveralIndicesIsOneLoop)
{
  const kernel::Kernel kernel =
    or_throw(kernel::parse_kernel("[kernel]\nname = \"ring\"\n[compute]\n"
                                  "expr = \"R[i,j,a,b] = sum(k, c, W[k,b,c,j] * T[i,k,a,c])\"\n[arguments]\n"
                                  "W = { type = \"f64\", shape = [\"o\", \"v\", \"v\", \"o\"] }\n"
                                  "T = { type = \"f64\", shape = [\"o\", \"o\", \"v\", \"v\"] }\n"
                                  "R = { type = \"f64\", shape = [\"o\", \"o\", \"v\", \"v\"], role = \"output\" }\n"
                                  "[sizes]\ntimed = [ { o = 4, v = 24 } ]\n",
                                  "rewrites_test"));
  Random random(12);
  std::vector<SequenceCase> cases;
  std::vector<std::string> taken;
  cases.push_back(or_throw(make_case(kernel, k_cpu, taken, random)));
  for (const char* step : {"register-tiling", "cache-tiling", "pack-panels", "vectorize", "refactor-into-macros",
                           "unroll-k", "mask-edges"}) {
    taken.emplace_back(step);
    cases.push_back(or_throw(make_case(kernel, k_cpu, taken, random)));
  }
  EXPECT_EQ(wrong_results(cases, {{1}, {3, 5}, {2, 37}}), "");
}

// Experts' tokens up to a count: i32 decides which rows are 0, and f32 is all that is computed with.
TEST(Sequences, RowsThatACountLeavesOutAreZero)
{
  const kernel::Kernel kernel =
    or_throw(kernel::parse_kernel("[kernel]\nname = \"experts\"\n[compute]\n"
                                  "expr = \"Y[e,t,o] = sum(k, X[e,t,k] * W[e,k,o]) where t < count[e]\"\n[arguments]\n"
                                  "X = { type = \"f32\", shape = [\"e\", \"t\", \"k\"] }\n"
                                  "W = { type = \"f32\", shape = [\"e\", \"k\", \"o\"] }\n"
                                  "count = { type = \"i32\", shape = [\"e\"], domain = [0, \"t\"] }\n"
                                  "Y = { type = \"f32\", shape = [\"e\", \"t\", \"o\"], role = \"output\" }\n"
                                  "[sizes]\ntimed = [ { e = 2, t = 32, k = 24, o = 64 } ]\n",
                                  "rewrites_test"));
  Random random(13);
  std::vector<SequenceCase> cases;
  std::vector<std::string> taken;
  for (const char* step : {"reorder-loops", "register-tiling", "vectorize", "mask-edges", "cache-tiling", "pack-panels",
                           "unroll-k", "refactor-into-macros"}) {
    taken.emplace_back(step);
    cases.push_back(or_throw(make_case(kernel, k_cpu, taken, random)));
  }
  EXPECT_EQ(wrong_results(cases, {{1}, {2, 5, 7, 19}, {3, 9, 4, 70}}), "");
}

TEST(Rewrites, RefuseProductsThatReadOldValuesOfOtherElements)
{
  EXPECT_THAT(refusal(update_kernel("C[m,n] = sum(k, A[m,k] * B[k,n]) + beta * C[0,n]", "f32"), {"register-tiling"}),
              HasSubstr("elements of C"));
}

} // namespace
} // namespace hone::rewrite
