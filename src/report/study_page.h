// What a study found -> one self-contained HTML page: each group's figure with its interval in a chart, then the table.
#pragma once

#include "util/stats.h"

#include <string>
#include <utility>
#include <vector>

namespace hone::report {

struct StudyMark {
  std::string group;
  std::string text;           // the figure as readers see it: "7 of 10"
  double middle = 0;          // where its mark stands on the axis
  Interval range;             // around it
  std::vector<double> single; // runs, as small marks; may be empty
};

struct StudyPage {
  std::string title, summary;
  std::vector<std::pair<std::string, std::string>> conditions; // "model", "openai/gpt-5-mini"
  std::string axis;                                            // what its values are
  bool shares = false; // they go from 0 to 1, as percentages; else ratios above 0
  std::vector<StudyMark> marks;
  std::vector<std::vector<std::string>> table; // the first row names the columns
  std::string note;                            // why it ended early
};

std::string study_page(const StudyPage& page);

} // namespace hone::report
