#include "store/repository.h"
#include "util/fs.h"
#include "util/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace hone::store {
namespace {

using testing::HasSubstr;

class RepositoryTest : public testing::Test {
protected:
  void SetUp() override
  {
    auto folder = TemporaryFolder::create("hone-repository-test");
    ASSERT_TRUE(folder) << folder.error().text();
    m_folder.emplace(std::move(*folder));
  }

  fs::path path() const { return m_folder->path() / "repo.git"; }

  Repository open()
  {
    auto repository = Repository::open(path());
    EXPECT_TRUE(repository) << repository.error().text();
    return std::move(*repository);
  }

  // git's own view; "" where git is not installed.
  std::string git(std::vector<std::string> arguments)
  {
    arguments.insert(arguments.begin(), {"git", "-c", "safe.directory=*", "--git-dir", path().string()});
    ProcessRequest request;
    request.argv = std::move(arguments);
    const auto outcome = run_process(request);
    if (!outcome) {
      return "";
    }
    EXPECT_TRUE(outcome->ok()) << outcome->err;
    return outcome->out + outcome->err;
  }

  std::optional<TemporaryFolder> m_folder;
};

TEST_F(RepositoryTest, CommitsComeBackAsTheyWere)
{
  Repository repository = open();
  const std::string binary("\0\xff\n", 3);
  const FileMap files{
    {"candidate/device.cpp", "int x;\n"}, {"record.json", "{}"}, {"candidate/empty", ""}, {"candidate/bytes", binary}};
  const auto first = repository.commit(files, "start: correct\n\nmore\n", "");
  ASSERT_TRUE(first) << first.error().text();
  const auto second = repository.commit({{"record.json", "[]"}}, "next\n", *first);
  ASSERT_TRUE(second) << second.error().text();

  const auto read = open().read(*first);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->files, files);
  EXPECT_EQ(read->parent, "");
  EXPECT_EQ(read->message, "start: correct\n\nmore\n");
  EXPECT_EQ(open().read(*second)->parent, *first);
}

TEST_F(RepositoryTest, EveryCommitIsKeptAndGitAgrees)
{
  Repository repository = open();
  const std::string root = *repository.commit({{"a", "1"}}, "root\n", "");
  const std::string left = *repository.commit({{"a", "2"}}, "left branch\n", root);
  const std::string right = *repository.commit({{"a", "3"}}, "right branch\n", root);
  auto kept = repository.checkpoint_ids();
  ASSERT_TRUE(kept);
  std::vector<std::string> expected{root, left, right};
  std::sort(expected.begin(), expected.end());
  std::sort(kept->begin(), kept->end());
  EXPECT_EQ(*kept, expected);

  const std::string log = git({"log", "--format=%H %an <%ae> %s"});
  if (log.empty()) {
    GTEST_SKIP() << "git is not installed";
  }
  EXPECT_THAT(log, HasSubstr(right + " Hone <hone@localhost> right branch"));
  EXPECT_THAT(log, HasSubstr(root + " Hone <hone@localhost> root"));
  EXPECT_THAT(log, testing::Not(HasSubstr("left branch")));
  EXPECT_THAT(git({"show", left}), HasSubstr("+2"));
  EXPECT_THAT(git({"fsck", "--strict"}), testing::Not(HasSubstr("dangling")));
}

TEST_F(RepositoryTest, DiffIsUnifiedAndOnlyOverOneFolder)
{
  Repository repository = open();
  const std::string from = *repository.commit({{"candidate/a.txt", "one\ntwo\n"}, {"record.json", "1"}}, "x\n", "");
  const std::string to = *repository.commit({{"candidate/a.txt", "one\n2\n"}, {"record.json", "2"}}, "y\n", from);
  const auto diff = repository.diff(from, to, "candidate");
  ASSERT_TRUE(diff) << diff.error().text();
  EXPECT_THAT(*diff, HasSubstr("--- a/a.txt"));
  EXPECT_THAT(*diff, HasSubstr("\n-two\n+2\n"));
  EXPECT_THAT(*diff, testing::Not(HasSubstr("record")));
  EXPECT_EQ(*repository.diff(from, from, "candidate"), "");
}

TEST_F(RepositoryTest, LeftoversOfAKilledWriterAreCleared)
{
  const std::string root = *open().commit({{"a", "1"}}, "root\n", "");
  for (const char* dead : {"refs/heads/main.lock", "HEAD.lock", "config.lock", "objects/tmp_object_git2_x1y2"}) {
    std::ofstream(path() / dead) << "half";
  }
  fs::create_directories(m_folder->path() / "repo.git.new" / "refs");
  Repository repository = open();
  EXPECT_TRUE(repository.commit({{"a", "2"}}, "next\n", root));
  EXPECT_FALSE(fs::exists(path() / "refs/heads/main.lock"));
  EXPECT_FALSE(fs::exists(path() / "objects/tmp_object_git2_x1y2"));
}

TEST_F(RepositoryTest, HalfMadeRepositoryIsMadeAgain)
{
  fs::create_directories(m_folder->path() / "repo.git.new" / "objects");
  Repository repository = open();
  EXPECT_TRUE(repository.commit({{"a", "1"}}, "root\n", ""));
  EXPECT_FALSE(fs::exists(m_folder->path() / "repo.git.new"));
}

TEST_F(RepositoryTest, DamagedObjectIsAnError)
{
  Repository repository = open();
  const std::string id = *repository.commit({{"record.json", std::string(500, 'x')}}, "root\n", "");
  for (const auto& entry : fs::recursive_directory_iterator(path() / "objects")) {
    if (entry.is_regular_file()) {
      fs::permissions(entry.path(), fs::perms::owner_all);
      std::ofstream(entry.path(), std::ios::trunc) << "damaged";
    }
  }
  EXPECT_FALSE(open().read(id));
}

TEST_F(RepositoryTest, StrangeIdsAreErrors)
{
  Repository repository = open();
  EXPECT_FALSE(repository.read(""));
  EXPECT_FALSE(repository.read("not an id"));
  EXPECT_FALSE(repository.read(std::string(40, '0')));
  EXPECT_FALSE(repository.commit({{"a", "1"}}, "x\n", std::string(40, '1')));
}

} // namespace
} // namespace hone::store
