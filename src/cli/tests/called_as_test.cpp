#include "cli/called_as.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace hone::cli {
namespace {

// A hint said `hone` where only ./hone could be called, and paths with spaces fell apart.
TEST(CalledAs, HintsCanBePasted)
{
  setenv("PATH", "/nowhere", 1);
  unsetenv("HONE_CALLED_AS");
  remember_call("./hone");
  EXPECT_EQ(as_called("run `hone doctor`, then `hone resume`"), "run `./hone doctor`, then `./hone resume`");
  EXPECT_EQ(command_to_paste(std::vector<std::string>{"resume", "my kernels/m", "--size", "m=3,n=4"}),
            "./hone resume 'my kernels/m' --size m=3,n=4");
  EXPECT_EQ(command_to_paste(std::vector<std::string>{"it's", ""}), "./hone 'it'\\''s' ''");
  remember_call("hone");
  EXPECT_EQ(called_as(), "hone");
  setenv("HONE_CALLED_AS", "/opt/my hone/hone", 1);
  remember_call("/opt/x/build/hone");
  EXPECT_EQ(called_as(), "'/opt/my hone/hone'");
  unsetenv("HONE_CALLED_AS");
  remember_call("hone");
}

} // namespace
} // namespace hone::cli
