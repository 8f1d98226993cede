// Steps for rows and maps: what they refuse, what they print, and that any legal sequence gives the reference's
// results.
#include "rewrite/builtin/rewrites.h"
#include "sequence_harness.h"
#include "shipped_kernels.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace hone::rewrite {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

kernel::Kernel of(const std::string& expression, const std::map<std::string, std::string>& types = {})
{
  kernel::NewKernel request;
  request.name = "drafted";
  request.expression = expression;
  request.types = types;
  return or_throw(kernel::parse_kernel(or_throw(kernel::draft_kernel_toml(request)), "drafted"));
}

// X and Y of one shape, over the sizes m, n and, for three dimensions, b.
kernel::Kernel like(const std::string& expression, const std::string& shape)
{
  const bool three = shape.find("b") != std::string::npos;
  return or_throw(
    kernel::parse_kernel(fmt::format("[kernel]\nname = \"written\"\n[compute]\nexpr = \"{}\"\n[arguments]\n"
                                     "X = {{ type = \"f32\", shape = {} }}\n"
                                     "Y = {{ type = \"f32\", shape = {}, role = \"output\" }}\n"
                                     "[sizes]\ntimed = [ {{ {}m = 64, n = 64 }} ]\nalso = \"any\"\n",
                                     expression, shape, shape, three ? "b = 2, " : ""),
                         "written"));
}

std::string source_after(const kernel::Kernel& kernel, const std::vector<std::string>& steps)
{
  return or_throw(lower::lower_schedule(kernel, or_throw(after(kernel, steps)), k_cpu)).device_source();
}

TEST(RowRewrites, SoftmaxBecomesOneLaunchOfThreePasses)
{
  const kernel::Kernel kernel = shipped("softmax");
  const kernel::Candidate fused =
    or_throw(lower::lower_schedule(kernel, or_throw(after(kernel, {"fuse-statements"})), k_cpu));
  EXPECT_EQ(fused.plan.launches.size(), 1U);
  EXPECT_TRUE(fused.plan.scratch.empty());
  EXPECT_THAT(fused.device_source(), HasSubstr("  float total = 0.0f;\n"
                                               "  for (int64_t j = 0; j < n; ++j) {\n"
                                               "    const float weight = expf(X[i * n + j] - top);\n"
                                               "    Y[i * n + j] = weight;\n"
                                               "    total += weight;\n"
                                               "  }\n"));
}

TEST(RowRewrites, WhatOtherLaunchesReadStaysInMemory)
{
  const kernel::Kernel kernel = shipped("cross-entropy");
  const kernel::Candidate fused =
    or_throw(lower::lower_schedule(kernel, or_throw(after(kernel, {"fuse-statements"})), k_cpu));
  EXPECT_EQ(fused.plan.launches.size(), 2U);
  EXPECT_EQ(fused.plan.scratch.size(), 2U);
}

TEST(RowRewrites, IntermediatesWithoutARowToWaitInAreComputedAgain)
{
  const kernel::Kernel kernel = of("w[i,j] = exp(X[i,j]); s[i] = sum(j, w[i,j]); Y[i] = sum(j, w[i,j] / s[i])");
  const std::string source = source_after(kernel, {"fuse-statements"});
  EXPECT_THAT(source, Not(HasSubstr("float* w")));
  const std::size_t first = source.find("expf(X");
  ASSERT_NE(first, std::string::npos) << source;
  EXPECT_NE(source.find("expf(X", first + 1), std::string::npos) << source;
}

TEST(RowRewrites, RunningSumsHaveAVectorFormUnlessTheyEndBeforeTheColumn)
{
  const kernel::Kernel kernel = shipped("cumulative-sum");
  const std::string source = source_after(kernel, {"running-sums", "vectorize-rows"});
  EXPECT_THAT(source, HasSubstr("hone_running_sum(X_here)"));
  EXPECT_THAT(source, HasSubstr("sum_before += hone_last(sum_within);"));
  EXPECT_THAT(refusal(like("Y[i,j] = sum(k < j, X[i,k])", "[\"m\", \"n\"]"), {"running-sums", "vectorize-rows"}),
              HasSubstr("up to the column before has no vector form"));
  EXPECT_THAT(
    source_after(like("Y[i,j] = max(k <= j, X[i,k])", "[\"m\", \"n\"]"), {"running-sums", "vectorize-rows"}),
    AllOf(HasSubstr("hone_running_max(hone_max(X_here, -INFINITY))"), HasSubstr("hone_last(largest_within)")));
}

TEST(RowRewrites, SayWhyTheyDoNotFit)
{
  EXPECT_THAT(refusal(shipped("matmul"), {"vectorize-rows"}), HasSubstr("is a contraction"));
  EXPECT_THAT(refusal(shipped("softmax"), {"cache-tiling"}), HasSubstr("is for contractions"));
  EXPECT_THAT(refusal(shipped("gelu"), {"fuse-statements"}), HasSubstr("one statement only"));
  EXPECT_THAT(refusal(shipped("gelu"), {"vectorize-rows", "vectorize-rows"}), HasSubstr("already"));
  EXPECT_THAT(refusal(of("Y[i] = X[i] * 2", {{"X", "f64"}, {"Y", "f16"}}), {"vectorize-rows"}), HasSubstr("f16"));
  EXPECT_THAT(refusal(of("Y[i] = sin(X[i])"), {"vectorize-rows"}), HasSubstr("sin has no vector form"));
  EXPECT_THAT(refusal(of("Y[j,i] = X[i,j]"), {"vectorize-rows"}), HasSubstr("not neighbours in memory"));
  EXPECT_THAT(refusal(of("Y[i] = X[i] + 1", {{"X", "i32"}, {"Y", "i32"}}), {"vectorize-rows"}), HasSubstr("type i32"));
  const kernel::Kernel softmax = shipped("softmax");
  EXPECT_FALSE(rewrite_schedule(lower::naive_schedule(softmax), "fuse-statements", {softmax, lower::opencl_dialect()}));
}

// Statements of the kinds that people write; the letters at the end of a line say what is special about it.
std::vector<kernel::Kernel> row_kernels()
{
  const std::map<std::string, std::string> doubles = {{"X", "f64"}, {"Y", "f64"}};
  std::vector<kernel::Kernel> out;
  for (const char* name : {"softmax", "layer-norm", "rms-norm", "cross-entropy", "argmax", "gelu", "frobenius-norm"}) {
    out.push_back(shipped(name));
  }
  const std::string softmax =
    "t[i] = max(j, X[i,j]); w[i,j] = exp(X[i,j] - t[i]); s[i] = sum(j, w[i,j]); Y[i,j] = w[i,j] / s[i]";
  out.push_back(of(softmax, doubles));
  out.push_back(like("Y[i,j] = X[i,j] - log(sum(k, exp(X[i,k])))", "[\"m\", \"n\"]"));               // one statement
  out.push_back(like("Y[c,i,j] = X[c,i,j] / (1 + sum(k, abs(X[c,i,k])))", "[\"b\", \"m\", \"n\"]")); // two row indices
  out.push_back(of("Y[i,j] = tanh(X[i,j]) * g[j] + erf(X[i,j])", {{"X", "f64"}, {"Y", "f64"}, {"g", "f64"}})); // a map
  out.push_back(of("Y[i] = argmin(j, X[i,j] * g[j]); Z[i] = min(j, X[i,j])", {{"Y", "i64"}})); // two outputs
  out.push_back(of("Y[i] = mish(X[i]) + selu(X[i]) + softplus(X[i])"));                        // shared parts, choices
  out.push_back(of("Y[i,j] = max(X[i,j], sqrt(abs(X[i,j])), -X[i,j]) + min(0.5, X[i,j])"));    // several operands
  out.push_back(of("Y[i] = prod(j, X[i,j] + 2); Z[i] = sum(j, W[j,i])"));                      // one of two strided
  out.push_back(of("m[i] = sum(j, X[i,j]) / 8; Y[i,j] = X[i,j] - m[i]; Z[i] = sum(j, Y[i,j] * Y[i,j])"));
  out.push_back(of("Y[i] = sum(j < 5, X[i,j] where X[i,j] > 0)")); // a condition
  out.push_back(of("Y[j,i] = X[j,i] * select(i < j, 1, 2)"));      // the column's number
  out.push_back(shipped("cumulative-sum"));
  out.push_back(like("Y[i,j] = sum(k < j, X[i,k]) + max(k <= j, X[i,k]) / (1 + abs(X[i,j]))", "[\"m\", \"n\"]"));
  out.push_back(like("s[i] = sum(j, abs(X[i,j])); Y[i,j] = sum(k <= j, X[i,k] / s[i])", "[\"m\", \"n\"]"));
  out.push_back(like("Y[i,j] = prod(k <= j, 1 + X[i,k] / 64) + sum(k <= j, X[i,k])", "[\"m\", \"n\"]"));
  out.push_back(of("Y[i,j] = sum(k <= j, X[i,k]) * g[j]", {{"X", "f64"}, {"Y", "f64"}, {"g", "f64"}}));
  out.push_back(of("Y[i,j] = max(k <= j, X[i,k]) - min(k <= j, X[i,k])", {{"X", "f64"}, {"Y", "f64"}}));
  out.push_back(like("Y[i,j] = min(k <= j, X[i,k] * 2)", "[\"m\", \"n\"]"));
  out.push_back(of("Y = sum(i, X[i] * g[i])"));                                                // no rows at all
  out.push_back(of("Y[i,j] = X[i,j] * 2 + g[j]", {{"X", "f16"}, {"Y", "f16"}, {"g", "f16"}})); // narrower in memory
  out.push_back(of("Y[i,j] = X[i,j] * g[j]", {{"X", "bf16"}, {"Y", "bf16"}, {"g", "f32"}}));
  out.push_back(of("Y[i,j] = u8(clamp(floor(X[i,j] * 9 + 0.5) + 100, 0, 255))", {{"X", "f32"}, {"Y", "u8"}}));
  out.push_back(of("Y[i,j] = i8(clamp(floor(X[i,j] * g[j]), -128, 127))", {{"X", "f32"}, {"Y", "i8"}, {"g", "f32"}}));
  out.push_back(of("Y[i,j] = select(b[i,j], X[i,j] * 2, 0) + select(!b[i,j] || X[i,j] < 0, 1, 3)", {{"b", "bool"}}));
  out.push_back(of("Y[i,j] = u8(min(sqrt(X[i,j] * X[i,j] + g[j] * g[j]) * 1, 255))", {{"Y", "u8"}}));
  out.push_back(of("Y[i,j] = u8(min(abs(X[i,j]), 255))", {{"Y", "u8"}}));
  out.push_back(of("Y[i,j] = u8(min(max(X[i,j] * 50, 0), 255))", {{"X", "f32"}, {"Y", "u8"}}));
  out.push_back(of("Y[i] = sum(j, (X[i,j] - 3) * g[j])", {{"X", "i8"}}));
  out.push_back(of("Y[i,j] = f32(X[i,j] * X[i,j]) / 4 + g[j]", {{"X", "u8"}}));
  return out;
}

TEST(RowRewrites, BytesOfClampedNumbersAreStoredAsVectors)
{
  const auto stores = [](const std::string& expression, const std::string& type) {
    const kernel::Kernel kernel = of("Y[i,j] = " + expression, {{"X", "f32"}, {"Y", type}});
    const Result<lower::Schedule> schedule = after(kernel, {"vectorize-rows"});
    return schedule ? or_throw(lower::lower_schedule(kernel, *schedule, k_cpu)).device_source()
                    : schedule.error().text();
  };
  EXPECT_THAT(stores("u8(clamp(floor(X[i,j] * 9 + 0.5), 0, 255))", "u8"), HasSubstr("hone_store_u8(Y + "));
  EXPECT_THAT(stores("i8(clamp(floor(X[i,j]), -128, 127))", "i8"), HasSubstr("hone_store_i8(Y + "));
  EXPECT_THAT(stores("u8(clamp(X[i,j], 0, 255))", "u8"), HasSubstr("hone_floor("));
  EXPECT_THAT(stores("u8(clamp(floor(X[i,j]), 0, 256))", "u8"), HasSubstr("no vector form"));
  EXPECT_THAT(stores("i8(clamp(X[i,j], -128, 127))", "i8"), HasSubstr("no vector form")) << "rounds towards zero";
}

// Kernels that read old values of what they write, where they write it.
std::vector<kernel::Kernel> updates()
{
  const std::string sizes = "[sizes]\ntimed = [ { m = 64, n = 64 } ]\nalso = \"any\"\n";
  const auto argument = [](const char* name, const char* shape, const char* role) {
    return fmt::format("{} = {{ type = \"f32\", shape = [{}], role = \"{}\" }}\n", name, shape, role);
  };
  const auto parsed = [&](const std::string& expression, const std::string& arguments) {
    return or_throw(kernel::parse_kernel("[kernel]\nname = \"update\"\n[compute]\nexpr = \"" + expression
                                           + "\"\n[arguments]\n" + arguments + sizes,
                                         "updates"));
  };
  const char* const both = "\"m\", \"n\"";
  const char* const one = "\"m\"";
  const std::string x = argument("X", both, "input"), y = argument("Y", both, "inout");
  return {
    parsed("Y[i] = 2 * X[i,0] + 0.5 * Y[i]", x + argument("Y", one, "inout")),
    parsed("Y[i,j] = 2 * X[i,j] + 0.5 * Y[i,j]", x + y),
    parsed("Y[i] = Y[i] + sum(j, X[i,j]); Z[i,j] = X[i,j] + Y[i]",
           x + argument("Y", one, "inout") + argument("Z", both, "output")),
    parsed("s[i] = max(j, X[i,j]); Y[i,j] = exp(Y[i,j] - s[i]); z[i] = sum(j, Y[i,j])",
           x + y + argument("z", one, "output")),
    parsed("Y[i,j] = Y[i,j] + sum(k, Y[i,k])", y),
  };
}

void expect_all_subsets(const std::vector<kernel::Kernel>& kernels)
{
  const std::vector<std::string> steps = {"fuse-statements", "tile-rows", "vectorize-rows", "stream-stores",
                                          "running-sums"};
  Random random(3);
  std::vector<SequenceCase> cases;
  std::set<std::string> sources; // many orders lead to the same code
  const auto take = [&](const kernel::Kernel& kernel, const std::vector<std::string>& taken) {
    SequenceCase one = or_throw(make_case(kernel, k_cpu, taken, random));
    if (sources.insert(one.candidate.device_source()).second) {
      cases.push_back(std::move(one));
    }
  };
  for (const kernel::Kernel& kernel : kernels) {
    std::vector<std::size_t> order = {0, 1, 2, 3, 4};
    do {
      std::vector<std::string> taken;
      for (const std::size_t step : order) {
        std::vector<std::string> more = taken;
        more.push_back(steps[step]);
        taken = after(kernel, more) ? more : taken;
        take(kernel, taken);
      }
    } while (std::ranges::next_permutation(order).found);
  }
  EXPECT_EQ(wrong_results(cases, {{1}, {2, 3, 5}, {5, 31, 17}, {7, 129, 33}, {33, 127, 6}, {3, 260, 9}, {300, 5, 7}}),
            "");
}

TEST(RowSequences, AllSubsetsInAllOrdersGiveTheReferencesResults)
{
  expect_all_subsets(row_kernels());
}

TEST(RowSequences, UpdatesGiveTheReferencesResults)
{
  const std::vector<kernel::Kernel> kernels = updates();
  for (std::size_t i = 0; i + 1 < kernels.size(); ++i) {
    EXPECT_TRUE(after(kernels[i], {"vectorize-rows"}) || i == 0) << i; // the first has strided columns
  }
  EXPECT_THAT(refusal(kernels.back(), {"vectorize-rows"}), HasSubstr("read and overwritten"));
  expect_all_subsets(kernels);
}

} // namespace
} // namespace hone::rewrite
