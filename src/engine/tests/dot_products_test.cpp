#include "engine/builtin/rewrites.h"
#include "sequence_harness.h"
#include "shipped_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::HasSubstr;

// C[m,n] of the types of A, B and C.
Kernel product(const std::vector<std::string>& types, const std::string& expression,
               const std::string& a_shape = "\"m\", \"k\"", const std::string& b_shape = "\"k\", \"n\"")
{
  std::string text = "[kernel]\nname = \"narrow\"\n[compute]\nexpr = \"" + expression + "\"\n[arguments]\n";
  text += "A = { type = \"" + types[0] + "\", shape = [" + a_shape + "] }\n";
  text += "B = { type = \"" + types[1] + "\", shape = [" + b_shape + "] }\n";
  text += "C = { type = \"" + types[2] + "\", shape = [\"m\", \"n\"], role = \"output\" }\n";
  text += "[sizes]\ntimed = [ { m = 64, n = 64, k = 64 } ]\nalso = \"any\"\n[accuracy]\naccumulate = \"f32\"\n";
  Result<Kernel> kernel = parse_kernel(text, "kernel.toml");
  EXPECT_TRUE(kernel) << kernel.error().text();
  return kernel ? std::move(*kernel) : Kernel{};
}

const std::string k_plain = "C[m,n] = sum(k, A[m,k] * B[k,n])";

std::string refusal(const Kernel& kernel)
{
  const Result<Schedule> step = rewrite_schedule(naive_schedule(kernel), "dot-products", {kernel, k_cpu});
  return step ? "" : step.error().message;
}

TEST(DotProducts, AreForBytesAndBf16)
{
  EXPECT_EQ(refusal(product({"i8", "i8", "i32"}, k_plain)), "");
  EXPECT_EQ(refusal(product({"u8", "i8", "i32"}, k_plain)), "");
  EXPECT_EQ(refusal(product({"bf16", "bf16", "f32"}, k_plain + " * 0.5")), "");
  EXPECT_EQ(refusal(product({"bf16", "bf16", "bf16"}, k_plain)), "");
  EXPECT_THAT(refusal(product({"f32", "f32", "f32"}, k_plain)), HasSubstr("not of f32"));
  EXPECT_THAT(refusal(product({"i8", "i8", "i64"}, k_plain)), HasSubstr("summed in i32"));
  EXPECT_THAT(refusal(product({"i8", "i8", "i32"}, k_plain + " * 2")), HasSubstr("stored as they are"));
  EXPECT_EQ(refusal(product({"i8", "i8", "i32"}, "C[m,n] = sum(k, A[k,m] * B[k,n])", "\"k\", \"m\"")), "");
}

TEST(DotProducts, LeaveTheOtherStepsToOtherTypes)
{
  const Kernel kernel = product({"i8", "i8", "i32"}, k_plain);
  for (const Rewrite& rewrite : rewrites()) {
    if (rewrite.family == RewriteFamily::contraction) {
      EXPECT_FALSE(rewrite_schedule(naive_schedule(kernel), rewrite.name, {kernel, k_cpu})) << rewrite.name;
    }
  }
}

Result<Schedule> joined_strips(const Kernel& kernel)
{
  HONE_TRY(Schedule schedule, rewrite_schedule(naive_schedule(kernel), "dot-products", {kernel, k_cpu}));
  return rewrite_schedule(std::move(schedule), "pack-strips-together", {kernel, k_cpu});
}

bool joins_strips(const Kernel& kernel)
{
  return joined_strips(kernel).has_value();
}

TEST(DotProducts, StripsAreJoinedWhereRowsOfBAreCopied)
{
  const Kernel kernel = product({"i8", "i8", "i32"}, k_plain);
  ASSERT_TRUE(joins_strips(kernel));
  const Result<Schedule> joined = joined_strips(kernel);
  EXPECT_TRUE(joined->joined_strips);
  EXPECT_EQ(joined->tuning.back().name, "STRIPS");
  const Result<Schedule> early = rewrite_schedule(naive_schedule(kernel), "pack-strips-together", {kernel, k_cpu});
  ASSERT_FALSE(early);
  EXPECT_THAT(early.error().text(), HasSubstr("do dot-products first"));
  const Result<Schedule> other =
    joined_strips(product({"u8", "i8", "i32"}, "C[m,n] = sum(k, A[m,k] * B[n,k])", "\"m\", \"k\"", "\"n\", \"k\""));
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("side by side"));
}

// Several instruction sets, odd sizes and many points: tests/property.
TEST(DotProducts, GiveTheReferencesResults)
{
  Random random(7);
  const std::vector<Kernel> kernels = {
    product({"i8", "i8", "i32"}, k_plain),
    product({"u8", "u8", "i32"}, k_plain),
    product({"u8", "i8", "i32"}, "C[m,n] = sum(k, A[m,k] * B[n,k])", "\"m\", \"k\"", "\"n\", \"k\""),
    product({"bf16", "bf16", "bf16"}, "C[m,n] = max(sum(k, A[m,k] * B[k,n]) * 0.5, 0)"),
    product({"bf16", "bf16", "f32"}, k_plain),
    product({"i8", "i8", "i32"}, "C[m,n] = sum(k, A[k,m] * B[k,n])", "\"k\", \"m\""),
    product({"u8", "u8", "i32"}, "C[m,n] = sum(k, A[k,m] * B[n,k])", "\"k\", \"m\"", "\"n\", \"k\""),
    product({"bf16", "bf16", "bf16"}, "C[m,n] = sum(k, A[k,m] * B[k,n])", "\"k\", \"m\"")};
  std::vector<SequenceCase> cases;
  for (const Kernel& kernel : kernels) {
    Result<SequenceCase> one = make_case(kernel, k_cpu, {"dot-products"}, random);
    ASSERT_TRUE(one) << one.error().text();
    cases.push_back(std::move(*one));
    for (int point = 0; point < 3 && joins_strips(kernel); ++point) {
      Result<SequenceCase> joined = make_case(kernel, k_cpu, {"dot-products", "pack-strips-together"}, random);
      ASSERT_TRUE(joined) << joined.error().text();
      cases.push_back(std::move(*joined));
    }
  }
  SequenceRun run;
  run.extents = {{1}, {2, 31, 33}, {33, 127, 31}, {600, 65, 70}, {65, 600, 70}, {65, 70, 600}};
  for (const auto& flags : {std::vector<std::string>{"-march=native"}, {"-mavx2", "-mfma"}}) {
    run.flags = flags;
    const Result<std::vector<std::string>> failures = run_cases(cases, run);
    ASSERT_TRUE(failures) << failures.error().text();
    EXPECT_THAT(*failures, testing::IsEmpty());
  }
}

} // namespace
} // namespace hone
