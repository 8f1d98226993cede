#include "backend/inspector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::backend {
namespace {

using testing::ElementsAre;
using testing::Pair;

CompileJob job_of(const std::string& library, const std::string& watch)
{
  CompileJob job;
  job.files = {
    {"device.so", library}, {"instrumented.so", "instrumented"}, {"guarded.so", "guarded"}, {"watch.txt", watch}};
  job.outputs = {"findings.txt", "instrumented2"};
  job.readable = {"/program"};
  return job;
}

TEST(AccessWatch, JobsShareWhatWasBuilt)
{
  const Inspector* inspector = (*find_backend("cpu"))->inspector();
  const auto all = inspector->together({job_of("code", "one"), job_of("code", "other")});
  ASSERT_TRUE(all);
  EXPECT_THAT(all->files,
              ElementsAre(Pair("0.watch.txt", "one"), Pair("1.watch.txt", "other"), Pair("device.so", "code"),
                          Pair("guarded.so", "guarded"), Pair("instrumented.so", "instrumented")));
  EXPECT_THAT(all->outputs, ElementsAre("0.findings.txt", "0.instrumented2", "1.findings.txt", "1.instrumented2"));
  ASSERT_EQ(all->commands.size(), 1U);
  EXPECT_THAT(std::vector(all->commands[0].begin() + 1, all->commands[0].end()), ElementsAre("--each", "0.", "1."));
  EXPECT_THAT(all->readable, ElementsAre("/program"));
}

TEST(AccessWatch, JobsWithOtherLibrariesRunApart)
{
  const Inspector* inspector = (*find_backend("cpu"))->inspector();
  EXPECT_FALSE(inspector->together({job_of("code", "one"), job_of("other code", "one")}));
}

} // namespace
} // namespace hone::backend
