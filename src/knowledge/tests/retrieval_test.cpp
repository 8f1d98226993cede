#include "knowledge/tests/entries_for_tests.h"

namespace hone::knowledge {
namespace {

using namespace tests;

const Estimate& of(const Answer& answer, const std::string& technique)
{
  const auto found = std::ranges::find(answer.estimates, technique, &Estimate::technique);
  EXPECT_NE(found, answer.estimates.end());
  return *found;
}

TEST(Rank, PutsFirstWhatGainedMost)
{
  Base base = base_in_memory();
  const std::string state = known_state(base);
  for (int i = 0; i < 5; ++i) {
    expect_ok(base.add(tried(state, "tile", 2, i)));
    expect_ok(base.add(tried(state, "unroll", 1.05, i)));
  }
  const Answer answer = ranked(base, signature(), state);
  ASSERT_EQ(answer.estimates.size(), 2u);
  EXPECT_EQ(answer.estimates.front().technique, "tile");
  EXPECT_NEAR(answer.estimates.front().gain.value, std::log(2), 0.1);
}

// An answer without its reasons could not be shown beside a request.
TEST(Rank, NamesTheEvidenceThatItUsed)
{
  Base base = base_in_memory();
  const std::string state = known_state(base), other = known_state(base, signature("strided access", "two"));
  expect_ok(base.add(tried(state, "tile", 2)));
  expect_ok(base.add(tried(other, "tile", 3, 1)));
  const Answer answer = ranked(base, signature(), state);
  const Estimate& tile = of(answer, "tile");
  ASSERT_EQ(tile.used.size(), 2u);
  EXPECT_EQ(tile.used[0].state, state) << "one's own evidence weighs most";
  EXPECT_EQ(tile.used[1].state, other);
  EXPECT_LT(tile.used[1].weight, tile.used[0].weight);
  for (const Used& used : tile.used) {
    ASSERT_EQ(used.evidence.size(), 1u);
    const auto named = base.find(used.evidence.front());
    ASSERT_TRUE(named && *named);
    EXPECT_EQ(std::get<Evidence>(**named).state, used.state);
  }
}

TEST(Rank, TakesOverWhatIsKnownOfOtherDevices)
{
  Base base = base_in_memory();
  const std::string other = known_state(base, signature("strided access", "two"));
  for (int i = 0; i < 10; ++i) {
    expect_ok(base.add(tried(other, "tile", 4, i)));
  }
  const std::string state = known_state(base);
  const Answer answer = ranked(base, signature(), state, {{"tile", 0}, {"unroll", 0}});
  EXPECT_GT(of(answer, "tile").gain.value, std::log(2)) << "nothing was taken over";
  EXPECT_EQ(of(answer, "unroll").gain.value, 0);
}

// However much there is elsewhere, some tries here outweigh it.
TEST(Rank, OnesOwnEvidenceOutweighsOthers)
{
  Base base = base_in_memory();
  const std::string state = known_state(base), other = known_state(base, signature("strided access", "two"));
  for (int i = 0; i < 200; ++i) {
    expect_ok(base.add(tried(other, "tile", 4, i)));
  }
  for (int i = 0; i < 8; ++i) {
    expect_ok(base.add(tried(state, "tile", 0.8, i)));
  }
  EXPECT_LT(of(ranked(base, signature(), state), "tile").gain.value, std::log(1.5));
}

TEST(Rank, KernelsOfAnotherKindSayNothing)
{
  Base base = base_in_memory();
  Signature map = signature();
  map.kernel_class = "recurrence";
  const std::string other = known_state(base, map);
  expect_ok(base.add(tried(other, "tile", 4)));
  EXPECT_EQ(ranked(base, signature(), known_state(base)).estimates.size(), 0u);
}

TEST(Rank, FailuresLowerTheWorthAndNotTheGain)
{
  Base base = base_in_memory();
  const std::string state = known_state(base);
  for (int i = 0; i < 4; ++i) {
    expect_ok(base.add(tried(state, "sound", 2, i)));
    expect_ok(base.add(tried(state, "risky", 2, i)));
    expect_ok(base.add(failed(state, "risky", "correctness", 100 + i)));
  }
  const Answer answer = ranked(base, signature(), state);
  EXPECT_EQ(answer.estimates.front().technique, "sound");
  EXPECT_NEAR(of(answer, "risky").gain.value, of(answer, "sound").gain.value, 1e-9);
  EXPECT_GT(of(answer, "risky").failing, 0.4);
}

TEST(Rank, ConfidenceDecaysWithTime)
{
  Base base = base_in_memory();
  const std::string state = known_state(base);
  for (int i = 0; i < 4; ++i) {
    expect_ok(base.add(tried(state, "tile", 2, i)));
  }
  const double now = of(ranked(base, signature(), state), "tile").confidence;
  const double later = of(ranked(base, signature(), state, {}, "2028-01-01T00:00:00Z"), "tile").confidence;
  EXPECT_LT(later, 0.5 * now);
  EXPECT_GT(later, 0);
}

// The order in which evidence comes in (merging brings old entries last) changes no sums.
TEST(Rank, OldEvidenceMayComeLast)
{
  Base forwards = base_in_memory(), backwards = base_in_memory();
  std::vector<Evidence> all;
  const std::string state = known_state(forwards);
  known_state(backwards);
  for (int i = 1; i <= 9; ++i) {
    Evidence one = tried(state, "tile", 1 + 0.1 * i, i);
    one.time_utc = fmt::format("2026-0{}-01T00:00:00Z", i);
    all.push_back(one);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    expect_ok(forwards.add(all[i]));
    expect_ok(backwards.add(all[all.size() - 1 - i]));
  }
  const auto a = ranked(forwards, signature(), state), b = ranked(backwards, signature(), state);
  EXPECT_NEAR(of(a, "tile").gain.value, of(b, "tile").gain.value, 1e-9);
  EXPECT_NEAR(of(a, "tile").confidence, of(b, "tile").confidence, 1e-9);
  EXPECT_GT(aggregates(forwards, state)->front().mean(), std::log(1.5)) << "what is new weighs more";
}

TEST(Rank, AStepThatPaysLaterIsWorthWhatItReturned)
{
  Base base = base_in_memory();
  const std::string state = known_state(base);
  expect_ok(base.add(tried(state, "tile", 0.9)));
  expect_ok(base.add(tried(state, "unroll", 1.1, 1)));
  const auto all = evidence(base, {});
  for (const Evidence& one : *all) {
    if (one.technique == "tile") {
      expect_ok(base.credit(one.id, std::log(3)));
    }
  }
  EXPECT_EQ(ranked(base, signature(), state).estimates.front().technique, "tile");
}

TEST(Rank, UpdatesShiftWhatIsExpectedFromElsewhere)
{
  Base base = base_in_memory();
  const std::string state = known_state(base);
  const double before = of(ranked(base, signature(), state, {{"tile", 0.5}}), "tile").gain.value;
  Change change;
  change.kind = Change::Kind::prediction;
  change.technique = "tile";
  change.state = state;
  change.value = -0.3;
  expect_ok(base.add(change));
  const Answer answer = ranked(base, signature(), state, {{"tile", 0.5}});
  EXPECT_NEAR(of(answer, "tile").gain.value, before - 0.3, 1e-9);
  EXPECT_EQ(of(answer, "tile").changes.size(), 1u) << "an update that counts is named";
}

TEST(Search, FindsEntriesByWords)
{
  Base base = base_in_memory();
  const std::string state = known_state(base);
  Technique technique;
  technique.name = "pad-shared";
  technique.description = "Pads rows of shared memory so that banks do not conflict.";
  expect_ok(base.add(technique));
  expect_ok(base.add(failed(state, "tile", "correctness")));
  EXPECT_EQ(search_words(base, "padding banks", 10)->size(), 1u) << "words are found by their stems";
  EXPECT_EQ(search_words(base, "correctness", 10)->front().kind, "failure");
  EXPECT_TRUE(search_words(base, "\"AND( OR", 10)) << "operators of the search are words like others";
  EXPECT_TRUE(search_words(base, "", 10)->empty());
}

TEST(Signature, LevelsComeFromWhatExplainFound)
{
  tools::Report report;
  report.tables.push_back({"bottlenecks",
                           {{"bottleneck", ""}, {"weight", "%"}, {"transformations", ""}},
                           {{std::string("strided access"), 70.0, std::string("tile")},
                            {std::string("scalar code"), 16.0, std::string()},
                            {std::string("latency chain"), 2.0, std::string()}}});
  Signature found = signature();
  add_findings(found, report);
  EXPECT_EQ(found.bottleneck, "strided access");
  EXPECT_EQ(found.traits, (std::map<std::string, int>{{"strided access", 4}, {"scalar code", 2}}));
  EXPECT_EQ(traits_text(found), "strided access very high, scalar code medium");
  add_findings(found, tools::Report{});
  EXPECT_EQ(found.bottleneck, "none");
}

} // namespace
} // namespace hone::knowledge
