#include "lower/loop_program.h"
#include "lower/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::lower {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

kernel::Kernel shipped(const std::string& name)
{
  Result<kernel::Kernel> kernel = kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / name);
  if (!kernel) {
    throw std::runtime_error(kernel.error().text());
  }
  return std::move(*kernel);
}

TEST(Naive, MatmulIsTheTripleLoopWithOneGroupPerRow)
{
  const kernel::Kernel kernel = shipped("matmul");
  const Result<kernel::Candidate> candidate = naive_candidate(kernel, cpu_dialect(64, true));
  ASSERT_TRUE(candidate) << candidate.error().text();
  EXPECT_THAT(candidate->device_source(), HasSubstr("  const int64_t i = group->id[0];\n"
                                                    "  for (int64_t j = 0; j < n; ++j) {\n"
                                                    "    float sum = 0;\n"
                                                    "    for (int64_t p = 0; p < k; ++p) {\n"
                                                    "      sum += A[i * k + p] * B[p * n + j];\n"
                                                    "    }\n"
                                                    "    C[i * n + j] = sum;\n"
                                                    "  }\n"));
  ASSERT_EQ(candidate->plan.launches.size(), 1U);
  EXPECT_EQ(candidate->plan.launches[0].grid[0].text(), "m");
  EXPECT_FALSE(candidate->schedule.empty());
}

TEST(Naive, BatchesAreTheThirdGridDimension)
{
  const Result<kernel::Candidate> candidate = naive_candidate(shipped("matmul-batched"), cpu_dialect(64, true));
  ASSERT_TRUE(candidate) << candidate.error().text();
  EXPECT_EQ(candidate->plan.launches[0].grid.size(), 3U);
  EXPECT_THAT(candidate->device_source(), HasSubstr("batch = group->id[2];"));
}

TEST(Naive, SeveralStatementsAreSeveralLaunchesWithScratchBetween)
{
  const Result<kernel::Candidate> candidate = naive_candidate(shipped("softmax"), cpu_dialect(64, true));
  ASSERT_TRUE(candidate) << candidate.error().text();
  EXPECT_EQ(candidate->plan.launches.size(), 4U);
  EXPECT_EQ(candidate->plan.scratch.size(), 3U);
  EXPECT_THAT(candidate->device_source(), HasSubstr("fmaxf("));
}

// What a block leaves between its rows belongs to somebody else: written back, it would be read and written there.
TEST(Naive, ElementsThatStayWhatTheyWereAreNeitherReadNorWritten)
{
  const auto body = [](const std::string& value) {
    const Result<kernel::Kernel> kernel =
      kernel::parse_kernel("[kernel]\nname = \"block\"\n[compute]\nexpr = \"C[i,j] = " + value
                             + "\"\n[arguments]\n"
                               "A = { type = \"f32\", shape = [\"m\", \"k\"] }\n"
                               "C = { type = \"f32\", shape = [\"m\", \"ldc\"], role = \"inout\" }\n"
                               "[sizes]\ntimed = [ { m = 8, n = 5, k = 3, ldc = 9 } ]\nwhere = [\"n <= ldc\"]\n",
                           "block");
    EXPECT_TRUE(kernel) << kernel.error().text();
    const auto candidate = naive_candidate(*kernel, cpu_dialect(64, true));
    EXPECT_TRUE(candidate) << candidate.error().text();
    return candidate ? candidate->device_source() : "";
  };
  EXPECT_THAT(body("select(j < n, sum(k, A[i,k]) + C[i,j], C[i,j])"),
              HasSubstr("    if (j < n) {\n"
                        "      float sum = 0.0f;\n"
                        "      for (int64_t p = 0; p < k; ++p) {\n"
                        "        sum += A[i * k + p];\n"
                        "      }\n"
                        "      C[i * ldc + j] = sum + C[i * ldc + j];\n"
                        "    }\n"));
  EXPECT_THAT(body("select(j >= n, C[i,j], sum(k, A[i,k]))"), HasSubstr("if (!(j >= n)) {"));
  EXPECT_THAT(body("select(j < n, select(i > 0, A[i,0], 0), select(j > n, 1, C[i,j]))"),
              AllOf(HasSubstr("else {\n      if (j > n) {\n        C[i * ldc + j] = 1.0f;\n      }\n    }\n"),
                    Not(HasSubstr("= C["))));
}

// The runner's declarations do not know which launch only reads it.
TEST(Naive, AnOutputThatALaterStatementReadsIsNotConst)
{
  const Result<kernel::Kernel> kernel =
    kernel::parse_kernel("[kernel]\nname = \"two\"\n[compute]\nexpr = \"Y[i] = 2 * X[i]; Z[i] = Y[i] + "
                         "1\"\n[arguments]\nX = { type = \"f32\", shape = [\"n\"] }\n"
                         "Y = { type = \"f32\", shape = [\"n\"] }\n"
                         "Z = { type = \"f32\", shape = [\"n\"] }\n"
                         "[sizes]\ntimed = [ { n = 8 } ]\n",
                         "two");
  ASSERT_TRUE(kernel) << kernel.error().text();
  const Result<kernel::Candidate> candidate = naive_candidate(*kernel, cpu_dialect(64, true));
  ASSERT_TRUE(candidate) << candidate.error().text();
  EXPECT_THAT(candidate->device_source(), HasSubstr(", float* Y, float* Z"));
}

TEST(Naive, OpenclHasAGuardedWorkItemPerElement)
{
  const Result<kernel::Candidate> candidate = naive_candidate(shipped("matmul"), opencl_dialect());
  ASSERT_TRUE(candidate) << candidate.error().text();
  EXPECT_THAT(candidate->device_source(), HasSubstr("__kernel void matmul("));
  EXPECT_THAT(candidate->device_source(), HasSubstr("if (element >= m * n) {"));
  EXPECT_THAT(candidate->device_source(), Not(HasSubstr("hone.h")));
  EXPECT_EQ(candidate->plan.launches[0].block.size(), 1U);
}

TEST(LoopProgram, PutsElseBehindTheBraceAndBreaksLongLines)
{
  const ProgramBlock block = {guard("x", {statement("a();")}), braced("else", {statement("b();")})};
  EXPECT_EQ(print(block), "if (x) {\n  a();\n} else {\n  b();\n}\n");
  const std::string argument(60, 'q');
  EXPECT_EQ(print({statement("f(" + argument + ", " + argument + ");")}),
            "f(" + argument + ",\n    " + argument + ");\n");
}

TEST(LoopProgram, FindsWholeNamesOnly)
{
  EXPECT_TRUE(mentions("a * k + p", "k"));
  EXPECT_FALSE(mentions("rank + k1", "k"));
}

} // namespace
} // namespace hone::lower
