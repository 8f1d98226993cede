// Every kind of damage is found and named, a repair mends it without losing what can be read, and then nothing is
// found.
#include "sample.h"
#include "store/checkpoint_files.h"
#include "store/journal.h"
#include "store/repository.h"
#include "store/state_folder.h"
#include "store/store_check.h"
#include "util/process.h"
#include "util/temporary.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <optional>

namespace hone::store {
namespace {

using test::must;
using test::sample_candidate;
using test::sample_kernel;
using test::sample_key;
using test::sample_record;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

class StoreCheckTest : public testing::Test {
protected:
  void SetUp() override
  {
    m_folder.emplace(must(TemporaryFolder::create("hone-store-check-test")));
    Workflow workflow = open();
    m_root = add(workflow, "one", "", "");
    m_left = add(workflow, "two", "left", m_root);
    m_right = add(workflow, "three", "right", m_root);
    must(workflow.append(record_of("four"))); // became no checkpoint
    must(workflow.set_best(m_left));
    must(workflow.set_best(m_right));
    must(workflow.set_branch("plain", m_left));
    must(workflow.remember("policy", "kept"));
    must(workflow.spend("build", 2));
  }

  fs::path state() const { return m_folder->path() / "state"; }
  fs::path inside(const std::string& name) const { return state() / folder_name(m_kernel.name, sample_key()) / name; }
  Workflow open() const { return must(Workflow::open(state(), m_kernel, sample_key())); }
  fs::path object(const std::string& id) const { return inside("repo.git/objects") / id.substr(0, 2) / id.substr(2); }

  // As a gate would write it: the identity belongs to the rest.
  record::Record record_of(const std::string& marker, const std::string& transformation = "") const
  {
    record::Record record = sample_record("", transformation);
    record.candidate = sample_candidate(m_kernel, marker).hash();
    record.id = record::identity_of(record);
    return record;
  }

  std::string add(Workflow& workflow, const std::string& marker, const std::string& transformation,
                  const std::string& parent) const
  {
    const record::Record record = record_of(marker, transformation);
    must(workflow.append(record));
    return must(workflow.add_checkpoint(m_kernel, sample_candidate(m_kernel, marker), record, parent)).id;
  }

  void change_journal(const std::string& sql) const
  {
    SQLite::Database journal(inside("journal.db").string(), SQLite::OPEN_READWRITE);
    for (const char* table : {"records", "checkpoints"}) {
      for (const char* change : {"UPDATE", "DELETE"}) {
        journal.exec(std::string("DROP TRIGGER ") + table + "_keeps_" + change);
      }
    }
    journal.exec(sql);
  }

  void overwrite(const fs::path& file, const std::string& bytes) const
  {
    fs::permissions(file, fs::perms::owner_all);
    std::ofstream(file, std::ios::trunc) << bytes;
  }

  Findings found() const { return must(check_store(state(), false)).findings; }

  // Repairs, and demands that everything found was mended and nothing is found any more.
  void expect_repair_mends()
  {
    for (const Finding& finding : must(check_store(state(), true)).findings) {
      EXPECT_TRUE(finding.mended) << finding.where << ": " << finding.what << " " << finding.way_out;
    }
    for (const Finding& finding : found()) {
      ADD_FAILURE() << "still: " << finding.where << ": " << finding.what;
    }
    ProcessRequest request;
    request.argv = {"git", "-c", "safe.directory=*", "--git-dir", inside("repo.git").string(), "fsck", "--strict"};
    if (const auto outcome = run_process(request)) {
      m_git = outcome->out + outcome->err;
    }
  }

  std::vector<std::string> ids(const Workflow& workflow) const
  {
    std::vector<std::string> ids;
    for (const Checkpoint& checkpoint : must(workflow.checkpoints())) {
      ids.push_back(checkpoint.id);
    }
    return ids;
  }

  static auto damage(const std::string& where, const std::string& what)
  {
    return AllOf(Field(&Finding::kind, Finding::Kind::damage), Field(&Finding::where, HasSubstr(where)),
                 Field(&Finding::what, HasSubstr(what)), Field(&Finding::way_out, testing::Not(IsEmpty())));
  }

  static auto leftover(const std::string& where)
  {
    return AllOf(Field(&Finding::kind, Finding::Kind::leftover), Field(&Finding::where, HasSubstr(where)));
  }

  kernel::Kernel m_kernel = sample_kernel();
  std::optional<TemporaryFolder> m_folder;
  std::string m_root, m_left, m_right;
  std::string m_git; // what git fsck says after a repair
};

TEST_F(StoreCheckTest, ASoundStoreHasNothingToFind)
{
  EXPECT_THAT(found(), IsEmpty());
  EXPECT_THAT(must(check_store(state(), true)).findings, IsEmpty());
  EXPECT_THAT(must(check_store(state() / "nowhere", false)).workflows, IsEmpty());
  EXPECT_FALSE(fs::exists(inside("damaged")));
}

TEST_F(StoreCheckTest, ADamagedRecordOfACheckpointIsRestoredFromItsCommit)
{
  change_journal("UPDATE records SET json = substr(json, 1, 40) WHERE number = 2");
  EXPECT_THAT(found(), ElementsAre(damage(m_left, "record 2 is damaged")));
  expect_repair_mends();
  const Workflow workflow = open();
  const auto steps = must(workflow.steps());
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_EQ(steps[1].number, 2);
  EXPECT_EQ(steps[1].checkpoint, m_left);
  EXPECT_EQ(steps[1].record.candidate, record_of("two").candidate);
  EXPECT_EQ(must(workflow.best())->id, m_right);
  EXPECT_EQ(must(workflow.branches()).at("plain"), m_left);
  EXPECT_EQ(must(workflow.recall("policy")), "kept");
  EXPECT_EQ(must(workflow.spent()).at("build"), 2);
}

TEST_F(StoreCheckTest, ADamagedRecordWithoutACommitIsSetAsideInTheOldJournal)
{
  change_journal("UPDATE records SET json = 'rubbish' WHERE number = 4");
  EXPECT_THAT(found(), ElementsAre(damage("record 4", "damaged")));
  expect_repair_mends();
  EXPECT_EQ(must(open().steps()).size(), 3u);
  SQLite::Database old(inside("damaged/journal-1.db").string(), SQLite::OPEN_READONLY);
  EXPECT_EQ(old.execAndGet("SELECT json FROM records WHERE number = 4").getString(), "rubbish");
}

// Whoever can write a digest can write any record; the identity says what it must be about.
TEST_F(StoreCheckTest, ARecordAboutSomethingElseIsFound)
{
  record::Record other = record_of("four");
  other.candidate = std::string(64, 'a');
  must(open().append(other));
  EXPECT_THAT(found(), ElementsAre(damage("record 5", "identity")));
}

TEST_F(StoreCheckTest, ACandidateThatItsRecordDoesNotNameIsFound)
{
  std::string wrong;
  {
    Workflow workflow = open();
    const record::Record record = record_of("three", "wrong");
    must(workflow.append(record));
    wrong = must(workflow.add_checkpoint(m_kernel, sample_candidate(m_kernel, "another"), record, m_root)).id;
  }
  EXPECT_THAT(found(), Contains(damage(wrong, "its files are candidate")));
  expect_repair_mends();
  EXPECT_THAT(ids(open()), ElementsAre(m_root, m_left, m_right));
  EXPECT_TRUE(fs::exists(inside("repo.git/refs/damaged/" + wrong)));
}

TEST_F(StoreCheckTest, ADamagedCommitCostsItsCheckpointAndNoOther)
{
  overwrite(object(m_right), "damaged");
  EXPECT_THAT(found(), AllOf(Contains(damage(m_right.substr(2), "")), Contains(damage("checkpoint " + m_right, "")),
                             Contains(damage("checkpoint.best", "not there"))));
  {
    const Workflow workflow = open();
    EXPECT_FALSE(must(workflow.best()));
    EXPECT_THAT(ids(workflow), ElementsAre(m_root, m_left));
  }
  expect_repair_mends();
  EXPECT_EQ(m_git.find("error"), std::string::npos) << m_git;
  const Workflow workflow = open();
  EXPECT_EQ(must(workflow.best())->id, m_left); // the one before
  EXPECT_EQ(must(workflow.steps()).size(), 4u);
  EXPECT_TRUE(fs::exists(inside("damaged/objects/" + m_right)));
}

TEST_F(StoreCheckTest, ADamagedStartLeavesWhatWasBuiltOnItUsable)
{
  overwrite(object(m_root), "");
  {
    Workflow workflow = open();
    EXPECT_EQ(must(workflow.find(m_left)).id, m_left);
    EXPECT_TRUE(workflow.path_to(m_left));
    add(workflow, "five", "next", m_left);
  }
  expect_repair_mends();
  const Workflow workflow = open();
  EXPECT_EQ(ids(workflow).size(), 3u);
  EXPECT_EQ(must(workflow.find("start")).id, m_right);
  EXPECT_THAT(must(workflow.path_to(m_left)), ElementsAre(m_left));
}

TEST_F(StoreCheckTest, ADamagedObjectIsWrittenAgainByWhoComesToItsContent)
{
  ProcessRequest request;
  request.argv = {"git",
                  "-c",
                  "safe.directory=*",
                  "--git-dir",
                  inside("repo.git").string(),
                  "rev-parse",
                  m_right + ":candidate/device.cpp"};
  const auto outcome = run_process(request);
  if (!outcome || !outcome->ok()) {
    GTEST_SKIP() << "git is not installed";
  }
  overwrite(object(outcome->out.substr(0, 40)), "cut");
  Workflow workflow = open();
  EXPECT_FALSE(workflow.find(m_right));
  const record::Record record = record_of("three", "again");
  const auto made = workflow.add_checkpoint(m_kernel, sample_candidate(m_kernel, "three"), record, m_root);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(workflow.find(m_right)) << "the same content makes the old one whole, too";
}

TEST_F(StoreCheckTest, ALostJournalIsReadFromTheCommitsAndMadeAgain)
{
  overwrite(inside("journal.db"), std::string(5000, 'x'));
  EXPECT_THAT(found(), Contains(damage("journal.db", "no journal")));
  {
    const Workflow workflow = must(Workflow::open_to_read(state(), m_kernel, sample_key()));
    EXPECT_THAT(ids(workflow), ElementsAre(m_root, m_left, m_right));
  }
  EXPECT_FALSE(Workflow::open(state(), m_kernel, sample_key()));
  expect_repair_mends();
  const Workflow workflow = open();
  EXPECT_THAT(ids(workflow), ElementsAre(m_root, m_left, m_right));
  EXPECT_EQ(must(read_file(inside("damaged/journal-1.db"))), std::string(5000, 'x'));
}

TEST_F(StoreCheckTest, AJournalThatIsGoneIsDamageAndMadeAgain)
{
  fs::remove(inside("journal.db"));
  EXPECT_THAT(found(), Contains(damage("journal.db", "not there")));
  expect_repair_mends();
  EXPECT_THAT(ids(open()), ElementsAre(m_root, m_left, m_right));
}

TEST_F(StoreCheckTest, ARowThatNamesAnotherCheckpointsRecordGoesBackToItsOwn)
{
  change_journal("UPDATE checkpoints SET record = 2 WHERE id = '" + m_right + "'");
  EXPECT_THAT(found(), ElementsAre(damage(m_right, "record 2 is not the one in its commit")));
  expect_repair_mends();
  const auto steps = must(open().steps());
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_EQ(steps[1].checkpoint, m_left);
  EXPECT_EQ(steps[2].checkpoint, m_right);
}

TEST_F(StoreCheckTest, ARowWithAnImpossibleNumberIsMended)
{
  change_journal("UPDATE checkpoints SET record = -7 WHERE id = '" + m_right
                 + "'; UPDATE records SET json = 'rubbish' WHERE number = 3");
  EXPECT_THAT(found(), Contains(damage(m_right, "there is no record -7")));
  expect_repair_mends();
  EXPECT_THAT(ids(open()), ElementsAre(m_root, m_left, m_right));
}

TEST_F(StoreCheckTest, HowARecordIsWrittenMayChange)
{
  const record::Record record = record_of("three", "right");
  const std::int64_t number =
    must(must(Journal::open(inside("journal.db"))).append(record.id, " " + record_text(record)));
  change_journal(fmt::format("UPDATE checkpoints SET record = {} WHERE id = '{}'", number, m_right));
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(StoreCheckTest, AJournalWhoseMakingWasCutShortIsNoDamageUnlessItHadSomethingToKnow)
{
  overwrite(inside("journal.db"), "");
  EXPECT_THAT(found(), Contains(damage("journal.db", "no journal")));
  fs::remove_all(inside("repo.git/refs/checkpoints"));
  EXPECT_THAT(found(), ElementsAre(leftover("journal.db")));
  expect_repair_mends();
}

TEST_F(StoreCheckTest, RowsThatDifferFromTheirCommitAreCorrected)
{
  change_journal("UPDATE checkpoints SET parent = '" + m_right + "' WHERE id = '" + m_left + "'");
  EXPECT_THAT(found(), ElementsAre(damage(m_left, "another parent")));
  expect_repair_mends();
  EXPECT_THAT(must(open().path_to(m_left)), ElementsAre(m_root, m_left));
}

TEST_F(StoreCheckTest, ACircleOfParentsEnds)
{
  change_journal("UPDATE checkpoints SET parent = '" + m_right + "'");
  const Workflow workflow = open();
  EXPECT_LE(must(workflow.path_to(m_left)).size(), 3u);
  EXPECT_TRUE(workflow.find("start"));
}

TEST_F(StoreCheckTest, DamagedRefsAndFramesAreWrittenAgain)
{
  overwrite(inside("repo.git/refs/checkpoints/" + m_left), "");
  overwrite(inside("repo.git/HEAD"), "");
  EXPECT_THAT(found(), Contains(damage("HEAD", "empty")));
  expect_repair_mends();
  EXPECT_EQ(m_git.find("error"), std::string::npos) << m_git;
  EXPECT_THAT(ids(open()), ElementsAre(m_root, m_left, m_right));
}

TEST_F(StoreCheckTest, WhatAKilledProcessLeftIsHarmlessAndRemoved)
{
  std::ofstream(inside(temporary_name("report.html"))) << "half";
  std::ofstream(inside("repo.git/refs/heads/main.lock")) << "";
  std::ofstream(inside("repo.git/objects/tmp_object_git2_abc")) << "half";
  std::ofstream(inside("journal.db.rebuilding")) << "half";
  fs::create_directories(inside("repo.git.new/objects"));
  const Findings findings = found();
  EXPECT_EQ(findings.size(), 5u);
  EXPECT_THAT(findings, testing::Each(Field(&Finding::kind, Finding::Kind::leftover)));
  EXPECT_THAT(findings, Contains(leftover("main.lock")));
  expect_repair_mends();
  EXPECT_THAT(ids(open()), ElementsAre(m_root, m_left, m_right));
}

TEST_F(StoreCheckTest, ACommitThatTheJournalDoesNotKnowYetIsTakenUp)
{
  change_journal("DELETE FROM checkpoints WHERE id = '" + m_right + "'");
  EXPECT_THAT(found(), Contains(leftover(m_right)));
  expect_repair_mends();
  EXPECT_THAT(ids(must(Workflow::open_to_read(state(), m_kernel, sample_key()))), ElementsAre(m_root, m_left, m_right));
}

TEST_F(StoreCheckTest, AnInterruptedReplacementOfTheJournalIsFinished)
{
  fs::copy_file(inside("journal.db"), inside("journal.db.repaired"));
  std::ofstream(inside("journal.db-wal")) << "of the old one";
  const Workflow workflow = open();
  EXPECT_THAT(ids(workflow), ElementsAre(m_root, m_left, m_right));
  EXPECT_FALSE(fs::exists(inside("journal.db.repaired")));
  EXPECT_EQ(must(read_file(inside("damaged/journal-1.db-wal"))), "of the old one");
}

TEST_F(StoreCheckTest, BesideAHoneAtWorkItLooksAndDoesNotTouch)
{
  const Workflow busy = open();
  std::ofstream(inside("repo.git/refs/heads/main.lock")) << ""; // may be that one's
  const StoreCheck check = must(check_store(state(), false));
  EXPECT_THAT(check.findings, IsEmpty());
  EXPECT_THAT(check.busy, ElementsAre(HasSubstr("process")));
  int asked = 0;
  const auto refused = check_store(state(), true, [&](const std::string&) { return ++asked < 3; });
  ASSERT_FALSE(refused);
  EXPECT_EQ(asked, 3);
  EXPECT_TRUE(fs::exists(inside("repo.git/refs/heads/main.lock")));
}

// Times of commits run backwards, as after a clock that was set back; numbers do not.
TEST_F(StoreCheckTest, TheOrderOfARebuiltJournalDoesNotDependOnTheClock)
{
  std::vector<std::string> made{m_root, m_left, m_right};
  {
    Repository repository = must(Repository::open(inside("repo.git")));
    for (int i = 4; i < 12; ++i) {
      const record::Record record = record_of(std::to_string(i), "step");
      const std::int64_t time = 2'000'000'000 - 1'000 * i;
      made.push_back(must(repository.commit(checkpoint_files(sample_candidate(m_kernel, std::to_string(i)), record),
                                            commit_message(record, i), m_root, time)));
    }
  }
  fs::remove(inside("journal.db"));
  const Workflow workflow = open();
  EXPECT_EQ(ids(workflow), made);
  std::vector<std::string> recorded;
  for (const Step& step : must(workflow.steps())) {
    recorded.push_back(step.checkpoint);
  }
  EXPECT_EQ(recorded, made);
}

} // namespace
} // namespace hone::store
