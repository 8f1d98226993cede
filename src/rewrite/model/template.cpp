#include "rewrite/model/template.h"

#include "util/text.h"

#include <fmt/format.h>

namespace hone::rewrite {
namespace {

Result<const std::string*> value_of(std::string_view name, const TemplateValues& values, const Place& place)
{
  const auto value = values.find(std::string(name));
  if (value == values.end()) {
    std::vector<std::string> known;
    for (const auto& [key, unused] : values) {
      known.push_back(key);
    }
    return fail(fmt::format("nothing is known about {{{{{}}}}}", name), "the names are: " + join(known, ", "), place);
  }
  return &value->second;
}

Result<std::string> fill_line(std::string_view line, const TemplateValues& values, const Place& place)
{
  std::string out;
  for (;;) {
    const std::size_t open = line.find("{{");
    out += line.substr(0, open);
    if (open == std::string_view::npos) {
      return out;
    }
    const std::size_t close = line.find("}}", open);
    if (close == std::string_view::npos) {
      return fail("\"{{\" without \"}}\"", "", place);
    }
    HONE_TRY(const std::string* const value, value_of(line.substr(open + 2, close - open - 2), values, place));
    out += *value;
    line.remove_prefix(close + 2);
  }
}

} // namespace

Result<std::string> fill_template(std::string_view text, const TemplateValues& values, const std::string& origin)
{
  std::string out;
  std::string open; // the section we are in
  bool shown = true;
  Place place{origin, 0, 0};
  for (const std::string& line : split(text, '\n')) {
    ++place.line;
    const std::string_view bare = trim(line);
    const bool is_mark = bare.ends_with("}}");
    if (is_mark && bare.starts_with("{{?")) {
      if (!open.empty()) {
        return fail("a section inside a section", "end the first one before", place);
      }
      open = bare.substr(3, bare.size() - 5);
      HONE_TRY(const std::string* const value, value_of(open, values, place));
      shown = !value->empty();
    } else if (is_mark && bare.starts_with("{{/")) {
      if (open != bare.substr(3, bare.size() - 5)) {
        return fail(fmt::format("{} ends a section that was not begun", bare), "", place);
      }
      open.clear();
      shown = true;
    } else if (shown) {
      HONE_TRY(const std::string filled, fill_line(line, values, place));
      out += filled + "\n";
    }
  }
  if (!open.empty()) {
    return fail(fmt::format("the section {{{{?{}}}}} does not end", open), "", place);
  }
  while (out.ends_with("\n\n")) {
    out.pop_back();
  }
  return out;
}

} // namespace hone::rewrite
