#include "sample.h"
#include "store/branches.h"
#include "store/state_folder.h"
#include "util/text.h"

#include <gmock/gmock.h>

#include <optional>

namespace hone::store {
namespace {

using test::must;
using test::sample_candidate;
using test::sample_kernel;
using test::sample_key;
using test::sample_record;

class BranchesTest : public testing::Test {
protected:
  void SetUp() override { m_folder.emplace(must(TemporaryFolder::create("hone-branches-test"))); }

  Workflow open() const { return must(Workflow::open(m_folder->path(), m_kernel, sample_key())); }
  Repository repository() const
  {
    return must(Repository::open_existing(m_folder->path() / folder_name(m_kernel.name, sample_key()) / "repo.git"));
  }

  std::string add(Workflow& workflow, const std::string& id, const std::string& parent) const
  {
    const record::Record record = sample_record(id, parent.empty() ? "start" : "cache-tiling");
    return must(workflow.add_checkpoint(m_kernel, sample_candidate(m_kernel, id), record, parent)).id;
  }

  kernel::Kernel m_kernel = sample_kernel();
  std::optional<TemporaryFolder> m_folder;
};

TEST_F(BranchesTest, NamesACheckpointUntilItIsMovedOrDeleted)
{
  std::string start, tiled;
  {
    Workflow workflow = open();
    start = add(workflow, "r1", "");
    tiled = add(workflow, "r2", start);
    must(workflow.set_branch("wide", start));
    must(workflow.set_branch("deep.1", tiled));
    must(workflow.set_branch("wide", tiled));
  }
  Workflow workflow = open();
  EXPECT_EQ(must(workflow.branches()), (BranchMap{{"deep.1", tiled}, {"wide", tiled}}));
  EXPECT_EQ(must(workflow.find("wide")).id, tiled);
  EXPECT_EQ(must(workflow.diff("start", "wide")), must(workflow.diff(start, tiled)));
  must(workflow.delete_branch("wide"));
  EXPECT_FALSE(workflow.find("wide"));
  EXPECT_EQ(must(workflow.find("deep.1")).id, tiled);
}

TEST_F(BranchesTest, GitSeesThem)
{
  Workflow workflow = open();
  const std::string start = add(workflow, "r1", "");
  must(workflow.set_branch("wide", start));
  const fs::path ref = repository().path() / "refs/heads/wide";
  EXPECT_EQ(std::string(trim(must(read_file(ref)))), start);
  must(workflow.delete_branch("wide"));
  EXPECT_FALSE(fs::exists(ref));
}

TEST_F(BranchesTest, ARefThatIsLostIsMended)
{
  fs::path ref;
  {
    Workflow workflow = open();
    must(workflow.set_branch("wide", add(workflow, "r1", "")));
    ref = repository().path() / "refs/heads/wide";
  }
  ASSERT_TRUE(fs::remove(ref));
  const Workflow workflow = open();
  EXPECT_TRUE(fs::exists(ref));
}

TEST_F(BranchesTest, RefusesNamesThatMeanSomethingElse)
{
  Workflow workflow = open();
  const std::string start = add(workflow, "r1", "");
  for (const char* name : {"", "best", "start", "HEAD", "main", "naive", "cafe", "-d", ".hidden", "a/b", "a b", "a..b",
                           "a.lock", "a.", "1st"}) {
    EXPECT_FALSE(workflow.set_branch(name, start)) << name;
  }
  EXPECT_FALSE(workflow.set_branch("wide", std::string(40, '0')));
  EXPECT_TRUE(must(workflow.branches()).empty());
}

TEST_F(BranchesTest, DeletingAnUnknownOneNamesThoseThereAre)
{
  Workflow workflow = open();
  must(workflow.set_branch("wide", add(workflow, "r1", "")));
  const auto outcome = workflow.delete_branch("wde");
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().text(), testing::HasSubstr("the branches are: wide"));
}

TEST_F(BranchesTest, PathsLeadFromTheStart)
{
  Workflow workflow = open();
  const std::string start = add(workflow, "r1", "");
  const std::string tiled = add(workflow, "r2", start);
  const std::string packed = add(workflow, "r3", tiled);
  EXPECT_EQ(must(workflow.path_to(packed)), (std::vector<std::string>{start, tiled, packed}));
  EXPECT_FALSE(workflow.path_to("wide"));
}

} // namespace
} // namespace hone::store
