#include "util/version.h"

#include <gtest/gtest.h>

using namespace hone;

// Would catch a text without the commit, or with empty brackets where there is none.
TEST(Version, NamesTheCommitThatMainNames)
{
  const std::string number{version_number()};
  EXPECT_EQ(number.find_first_not_of("0123456789."), std::string::npos);
  EXPECT_EQ(version_text(), number);
  name_commit("abcdef123456-dirty");
  EXPECT_EQ(version_commit(), "abcdef123456-dirty");
  EXPECT_EQ(version_text(), number + " (commit abcdef123456-dirty)");
  name_commit("");
  EXPECT_EQ(version_text(), number);
}
