// Steps for programs of several statements of which convolutions do most of the work.
#include "lower/window_stages.h"
#include "rewrite/builtin/rewrites.h"
#include "sequence_harness.h"
#include "shipped_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::rewrite {
namespace {

using testing::HasSubstr;

kernel::Kernel image_program(const std::string& expression, const std::string& output, const std::string& type = "f32",
                             const std::string& weights = "[\"co\", \"ci\", 3, 3]")
{
  const auto tensor = [&](const std::string& name, const std::string& shape, const std::string& role = "") {
    return name + " = { type = \"" + type + "\", shape = " + shape + role + " }\n";
  };
  return or_throw(kernel::parse_kernel(
    "[kernel]\nname = \"images\"\n[compute]\nexpr = \"\"\"\n" + expression + "\n\"\"\"\n[arguments]\n"
      + tensor("X", "[\"b\", \"ci\", \"h\", \"w\"]") + tensor("W", weights) + tensor("bias", "[\"co\"]")
      + (expression.contains("V[") ? tensor("V", "[3, 3]") : "") + tensor("Y", output, ", role = \"output\"")
      + "[sizes]\ntimed = [ { b = 2, ci = 9, h = 20, w = 20, co = 9 } ]\nalso = \"any\"\n"
        "where = [\"h >= 3\", \"w >= 3\"]\n",
    "images"));
}

const std::string k_valid = "[\"b\", \"co\", \"h - 2\", \"w - 2\"]";
const std::string k_same = "[\"b\", \"co\", \"h\", \"w\"]";
const std::string k_convolution =
  "Z[n,o,y < h - 2,x < w - 2] = sum(c, r, s, X[n,c,y + r,x + s] * W[o,c,r,s]) + bias[o]";
const std::string k_padded =
  "Z[n,o,y < h,x < w] = sum(c, r < 3, s < 3, X[n,c,y + r - 1,x + s - 1] * W[o,c,r,s] where 0 <= y + r - 1 "
  "< h && 0 <= x + s - 1 < w) + bias[o]";

// A map behind; a pool and a mean behind; two convolutions, the second over what the first left.
std::vector<kernel::Kernel> image_programs()
{
  return {image_program(k_convolution + "\nY[n,o,y,x] = max(Z[n,o,y,x], 0) * 0.5 + bias[o]", k_valid),
          image_program(k_padded
                          + "\nP[n,o,y < h / 2,x < w / 2] = max(r < 2, s < 2, Z[n,o,2 * y + r,2 * x + s])\n"
                            "Y[n,o] = sum(y < h / 2, x < w / 2, P[n,o,y,x])",
                        "[\"b\", \"co\"]", "f64"),
          image_program(
            k_padded
              + "\nT[n,o,y,x] = tanh(Z[n,o,y,x])\nY[n,o,y,x] = sum(r < 3, s < 3, T[n,o,y + r - 1,x + s - 1] * V[r,s] "
                "where 0 <= y + r - 1 < h && 0 <= x + s - 1 < w)",
            k_same)};
}

// Would catch generated variables that are called as a size of the kernel.
TEST(WindowStages, SizesMayBeCalledAsTheirVariables)
{
  const kernel::Kernel kernel = or_throw(kernel::parse_kernel(
    "[kernel]\nname = \"named\"\n[compute]\nexpr = \"Z[o,y < block,x < vectors] = sum(c, r < 3, s < 3, X[c,y + r - 1,x "
    "+ s - 1] * "
    "W[o,c,r,s] where 0 <= y + r - 1 < block && 0 <= x + s - 1 < vectors)\\nY[o,y,x] = max(Z[o,y,x], 0)\"\n"
    "[arguments]\nX = { type = \"f32\", shape = [\"channels\", \"block\", \"vectors\"] }\n"
    "W = { type = \"f32\", shape = [\"length\", \"channels\", 3, 3] }\n"
    "Y = { type = \"f32\", shape = [\"length\", \"block\", \"vectors\"], role = \"output\" }\n"
    "[sizes]\ntimed = [ { channels = 9, block = 20, vectors = 20, length = 9 } ]\nalso = \"any\"\n",
    "named"));
  Random random(12);
  std::vector<SequenceCase> cases;
  for (const std::vector<std::string>& steps :
       std::vector<std::vector<std::string>>{{"vectorize-windows"},
                                             {"vectorize-windows", "tile-channels"},
                                             {"vectorize-windows", "tile-channels", "pack-windows", "block-windows"}}) {
    cases.push_back(or_throw(make_case(kernel, k_cpu, steps, random)));
  }
  EXPECT_EQ(wrong_results(cases, {{3, 5, 7, 4}, {1, 19, 33, 2}}), "");
}

TEST(WindowStages, TheConvolutionHasItsNestAndTheRestItsOwnLaunches)
{
  const kernel::Kernel kernel = image_programs().front();
  EXPECT_EQ(kernel::classify(kernel), kernel::KernelClass::general);
  ASSERT_TRUE(lower::leading_windows(kernel));
  const kernel::Candidate tiled =
    or_throw(lower::lower_schedule(kernel, or_throw(after(kernel, {"vectorize-windows", "tile-channels"})), k_cpu));
  EXPECT_EQ(tiled.plan.launches.size(), 2U);
  EXPECT_EQ(tiled.plan.scratch.size(), 1U);
  EXPECT_THAT(tiled.device_source(), HasSubstr("void compute_tile_Z("));
}

// Where other statements do the work, or none is a single statement's window, the steps for those are what counts.
TEST(WindowStages, AreNoneWhereOtherStatementsDoTheWork)
{
  const kernel::Kernel kernel =
    image_program(k_convolution + "\nY[n,o,y,x] = sum(p < h - 2, q < w - 2, exp(Z[n,o,y,x] * Z[n,o,p,q]))", k_valid,
                  "f32", "[\"co\", \"ci\", 1, 1]");
  EXPECT_FALSE(lower::leading_windows(kernel));
  EXPECT_THAT(refusal(kernel, {"vectorize-windows"}), HasSubstr("is for convolutions and pooling"));
}

// Would catch an edge that the nest leaves out, a buffer between statements of the wrong size, names that clash.
TEST(WindowStages, AllPrefixesGiveTheReferencesResults)
{
  const std::vector<std::vector<std::string>> orders = {
    {"vectorize-windows", "tile-channels", "pack-windows", "block-windows"},
    {"vectorize-windows", "pack-windows", "join-rows"}};
  Random random(11);
  std::vector<SequenceCase> cases;
  const std::vector<kernel::Kernel> kernels = image_programs();
  for (const kernel::Kernel& kernel : kernels) {
    for (const std::vector<std::string>& steps : orders) {
      for (std::size_t count = 1; count <= steps.size(); ++count) {
        auto one = make_case(kernel, k_cpu, {steps.begin(), steps.begin() + count}, random);
        if (one) { // a step that does not fit is refused, as of a single convolution
          cases.push_back(std::move(*one));
        }
      }
    }
  }
  EXPECT_GE(cases.size(), 14U);
  EXPECT_EQ(wrong_results(cases, {{3, 5, 4, 3, 7}, {1, 2, 19, 5, 3}, {2, 3, 6, 35, 33}}), "");
}

} // namespace
} // namespace hone::rewrite
