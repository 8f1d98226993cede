#include "mutation_testing/mutation_testing.h"
#include "mutation_testing/tests/shipped.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::mutation_testing {
namespace {

MutantOutcome outcome(MutantFate fate, record::Status status)
{
  MutantOutcome out;
  out.fate = fate;
  out.status = status;
  return out;
}

TEST(MutationReport, CountsSurvivorsAgainstTheScoreAndNothingElse)
{
  MutationReport report;
  EXPECT_EQ(report.score(), 1);
  report.mutants = {outcome(MutantFate::killed, record::Status::correctness),
                    outcome(MutantFate::killed, record::Status::rejected),
                    outcome(MutantFate::killed, record::Status::runtime),
                    outcome(MutantFate::survived, record::Status::correct),
                    outcome(MutantFate::equivalent, record::Status::correct),
                    outcome(MutantFate::not_a_mutant, record::Status::compile)};
  EXPECT_EQ(report.score(), 0.75);
  EXPECT_EQ(report.rejected(), 0U);
}

// What has the original's machine code is right, whoever refuses it.
TEST(MutationReport, CountsRefusalsOfWhatIsRight)
{
  MutationReport report;
  report.mutants = {outcome(MutantFate::equivalent, record::Status::correctness)};
  report.controls = {{"naive", 1, record::Status::correct, ""}, {"naive", 2, record::Status::timeout, "too slow"}};
  EXPECT_EQ(report.rejected(), 2U);
}

TEST(Difference, ShowsChangedLinesWithTheirNumbers)
{
  EXPECT_EQ(line_difference("a\nb\nc\n", "a\nB\nc\nd\n"), "-2: b\n+2: B\n+4: d\n");
  EXPECT_EQ(line_difference("same", "same"), "");
}

TEST(Subjects, SmallSizesAreCheapAndOdd)
{
  for (const char* name : {"matmul", "conv2d", "gelu", "embedding", "attention"}) {
    const kernel::Kernel kernel = shipped(name);
    const kernel::Kernel small = with_small_sizes(kernel);
    ASSERT_EQ(small.timed.size(), 1U);
    const kernel::Work work = or_throw(kernel::work_of(small, small.timed.front()));
    EXPECT_LE(work.total(), 4e6) << name << " " << kernel::to_text(small.timed.front());
    EXPECT_TRUE(kernel::check_sizes(small, small.timed.front()));
    EXPECT_EQ(small.hash, kernel.hash);
  }
  kernel::Kernel fixed = shipped("matmul");
  fixed.also = kernel::AlsoSizes::timed;
  EXPECT_EQ(with_small_sizes(fixed).timed, fixed.timed);
}

TEST(Subjects, AreTheNaiveCandidateAndTheEndOfTheStepList)
{
  const backend::Backend& cpu = *or_throw(backend::find_backend("cpu"));
  const auto subjects = or_throw(default_subjects(shipped("matmul"), cpu));
  ASSERT_EQ(subjects.size(), 2U);
  EXPECT_TRUE(subjects[0].steps.empty());
  EXPECT_THAT(subjects[1].steps, testing::IsSupersetOf({"register-tiling", "vectorize", "mask-edges", "pack-panels"}));
  EXPECT_NE(subjects[0].candidate.hash(), subjects[1].candidate.hash());
}

} // namespace
} // namespace hone::mutation_testing
