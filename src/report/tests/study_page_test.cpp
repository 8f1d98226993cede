#include "report/study_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::report {
namespace {

using testing::HasSubstr;
using testing::Not;

StudyPage shares()
{
  StudyPage page;
  page.title = "How often steps come right: softmax";
  page.conditions = {{"model", "openai/small"}, {"nothing", ""}};
  page.axis = "attempts that were right in the end";
  page.shares = true;
  page.marks = {{"fuse-statements", "10 of 10", 1, {0.7, 1}, {}}, {"vectorize-rows", "0 of 10", 0, {0, 0.3}, {}}};
  page.table = {{"step", "right"}, {"fuse-statements", "10 of 10"}, {"vectorize-rows", "0 of 10"}};
  return page;
}

TEST(StudyPage, ShowsSharesWithTheirIntervals)
{
  const std::string html = study_page(shares());
  EXPECT_THAT(html, HasSubstr("<span>model</span>openai/small"));
  EXPECT_THAT(html, Not(HasSubstr("<span>nothing</span>")));
  EXPECT_THAT(html, HasSubstr("100 %"));
  // From 230 at 0 % to 920 at 100 %: 0 to 30 %, then a mark at 0.
  EXPECT_THAT(html, HasSubstr(R"(M230.0 56.0V66.0M230.0 61.0H437.0M437.0 56.0V66.0)"));
  EXPECT_THAT(html, HasSubstr(R"(<circle class="p-path" cx="230.0" cy="61.0" r="5"/>)"));
  EXPECT_THAT(html, HasSubstr("<td>0 of 10</td>"));
}

TEST(StudyPage, ShowsRunsAndLeavesOutWhatCameToNothing)
{
  StudyPage page;
  page.axis = "speed-up over the start";
  page.marks = {{"15 s", "2.00x", 2, {1.5, 4}, {1.5, 2, 4, 0}}, {"30 s", "-", 0, {0, 0}, {0, 0}}};
  const std::string html = study_page(page);
  std::size_t runs = 0;
  for (std::size_t at = html.find("p-over\" cx"); at != std::string::npos; at = html.find("p-over\" cx", at + 1)) {
    ++runs;
  }
  EXPECT_EQ(runs, 3u);
  EXPECT_THAT(html, Not(HasSubstr("nan")));
  EXPECT_THAT(html, Not(HasSubstr("inf")));
  EXPECT_THAT(html, Not(HasSubstr("-1e")));
}

TEST(StudyPage, EscapesWhatComesFromOutside)
{
  StudyPage page = shares();
  page.title = "<script>alert(1)</script>";
  page.marks.front().group = page.table[1][0] = page.conditions[0].second = page.note = page.title;
  EXPECT_THAT(study_page(page), Not(HasSubstr("<script")));
}

} // namespace
} // namespace hone::report
