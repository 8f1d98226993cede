#include "record/record.h"

#include <gtest/gtest.h>

namespace hone::record {
namespace {

Record some_record()
{
  Record record;
  record.candidate = "c0ffee";
  record.kernel = "k";
  record.environment = "e";
  record.point = {{"TILE", 8}};
  record.kind = Job::Kind::measure;
  record.transformation = "tile";
  record.recipe_used.sizes = {{"m", 3}};
  record.recipe = record.recipe_used.hash();
  record.verdict.cold = TimeEstimate{1e-3, {0.9e-3, 1.1e-3}, 10};
  record.time_utc = "2026-01-01T00:00:00Z";
  record.id = identity_of(record);
  return record;
}

TEST(Record, SurvivesTheRoundTripThroughJson)
{
  const Json json = to_json(some_record());
  const auto text = parse_json(json.dump(), "test");
  ASSERT_TRUE(text);
  const auto back = record_from_json(*text);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(to_json(*back), json);
  EXPECT_EQ(identity_of(*back), back->id);
}

TEST(Record, IdentityIsOfTheResultNotOfHowItCameAbout)
{
  const Record record = some_record();
  Record other = record;
  other.parent = "p";
  other.transformation = "unroll";
  other.time_utc = "2027-01-01T00:00:00Z";
  EXPECT_EQ(identity_of(other), record.id);
  other.point["TILE"] = 16;
  EXPECT_NE(identity_of(other), record.id);
  other = record;
  other.environment = "another machine";
  EXPECT_NE(identity_of(other), record.id);
}

TEST(Record, WhatCannotBeReadIsAnError)
{
  EXPECT_FALSE(record_from_json(Json::object()));
  Json json = to_json(some_record());
  json["kind"] = "guess";
  EXPECT_FALSE(record_from_json(json));
}

kernel::Kernel scale_kernel()
{
  auto kernel = kernel::parse_kernel(R"toml(
[kernel]
name = "scale"
[compute]
expr = "Y[i] = 2 * X[i]"
[arguments]
X = { type = "f32", shape = ["n"] }
Y = { type = "f32", shape = ["n"], role = "output" }
[sizes]
timed = [ { n = 64 } ]
)toml",
                                     "record_test");
  EXPECT_TRUE(kernel) << kernel.error().text();
  return *kernel;
}

TEST(Job, SurvivesTheRoundTripThroughJson)
{
  const kernel::Kernel kernel = scale_kernel();
  const std::string launch =
    "[[launch]]\nkernel = \"scale\"\ngrid = [\"n\"]\nblock = [1]\nargs = [\"X\", \"Y\", \"n\"]\n";
  auto candidate =
    kernel::make_candidate(kernel, {{"device.cpp", "// nothing"}, {"macros.h", ""}, {"launch.toml", launch}});
  ASSERT_TRUE(candidate) << candidate.error().text();
  Job job;
  job.contender.candidate = *candidate;
  job.incumbent.emplace();
  job.incumbent->library = "openblas";
  job.recipe.sizes = kernel.timed.front();
  job.depth = Depth::promote;
  job.both_regimes = true;
  job.call_deadline = std::chrono::milliseconds(1500);
  job.transformation = "tile";

  const Json json = to_json(kernel, job);
  const auto back = job_from_json(kernel, json);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(to_json(kernel, *back), json);
  EXPECT_EQ(back->contender.candidate.hash(), candidate->hash());

  kernel::Kernel other = kernel;
  other.hash = "another";
  EXPECT_FALSE(job_from_json(other, json));
  EXPECT_FALSE(job_from_json(kernel, Json::array()));
}

} // namespace
} // namespace hone::record
