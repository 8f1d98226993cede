#include "util/did_you_mean.h"
#include "util/json.h"
#include "util/util.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <csignal>
#include <stop_token>
#include <thread>

using namespace hone;

TEST(Hash, MatchesPublishedVector)
{
  EXPECT_EQ(sha256(std::string_view("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Errors, TextHoldsPlaceMessageAndHint)
{
  const Error error{"unknown key 'sise'", "did you mean 'size'?", Place{"kernel.toml", 3, 7}};
  EXPECT_EQ(error.text(), "kernel.toml:3:7: unknown key 'sise'\n  hint: did you mean 'size'?");
}

TEST(Files, WriteThenReadAndNoLeftovers)
{
  const auto folder = TemporaryFolder::create("hone-test-");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file(folder->path() / "a", std::string("x\0y", 3)));
  EXPECT_EQ(read_file(folder->path() / "a").value(), std::string("x\0y", 3));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder->path()), fs::directory_iterator()), 1);
}

TEST(Files, MissingFileNamesThePath)
{
  const auto missing = read_file("/nowhere/at/all");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("/nowhere/at/all"), std::string::npos);
}

TEST(Process, CapturesBothOutputsAndStatus)
{
  const auto outcome = run_process({.argv = {"sh", "-c", "cat; echo oops >&2; exit 3"}, .input = "hello"});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->out, "hello");
  EXPECT_EQ(outcome->err, "oops\n");
  EXPECT_EQ(outcome->exit_status, 3);
}

TEST(Process, MissingProgramIsAnErrorWithAHint)
{
  const auto outcome = run_process({.argv = {"no-such-program-here"}});
  ASSERT_FALSE(outcome);
  EXPECT_FALSE(outcome.error().hint.empty());
}

TEST(Process, DeadlineKillsTheWholeGroup)
{
  const auto outcome =
    run_process({.argv = {"sh", "-c", "sleep 1000 & sleep 1000"}, .deadline = std::chrono::milliseconds(100)});
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->timed_out);
  EXPECT_EQ(outcome->signal, SIGKILL);
}

TEST(Process, IsKilledWhenItIsNotWantedAnyMore)
{
  std::stop_source stop;
  const std::jthread other([&] { stop.request_stop(); });
  // With its outputs open, and with them closed.
  for (const char* script : {"sleep 1000", "exec >&- 2>&-; sleep 1000"}) {
    const auto outcome = run_process(
      {.argv = {"sh", "-c", script}, .deadline = std::chrono::milliseconds(600'000), .stop = stop.get_token()});
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->stopped);
    EXPECT_FALSE(outcome->timed_out || outcome->ok());
    EXPECT_EQ(outcome->signal, SIGKILL);
  }
}

TEST(Process, OutputIsCapped)
{
  const auto outcome = run_process({.argv = {"sh", "-c", "yes | head -c 100000"}, .output_cap = 1000});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->out.size(), 1000u);
  EXPECT_TRUE(outcome->output_cut);
  EXPECT_EQ(outcome->exit_status, 0);
}

TEST(Random, BelowStaysBelowAndIsReproducible)
{
  Random one(7), two(7);
  for (int i = 0; i < 1000; ++i) {
    const auto value = one.below(10);
    EXPECT_LT(value, 10u);
    EXPECT_EQ(value, two.below(10));
  }
}

TEST(Statistics, KnownValues)
{
  const std::array samples{1.0, 2.0, 3.0, 4.0, 10.0};
  EXPECT_DOUBLE_EQ(median(samples), 3);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.25), 2);
  EXPECT_DOUBLE_EQ(mean(samples), 4);
  EXPECT_NEAR(standard_deviation(samples), 3.5355339, 1e-6);
  EXPECT_DOUBLE_EQ(hodges_lehmann(samples), 3);
}

TEST(Statistics, TIntervalOfFourSamples)
{
  // t(0.975, 3) = 3.182446
  const std::array samples{1.0, 2.0, 3.0, 4.0};
  const Interval interval = t_interval(samples, 0.95);
  const double half = 3.182446 * standard_deviation(samples) / 2;
  EXPECT_NEAR(interval.low, 2.5 - half, 1e-5);
  EXPECT_NEAR(interval.high, 2.5 + half, 1e-5);
}

TEST(Statistics, WilcoxonNeedsEightSamplesFor99Percent)
{
  const std::array few{1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};
  EXPECT_TRUE(std::isinf(wilcoxon_interval(few, 0.99).low));
  const std::array enough{1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0};
  EXPECT_DOUBLE_EQ(wilcoxon_interval(enough, 0.99).low, 1);
  EXPECT_DOUBLE_EQ(wilcoxon_interval(enough, 0.99).high, 8);
}

TEST(Statistics, TossesOfACoin)
{
  EXPECT_EQ(chance_of_heads(0, 0), 1);
  EXPECT_NEAR(chance_of_heads(4, 0), 1 / 16.0, 1e-12);
  EXPECT_NEAR(chance_of_heads(6, 1), 8 / 128.0, 1e-12);
  EXPECT_NEAR(chance_of_heads(1000, 1000), 0.5, 0.01);
}

TEST(Statistics, WilcoxonCoverage)
{
  Random random(11);
  int covered = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::array<double, 40> samples{};
    for (double& sample : samples) {
      sample = random.normal();
    }
    const Interval interval = wilcoxon_interval(samples, 0.95);
    covered += interval.low <= 0 && interval.high >= 0;
  }
  EXPECT_GE(covered, 365); // 380 expected, 4.4 standard deviations of slack
}

TEST(Text, NearestNameSuggestsOnlyWhatIsNear)
{
  const std::vector<std::string> names{"values", "default", "grid"};
  EXPECT_EQ(nearest_name("vlaues", names), "values");
  EXPECT_EQ(nearest_name("zebra", names), "");
  EXPECT_EQ(nearest_name("values", names), "") << "what is refused is no way out";
  const std::vector<std::string> letters{"k", "M"};
  EXPECT_EQ(nearest_name("m", letters), "M");
  EXPECT_EQ(nearest_name("q", letters), "") << "any letter is one letter away from any other";
  EXPECT_EQ(did_you_mean("vlaues", names, "see the list"), "did you mean 'values'?");
  EXPECT_EQ(did_you_mean("zebra", names, "see the list"), "see the list");
}

TEST(Text, SecondsWithThreeDigits)
{
  EXPECT_EQ(format_seconds(1.234e-5), "12.3 us");
  EXPECT_EQ(format_seconds(0.00123), "1.23 ms");
  EXPECT_EQ(format_seconds(3.6), "3.60 s");
  EXPECT_EQ(format_seconds(123e-9), "123 ns");
}

TEST(Text, PrintableKeepsLettersAndLinesOnly)
{
  EXPECT_EQ(printable("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(printable("\x1b[2Jx\r\x7f"), "?[2Jx??");
  EXPECT_EQ(printable("\u009b2J \u00e9 \u00a0"), "?2J \u00e9 \u00a0"); // CSI in one character; letters stay
}

TEST(Errors, DoNotSpeakToTheTerminal)
{
  const Error error{"\x1b[31mno folder", "see\rhere\nand there", {"a\x1b]b.toml", 2, 1}};
  EXPECT_EQ(error.text(), "a?]b.toml:2:1: ?[31mno folder\n  hint: see?here\nand there");
}

TEST(Json, ErrorsNameTheLine)
{
  const auto broken = parse_json("{\n \"a\": }", "x.json");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().place.line, 2);
}

TEST(Json, NumbersThatNoDoubleHoldsAreRefused)
{
  const auto broken = parse_json("{\"a\": 66e6800}", "x.json");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().place.file, "x.json");
}
