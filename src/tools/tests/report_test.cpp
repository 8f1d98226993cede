// Reports: bounded, stable, the same as text and as JSON.
#include "tools/report.h"
#include "tools/tools.h"

#include <gtest/gtest.h>

#include <set>

namespace hone::tools {
namespace {

Report sample(int rows)
{
  Report report{"memory", "mine of matmul", {"most misses are those of line 7"}, {{"bytes", 123456.0, "B"}},
                {},       {"a part"}};
  Table& table = report.tables.emplace_back();
  table.title = "lines";
  table.columns = {{"line", ""}, {"misses", "%"}};
  for (int i = 0; i < rows; ++i) {
    table.rows.push_back({"device.cpp:" + std::to_string(i), 12.345});
  }
  return report;
}

TEST(ToolReport, ReadsLikeATable)
{
  EXPECT_EQ(to_text(sample(1)), "memory: mine of matmul\n"
                                "- most misses are those of line 7\n"
                                "bytes: 123456 B\n"
                                "lines:\n"
                                "  line          misses [%]\n"
                                "  device.cpp:0       12.35\n"
                                "note: a part\n");
}

// Would catch: a report that fills a model's context, or one that drops its diagnosis.
TEST(ToolReport, StaysWithinItsTokens)
{
  const Report report = sample(2000);
  for (const std::size_t tokens : {100u, 400u, 1000u}) {
    const std::string text = to_text(report, tokens);
    EXPECT_LE(tokens_of(text), tokens);
    EXPECT_TRUE(text.contains("most misses are those of line 7"));
    EXPECT_TRUE(text.contains(" more rows)"));
    EXPECT_TRUE(text.contains("device.cpp:0 ")) << "what weighs most comes first";
  }
}

TEST(ToolReport, ComesBackFromJson)
{
  const Report report = sample(3);
  const auto back = report_from_json(to_json(report));
  ASSERT_TRUE(back);
  EXPECT_EQ(to_text(*back), to_text(report));
  EXPECT_EQ(to_json(*back), to_json(report));
  EXPECT_FALSE(report_from_json(Json{{"tool", "memory"}}));
}

// Would catch: numbers of a clock that nobody can tell from those that are counted.
TEST(ToolReport, MarksWhatIsMeasured)
{
  Report report = sample(2);
  report.add_measured("it takes 3 us");
  report.values.push_back({"time", 3.1, "us", true});
  report.tables[0].columns[1].measured = true;
  const Json json = to_json(report);
  EXPECT_EQ(json["measured"], Json({"/diagnosis/1", "/values/1", "/tables/0/columns/1"}));
  const auto back = report_from_json(json);
  ASSERT_TRUE(back);
  EXPECT_EQ(to_json(*back), json);
  Json wrong = json;
  wrong["measured"].push_back("/values/9");
  EXPECT_FALSE(report_from_json(wrong));
}

// Would catch: two tools of one name, or a schema that does not say what an argument is.
TEST(ToolList, EveryToolHasANameASummaryAndASchema)
{
  std::set<std::string> names;
  for (const Tool* tool : tools()) {
    EXPECT_TRUE(names.insert(std::string(tool->name())).second) << tool->name();
    EXPECT_TRUE(tool->summary().ends_with('.')) << tool->name();
    const Json schema = input_schema(*tool);
    for (const auto& [name, argument] : schema.at("properties").items()) {
      EXPECT_FALSE(argument.at("description").get<std::string>().empty()) << tool->name() << "." << name;
      EXPECT_TRUE(argument.contains("default"));
    }
    EXPECT_TRUE(complete_arguments(*tool, Json::object()));
  }
  EXPECT_FALSE(find_tool("memry"));
}

TEST(ToolArguments, WhatIsUnknownOrOfAnotherTypeIsRefused)
{
  const Tool* tool = *find_tool("instructions");
  EXPECT_EQ(complete_arguments(*tool, Json{{"lines", 5}})->at("lines"), 5);
  const auto unknown = complete_arguments(*tool, Json{{"rows", 5}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().text(), "instructions takes no argument 'rows'\n  hint: it takes: lines");
  EXPECT_FALSE(complete_arguments(*tool, Json{{"lines", "five"}}));
}

} // namespace
} // namespace hone::tools
