// One gate in this process, with a real compiler and a real runner.
#include "execute/local_executor.h"
#include "util/util.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace hone;
using namespace hone::execute;
using testing::HasSubstr;

namespace {

std::shared_ptr<const kernel::Kernel> scaling_kernel()
{
  auto kernel = kernel::parse_kernel(R"toml(
[kernel]
name = "scaling"
[compute]
expr = "Y[i] = 2 * X[i]"
[arguments]
X = { type = "f32", shape = ["n"] }
Y = { type = "f32", shape = ["n"], role = "output" }
[sizes]
timed = [ { n = 64 } ]
also = "any"
[accuracy]
accumulate = "f32"
)toml",
                                     "scaling");
  EXPECT_TRUE(kernel) << kernel.error().text();
  return std::make_shared<const kernel::Kernel>(std::move(*kernel));
}

record::Contender scaling_by(const kernel::Kernel& kernel, const std::string& factor)
{
  auto candidate = kernel::make_candidate(
    kernel, {{"device.cpp", "extern \"C\" void scaling(const hone_group*, const float* X, float* Y, int64_t n)\n{\n"
                            "  for (int64_t i = 0; i < n; ++i) {\n    Y[i] = "
                              + factor + " * X[i];\n  }\n}\n"},
             {"macros.h", ""},
             {"launch.toml", "[[launch]]\nkernel = \"scaling\"\ngrid = [1, 1]\nblock = [1, 1, 1]\n"
                             "args = [\"X\", \"Y\", \"n\"]\n"}});
  EXPECT_TRUE(candidate) << candidate.error().text();
  return {std::move(*candidate), {}, {}, {}};
}

// An executor with a cache of its own.
struct Opened {
  explicit Opened(std::stop_token stop = {}) : kernel(scaling_kernel())
  {
    auto made = TemporaryFolder::create("hone-execute");
    EXPECT_TRUE(made);
    cache.emplace(std::move(*made));
    gate::GateOptions options;
    options.cache = cache->path();
    options.seed = 7;
    auto gate = gate::Gate::open(kernel, **backend::find_backend("cpu"), std::move(options));
    EXPECT_TRUE(gate) << gate.error().text();
    executor = std::make_unique<LocalExecutor>(kernel, std::move(*gate), std::move(stop));
  }

  record::Job validation(const std::string& factor) const
  {
    record::Job job;
    job.kind = record::Job::Kind::validate;
    job.contender = scaling_by(*kernel, factor);
    job.recipe.sizes = kernel->timed.front();
    return job;
  }

  std::shared_ptr<const kernel::Kernel> kernel;
  std::optional<TemporaryFolder> cache;
  std::unique_ptr<LocalExecutor> executor;
};

} // namespace

// A cancelled job would leave the gate stopped, and its phases would be told to the listener of another job.
TEST(LocalExecutor, StopAndPhasesBelongToOneJob)
{
  Opened opened;
  LocalExecutor& executor = *opened.executor;
  JobId first = 0;
  std::vector<std::string> phases;
  first = executor.submit(opened.validation("2"), [&](const JobProgress& progress) {
    if (!progress.phase.empty()) {
      phases.push_back(progress.phase);
      executor.cancel(first);
    }
  });
  const JobOutcome outcome = executor.wait(first);
  EXPECT_TRUE(outcome.cancelled);
  EXPECT_FALSE(outcome.record);
  EXPECT_THAT(phases, testing::Contains("building"));
  const std::size_t told = phases.size();

  const Result<record::Record> record = executor.run(opened.validation("2"));
  ASSERT_TRUE(record) << record.error().text();
  EXPECT_EQ(record->verdict.status, record::Status::correct) << record->verdict.reason;
  EXPECT_EQ(phases.size(), told);
}

// A record would not say what was judged, or a wrong candidate would be an error.
TEST(LocalExecutor, ARecordNamesTheJobAndAWrongCandidateIsARecordToo)
{
  const Opened opened;
  record::Job job = opened.validation("3");
  job.transformation = "triple";
  job.parent = "start";
  const Result<record::Record> record = opened.executor->run(job);
  ASSERT_TRUE(record) << record.error().text();
  EXPECT_EQ(record->verdict.status, record::Status::correctness);
  EXPECT_EQ(record->candidate, job.contender.candidate.hash());
  EXPECT_EQ(record->kernel, opened.kernel->hash);
  EXPECT_EQ(record->environment, opened.executor->environment());
  EXPECT_EQ(record->transformation, "triple");
  EXPECT_EQ(record->parent, "start");
  EXPECT_FALSE(record->id.empty());
}

// The gate would compare with nothing.
TEST(LocalExecutor, AComparisonNeedsAnIncumbent)
{
  const Opened opened;
  record::Job job = opened.validation("2");
  job.kind = record::Job::Kind::judge;
  const Result<record::Record> record = opened.executor->run(job);
  ASSERT_FALSE(record);
  EXPECT_THAT(record.error().message, HasSubstr("names nothing to compare with"));
}

// Ctrl-C would end only the job in flight.
TEST(LocalExecutor, NothingBeginsAfterTheStopOfAll)
{
  std::stop_source stop;
  const Opened opened(stop.get_token());
  stop.request_stop();
  const JobOutcome outcome = opened.executor->wait(opened.executor->submit(opened.validation("2")));
  EXPECT_TRUE(outcome.cancelled);
}
