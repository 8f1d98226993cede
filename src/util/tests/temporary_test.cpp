#include "util/disk.h"
#include "util/fs.h"
#include "util/temporary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Temporary, NamesAreFreshAndKnownAgain)
{
  const std::string name = temporary_name("report.html");
  EXPECT_NE(name, temporary_name("report.html"));
  EXPECT_TRUE(is_temporary_name(name)) << name;
  for (const char* other :
       {"report.html", "notes.tmp", "notes.2024.tmp", "x.0123456789abcdef", "0123456789abcdef.tmp.c"}) {
    EXPECT_FALSE(is_temporary_name(other)) << other;
  }
}

// A child makes a temporary folder and is killed in it: only then is it abandoned.
TEST(Temporary, IsAbandonedOnceItsProcessIsDead)
{
  const auto folder = TemporaryFolder::create("hone-temporary-test");
  ASSERT_TRUE(folder) << folder.error().text();
  ::setenv("TMPDIR", folder->path().c_str(), 1);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto inside = TemporaryFolder::create("hone-job");
    [[maybe_unused]] const ssize_t written = ::write(ends[1], inside ? "y" : "n", 1);
    ::pause();
    ::_exit(0);
  }
  ::unsetenv("TMPDIR");
  char answer = 'n';
  ASSERT_EQ(::read(ends[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  EXPECT_THAT(abandoned_in(folder->path(), "hone-"), IsEmpty());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(abandoned_in(folder->path(), "hone-").size(), 1u);
  EXPECT_THAT(abandoned_in(folder->path(), "other-"), IsEmpty());
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Temporary, OnlyFilesWithSuchNamesAreTaken)
{
  const auto folder = TemporaryFolder::create("hone-temporary-test");
  ASSERT_TRUE(folder) << folder.error().text();
  const fs::path dead = folder->path() / temporary_name("a");
  std::ofstream(dead) << "half";
  std::ofstream(folder->path() / "a") << "whole";
  EXPECT_THAT(abandoned_in(folder->path()), ElementsAre(dead));
  EXPECT_THAT(abandoned_in(folder->path() / "nowhere"), IsEmpty());
}

TEST(Disk, NamesTheFileSystemOfAPathThatDoesNotExistYet)
{
  const auto system = file_system_of("/proc/nowhere/at/all");
  ASSERT_TRUE(system);
  EXPECT_EQ(system->mount, "/proc");
  EXPECT_THAT(make_room_hint("/proc/nowhere"), HasSubstr("'/proc'"));
  EXPECT_TRUE(has_less_room_than("/proc", 1));
  EXPECT_FALSE(has_less_room_than("/proc", 0));
}

} // namespace
} // namespace hone
