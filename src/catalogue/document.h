// A Markdown text with a TOML head between two lines of `+++`, cut into its sections. (internal to the transform room)
#pragma once

#include "util/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace hone::catalogue {

// A part under a heading of the second level. Headings inside fenced code are text.
struct Section {
  std::string title;
  int line = 0;     // of the heading
  std::string text; // trimmed
};

struct Document {
  std::string head;
  int head_line = 0; // of the first line of the head
  std::string body;
  std::vector<Section> sections;

  const Section* find(std::string_view title) const;
};

Result<Document> split_document(std::string_view text, const std::string& origin);

} // namespace hone::catalogue
