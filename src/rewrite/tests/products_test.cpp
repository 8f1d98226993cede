// Steps for programs of several statements whose products share one loop nest.
#include "rewrite/builtin/rewrites.h"
#include "sequence_harness.h"
#include "shipped_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::rewrite {
namespace {

using testing::HasSubstr;

kernel::Kernel made(const std::string& expression, const std::string& arguments, const std::string& sizes)
{
  return or_throw(kernel::parse_kernel("[kernel]\nname = \"made\"\n[compute]\nexpr = \"\"\"\n" + expression
                                         + "\n\"\"\"\n[arguments]\n" + arguments + "\n[sizes]\ntimed = [ { " + sizes
                                         + " } ]\n",
                                       "made"));
}

std::string matrix(const std::string& name, const std::string& shape, const std::string& type = "f32",
                   const std::string& role = "input")
{
  return name + " = { type = \"" + type + "\", shape = [" + shape + "], role = \"" + role + "\" }\n";
}

// A chain of two, a chain with an update in place and a scale, a chain with a batch and rows between, three of which
// one reads a transposed operand.
std::vector<kernel::Kernel> programs()
{
  const std::string mk = "\"m\", \"k\"", kn = "\"k\", \"n\"", nl = "\"n\", \"l\"", ml = "\"m\", \"l\"";
  const std::string sizes = "m = 64, n = 64, k = 64, l = 64";
  return {
    made("T[i,j] = sum(p, A[i,p] * B[p,j])\nD[i,j] = sum(p, T[i,p] * C[p,j])",
         matrix("A", mk) + matrix("B", kn) + matrix("C", nl) + matrix("D", ml, "f32", "output"), sizes),
    made("T[i,j] = 0.5 * sum(p, A[i,p] * B[p,j])\nD[i,j] = 2 * D[i,j] + sum(p, T[i,p] * C[p,j])",
         matrix("A", mk, "f64") + matrix("B", kn, "f64") + matrix("C", nl, "f64") + matrix("D", ml, "f64", "inout"),
         sizes),
    made("S[b,i,j] = sum(p, A[b,i,p] * B[b,p,j])\nr[b,i] = max(j, S[b,i,j])\nE[b,i,j] = S[b,i,j] - r[b,i]\n"
         "D[b,i,j] = sum(p, E[b,i,p] * C[b,p,j])",
         matrix("A", "\"b\", " + mk) + matrix("B", "\"b\", " + kn) + matrix("C", "\"b\", " + nl)
           + matrix("D", "\"b\", " + ml, "f32", "output"),
         "b = 2, " + sizes),
    made("T[i,j] = sum(p, A[i,p] * B[p,j])\nU[i,j] = sum(p, T[i,p] * C[p,j])\nG[i,j] = sum(p, U[i,p] * U[j,p])",
         matrix("A", mk) + matrix("B", kn) + matrix("C", nl) + matrix("G", "\"m\", \"m\"", "f32", "output"), sizes)};
}

TEST(Products, EachHasItsOwnLaunchAndFunctions)
{
  const kernel::Kernel kernel = programs().front();
  EXPECT_EQ(kernel::classify(kernel), kernel::KernelClass::products);
  const kernel::Candidate tiled = or_throw(lower::lower_schedule(
    kernel, or_throw(after(kernel, {"reorder-loops", "cache-tiling", "register-tiling", "vectorize"})), k_cpu));
  EXPECT_EQ(tiled.plan.launches.size(), 2U);
  EXPECT_EQ(tiled.plan.scratch.size(), 1U);
  EXPECT_THAT(tiled.device_source(), HasSubstr("void compute_tile_T("));
  EXPECT_THAT(tiled.device_source(), HasSubstr("void compute_tile_D("));
}

// The two would define macros of one name with different meanings.
TEST(Products, DoNotShareMacros)
{
  EXPECT_THAT(refusal(programs().front(), {"refactor-into-macros"}), HasSubstr("share the names of macros"));
}

// The diagonal is chosen in a second launch; a condition that leaves out half of the product keeps the other forms.
TEST(Products, ChooseElementsBehindTheNestWhereTheirFormulaHasNoVectors)
{
  const std::vector<std::string> steps = {"reorder-loops", "cache-tiling", "register-tiling", "vectorize",
                                          "mask-edges",    "pack-panels",  "unroll-k"};
  const std::string arguments = matrix("X", "\"k\", \"m\"", "f64") + matrix("C", "\"m\", \"m\"", "f64", "inout");
  const std::string sizes = "m = 64, k = 64";
  const std::vector<kernel::Kernel> kernels = {
    made("C[i,j] = select(i == j, 1, 0.5 * sum(p, X[p,i] * X[p,j]) + C[i,j])", arguments, sizes),
    made("C[i,j] = select(i == j, 1, sum(p, 0.5 * X[p,i] * X[p,j]))", arguments, sizes), // a factor of all terms
    made("Z[p,i] = X[p,i] - 0.5\nC[i,j] = select(j < i || i < j, sum(p, Z[p,i] * Z[p,j]), 1)", arguments, sizes)};
  Random random(9);
  std::vector<SequenceCase> cases;
  for (const kernel::Kernel& kernel : kernels) {
    for (std::size_t count = 0; count <= steps.size(); ++count) {
      cases.push_back(or_throw(make_case(kernel, k_cpu, {steps.begin(), steps.begin() + count}, random)));
    }
  }
  EXPECT_EQ(wrong_results(cases, {{1}, {3, 5}, {70, 33}}), "");
  EXPECT_THAT(refusal(made("C[i,j] = select(j <= i, sum(p, X[p,i] * X[p,j]), C[i,j])", arguments, sizes), steps),
              HasSubstr("no vector form"));
}

// Where other statements do the work, the steps for those are what counts.
TEST(Products, AreNoneWhereOtherStatementsDoTheWork)
{
  const kernel::Kernel kernel =
    made("T[i,j] = sum(p < 4, A[i,p] * B[p,j])\ny[i] = sum(j, sum(q < n, exp(T[i,j] * T[i,q])))",
         matrix("A", "\"m\", 4") + matrix("B", "4, \"n\"") + matrix("y", "\"m\"", "f32", "output"), "m = 64, n = 64");
  EXPECT_EQ(kernel::classify(kernel), kernel::KernelClass::general);
}

TEST(Products, RandomSequencesGiveTheReferencesResults)
{
  const std::vector<kernel::Kernel> kernels = programs();
  Random random(11);
  std::vector<SequenceCase> cases;
  for (const kernel::Kernel& kernel : kernels) {
    cases.push_back(or_throw(make_case(
      kernel, k_cpu, {"reorder-loops", "cache-tiling", "register-tiling", "vectorize", "mask-edges", "pack-panels"},
      random)));
    for (int i = 0; i < 5; ++i) {
      cases.push_back(or_throw(random_case(kernel, k_cpu, 10, random)));
    }
  }
  EXPECT_EQ(wrong_results(cases, {{3}, {17, 5, 33, 40}, {1, 7, 2, 65}, {70, 19, 16, 1}}), "");
}

} // namespace
} // namespace hone::rewrite
