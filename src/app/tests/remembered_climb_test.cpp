#include "app/remembered_climb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace hone;
using namespace hone::app;

TEST(RememberedClimb, AFlagWinsOverWhatIsRememberedAndThatOverADefault)
{
  RememberedClimb request;
  request.settings = {{"policy", "greedy"}, {"strategy", "exhaustive"}, {"of-another-version", "x"}};
  Settings settings = Settings::defaults();
  settings.override_from_flag("strategy", "random");
  adopt(settings, request);
  EXPECT_EQ(settings.text("policy"), "greedy");
  EXPECT_EQ(settings.text("strategy"), "random");
  EXPECT_EQ(settings.text("regime"), "cold");
}

TEST(RememberedClimb, ReadsAsFlags)
{
  RememberedClimb request;
  request.settings = {{"policy", "greedy"}};
  request.sizes = {"m=64,n=64", "k=8"};
  request.from = "0123456789abcdef";
  request.branch = "wide";
  request.no_baselines = true;
  EXPECT_EQ(as_flags(request),
            "--policy greedy --size m=64,n=64 --size k=8 --from 0123456789 --branch wide --no-baselines");
  EXPECT_EQ(as_flags({}), "");
}
