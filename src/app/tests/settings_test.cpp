#include "app/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::app {
namespace {

using testing::HasSubstr;

Settings with(const std::string& name, const std::string& value)
{
  Settings settings = Settings::defaults();
  settings.override_from_flag(name, value);
  return settings;
}

// A seed that Hone printed could not be given back.
TEST(Settings, SeedsAreTakenAsTheyArePrinted)
{
  EXPECT_EQ(with("seed", "0xe188289c6abe5fe7").seed().value(), 0xe188289c6abe5fe7U);
  EXPECT_EQ(with("seed", "16251283907637305319").seed().value(), 0xe188289c6abe5fe7U);
  EXPECT_EQ(with("seed", "-2195460166072246297").seed().value(), 0xe188289c6abe5fe7U);
  EXPECT_EQ(Settings::defaults().seed().value(), 0U);
  for (const char* wrong : {"", "0x", "-", "12a", "0x1g", "18446744073709551616", "1.5"}) {
    const auto seed = with("seed", wrong).seed();
    ASSERT_FALSE(seed) << wrong;
    EXPECT_THAT(seed.error().text(), HasSubstr("--seed: ")) << wrong;
  }
}

// Misspelt values were found in the middle of a climb.
TEST(Settings, EveryValueIsCheckedBeforeAnyWork)
{
  EXPECT_TRUE(Settings::defaults().check());
  EXPECT_THAT(with("strategy", "racign").check().error().text(), HasSubstr("did you mean 'racing'?"));
  EXPECT_THAT(with("policy", "foo").check().error().text(),
              HasSubstr("--policy: there is no policy 'foo'; there are: "));
  EXPECT_THAT(with("budget", "abc").check().error().text(), HasSubstr("--budget: budget must be a whole number"));
  EXPECT_THAT(with("budget", "-5").check().error().text(), HasSubstr("budget must be 1 or more, not -5"));
  EXPECT_THAT(with("regime", "warm").check().error().text(), HasSubstr("there are: cold, hot"));
  EXPECT_FALSE(with("max-usd", "-1").check());
}

} // namespace
} // namespace hone::app
