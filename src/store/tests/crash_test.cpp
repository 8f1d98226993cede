// Hone may be killed at any moment, and disks fill up: what was confirmed stays, what remains is whole.

#include "sample.h"
#include "store/checkpoint_files.h"
#include "store/repository.h"
#include "store/state_folder.h"
#include "store/store.h"
#include "util/process.h"
#include "util/random.h"
#include "util/text.h"

#include <gmock/gmock.h>

#include <csignal>
#include <functional>
#include <optional>
#include <sched.h>
#include <set>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hone::store {
namespace {

using test::must;
using test::sample_candidate;
using test::sample_kernel;
using test::sample_key;
using test::sample_record;
using testing::HasSubstr;
using testing::IsEmpty;

class CrashTest : public testing::Test {
protected:
  void SetUp() override { m_folder.emplace(must(TemporaryFolder::create("hone-crash-test"))); }

  fs::path state() const { return m_folder->path() / "state"; }
  fs::path inside(const char* name) const { return state() / folder_name(m_kernel.name, sample_key()) / name; }
  Workflow open() const { return must(Workflow::open(state(), m_kernel, sample_key())); }

  std::string add(Workflow& workflow, const std::string& id, const std::string& parent) const
  {
    const record::Record record = sample_record(id, "step-" + id);
    must(workflow.append(record));
    return must(workflow.add_checkpoint(m_kernel, sample_candidate(m_kernel, id), record, parent)).id;
  }

  void expect_git_is_content() const
  {
    ProcessRequest request;
    request.argv = {"git", "-c", "safe.directory=*", "--git-dir", inside("repo.git").string(), "fsck", "--strict"};
    if (const auto outcome = run_process(request)) {
      EXPECT_TRUE(outcome->ok()) << outcome->out << outcome->err;
    }
  }

  kernel::Kernel m_kernel = sample_kernel();
  std::optional<TemporaryFolder> m_folder;
};

// Runs `work` in a child process; its text comes back.
std::string in_child(const std::function<std::string()>& work)
{
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::string text;
    try {
      text = work();
    } catch (const std::exception& exception) {
      text = std::string("exception: ") + exception.what();
    }
    [[maybe_unused]] const ssize_t written = ::write(ends[1], text.data(), text.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t length = 0; (length = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(length));
  }
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return text;
}

TEST_F(CrashTest, ACommitTheJournalDoesNotKnowIsTakenUp)
{
  std::string root;
  std::string lost;
  const record::Record record = sample_record("r2", "cache-tiling");
  {
    Workflow workflow = open();
    root = add(workflow, "r1", "");
    must(workflow.append(record));
  }
  {
    Repository repository = must(Repository::open(inside("repo.git")));
    lost = must(repository.commit(checkpoint_files(sample_candidate(m_kernel, "r2"), record), "lost\n", root));
  }
  const Workflow workflow = open();
  EXPECT_EQ(must(workflow.find("HEAD")).id, lost);
  const auto steps = must(workflow.steps());
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[1].checkpoint, lost);
  EXPECT_THAT(must(workflow.check()), IsEmpty());
}

TEST_F(CrashTest, ALostJournalIsRebuiltFromTheCommits)
{
  std::string last;
  {
    Workflow workflow = open();
    last = add(workflow, "r1", "");
    last = add(workflow, "r2", last);
    last = add(workflow, "r3", last);
  }
  for (const char* file : {"journal.db", "journal.db-wal", "journal.db-shm"}) {
    fs::remove(inside(file));
  }
  const Workflow workflow = open();
  EXPECT_EQ(must(workflow.checkpoints()).size(), 3u);
  EXPECT_EQ(must(workflow.steps()).size(), 3u);
  EXPECT_EQ(must(workflow.find("HEAD")).id, last);
  EXPECT_THAT(must(workflow.check()), IsEmpty());
}

TEST_F(CrashTest, ACommitThatIsNoCheckpointIsLeftAloneAndNamed)
{
  open();
  std::string stray;
  {
    Repository repository = must(Repository::open(inside("repo.git")));
    stray = must(repository.commit({{"readme", "not ours"}}, "stray\n", ""));
  }
  Workflow workflow = open();
  EXPECT_THAT(must(workflow.checkpoints()), IsEmpty());
  EXPECT_THAT(must(workflow.check()), testing::ElementsAre(HasSubstr(stray)));
  add(workflow, "r1", "");
}

// Reads until so many lines have come, or to the end.
std::string read_lines(int from, std::size_t count)
{
  std::string text;
  char byte = 0;
  while (count > 0 && ::read(from, &byte, 1) == 1) {
    text += byte;
    count -= byte == '\n' ? 1 : 0;
  }
  return text;
}

// What the child says once it is confirmed: "r ID" for a record, "c ID" for a checkpoint.
void work_until_killed(const fs::path& state, int confirm, int round)
{
  const kernel::Kernel kernel = sample_kernel();
  Workflow workflow = must(Workflow::open(state, kernel, sample_key()));
  const auto say = [&](const std::string& line) {
    [[maybe_unused]] const ssize_t written = ::write(confirm, line.data(), line.size());
  };
  std::string parent;
  if (const auto head = workflow.find("HEAD")) {
    parent = head->id;
  }
  for (int i = 0;; ++i) {
    const std::string id = std::to_string(round) + "-" + std::to_string(i);
    const record::Record record = sample_record(id, "step");
    must(workflow.append(record));
    say("r " + id + "\n");
    parent = must(workflow.add_checkpoint(kernel, sample_candidate(kernel, id), record, parent)).id;
    say("c " + parent + "\n");
    must(workflow.set_best(parent));
  }
}

TEST_F(CrashTest, KilledAtRandomMomentsNothingConfirmedIsLost)
{
  Random random(20260101);
  std::set<std::string> records;
  std::set<std::string> checkpoints;
  for (int round = 0; round < 25; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      work_until_killed(state(), ends[1], round);
      ::_exit(1);
    }
    ::close(ends[1]);
    // Killed a random while after a random number of confirmations: progress does not depend on the machine's speed.
    const std::size_t patience = random.below(8);
    std::string said = read_lines(ends[0], patience);
    ::usleep(static_cast<useconds_t>(random.below(12'000)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    said += read_lines(ends[0], std::string::npos);
    ::close(ends[0]);
    for (const std::string& line : split(said, '\n')) {
      if (line.size() > 2) {
        (line[0] == 'r' ? records : checkpoints).insert(line.substr(2));
      }
    }

    const Workflow workflow = open();
    std::set<std::string> found_records;
    for (const Step& step : must(workflow.steps())) {
      found_records.insert(step.record.id);
    }
    std::set<std::string> found_checkpoints;
    for (const Checkpoint& checkpoint : must(workflow.checkpoints())) {
      found_checkpoints.insert(checkpoint.id);
    }
    EXPECT_TRUE(std::includes(found_records.begin(), found_records.end(), records.begin(), records.end()));
    EXPECT_TRUE(
      std::includes(found_checkpoints.begin(), found_checkpoints.end(), checkpoints.begin(), checkpoints.end()));
    EXPECT_THAT(must(workflow.check()), IsEmpty());
    if (!found_checkpoints.empty()) {
      EXPECT_TRUE(workflow.find("start"));
    }
    if (HasFailure()) {
      FAIL() << "after round " << round;
    }
  }
  EXPECT_FALSE(checkpoints.empty());
  expect_git_is_content();
}

TEST_F(CrashTest, TwoWritersTakeTurnsOrSayWhoIsThere)
{
  std::optional<Workflow> first = open();
  const std::string refused = in_child([&] {
    const auto second = Workflow::open(state(), m_kernel, sample_key());
    return second ? std::string("opened") : second.error().text();
  });
  EXPECT_THAT(refused, HasSubstr("process " + std::to_string(::getpid())));
  first.reset();
  EXPECT_EQ(in_child([&] {
              Workflow second = open();
              return add(second, "r1", "").size() == 40 ? "added" : "";
            }),
            "added");
  EXPECT_EQ(must(open().checkpoints()).size(), 1u);
}

TEST_F(CrashTest, AReadOnlyFolderIsNamedWithTheWayOut)
{
  fs::create_directories(state());
  fs::permissions(m_folder->path(), fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
  fs::permissions(state(),
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  const std::string said = in_child([&] {
    if (::getuid() == 0 && ::setuid(65534) != 0) {
      return std::string("cannot change the user");
    }
    const auto workflow = Workflow::open(state(), m_kernel, sample_key());
    return workflow ? std::string("opened") : workflow.error().text();
  });
  EXPECT_THAT(said, HasSubstr(state().string()));
  EXPECT_THAT(said, HasSubstr("ermission denied"));
  EXPECT_THAT(said, HasSubstr("--state DIR"));
  fs::permissions(state(), fs::perms::owner_all);
}

// Fills a 1 MiB disk until an append fails, in a mount namespace of its own; says what happened.
std::string fill_small_disk(const fs::path& disk)
{
  if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0
      || ::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m") != 0) {
    return "skip";
  }
  const kernel::Kernel kernel = sample_kernel();
  std::size_t confirmed = 0;
  std::string parent;
  {
    Workflow workflow = must(Workflow::open(disk / "state", kernel, sample_key()));
    for (int i = 0;; ++i) {
      if (i == 10'000) {
        return "never full";
      }
      const std::string id = std::to_string(i);
      const auto added =
        workflow.add_checkpoint(kernel, sample_candidate(kernel, id), sample_record(id, "step"), parent);
      if (!added) {
        if (added.error().text().find("--state DIR") == std::string::npos) {
          return "unclear: " + added.error().text();
        }
        break;
      }
      parent = added->id;
      ++confirmed;
    }
    if (must(workflow.checkpoints()).size() < confirmed) {
      return "lost while open";
    }
  }
  // More room, as after a person has cleared some: everything confirmed is there, and work goes on.
  if (::mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=4m") != 0) {
    return "skip";
  }
  Workflow workflow = must(Workflow::open(disk / "state", kernel, sample_key()));
  if (confirmed < 3 || must(workflow.checkpoints()).size() < confirmed || !must(workflow.check()).empty()) {
    return "lost after reopening";
  }
  must(workflow.add_checkpoint(kernel, sample_candidate(kernel, "more"), sample_record("more", "step"), parent));
  return "fine";
}

TEST_F(CrashTest, AFullDiskIsAnErrorAndLosesNothing)
{
  if (::getuid() != 0) {
    GTEST_SKIP() << "mounting a small disk needs root";
  }
  const std::string said = in_child([&] { return fill_small_disk(m_folder->path()); });
  if (said == "skip") {
    GTEST_SKIP() << "this system does not allow mounting a small disk";
  }
  EXPECT_EQ(said, "fine");
}

} // namespace
} // namespace hone::store
