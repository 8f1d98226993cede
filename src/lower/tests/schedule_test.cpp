#include "lower/lower.h"

#include <gtest/gtest.h>

namespace hone::lower {
namespace {

TEST(Schedule, SurvivesTheRoundTripThroughToml)
{
  Schedule schedule;
  schedule.form = "contraction";
  schedule.loops = {{Dimension::batch, LoopKind::group, "1", false, ""},
                    {Dimension::m, LoopKind::group, "TILE_M", false, ""},
                    {Dimension::n, LoopKind::serial, "VECTORS * lanes", false, ""},
                    {Dimension::k, LoopKind::serial, "1", false, "UNROLL_K"},
                    {Dimension::n, LoopKind::registers, "lanes", true, ""}};
  schedule.packed = {Dimension::n, Dimension::m};
  schedule.edges = EdgeTreatment::masked;
  schedule.macros = true;
  schedule.dot_remainders = true;
  schedule.register_broadcast = true;
  schedule.balanced = true;
  schedule.column_sums = true;
  schedule.joined_strips = true;
  schedule.tuning = {{"TILE_M", {16, 32}, 32}, {"UNROLL_K", {1, 2}, 1}};
  schedule.constraints = {"TILE_M % 16 == 0"};
  schedule.done = {"cache-tiling", "vectorize"};

  const Result<Schedule> back = parse_schedule(to_toml(schedule), "schedule.toml");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->form, schedule.form);
  EXPECT_EQ(back->loops, schedule.loops);
  EXPECT_EQ(back->packed, schedule.packed);
  EXPECT_EQ(back->edges, schedule.edges);
  EXPECT_EQ(back->macros, schedule.macros);
  EXPECT_EQ(back->dot_remainders, schedule.dot_remainders);
  EXPECT_EQ(back->register_broadcast, schedule.register_broadcast);
  EXPECT_EQ(back->balanced, schedule.balanced);
  EXPECT_EQ(back->column_sums, schedule.column_sums);
  EXPECT_EQ(back->joined_strips, schedule.joined_strips);
  EXPECT_EQ(back->constraints, schedule.constraints);
  EXPECT_EQ(back->done, schedule.done);
  ASSERT_EQ(back->tuning.size(), 2U);
  EXPECT_EQ(back->tuning[0].values, schedule.tuning[0].values);
  EXPECT_EQ(back->tuning[0].default_value, 32);
}

TEST(Schedule, RefusesWhatItDoesNotKnow)
{
  EXPECT_FALSE(parse_schedule("version = 2\n", "schedule.toml"));
  EXPECT_FALSE(parse_schedule("version = 1\nform = \"contraction\"\n[[loop]]\nover = \"q\"\nkind = \"group\"\n", "s"));
  EXPECT_FALSE(parse_schedule("version = 1\nform = \"contractions\"\n", "s"));
  EXPECT_FALSE(parse_schedule("version = 1\nconstraints = [\"TILE\\n[[launch]]\"]\n", "s"));
  const Result<Schedule> broken = parse_schedule("version = [", "schedule.toml");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().place.file, "schedule.toml");
}

TEST(Schedule, RefusesLoopsThatItsFormDoesNotHave)
{
  const auto error_of = [](std::vector<ScheduledLoop> loops) {
    Schedule schedule;
    schedule.form = "contraction";
    schedule.loops = std::move(loops);
    const Result<Schedule> back = parse_schedule(to_toml(schedule), "s");
    return back ? std::string() : back.error().message;
  };
  const ScheduledLoop rows{Dimension::m, LoopKind::group, "1", false, ""},
    columns{Dimension::n, LoopKind::serial, "1", false, ""}, sum{Dimension::k, LoopKind::serial, "1", false, ""},
    parts{Dimension::k, LoopKind::group, "1", false, ""};
  EXPECT_EQ(error_of({rows, columns, sum}), "");
  EXPECT_EQ(error_of({rows, columns}), "this schedule has 0 loops over k of the kind serial");
  EXPECT_EQ(error_of({rows, rows, columns, sum}), "this schedule has 2 loops over m of the kind group");
  EXPECT_EQ(error_of({rows, parts, columns, sum}), "this schedule has loops that its form does not have");
  EXPECT_EQ(error_of({columns, rows, sum}), "this schedule has groups inside of loops, or loops inside of registers");
}

} // namespace
} // namespace hone::lower
