#include "catalogue/document.h"

#include "util/text.h"

#include <algorithm>

namespace hone::catalogue {

namespace {

constexpr std::string_view k_fence = "+++";
constexpr std::string_view k_heading = "## ";

std::string joined_lines(const std::vector<std::string>& lines, std::size_t from, std::size_t to)
{
  return join(std::span(lines).subspan(from, to - from), "\n");
}

// Walks over the lines of a body and remembers whether it stands inside fenced code.
class CodeFence {
public:
  bool inside_after(std::string_view line)
  {
    const std::string_view text = trim(line);
    if (text.starts_with("```") || text.starts_with("~~~")) {
      m_inside = !m_inside;
    }
    return m_inside;
  }

private:
  bool m_inside = false;
};

std::vector<Section> cut_sections(const std::vector<std::string>& lines, std::size_t from)
{
  std::vector<Section> sections;
  std::size_t text_from = from;
  const auto close = [&](std::size_t to) {
    if (!sections.empty()) {
      sections.back().text = trim(joined_lines(lines, text_from, to));
    }
  };
  CodeFence fence;
  for (std::size_t i = from; i < lines.size(); ++i) {
    if (fence.inside_after(lines[i]) || !lines[i].starts_with(k_heading)) {
      continue;
    }
    close(i);
    const auto title = trim(std::string_view(lines[i]).substr(k_heading.size()));
    sections.push_back({std::string(title), static_cast<int>(i) + 1, {}});
    text_from = i + 1;
  }
  close(lines.size());
  return sections;
}

} // namespace

const Section* Document::find(std::string_view title) const
{
  const auto found = std::ranges::find(sections, title, &Section::title);
  return found == sections.end() ? nullptr : &*found;
}

Result<Document> split_document(std::string_view text, const std::string& origin)
{
  const std::vector<std::string> lines = split(text, '\n');
  if (trim(lines.front()) != k_fence) {
    return fail("a transformation begins with a TOML head: the first line must be '+++'",
                "put the head between two lines of '+++'; see transformations/README.md", Place{origin, 1, 1});
  }
  const auto is_fence = [](const std::string& line) { return trim(line) == k_fence; };
  const auto end = std::find_if(lines.begin() + 1, lines.end(), is_fence);
  if (end == lines.end()) {
    return fail("the TOML head is not closed: no second line '+++'",
                "close the head with a line '+++' before the Markdown text",
                Place{origin, static_cast<int>(lines.size()), 1});
  }
  const auto head_end = static_cast<std::size_t>(end - lines.begin());
  Document document;
  document.head = joined_lines(lines, 1, head_end);
  document.head_line = 2;
  document.body = trim(joined_lines(lines, head_end + 1, lines.size()));
  document.sections = cut_sections(lines, head_end + 1);
  return document;
}

} // namespace hone::catalogue
