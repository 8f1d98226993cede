#include "execute/serial_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

using namespace hone;
using namespace hone::execute;
using testing::ElementsAre;

namespace {

// Does what the test says in place of a gate.
class FakeGateExecutor final : public SerialExecutor {
public:
  using Gate = std::function<JobOutcome(const record::Job&, const JobControl&)>;
  explicit FakeGateExecutor(Gate gate, std::stop_token stop = {})
    : SerialExecutor(std::move(stop)), m_gate(std::move(gate))
  {
  }
  void prepare(const record::Contender&, const record::Recipe&) override {}

  std::vector<std::string> begun; // the transformations of the jobs, as they were begun

private:
  JobOutcome execute(const record::Job& job, const JobControl& control) override
  {
    begun.push_back(job.transformation);
    return m_gate(job, control);
  }

  Gate m_gate;
};

record::Job job_named(const std::string& name)
{
  record::Job job;
  job.transformation = name;
  return job;
}

JobOutcome correct(const record::Job& job)
{
  record::Record record;
  record.transformation = job.transformation;
  record.verdict.status = record::Status::correct;
  return {.record = std::move(record)};
}

JobOutcome answer(const record::Job& job, const JobControl&)
{
  return correct(job);
}

// As the gate does: looks for a stop request now and then.
void until_stopped(const std::stop_token& stop)
{
  while (!stop.stop_requested()) {
    std::this_thread::yield();
  }
}

// "waiting", "running", "running building", "ended"
std::string text_of(const JobProgress& progress)
{
  static constexpr const char* k_names[] = {"waiting", "running", "ended"};
  return k_names[static_cast<int>(progress.state)] + (progress.phase.empty() ? "" : " " + progress.phase);
}

} // namespace

// A job would begin in submit(), or its outcome would be another job's.
TEST(SerialExecutor, AJobBeginsWhenItIsWaitedForAndItsOutcomeIsItsOwn)
{
  FakeGateExecutor executor(answer);
  const JobId first = executor.submit(job_named("first"));
  const JobId second = executor.submit(job_named("second"));
  EXPECT_NE(first, second);
  EXPECT_TRUE(executor.begun.empty());
  const JobOutcome outcome = executor.wait(second);
  ASSERT_TRUE(outcome.record) << outcome.record.error().text();
  EXPECT_EQ(outcome.record->transformation, "second");
  EXPECT_FALSE(outcome.cancelled);
  EXPECT_THAT(executor.begun, ElementsAre("first", "second"));
  EXPECT_EQ(executor.wait(first).record->transformation, "first");
  EXPECT_EQ(executor.begun.size(), 2u);
}

// Who waits twice, or for no job, would wait for ever.
TEST(SerialExecutor, AnOutcomeIsGivenOutOnce)
{
  FakeGateExecutor executor(answer);
  const JobId id = executor.submit(job_named("a"));
  EXPECT_TRUE(executor.wait(id).record);
  EXPECT_FALSE(executor.wait(id).record);
  EXPECT_FALSE(executor.wait(99).record);
  executor.cancel(id); // ignored
}

TEST(SerialExecutor, RunIsSubmitAndWait)
{
  FakeGateExecutor executor(answer);
  const Result<record::Record> record = executor.run(job_named("a"));
  ASSERT_TRUE(record) << record.error().text();
  EXPECT_EQ(record->transformation, "a");
}

// The gate would get a job that nobody wants any more.
TEST(SerialExecutor, ACancelledJobThatWaitsNeverBegins)
{
  FakeGateExecutor executor(answer);
  const JobId kept = executor.submit(job_named("kept"));
  const JobId dropped = executor.submit(job_named("dropped"));
  executor.cancel(dropped);
  const JobOutcome outcome = executor.wait(dropped);
  EXPECT_TRUE(outcome.cancelled);
  EXPECT_FALSE(outcome.record);
  EXPECT_TRUE(executor.wait(kept).record);
  EXPECT_THAT(executor.begun, ElementsAre("kept"));
}

// Cancelling one job would end the next one too, or not reach the gate.
TEST(SerialExecutor, CancellingTheJobInFlightEndsThatJobAlone)
{
  std::promise<void> running;
  FakeGateExecutor executor([&](const record::Job& job, const JobControl& control) {
    if (job.transformation != "long") {
      return correct(job);
    }
    running.set_value();
    until_stopped(control.stop);
    return JobOutcome{.record = fail("stopped while measuring")};
  });
  const JobId id = executor.submit(job_named("long"));
  const JobId next = executor.submit(job_named("next"));
  std::jthread canceller([&] {
    running.get_future().wait();
    executor.cancel(id);
  });
  const JobOutcome outcome = executor.wait(id);
  EXPECT_TRUE(outcome.cancelled);
  EXPECT_EQ(outcome.record.error().message, "stopped while measuring");
  const JobOutcome after = executor.wait(next);
  EXPECT_TRUE(after.record);
  EXPECT_FALSE(after.cancelled);
}

// A verdict that the interruption made would be remembered against the candidate; a finished one would be lost.
TEST(SerialExecutor, OfACancelledJobOnlyACorrectRecordStands)
{
  FakeGateExecutor* self = nullptr;
  record::Status status = record::Status::compile;
  FakeGateExecutor executor([&](const record::Job& job, const JobControl&) {
    self->cancel(1);
    self->cancel(2);
    JobOutcome outcome = correct(job);
    outcome.record->verdict.status = status;
    return outcome;
  });
  self = &executor;
  JobOutcome outcome = executor.wait(executor.submit(job_named("a")));
  EXPECT_TRUE(outcome.cancelled);
  EXPECT_FALSE(outcome.record);
  const JobId second = executor.submit(job_named("b"));
  status = record::Status::correct;
  outcome = executor.wait(second);
  EXPECT_FALSE(outcome.cancelled);
  EXPECT_TRUE(outcome.record);
}

// Ctrl-C would have to name every job.
TEST(SerialExecutor, TheStopOfAllJobsReachesTheOneInFlightAndThoseThatWait)
{
  std::stop_source stop;
  FakeGateExecutor executor(
    [&](const record::Job&, const JobControl& control) {
      stop.request_stop();
      EXPECT_TRUE(control.stop.stop_requested());
      return JobOutcome{.record = fail("stopped")};
    },
    stop.get_token());
  const JobId first = executor.submit(job_named("first"));
  const JobId second = executor.submit(job_named("second"));
  EXPECT_TRUE(executor.wait(first).cancelled);
  EXPECT_TRUE(executor.wait(second).cancelled);
  EXPECT_THAT(executor.begun, ElementsAre("first"));
}

// A listener would see phases of a job that has not begun, or none at all.
TEST(SerialExecutor, TellsEveryStateOfAJobInOrder)
{
  FakeGateExecutor executor([](const record::Job& job, const JobControl& control) {
    control.phase("building");
    control.phase("validating");
    return correct(job);
  });
  std::vector<std::string> told;
  std::vector<std::string> told_of_cancelled;
  const JobId id = executor.submit(job_named("a"), [&](const JobProgress& p) { told.push_back(text_of(p)); });
  const JobId cancelled =
    executor.submit(job_named("b"), [&](const JobProgress& p) { told_of_cancelled.push_back(text_of(p)); });
  EXPECT_THAT(told, ElementsAre("waiting"));
  executor.cancel(cancelled);
  executor.wait(id);
  EXPECT_THAT(told, ElementsAre("waiting", "running", "running building", "running validating", "ended"));
  executor.wait(cancelled);
  EXPECT_THAT(told_of_cancelled, ElementsAre("waiting", "ended"));
}

// The log of a job that failed is what is needed most.
TEST(SerialExecutor, AttachmentsComeWithARecordAndWithAnError)
{
  bool fails = false;
  FakeGateExecutor executor([&](const record::Job& job, const JobControl&) {
    JobOutcome outcome = fails ? JobOutcome{.record = fail("no device")} : correct(job);
    outcome.attachments["build.log"] = {"text/plain", "warning: unused"};
    return outcome;
  });
  EXPECT_EQ(executor.wait(executor.submit(job_named("a"))).attachments.at("build.log").bytes, "warning: unused");
  fails = true;
  const JobOutcome outcome = executor.wait(executor.submit(job_named("b")));
  EXPECT_EQ(outcome.record.error().message, "no device");
  EXPECT_FALSE(outcome.cancelled);
  EXPECT_EQ(outcome.attachments.at("build.log").media_type, "text/plain");
}

// Two threads would be in the gate at once, or one of them would never come back.
TEST(SerialExecutor, ThreadsThatWaitTakeTurns)
{
  std::atomic<int> inside = 0;
  FakeGateExecutor executor([&](const record::Job& job, const JobControl&) {
    EXPECT_EQ(inside.fetch_add(1), 0);
    std::this_thread::yield();
    inside.fetch_sub(1);
    return correct(job);
  });
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&executor, &right, i] {
        for (int k = 0; k < 25; ++k) {
          const std::string name = std::to_string(i) + "." + std::to_string(k);
          const Result<record::Record> record = executor.run(job_named(name));
          right += record && record->transformation == name ? 1 : 0;
        }
      });
    }
  }
  EXPECT_EQ(right, 100);
}
