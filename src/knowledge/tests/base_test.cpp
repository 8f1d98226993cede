#include "knowledge/tests/entries_for_tests.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <thread>

namespace hone::knowledge {
namespace {

using namespace tests;

TEST(Base, IsMadeOnceAndKeepsItsSite)
{
  const auto folder = TemporaryFolder::create("hone-knowledge");
  ASSERT_TRUE(folder);
  const fs::path file = folder->path() / "deep" / "knowledge.db";
  ASSERT_TRUE(Base::open_existing(file));
  EXPECT_FALSE(Base::open_existing(file)->has_value()) << "looking made a file";
  auto first = Base::open(file);
  ASSERT_TRUE(first) << first.error().text();
  const auto second = Base::open(file);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(first->site(), second->site());
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator()), 3)
    << "more than the file, its log and its index";
}

TEST(Base, SaysWhatIsWrongWithAFileThatIsNone)
{
  const auto folder = TemporaryFolder::create("hone-knowledge");
  ASSERT_TRUE(folder);
  const fs::path file = folder->path() / "notes.txt";
  ASSERT_TRUE(write_file(file, "no database at all, but a text that is long enough to be taken for one"));
  const auto base = Base::open(file);
  ASSERT_FALSE(base);
  EXPECT_THAT(base.error().text(), testing::HasSubstr("notes.txt"));
  EXPECT_THAT(base.error().hint, testing::HasSubstr("--knowledge FILE"));
}

TEST(Base, TakesTheSameEvidenceOnce)
{
  Base base = base_in_memory();
  const std::string state = known_state(base);
  EXPECT_TRUE(*base.add(tried(state, "tile", 2)));
  EXPECT_FALSE(*base.add(tried(state, "tile", 2)));
  EXPECT_TRUE(*base.add(tried(state, "tile", 2, 1)));
  EXPECT_EQ(base.counts()->evidence, 2);
  const auto all = aggregates(base, state);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 1u);
  EXPECT_EQ(all->front().tries, 2);
  EXPECT_NEAR(all->front().mean(), std::log(2), 1e-12);
}

// A group of entries is there as a whole or not at all.
TEST(Base, TakesBackWhatFailsInTheMiddle)
{
  Base base = base_in_memory();
  const std::string state = known_state(base);
  const auto done = base.together([&]() -> Result<void> {
    expect_ok(base.add(tried(state, "tile", 2)));
    expect_ok(base.add(failed(state, "tile", "compile", 1)));
    return fail("no");
  });
  EXPECT_FALSE(done);
  EXPECT_EQ(base.counts()->evidence, 0);
  EXPECT_TRUE(failures(base, {})->empty());
  EXPECT_TRUE(check(base)->empty());
}

TEST(Base, FindsAStateAgainThatLiesClose)
{
  Base base = base_in_memory();
  Signature first = signature();
  const std::string id = known_state(base, first);
  first.traits["latency chain"] = 1;
  EXPECT_EQ(known_state(base, first), id);
  first.traits["latency chain"] = 4;
  EXPECT_NE(known_state(base, first), id) << "far levels apart, and the same state";
}

TEST(Base, ANewStateInheritsFromTheNearest)
{
  Base base = base_in_memory();
  Signature other = signature();
  other.kernel_class = "map";
  known_state(base, other);
  const std::string nearest = known_state(base, signature("strided access", "one"));
  const auto made = base.match(signature("strided access", "two"));
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->is_new);
  EXPECT_EQ(made->state.inherits, nearest);
}

TEST(Base, RemembersFailuresByKind)
{
  Base base = base_in_memory();
  const std::string state = known_state(base);
  expect_ok(base.add(failed(state, "tile", "correctness", 0)));
  expect_ok(base.add(failed(state, "tile", "correctness", 1)));
  expect_ok(base.add(failed(state, "tile", "compile", 2)));
  const auto known = failures(base, {});
  ASSERT_TRUE(known);
  ASSERT_EQ(known->size(), 2u);
  EXPECT_EQ(known->front().kind, "correctness");
  EXPECT_EQ(known->front().times, 2);
  EXPECT_EQ(base.counts()->failures, 3);
}

TEST(Base, KeepsTheLargestReturn)
{
  Base base = base_in_memory();
  const std::string state = known_state(base);
  expect_ok(base.add(tried(state, "tile", 0.9)));
  const std::string id = evidence(base, {})->front().id;
  expect_ok(base.credit(id, 0.7));
  expect_ok(base.credit(id, 0.3));
  EXPECT_DOUBLE_EQ(*evidence(base, {})->front().returned, 0.7);
  EXPECT_NEAR(aggregates(base, state)->front().return_sum, 0.7, 1e-12);
  EXPECT_TRUE(check(base)->empty());
}

TEST(Base, TheNewestUpdateHoldsWhateverCameFirst)
{
  Base base = base_in_memory();
  const std::string state = known_state(base);
  const auto update = [&](Change::Kind kind, const std::string& time) {
    Change change;
    change.kind = kind;
    change.state = state;
    change.technique = "tile";
    change.time_utc = time;
    expect_ok(base.add(change));
  };
  update(Change::Kind::restore, "2026-02-01T00:00:00Z");
  update(Change::Kind::deprecate, "2026-01-01T00:00:00Z");
  EXPECT_FALSE(ranked(base, signature(), state, {{"tile", 0}}).estimates.front().deprecated);
  update(Change::Kind::deprecate, "2026-03-01T00:00:00Z");
  EXPECT_TRUE(ranked(base, signature(), state, {{"tile", 0}}).estimates.front().deprecated);
}

// Each writer has a connection of its own, as processes have.
TEST(Base, LosesNothingOfSeveralWriters)
{
  const auto folder = TemporaryFolder::create("hone-knowledge");
  ASSERT_TRUE(folder);
  const fs::path file = folder->path() / "knowledge.db";
  constexpr int k_writers = 4, k_each = 25;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < k_writers; ++writer) {
    writers.emplace_back([&, writer] {
      auto base = Base::open(file);
      ASSERT_TRUE(base) << base.error().text();
      const std::string state = known_state(*base);
      for (int i = 0; i < k_each; ++i) {
        expect_ok(base->add(tried(state, "tile", 1.5, writer * k_each + i)));
      }
    });
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
  const auto base = Base::open(file);
  ASSERT_TRUE(base);
  EXPECT_EQ(base->counts()->evidence, k_writers * k_each);
  EXPECT_EQ(base->counts()->states, 1);
  EXPECT_TRUE(check(*base)->empty());
}

TEST(Base, CheckSeesSumsThatDoNotAgree)
{
  const auto folder = TemporaryFolder::create("hone-knowledge");
  ASSERT_TRUE(folder);
  const fs::path file = folder->path() / "knowledge.db";
  {
    auto base = Base::open(file);
    ASSERT_TRUE(base);
    expect_ok(base->add(tried(known_state(*base), "tile", 2)));
  }
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec("UPDATE aggregates SET tries = 5");
  const auto base = Base::open(file);
  ASSERT_TRUE(base);
  EXPECT_FALSE(check(*base)->empty());
}

} // namespace
} // namespace hone::knowledge
