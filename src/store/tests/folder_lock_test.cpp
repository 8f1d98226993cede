#include "store/folder_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

namespace hone::store {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class FolderLockTest : public testing::Test {
protected:
  void SetUp() override
  {
    auto folder = TemporaryFolder::create("hone-lock-test");
    ASSERT_TRUE(folder) << folder.error().text();
    m_folder.emplace(std::move(*folder));
    ASSERT_EQ(::pipe(m_pipe), 0);
  }
  void TearDown() override
  {
    ::close(m_pipe[0]);
    ::close(m_pipe[1]);
  }
  fs::path file() const { return m_folder->path() / "lock"; }

  // A process that holds the lock until it is killed; returns once it has it.
  pid_t holder()
  {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto lock = FolderLock::acquire(file(), milliseconds(0));
      const char answer = lock ? 'y' : 'n';
      [[maybe_unused]] const ssize_t written = ::write(m_pipe[1], &answer, 1);
      ::pause();
      ::_exit(0);
    }
    char answer = 'n';
    EXPECT_EQ(::read(m_pipe[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
    return child;
  }
  static void end(pid_t child)
  {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }

  std::optional<TemporaryFolder> m_folder;
  int m_pipe[2] = {};
};

TEST_F(FolderLockTest, NamesTheProcessThatHoldsIt)
{
  const pid_t child = holder();
  const auto lock = FolderLock::acquire(file(), milliseconds(30));
  end(child);
  ASSERT_FALSE(lock);
  EXPECT_THAT(lock.error().message, HasSubstr("process " + std::to_string(child)));
}

TEST_F(FolderLockTest, IsTakenOverFromADeadProcess)
{
  end(holder());
  EXPECT_TRUE(FolderLock::acquire(file(), milliseconds(0)));
}

TEST_F(FolderLockTest, AnOldFileMeansNothing)
{
  std::ofstream(file()) << "1 on elsewhere\n";
  EXPECT_TRUE(FolderLock::acquire(file(), milliseconds(0)));
}

TEST_F(FolderLockTest, ExcludesWithinOneProcessAndEndsWithItsScope)
{
  {
    const auto lock = FolderLock::acquire(file(), milliseconds(0));
    ASSERT_TRUE(lock);
    const auto second = FolderLock::acquire(file(), milliseconds(0));
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, HasSubstr("this one"));
  }
  EXPECT_TRUE(FolderLock::acquire(file(), milliseconds(0)));
}

TEST_F(FolderLockTest, AChildDoesNotKeepIt)
{
  pid_t child = -1;
  {
    const auto lock = FolderLock::acquire(file(), milliseconds(0));
    ASSERT_TRUE(lock);
    child = ::fork();
    if (child == 0) {
      ::pause();
      ::_exit(0);
    }
  }
  EXPECT_TRUE(FolderLock::acquire(file(), milliseconds(0)));
  end(child);
}

} // namespace
} // namespace hone::store
