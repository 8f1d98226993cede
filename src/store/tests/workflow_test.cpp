#include "sample.h"
#include "store/state_folder.h"
#include "store/store.h"
#include "util/json.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <fstream>
#include <optional>

namespace hone::store {
namespace {

using test::must;
using test::sample_candidate;
using test::sample_kernel;
using test::sample_key;
using test::sample_record;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WorkflowTest : public testing::Test {
protected:
  void SetUp() override { m_folder.emplace(must(TemporaryFolder::create("hone-workflow-test"))); }

  fs::path state() const { return m_folder->path() / ".hone"; }
  Workflow open() const { return must(Workflow::open(state(), m_kernel, sample_key())); }
  fs::path inside(const char* name) const { return state() / folder_name(m_kernel.name, sample_key()) / name; }

  Checkpoint add(Workflow& workflow, const std::string& id, const std::string& transformation,
                 const std::string& parent) const
  {
    const record::Record record = sample_record(id, transformation);
    must(workflow.append(record));
    return must(workflow.add_checkpoint(m_kernel, sample_candidate(m_kernel, id), record, parent));
  }

  kernel::Kernel m_kernel = sample_kernel();
  std::optional<TemporaryFolder> m_folder;
};

TEST_F(WorkflowTest, CheckpointsComeBackAfterReopening)
{
  std::string start;
  std::string tiled;
  {
    Workflow workflow = open();
    start = add(workflow, "r1", "", "").id;
    tiled = add(workflow, "r2", "cache-tiling", start).id;
    must(workflow.set_best(tiled));
  }
  const Workflow workflow = open();
  const auto checkpoints = must(workflow.checkpoints());
  ASSERT_EQ(checkpoints.size(), 2u);
  const Checkpoint& last = checkpoints.back();
  EXPECT_EQ(checkpoints.front().id, start);
  EXPECT_EQ(checkpoints.front().transformation, "start");
  EXPECT_EQ(last.id, tiled);
  EXPECT_EQ(last.parent, start);
  EXPECT_EQ(last.transformation, "cache-tiling");
  EXPECT_EQ(last.candidate.files, sample_candidate(m_kernel, "r2").files);
  EXPECT_EQ(last.candidate.hash(), sample_candidate(m_kernel, "r2").hash());
  EXPECT_EQ(last.candidate.schedule, "# schedule r2\n");
  EXPECT_EQ(last.point, (kernel::TuningPoint{{"TILE", 8}}));
  EXPECT_EQ(record::to_json(last.record), record::to_json(sample_record("r2", "cache-tiling")));
  EXPECT_EQ(must(workflow.best())->id, tiled);
  EXPECT_THAT(must(workflow.check()), IsEmpty());
}

TEST_F(WorkflowTest, CanBeLookedAtWhileAnotherWrites)
{
  Workflow writer = open();
  const std::string start = add(writer, "r1", "", "").id;
  Workflow reader = must(Workflow::open_to_read(state(), m_kernel, sample_key()));
  EXPECT_EQ(must(reader.find("start")).id, start);
  const std::string tiled = add(writer, "r2", "cache-tiling", start).id;
  EXPECT_EQ(must(reader.checkpoints()).back().id, tiled);
  EXPECT_FALSE(reader.append(sample_record("r3", "")));
  EXPECT_FALSE(reader.set_best(start));
  EXPECT_FALSE(Workflow::open_to_read(state() / "elsewhere", m_kernel, sample_key()));
}

TEST_F(WorkflowTest, NamesResolve)
{
  Workflow workflow = open();
  EXPECT_FALSE(workflow.find("HEAD"));
  const std::string root = add(workflow, "r1", "", "").id;
  const std::string left = add(workflow, "r2", "left", root).id;
  const std::string right = add(workflow, "r3", "right", root).id;
  EXPECT_FALSE(workflow.find("best"));
  EXPECT_FALSE(must(workflow.best()));
  must(workflow.set_best(left));
  EXPECT_EQ(must(workflow.find("best")).id, left);
  EXPECT_EQ(must(workflow.find("HEAD")).id, right);
  EXPECT_EQ(must(workflow.find("start")).id, root);
  EXPECT_EQ(must(workflow.find(right.substr(0, 10))).id, right);
  EXPECT_EQ(must(workflow.find(left)).id, left);

  const auto unknown = workflow.find("zzzzzz");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().hint, HasSubstr("hone log"));
  EXPECT_FALSE(workflow.find(left.substr(0, 2)));
  EXPECT_FALSE(workflow.set_best("zzzz"));
}

TEST_F(WorkflowTest, AmbiguousPrefixNamesTheCandidates)
{
  // Ids cannot be chosen, so the journal is: two rows with one beginning.
  open();
  {
    SQLite::Database journal(inside("journal.db").string(), SQLite::OPEN_READWRITE);
    journal.exec("INSERT INTO records (id, json, digest) VALUES ('r', '{}', '')");
    journal.exec("INSERT INTO checkpoints (id, parent, transformation, record) VALUES ('abcd1111', '', 'x', 1)");
    journal.exec("INSERT INTO checkpoints (id, parent, transformation, record) VALUES ('abcd2222', '', 'x', 1)");
  }
  const auto found = open().find("abcd");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, testing::AllOf(HasSubstr("abcd1111"), HasSubstr("abcd2222")));
}

TEST_F(WorkflowTest, StepsShowFailuresAndWhatBecameCheckpoints)
{
  Workflow workflow = open();
  const std::string root = add(workflow, "r1", "", "").id;
  record::Record failure = sample_record("r2", "vectorise");
  failure.verdict.status = record::Status::compile;
  failure.verdict.reason = "no such intrinsic";
  failure.verdict.log = "error: \xff\xfe not UTF-8";
  must(workflow.append(failure));
  const auto steps = must(workflow.steps());
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].checkpoint, root);
  EXPECT_EQ(steps[1].checkpoint, "");
  EXPECT_EQ(steps[1].record.verdict.status, record::Status::compile);
  EXPECT_EQ(steps[1].record.verdict.reason, "no such intrinsic");
  EXPECT_LT(steps[0].number, steps[1].number);
}

TEST_F(WorkflowTest, CacheAnswersOnlyForTheSameQuestion)
{
  Workflow workflow = open();
  must(workflow.append(sample_record("r1", "a")));
  record::Record question = sample_record("r1", "b");
  ASSERT_TRUE(must(workflow.cached(question)));
  EXPECT_EQ(must(workflow.cached(question))->transformation, "a");
  question.incumbent = "another";
  EXPECT_FALSE(must(workflow.cached(question)));
  question.incumbent.clear();
  EXPECT_TRUE(must(workflow.cached(question)));
  question.kind = record::Job::Kind::validate;
  EXPECT_FALSE(must(workflow.cached(question)));
  EXPECT_FALSE(must(workflow.cached(sample_record("r2", "a"))));
}

TEST_F(WorkflowTest, DiffIsOverCandidateFiles)
{
  Workflow workflow = open();
  const std::string root = add(workflow, "one", "", "").id;
  add(workflow, "two", "next", root);
  const std::string diff = must(workflow.diff("start", "HEAD"));
  EXPECT_THAT(diff, HasSubstr("--- a/device.cpp"));
  EXPECT_THAT(diff, HasSubstr("-// one\n+// two\n"));
  EXPECT_THAT(diff, testing::Not(HasSubstr("record")));
  EXPECT_FALSE(workflow.diff("start", "nothing"));
}

TEST_F(WorkflowTest, SmallValuesAndTimeAreKept)
{
  {
    Workflow workflow = open();
    must(workflow.remember("policy", R"({"step":3})"));
    must(workflow.spend("build", 2));
    must(workflow.spend("build", 0.5));
  }
  EXPECT_EQ(must(open().recall("policy")), R"({"step":3})");
  EXPECT_EQ(must(open().recall("unknown")), "");
  EXPECT_EQ(must(open().spent()).at("build"), 2.5);
}

TEST_F(WorkflowTest, FolderIsReadableNamedKeyedAndHidden)
{
  const Workflow workflow = open();
  EXPECT_THAT(workflow.folder().filename().string(), testing::StartsWith("scale-cpu-"));
  EXPECT_EQ(must(read_file(state() / ".gitignore")), "*\n");
  const Json key = must(parse_json(must(read_file(workflow.folder() / "key.json")), "key.json"));
  EXPECT_EQ(key["kernel_hash"], m_kernel.hash);
  EXPECT_EQ(key["kernel"], "scale");
  const auto keys = must(Workflow::list(state()));
  ASSERT_EQ(keys.size(), 1u);
  EXPECT_EQ(keys[0].kernel_hash, m_kernel.hash);
  EXPECT_EQ(keys[0].device_fingerprint, "fingerprint-1");
  EXPECT_THAT(must(Workflow::list(state() / "nowhere")), IsEmpty());
}

TEST_F(WorkflowTest, AStateFolderThatHoldsOtherThingsIsNotHidden)
{
  fs::create_directories(m_folder->path() / "mine");
  std::ofstream(m_folder->path() / "mine" / "notes.txt") << "mine";
  must(Workflow::open(m_folder->path() / "mine", m_kernel, sample_key()));
  EXPECT_FALSE(fs::exists(m_folder->path() / "mine" / ".gitignore"));
}

TEST_F(WorkflowTest, WorkflowsOfOtherDevicesAreApart)
{
  Workflow here = open();
  Workflow::Key elsewhere = sample_key();
  elsewhere.device_fingerprint = "fingerprint-2";
  Workflow there = must(Workflow::open(state(), m_kernel, elsewhere));
  EXPECT_NE(here.folder(), there.folder());
  EXPECT_EQ(must(Workflow::list(state())).size(), 2u);
}

TEST_F(WorkflowTest, UnreadableKeyIsWrittenAgainAndAForeignOneRefused)
{
  open();
  std::ofstream(inside("key.json"), std::ios::trunc) << "{";
  open();
  EXPECT_EQ(must(Workflow::list(state())).size(), 1u);
  std::ofstream(inside("key.json"), std::ios::trunc)
    << R"({"kernel_hash":"x","backend":"cpu","device_fingerprint":"y"})";
  EXPECT_FALSE(Workflow::open(state(), m_kernel, sample_key()));
}

TEST_F(WorkflowTest, DamagedRecordIsNamedAndTheRestIsUsable)
{
  {
    Workflow workflow = open();
    const std::string root = add(workflow, "r1", "", "").id;
    add(workflow, "r2", "cache-tiling", root);
    must(workflow.append(sample_record("r3", "unroll")));
  }
  {
    SQLite::Database journal(inside("journal.db").string(), SQLite::OPEN_READWRITE);
    journal.exec("DROP TRIGGER records_keeps_UPDATE");
    journal.exec("UPDATE records SET json = substr(json, 1, 40) WHERE number = 2");
  }
  Workflow workflow = open();
  EXPECT_THAT(must(workflow.check()), ElementsAre(HasSubstr("record 2 is damaged")));
  EXPECT_EQ(must(workflow.steps()).size(), 2u);
  EXPECT_EQ(must(workflow.checkpoints()).size(), 2u);
  EXPECT_FALSE(must(workflow.cached(sample_record("r2", ""))));
  must(workflow.append(sample_record("r4", "more")));
}

TEST_F(WorkflowTest, DamagedCheckpointIsNamedAndTheRestIsUsable)
{
  std::string bad;
  {
    Workflow workflow = open();
    const std::string root = add(workflow, "r1", "", "").id;
    bad = add(workflow, "r2", "left", root).id;
    add(workflow, "r3", "right", root);
  }
  const fs::path object = inside("repo.git") / "objects" / bad.substr(0, 2) / bad.substr(2);
  fs::permissions(object, fs::perms::owner_all);
  std::ofstream(object, std::ios::trunc) << "damaged";
  const Workflow workflow = open();
  EXPECT_THAT(must(workflow.check()), ElementsAre(HasSubstr(bad.substr(0, 12))));
  EXPECT_EQ(must(workflow.checkpoints()).size(), 2u);
  const auto found = workflow.find(bad);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().hint, HasSubstr("hone fsck"));
}

// Such a verdict proves less than a checkpoint promises.
TEST_F(WorkflowTest, AVerdictOnForcedInputsMakesNoCheckpoint)
{
  Workflow workflow = open();
  record::Record forced = sample_record("r1", "");
  forced.verdict.checks.push_back({std::string(record::k_forced_inputs), true, "values large"});
  EXPECT_FALSE(workflow.add_checkpoint(m_kernel, sample_candidate(m_kernel, "x"), forced, ""));
}

TEST_F(WorkflowTest, ACheckpointOfAnotherKernelIsRefused)
{
  Workflow workflow = open();
  kernel::Kernel other = m_kernel;
  other.hash = "other";
  EXPECT_FALSE(workflow.add_checkpoint(other, sample_candidate(m_kernel, "x"), sample_record("r1", ""), ""));
}

} // namespace
} // namespace hone::store
