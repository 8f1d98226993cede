#include "store/journal.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>

namespace hone::store {
namespace {

using testing::HasSubstr;

class JournalTest : public testing::Test {
protected:
  void SetUp() override
  {
    auto folder = TemporaryFolder::create("hone-journal-test");
    ASSERT_TRUE(folder) << folder.error().text();
    m_folder.emplace(std::move(*folder));
  }
  fs::path file() const { return m_folder->path() / "journal.db"; }
  Journal open() const
  {
    auto journal = Journal::open(file());
    EXPECT_TRUE(journal) << journal.error().text();
    return std::move(*journal);
  }
  std::optional<TemporaryFolder> m_folder;
};

TEST_F(JournalTest, KeepsWhatWasAppended)
{
  {
    Journal journal = open();
    const auto first = journal.append("id-1", R"({"a":1})");
    ASSERT_TRUE(first) << first.error().text();
    ASSERT_TRUE(journal.append("id-2", "two"));
    ASSERT_TRUE(journal.append("id-1", R"({"a":2})"));
    ASSERT_TRUE(journal.append({"c1", "", "start", *first}));
    ASSERT_TRUE(journal.append({"c1", "other", "again", *first}));
    ASSERT_TRUE(journal.remember("name", "old"));
    ASSERT_TRUE(journal.remember("name", "new"));
    ASSERT_TRUE(journal.spend("build", 1.5));
    ASSERT_TRUE(journal.spend("build", 2));
    ASSERT_TRUE(journal.spend("measure", 0.25));
  }
  const Journal journal = open();
  const auto records = journal.records();
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 3u);
  EXPECT_EQ(records->at(0).json, R"({"a":1})");
  EXPECT_TRUE(records->at(2).intact);
  ASSERT_EQ(journal.records_of("id-1")->size(), 2u);
  EXPECT_EQ(journal.records_of("id-1")->front().json, R"({"a":2})");
  const auto checkpoints = journal.checkpoints();
  ASSERT_EQ(checkpoints->size(), 1u);
  EXPECT_EQ(checkpoints->front().transformation, "start");
  EXPECT_EQ(*journal.recall("name"), "new");
  EXPECT_EQ(*journal.recall("unknown"), "");
  EXPECT_EQ(*journal.spent(), (std::map<std::string, double>{{"build", 3.5}, {"measure", 0.25}}));
  EXPECT_TRUE(journal.damage()->empty());
}

TEST_F(JournalTest, RefusesChangesOfThePast)
{
  Journal journal = open();
  ASSERT_TRUE(journal.append("id", "{}"));
  SQLite::Database other(file().string(), SQLite::OPEN_READWRITE);
  EXPECT_THROW(other.exec("UPDATE records SET json = 'x'"), SQLite::Exception);
  EXPECT_THROW(other.exec("DELETE FROM records"), SQLite::Exception);
}

TEST_F(JournalTest, NoticesAChangedRecord)
{
  Journal journal = open();
  ASSERT_TRUE(journal.append("good", "{}"));
  ASSERT_TRUE(journal.append("bad", R"({"ratio":1.5})"));
  SQLite::Database other(file().string(), SQLite::OPEN_READWRITE);
  other.exec("DROP TRIGGER records_keeps_UPDATE");
  other.exec(R"(UPDATE records SET json = '{"ratio":9.5}' WHERE id = 'bad')");
  const auto records = journal.records();
  EXPECT_TRUE(records->at(0).intact);
  EXPECT_FALSE(records->at(1).intact);
}

TEST_F(JournalTest, SomethingElseInItsPlaceIsNamed)
{
  std::ofstream(file()) << std::string(5000, 'x');
  const auto journal = Journal::open(file());
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().text(), HasSubstr(file().string()));
  EXPECT_THAT(journal.error().hint, HasSubstr("hone fsck --repair"));
}

TEST_F(JournalTest, ANewerSchemaIsRefused)
{
  open();
  SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  const auto journal = Journal::open(file());
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().message, HasSubstr("newer Hone"));
}

// One page of many is overwritten: what lies on the others comes back.
TEST_F(JournalTest, ADamagedPageCostsOnlyTheRowsOnIt)
{
  const std::string text(3000, 'x'); // one row to a page
  {
    Journal journal = open();
    for (int i = 0; i < 40; ++i) {
      ASSERT_TRUE(journal.append("id-" + std::to_string(i), text));
    }
    ASSERT_TRUE(journal.remember("name", "kept"));
  }
  {
    std::fstream bytes(file(), std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(4096 * 30);
    bytes << std::string(4096, '\xee');
  }
  auto journal = Journal::open_to_read(file());
  ASSERT_TRUE(journal && *journal);
  EXPECT_FALSE((*journal)->damage()->empty());
  const auto records = (*journal)->records();
  ASSERT_TRUE(records) << records.error().text();
  EXPECT_EQ(records->size(), 40u);
  EXPECT_GE(std::ranges::count(*records, true, &JournalRecord::intact), 35);
  EXPECT_LT(std::ranges::count(*records, true, &JournalRecord::intact), 40);
  EXPECT_EQ(*(*journal)->recall("name"), "kept");
}

TEST_F(JournalTest, IsReadWhereThereIsNone)
{
  EXPECT_FALSE(Journal::open_to_read(file()).value());
  EXPECT_FALSE(fs::exists(file()));
  std::ofstream(file()) << std::string(5000, 'x');
  EXPECT_FALSE(Journal::open_to_read(file()).value());
}

TEST_F(JournalTest, NumbersAreTakenWhereTheyAreFree)
{
  Journal journal = open();
  EXPECT_EQ(journal.append("a", "{}", 7).value(), 7);
  EXPECT_EQ(journal.append("b", "{}", 7).value(), 8);
  EXPECT_EQ(journal.append("c", "{}").value(), 9);
  ASSERT_TRUE(journal.append({"c1", "", "x", 7, 5}));
  EXPECT_EQ(journal.next_checkpoint_number().value(), 6);
  ASSERT_TRUE(journal.append({"c2", "", "x", 8, 2}));
  const auto rows = journal.checkpoints();
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ(rows->front().id, "c2");
}

} // namespace
} // namespace hone::store
