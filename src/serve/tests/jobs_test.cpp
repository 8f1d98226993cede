// Jobs: one at a time, waited for, cancelled, and ended with the server.
#include "serve/jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <latch>

using namespace hone;
using namespace hone::serve;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

constexpr auto k_long = 60'000ms; // nothing waits so long: what is waited for comes

JobView end_of(const Jobs& jobs, const std::string& id)
{
  std::optional<JobView> view = jobs.look(id);
  while (view && !view->ended()) {
    view = jobs.wait(id, view->changes, k_long, {});
  }
  return view.value();
}

Jobs::Work until_stopped(std::latch& begun)
{
  return [&begun](app::Observer& observer, std::stop_token stop) -> Result<Outcome> {
    observer.status("works");
    begun.count_down();
    std::promise<void> asked;
    const std::stop_callback on_stop(stop, [&] { asked.set_value(); });
    asked.get_future().wait();
    return Outcome{"stopped", {{"reached", 1}}};
  };
}

} // namespace

// Results and errors would be lost, or a fault end the server.
TEST(ServedJobs, EndAsTheirWorkDoes)
{
  Jobs jobs;
  const std::string good = jobs.start("a", "x", [](app::Observer& observer, std::stop_token) -> Result<Outcome> {
    observer.note("noted");
    observer.warning("beware");
    return Outcome{"fine", {{"n", 1}}};
  });
  const std::string bad =
    jobs.start("a", "x", [](app::Observer&, std::stop_token) -> Result<Outcome> { return fail("broken", "mend it"); });
  const std::string thrown =
    jobs.start("a", "x", [](app::Observer&, std::stop_token) -> Result<Outcome> { throw std::runtime_error("a bug"); });
  EXPECT_EQ(end_of(jobs, good).outcome->result["n"], 1);
  EXPECT_THAT(end_of(jobs, good).lines, testing::ElementsAre("noted", "warning: beware"));
  EXPECT_EQ(end_of(jobs, bad).error->hint, "mend it");
  EXPECT_EQ(end_of(jobs, bad).state, JobState::failed);
  EXPECT_THAT(end_of(jobs, thrown).error->message, HasSubstr("a bug"));
  EXPECT_FALSE(jobs.look("j99"));
  EXPECT_FALSE(jobs.look("x"));
  EXPECT_FALSE(jobs.cancel("j99"));
}

// Two jobs would measure at once and disturb each other; a cancelled one would still run.
TEST(ServedJobs, QueueAndAreCancelled)
{
  Jobs jobs;
  std::latch begun(1);
  bool ran = false;
  const std::string first = jobs.start("optimize", "x", until_stopped(begun));
  const std::string second = jobs.start("run", "x", [&](app::Observer&, std::stop_token) -> Result<Outcome> {
    ran = true;
    return Outcome{};
  });
  begun.wait();
  EXPECT_EQ(jobs.look(second)->state, JobState::queued);
  EXPECT_THAT(jobs.look(second)->note, HasSubstr("waits for j1 (optimize)"));
  EXPECT_EQ(jobs.look(first)->message, "works");
  EXPECT_TRUE(jobs.cancel(second));
  EXPECT_EQ(jobs.look(second)->state, JobState::cancelled);
  EXPECT_TRUE(jobs.cancel(first));
  EXPECT_EQ(end_of(jobs, first).state, JobState::cancelled);
  EXPECT_EQ(end_of(jobs, first).outcome->result["reached"], 1);
  std::latch later(1);
  const std::string third = jobs.start("run", "x", until_stopped(later));
  later.wait();
  EXPECT_FALSE(ran);
  EXPECT_EQ(jobs.list().size(), 3U);
} // ends the third, or the test never ends

// Who waits would wait on after it was told not to.
TEST(ServedJobs, WaitingCanBeStopped)
{
  Jobs jobs;
  std::latch begun(1);
  const std::string id = jobs.start("optimize", "x", until_stopped(begun));
  begun.wait();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(jobs.wait(id, 1000, k_long, stop.get_token())->state, JobState::running);
  EXPECT_EQ(jobs.wait(id, 1000, 1ms, {})->state, JobState::running);
}

// A server that runs for days would keep every job it ever had.
TEST(ServedJobs, OldOnesAreForgotten)
{
  Jobs jobs;
  std::string last;
  for (int i = 0; i < 200; ++i) {
    last = jobs.start("a", "x", [](app::Observer&, std::stop_token) -> Result<Outcome> { return Outcome{}; });
    end_of(jobs, last);
  }
  EXPECT_LE(jobs.list().size(), 64U);
  EXPECT_EQ(jobs.look(last)->state, JobState::done);
}
