#include "knowledge/tests/entries_for_tests.h"

namespace hone::knowledge {
namespace {

using namespace tests;

// Two states, a technique, evidence of both kinds, an update.
Base some_base(const std::string& device = "one", int first = 0)
{
  Base base = base_in_memory();
  const std::string state = known_state(base, signature("strided access", device));
  expect_ok(base.add(composite_of({"tile", "pack"})));
  expect_ok(base.add(tried(state, "tile", 2, first)));
  expect_ok(base.add(failed(state, "pack", "compile", first + 1)));
  expect_ok(base.credit(evidence(base, {.technique = "tile"})->front().id, 0.9));
  Change change;
  change.kind = Change::Kind::deprecate;
  change.technique = "pack";
  change.state = state;
  change.text = "it never compiles";
  change.time_utc = "2026-01-02T00:00:00Z";
  expect_ok(base.add(change));
  return base;
}

std::vector<std::string> sorted_lines(const Base& base)
{
  std::vector<std::string> lines = split(exported(base), '\n');
  lines.erase(lines.begin()); // the head names the base's own site
  std::ranges::sort(lines);
  return lines;
}

TEST(Exchange, AnExportBecomesTheSameBase)
{
  const Base base = some_base();
  Base other = base_in_memory();
  const auto brought = imported(other, exported(base));
  ASSERT_TRUE(brought) << brought.error().text();
  EXPECT_EQ(brought->added, 5);
  EXPECT_EQ(sorted_lines(other), sorted_lines(base));
  EXPECT_TRUE(check(other)->empty());
}

TEST(Exchange, BringingItInTwiceChangesNothing)
{
  const Base base = some_base();
  Base other = base_in_memory();
  expect_ok(imported(other, exported(base)));
  const std::vector<std::string> once = sorted_lines(other);
  const auto again = imported(other, exported(base));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->added, 0);
  EXPECT_EQ(again->known, 5);
  EXPECT_EQ(sorted_lines(other), once);
}

TEST(Exchange, MergingInAnyOrderEndsInTheSame)
{
  const Base first = some_base("one", 0), second = some_base("two", 10);
  Base a = base_in_memory(), b = base_in_memory();
  expect_ok(merge(a, first));
  expect_ok(merge(a, second));
  expect_ok(merge(b, second));
  expect_ok(merge(b, first));
  EXPECT_EQ(sorted_lines(a).size(), sorted_lines(b).size());
  const auto evidence_of = [](const Base& base) {
    std::vector<std::string> lines = sorted_lines(base);
    std::erase_if(lines, [](const std::string& line) { return !line.contains("\"entry\":\"evidence\""); });
    return lines;
  };
  EXPECT_EQ(evidence_of(a), evidence_of(b));
  EXPECT_EQ(evidence_of(a).size(), 4u);
  EXPECT_TRUE(check(a)->empty());
}

TEST(Exchange, KeepsWhereEntriesComeFrom)
{
  const Base first = some_base("one", 0), second = some_base("two", 10);
  Base all = base_in_memory();
  expect_ok(merge(all, first));
  expect_ok(merge(all, second));
  EXPECT_EQ(evidence(all, {.site = first.site()})->size(), 2u);
  EXPECT_EQ(evidence(all, {.site = second.site()})->size(), 2u);
}

TEST(Exchange, AWrongLineIsNamedAndLeavesTheBaseAsItWas)
{
  const std::string good = exported(some_base());
  const auto refused = [&](const std::string& line, const std::string& what) {
    Base base = base_in_memory();
    const auto brought = imported(base, good + line + "\n");
    ASSERT_FALSE(brought) << line;
    EXPECT_THAT(brought.error().text(), testing::HasSubstr(":7")) << line;
    EXPECT_THAT(brought.error().text(), testing::HasSubstr(what)) << line;
    EXPECT_EQ(base.counts()->evidence, 0);
  };
  refused("no json", "");
  refused("{}", "");
  refused(R"({"entry":"guess"})", "guess");
  refused(R"({"entry":"evidence","state":"s","technique":"t","time_utc":"yesterday","failure":"compile"})",
          "yesterday");
  refused(R"({"entry":"evidence","state":"s","technique":"t","time_utc":"2026-01-01T00:00:00Z"})", "either");
  refused(
    R"({"entry":"evidence","state":"s","technique":"t","time_utc":"2026-01-01T00:00:00Z","failure":"f","id":"0"})",
    "changed");
  refused(R"({"entry":"evidence","state":"s","technique":"t","time_utc":"2026-01-01T00:00:00Z","gain":[1,2]})", "");
}

TEST(Exchange, AFilterTakesWhatItNamesWithItsStates)
{
  Base all = base_in_memory();
  expect_ok(merge(all, some_base("one", 0)));
  expect_ok(merge(all, some_base("two", 10)));
  const std::string text = exported(all, {.device = "Machine two"});
  EXPECT_THAT(text, testing::HasSubstr("Machine two"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("Machine one")));
}

TEST(Forget, RemovesEvidenceAndWhatFollowedFromIt)
{
  Base base = some_base();
  const std::string state = states(base, {})->front().id;
  expect_ok(base.add(tried(state, "tile", 4, 50)));
  Evidence old = tried(state, "tile", 8, 51);
  old.time_utc = "2020-01-01T00:00:00Z";
  expect_ok(base.add(old));
  const auto gone = forget(base, {.before = "2021-01-01T00:00:00Z"});
  ASSERT_TRUE(gone) << gone.error().text();
  EXPECT_EQ(gone->evidence, 1);
  EXPECT_TRUE(check(base)->empty()) << check(base)->front();
  EXPECT_NEAR(aggregates(base, state)->back().mean(), std::log(8) / 2, 0.01);
}

TEST(Forget, WhatWasForgottenStaysAway)
{
  const Base from = some_base();
  Base base = base_in_memory();
  expect_ok(merge(base, from));
  expect_ok(forget(base, {.technique = "tile"}));
  EXPECT_EQ(base.counts()->evidence, 1);
  const auto merged = merge(base, from);
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->forgotten, 1);
  EXPECT_EQ(base.counts()->evidence, 1);
  expect_ok(merge(base, from, true));
  EXPECT_EQ(base.counts()->evidence, 2);
}

TEST(Forget, AnUpdateBeforeHoldsAgain)
{
  Base base = some_base();
  const std::string state = states(base, {})->front().id;
  Change restore;
  restore.kind = Change::Kind::restore;
  restore.technique = "pack";
  restore.state = state;
  restore.site = "elsewhere";
  restore.time_utc = "2026-02-02T00:00:00Z";
  expect_ok(base.add(restore));
  const auto deprecated = [&] {
    const Answer answer = ranked(base, signature(), state, {{"pack", 0}});
    return answer.estimates.front().deprecated;
  };
  EXPECT_FALSE(deprecated());
  expect_ok(forget(base, {.site = "elsewhere"}));
  EXPECT_TRUE(deprecated());
}

TEST(Forget, NamesWhatItNeeds)
{
  Base base = some_base();
  EXPECT_FALSE(forget(base, {}));
  EXPECT_EQ(base.counts()->evidence, 2);
}

} // namespace
} // namespace hone::knowledge
