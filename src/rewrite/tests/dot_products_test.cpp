#include "rewrite/builtin/rewrites.h"
#include "sequence_harness.h"
#include "shipped_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::rewrite {
namespace {

using testing::HasSubstr;

// C[m,n] of the types of A, B and C.
kernel::Kernel product(const std::vector<std::string>& types, const std::string& expression,
                       const std::string& a_shape = "\"m\", \"k\"", const std::string& b_shape = "\"k\", \"n\"",
                       const std::string& role = "output")
{
  std::string text = "[kernel]\nname = \"narrow\"\n[compute]\nexpr = \"" + expression + "\"\n[arguments]\n";
  text += "A = { type = \"" + types[0] + "\", shape = [" + a_shape + "] }\n";
  text += "B = { type = \"" + types[1] + "\", shape = [" + b_shape + "] }\n";
  text += "C = { type = \"" + types[2] + "\", shape = [\"m\", \"n\"], role = \"" + role + "\" }\n";
  text += "[sizes]\ntimed = [ { m = 64, n = 64, k = 64 } ]\nalso = \"any\"\n[accuracy]\naccumulate = \"f32\"\n";
  Result<kernel::Kernel> kernel = kernel::parse_kernel(text, "kernel.toml");
  EXPECT_TRUE(kernel) << kernel.error().text();
  return kernel ? std::move(*kernel) : kernel::Kernel{};
}

const std::string k_plain = "C[m,n] = sum(k, A[m,k] * B[k,n])";

std::string dot_products_refusal(const kernel::Kernel& kernel)
{
  const Result<lower::Schedule> step = rewrite_schedule(lower::naive_schedule(kernel), "dot-products", {kernel, k_cpu});
  return step ? "" : step.error().message;
}

TEST(DotProducts, AreForBytesAndBf16)
{
  EXPECT_EQ(dot_products_refusal(product({"i8", "i8", "i32"}, k_plain)), "");
  EXPECT_EQ(dot_products_refusal(product({"u8", "i8", "i32"}, k_plain)), "");
  EXPECT_EQ(dot_products_refusal(product({"bf16", "bf16", "f32"}, k_plain + " * 0.5")), "");
  EXPECT_EQ(dot_products_refusal(product({"bf16", "bf16", "bf16"}, k_plain)), "");
  EXPECT_THAT(dot_products_refusal(product({"f32", "f32", "f32"}, k_plain)), HasSubstr("not of f32"));
  EXPECT_THAT(dot_products_refusal(product({"i8", "i8", "i64"}, k_plain)), HasSubstr("summed in i32"));
  EXPECT_EQ(dot_products_refusal(product({"i8", "i8", "i32"}, k_plain + " * 2")), ""); // in a second launch
  EXPECT_EQ(dot_products_refusal(product({"i8", "i8", "i32"}, "C[m,n] = sum(k, A[k,m] * B[k,n])", "\"k\", \"m\"")), "");
}

TEST(DotProducts, LeaveTheOtherStepsToOtherTypes)
{
  const kernel::Kernel kernel = product({"i8", "i8", "i32"}, k_plain);
  for (const Rewrite& rewrite : rewrites()) {
    if (rewrite.family == RewriteFamily::contraction) {
      EXPECT_FALSE(rewrite_schedule(lower::naive_schedule(kernel), rewrite.name, {kernel, k_cpu})) << rewrite.name;
    }
  }
}

Result<lower::Schedule> after_dot_products(const kernel::Kernel& kernel, std::string_view step)
{
  HONE_TRY(lower::Schedule schedule, rewrite_schedule(lower::naive_schedule(kernel), "dot-products", {kernel, k_cpu}));
  return rewrite_schedule(std::move(schedule), step, {kernel, k_cpu});
}

std::string refusal_after(const kernel::Kernel& kernel, std::string_view step)
{
  const Result<lower::Schedule> after = after_dot_products(kernel, step);
  return after ? "" : after.error().message;
}

TEST(DotProducts, StripsAreJoinedWhereRowsOfBAreCopied)
{
  const kernel::Kernel kernel = product({"i8", "i8", "i32"}, k_plain);
  const Result<lower::Schedule> joined = after_dot_products(kernel, "pack-strips-together");
  ASSERT_TRUE(joined);
  EXPECT_TRUE(joined->joined_strips);
  EXPECT_EQ(joined->tuning.back().name, "STRIPS");
  EXPECT_THAT(
    refusal_after(product({"u8", "i8", "i32"}, "C[m,n] = sum(k, A[m,k] * B[n,k])", "\"m\", \"k\"", "\"n\", \"k\""),
                  "pack-strips-together"),
    HasSubstr("side by side"));
}

TEST(DotProducts, OnlyBytesOfOneKindNeedACorrection)
{
  EXPECT_EQ(refusal_after(product({"i8", "i8", "i32"}, k_plain), "correct-by-columns"), "");
  EXPECT_EQ(refusal_after(product({"u8", "u8", "i32"}, k_plain), "correct-by-columns"), "");
  EXPECT_THAT(refusal_after(product({"u8", "i8", "i32"}, k_plain), "correct-by-columns"), HasSubstr("no correction"));
  EXPECT_THAT(refusal_after(product({"bf16", "bf16", "f32"}, k_plain), "correct-by-columns"),
              HasSubstr("no correction"));
}

TEST(DotProducts, WhatRefinesThemComesBehind)
{
  const kernel::Kernel kernel = product({"i8", "i8", "i32"}, k_plain);
  for (const char* step : {"pack-strips-together", "correct-by-columns"}) {
    const Result<lower::Schedule> early = rewrite_schedule(lower::naive_schedule(kernel), step, {kernel, k_cpu});
    ASSERT_FALSE(early);
    EXPECT_THAT(early.error().text(), HasSubstr("do dot-products first"));
  }
}

// Several instruction sets, odd sizes and many points: tests/property.
TEST(DotProducts, GiveTheReferencesResults)
{
  Random random(7);
  const std::vector<kernel::Kernel> kernels = {
    product({"i8", "i8", "i32"}, k_plain), product({"u8", "u8", "i32"}, k_plain),
    product({"u8", "i8", "i32"}, "C[m,n] = sum(k, A[m,k] * B[n,k])", "\"m\", \"k\"", "\"n\", \"k\""),
    product({"bf16", "bf16", "bf16"}, "C[m,n] = max(sum(k, A[m,k] * B[k,n]) * 0.5, 0)"),
    product({"bf16", "bf16", "f32"}, k_plain),
    product({"bf16", "bf16", "f32"}, k_plain + " + 0.5 * C[m,n]", "\"m\", \"k\"", "\"k\", \"n\"", "inout"),
    product({"i8", "i8", "i32"}, "C[m,n] = sum(k, A[k,m] * B[k,n])", "\"k\", \"m\""),
    product({"u8", "u8", "i32"}, "C[m,n] = sum(k, A[k,m] * B[n,k])", "\"k\", \"m\"", "\"n\", \"k\""),
    product({"bf16", "bf16", "bf16"}, "C[m,n] = sum(k, A[k,m] * B[k,n])", "\"k\", \"m\""),
    // What is done to sums of bytes is a launch of its own.
    product({"i8", "i8", "i32"}, k_plain + " * 2 + C[m,n]", "\"m\", \"k\"", "\"k\", \"n\"", "inout")};
  std::vector<SequenceCase> cases;
  for (const kernel::Kernel& kernel : kernels) {
    for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {}, {"pack-strips-together"}, {"correct-by-columns"}, {"correct-by-columns", "pack-strips-together"}}) {
      std::vector<std::string> steps = {"dot-products"};
      for (const std::string& step : more) {
        if (refusal_after(kernel, step).empty()) {
          steps.push_back(step);
        }
      }
      if (steps.size() <= more.size()) {
        continue; // what is left was a case already
      }
      for (int point = 0; point < (more.empty() ? 1 : 3); ++point) {
        Result<SequenceCase> one = make_case(kernel, k_cpu, steps, random);
        ASSERT_TRUE(one) << one.error().text();
        cases.push_back(std::move(*one));
      }
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
} // namespace hone::rewrite
