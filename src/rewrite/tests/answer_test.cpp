#include "rewrite/model/answer.h"
#include "rewrite/model/template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::rewrite {
namespace {

using testing::HasSubstr;

const std::map<std::string, std::string> k_files{
  {"device.cpp", "one\ntwo\n  three\ntwo\nfour\n"}, {"launch.toml", "[[launch]]\nkernel = \"f\"\n"}, {"macros.h", ""}};

std::string changed(const std::string& answer, const std::string& file = "device.cpp")
{
  const auto applied = apply_answer(answer, k_files, file);
  return applied ? applied->at(file) : "ERROR " + applied.error().message;
}

TEST(AnswerTest, WholeFilesWithProseAround)
{
  EXPECT_EQ(changed("Sure! Here it is.\n\n```cpp\nnew\n```\nDone."), "new\n");
  EXPECT_EQ(changed("```cpp device.cpp\na ``` b\n```"), "a ``` b\n");
  EXPECT_EQ(changed("~~~~\n```\ninner\n```\n~~~~"), "```\ninner\n```\n");
  EXPECT_EQ(changed("`device.cpp`:\n\n```\nx\n```\n\n**`launch.toml`:**\n```toml\ny\n```"), "x\n");
  const auto two = apply_answer("```cpp device.cpp\nx\n```\n```toml launch.toml\ny\n```\n", k_files, "device.cpp");
  ASSERT_TRUE(two);
  EXPECT_EQ(two->at("launch.toml"), "y\n");
  EXPECT_EQ(two->at("macros.h"), "");
}

TEST(AnswerTest, Edits)
{
  EXPECT_EQ(changed("```cpp device.cpp\n<<<<<<< SEARCH\none\ntwo\n=======\nONE\n>>>>>>> REPLACE\n```"),
            "ONE\n  three\ntwo\nfour\n");
  EXPECT_EQ(changed("<<<<<<< SEARCH\nfour\n=======\n>>>>>>> REPLACE\nthen\n"
                    "<<<<<<< SEARCH\none\n=======\none\nand a half\n>>>>>>> REPLACE"),
            "one\nand a half\ntwo\n  three\ntwo\n");
}

TEST(AnswerTest, FilesThatStayAsTheyAre)
{
  EXPECT_EQ(changed("Nothing to pack here.\n```cpp device.cpp\nUNCHANGED\n```"), k_files.at("device.cpp"));
  const auto beside =
    apply_answer("```toml launch.toml\n  UNCHANGED\n\n```\n```cpp device.cpp\nx\n```\n", k_files, "device.cpp");
  ASSERT_TRUE(beside);
  EXPECT_EQ(*beside, (std::map<std::string, std::string>{
                       {"device.cpp", "x\n"}, {"launch.toml", k_files.at("launch.toml")}, {"macros.h", ""}}));
}

TEST(AnswerTest, EditsThatDoNotApplySayWhatIsNearest)
{
  EXPECT_THAT(changed("<<<<<<< SEARCH\nthree\n=======\nx\n>>>>>>> REPLACE"),
              HasSubstr("edit 1 does not apply: its search text does not stand in device.cpp (nearest at line 3: its "
                        "line 1 is \"three\" and the file has \"  three\")"));
  EXPECT_THAT(changed("<<<<<<< SEARCH\ntwo\n=======\nx\n>>>>>>> REPLACE"), HasSubstr("more than once"));
  EXPECT_THAT(changed("<<<<<<< SEARCH\nnine\n=======\nx\n>>>>>>> REPLACE"), HasSubstr("none of its lines"));
  EXPECT_THAT(changed("<<<<<<< SEARCH\nfour\nfive\n=======\nx\n>>>>>>> REPLACE"), HasSubstr("where the file ends"));
  EXPECT_THAT(changed("<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE"), HasSubstr("searches for nothing"));
  EXPECT_THAT(changed("<<<<<<< SEARCH\none\n=======\nx\n"), HasSubstr("does not end"));
  EXPECT_THAT(changed("<<<<<<< SEARCH\none\n<<<<<<< SEARCH\n"), HasSubstr("malformed"));
}

TEST(AnswerTest, ObjectsHoldWholeFilesOrEdits)
{
  EXPECT_EQ(changed(R"({"remarks": "", "files": [{"name": "device.cpp", "text": "a\nb", "edits": []}]})"), "a\nb\n");
  EXPECT_EQ(changed(R"( {"files": [{"name": "device.cpp", "text": "",
                        "edits": [{"search": "one\ntwo\n", "replace": "ONE"}, {"search": "four", "replace": ""}]}]})"),
            "ONE\n  three\ntwo\n");
  const auto other = apply_answer(R"({"files": [{"name": "macros.h", "text": "#define A"}]})", k_files, "device.cpp");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->at("macros.h"), "#define A\n");
  EXPECT_EQ(other->at("device.cpp"), k_files.at("device.cpp"));
}

TEST(AnswerTest, ObjectsMayStandInAFenceOrBehindASentence)
{
  const std::string object = R"({"files": [{"name": "device.cpp", "text": "a { b }", "edits": null}]})";
  EXPECT_EQ(changed("```json\n" + object + "\n```\n"), "a { b }\n");
  EXPECT_EQ(changed("Let me answer.\n" + object), "a { b }\n");
  EXPECT_EQ(changed(R"({"files": [{"name": "device.cpp", "text": "", "edits": []}]})"), k_files.at("device.cpp"));
  EXPECT_EQ(changed("```cpp\nvoid f() { \"files\"; }\n```"), "void f() { \"files\"; }\n");
}

TEST(AnswerTest, ObjectsThatKeepToNoSchemaAreRefused)
{
  EXPECT_THAT(changed(R"({"files": [{"name": "device.cpp", "text": "a)"), HasSubstr("cut off, or a quote"));
  EXPECT_THAT(changed(R"({"file": "device.cpp"})"), HasSubstr("no list \"files\""));
  EXPECT_THAT(changed(R"({"files": []})"), HasSubstr("no list \"files\""));
  EXPECT_THAT(changed(R"({"files": ["device.cpp"]})"), HasSubstr("has no text \"name\""));
  EXPECT_THAT(changed(R"({"files": [{"name": "../device.cpp", "text": "a"}]})"), HasSubstr("no file of the candidate"));
  EXPECT_THAT(changed(R"({"files": [{"name": "device.cpp", "text": 7}]})"), HasSubstr("\"text\" that is none"));
  EXPECT_THAT(changed(R"({"files": [{"name": "device.cpp", "text": "", "edits": "none"}]})"),
              HasSubstr("\"edits\" that are no list"));
  const std::string deep(100'000, '[');
  EXPECT_THAT(changed(R"({"files": [{"name": "device.cpp", "text": )" + deep + std::string(100'000, ']') + "}]}"),
              HasSubstr("\"text\" that is none"));
  EXPECT_THAT(
    changed(R"({"files": [{"name": "device.cpp", "text": "a", "edits": [{"search": "one", "replace": "1"}]}]})"),
    HasSubstr("a text and edits"));
  EXPECT_THAT(changed(R"({"files": [{"name": "device.cpp", "edits": [{"search": "one"}]}]})"),
              HasSubstr("has no text \"replace\""));
  EXPECT_THAT(changed(R"({"files": [{"name": "device.cpp", "text": "a"}, {"name": "device.cpp", "text": "b"}]})"),
              HasSubstr("more than one entry"));
  EXPECT_THAT(changed(R"({"files": [{"name": "device.cpp", "text": "a"},
                                    {"name": "launch.toml", "edits": [{"search": "x", "replace": ""}]}]})"),
              HasSubstr("mixes whole files and edits"));
}

TEST(AnswerTest, WhatIsNoAnswerIsRefused)
{
  EXPECT_THAT(changed("I would tile the loops."), HasSubstr("neither device.cpp"));
  EXPECT_THAT(changed("```cpp\nint main("), HasSubstr("cut off"));
  EXPECT_THAT(changed("```cpp\na\n```\n```cpp\nb\n```"), HasSubstr("more than one code block"));
  EXPECT_THAT(changed("```cpp\na\n```\n```cpp\n<<<<<<< SEARCH\none\n=======\nx\n>>>>>>> REPLACE\n```"),
              HasSubstr("mixes"));
}

TEST(TemplateTest, NamesAndSections)
{
  const TemplateValues values{{"a", "1"}, {"none", ""}, {"b", "x\ny"}};
  EXPECT_EQ(fill_template("{{a}} and {{b}}\n", values, "t").value(), "1 and x\ny\n");
  EXPECT_EQ(
    fill_template("{{?a}}\nseen {{a}}\n{{/a}}\n{{?none}}\nhidden {{none}}\n{{/none}}\nend\n", values, "t").value(),
    "seen 1\nend\n");
}

TEST(TemplateTest, NoPromptGoesOutWithAHole)
{
  const TemplateValues values{{"a", "1"}};
  EXPECT_THAT(fill_template("x\n{{b}}", values, "pass.md").error().text(), HasSubstr("pass.md:2"));
  EXPECT_FALSE(fill_template("{{a", values, "t"));
  EXPECT_FALSE(fill_template("{{?a}}\n", values, "t"));
  EXPECT_FALSE(fill_template("{{/a}}\n", values, "t"));
}

} // namespace
} // namespace hone::rewrite
