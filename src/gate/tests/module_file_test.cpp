#include "gate/build.h"
#include "gate/printable.h"

#include <gtest/gtest.h>

namespace hone::gate {
namespace {

backend::Module some_module()
{
  backend::Module module;
  module.image = std::string("\0\n\x7f image \n with lines", 22);
  module.entries = {0, 64};
  module.entry_names = {"first", "second"};
  module.build_options = "-cl-std";
  module.hash = "abc";
  return module;
}

TEST(ModuleFile, SurvivesTheRoundTrip)
{
  const auto back = unpack_module(pack_module(some_module(), "key"), "key");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->image, some_module().image);
  EXPECT_EQ(back->entries, some_module().entries);
  EXPECT_EQ(back->entry_names, some_module().entry_names);
  EXPECT_EQ(back->build_options, "-cl-std");
  EXPECT_EQ(back->hash, "abc");
}

TEST(ModuleFile, EveryFlippedByteIsNoticed)
{
  const std::string whole = pack_module(some_module(), "key");
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(unpack_module(damaged, "key")) << i;
  }
  EXPECT_FALSE(unpack_module(whole.substr(0, whole.size() / 2), "key"));
  EXPECT_FALSE(unpack_module("", "key"));
}

TEST(ModuleFile, BelongsToOneKey)
{
  EXPECT_FALSE(unpack_module(pack_module(some_module(), "key"), "other"));
}

TEST(Printable, KeepsTextAndReplacesTheRest)
{
  EXPECT_EQ(printable_utf8("a\tb\nc \u00e9 \u20ac \U0001f600"), "a\tb\nc \u00e9 \u20ac \U0001f600");
  EXPECT_EQ(printable_utf8("\x1b[31m\xff\xc0\xaf"), "?[31m???");
  EXPECT_EQ(printable_utf8("\xed\xa0\x80"), "???");              // a lone surrogate
  EXPECT_EQ(printable_utf8("\xe2\x82"), "??");                   // cut short
  EXPECT_EQ(printable_utf8("\u009b31m \u00a0"), "??31m \u00a0"); // an escape sequence in one character
}

} // namespace
} // namespace hone::gate
