#include "program/region.h"

#include "program/source_mask.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

namespace hone::program {

namespace {

constexpr std::string_view k_begin_mark = "hone: region begin";
constexpr std::string_view k_end_mark = "hone: region end";

bool is_word_character(char c)
{
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

int line_of(std::string_view text, std::size_t at)
{
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// Behind the bracket that closes the one at `at`; npos where there is none.
std::size_t behind_pair(std::string_view code, std::size_t at, char open, char close)
{
  int depth = 0;
  for (std::size_t i = at; i < code.size(); ++i) {
    depth += code[i] == open ? 1 : code[i] == close ? -1 : 0;
    if (depth == 0) {
      return i + 1;
    }
  }
  return code.npos;
}

std::size_t skip_blanks(std::string_view code, std::size_t at)
{
  return std::min(code.find_first_not_of(" \t\r\n", at), code.size());
}

// The opening brace of the body, where what follows the parameters makes this a definition.
std::optional<std::size_t> body_after(std::string_view code, std::size_t at)
{
  for (at = skip_blanks(code, at); at < code.size(); at = skip_blanks(code, at)) {
    if (code[at] == '{') {
      return at;
    }
    if (is_word_character(code[at])) { // const, noexcept, a trailing type
      while (at < code.size() && is_word_character(code[at])) {
        ++at;
      }
    } else if (code[at] == '(') { // noexcept(...), __attribute__((...))
      at = behind_pair(code, at, '(', ')');
    } else if (code.substr(at, 2) == "->" || code.substr(at, 2) == "::") {
      at += 2;
    } else if (code[at] == '<' || code[at] == '>' || code[at] == '&' || code[at] == '*' || code[at] == ',') {
      ++at;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

// Where the declaration begins whose name stands at `name`.
std::size_t declaration_begin(std::string_view code, std::size_t name)
{
  std::size_t begin = name;
  while (begin > 0) {
    const char c = code[begin - 1];
    const bool label = c == ':' && (begin < 2 || code[begin - 2] != ':') && code[begin] != ':';
    if (c == ';' || c == '}' || c == '{' || label) {
      break;
    }
    --begin;
  }
  return skip_blanks(code, begin);
}

// Whether what stands before a name can be the type of a function, and not of an expression.
bool follows_a_type(std::string_view code, std::size_t begin, std::size_t name)
{
  std::string type(code.substr(begin, name - begin));
  constexpr std::string_view k_attribute = "__attribute__";
  for (std::size_t at = type.find(k_attribute); at != type.npos; at = type.find(k_attribute)) {
    const std::size_t open = skip_blanks(type, at + k_attribute.size());
    const std::size_t end = open < type.size() && type[open] == '(' ? behind_pair(type, open, '(', ')') : open;
    type.erase(at, std::min(end, type.size()) - at);
  }
  const std::string_view before = trim(type);
  if (before.empty() || before.find_first_of("=()+/!|?") != before.npos) {
    return false;
  }
  for (const std::string_view word : {"return", "else", "new", "throw", "case"}) {
    if (before == word || (before.starts_with(word) && !is_word_character(before[word.size()]))) {
      return false;
    }
  }
  return true;
}

Result<Region> find_function(std::string_view text, const RegionSpec& spec, const std::string& origin)
{
  const std::string code = code_only(text);
  std::vector<Region> found;
  for (std::size_t at = code.find(spec.function); at != code.npos; at = code.find(spec.function, at + 1)) {
    const std::size_t end = at + spec.function.size();
    if ((at > 0 && is_word_character(code[at - 1])) || (end < code.size() && is_word_character(code[end]))) {
      continue;
    }
    const std::size_t open = skip_blanks(code, end);
    if (open >= code.size() || code[open] != '(') {
      continue;
    }
    const std::size_t close = behind_pair(code, open, '(', ')');
    const auto body = close == code.npos ? std::nullopt : body_after(code, close);
    const std::size_t begin = declaration_begin(code, at);
    if (!body || begin >= at || !follows_a_type(code, begin, at)) {
      continue;
    }
    const std::size_t last = behind_pair(code, *body, '{', '}');
    if (last == code.npos) {
      return fail(fmt::format("the braces of '{}' do not match", spec.function), "", {origin, line_of(text, *body), 0});
    }
    found.push_back({begin, last, line_of(text, begin), line_of(text, last - 1), *body + 1, last - 1,
                     std::string(text.substr(begin, last - begin))});
  }
  if (found.empty()) {
    return fail(fmt::format("'{}' is not defined in this file", spec.function),
                "name a function whose definition stands here, give lines = [first, last], or mark the region with "
                "'// hone: region begin' and '// hone: region end'",
                {origin, 1, 0});
  }
  if (found.size() > 1) {
    return fail(fmt::format("'{}' is defined {} times in this file", spec.function, found.size()),
                "give lines = [first, last] in place of the function", {origin, found[1].first_line, 0});
  }
  return found.front();
}

Result<Region> lines_region(std::string_view text, int first, int last, const std::string& origin)
{
  std::size_t begin = 0, end = 0;
  int line = 1;
  for (; line < first && begin < text.size(); ++line) {
    begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  }
  end = begin;
  for (; line <= last && end < text.size(); ++line) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  if (line <= last || begin >= end) {
    return fail(fmt::format("this file has no lines {} to {}", first, last), "give lines = [first, last], from 1",
                {origin, 1, 0});
  }
  return Region{begin, end, first, last, 0, 0, std::string(text.substr(begin, end - begin))};
}

Result<Region> marked_region(std::string_view text, const std::string& origin)
{
  const std::size_t begin = text.find(k_begin_mark);
  const std::size_t end = begin == text.npos ? begin : text.find(k_end_mark, begin);
  if (end == text.npos) {
    return fail("this file has no marked region",
                "write '// hone: region begin' and '// hone: region end' around it, or name a function or lines",
                {origin, 1, 0});
  }
  if (text.find(k_begin_mark, begin + 1) != text.npos) {
    return fail("this file has two marked regions", "one program has one region of interest",
                {origin, line_of(text, text.find(k_begin_mark, begin + 1)), 0});
  }
  return lines_region(text, line_of(text, begin) + 1, line_of(text, end) - 1, origin);
}

} // namespace

Result<Region> find_region(std::string_view text, const RegionSpec& spec, const std::string& origin)
{
  if (!spec.function.empty()) {
    return find_function(text, spec, origin);
  }
  return spec.first > 0 ? lines_region(text, spec.first, spec.last, origin) : marked_region(text, origin);
}

std::string with_region(std::string_view text, const Region& region, std::string_view replacement)
{
  std::string headers, rest;
  const std::string masked = without_comments(replacement);
  std::size_t begin = 0;
  while (begin < replacement.size()) {
    const std::size_t end = std::min(replacement.find('\n', begin), replacement.size() - 1) + 1;
    const std::string_view line = trim(std::string_view(masked).substr(begin, end - begin));
    const bool is_header = line.starts_with('#') && trim(line.substr(1)).starts_with("include");
    (is_header ? headers : rest) += replacement.substr(begin, end - begin);
    begin = end;
  }
  if (region.body == 0 && !rest.ends_with('\n')) {
    rest += '\n'; // lines end
  } else if (region.body != 0) {
    rest = trim(rest); // and a function does not end in one
  }
  return headers + std::string(text.substr(0, region.begin)) + rest + std::string(text.substr(region.end));
}

std::string emptied(std::string_view text, const RegionSpec& spec, const Region& region)
{
  if (spec.function.empty()) {
    return "\n";
  }
  const std::string code = code_only(region.text);
  const std::string_view head = std::string_view(code).substr(0, code.find(spec.function));
  const bool returns_nothing = head.find("void") != head.npos && head.find('*') == head.npos;
  const std::string before(text.substr(region.begin, region.body - region.begin));
  return before + (returns_nothing ? " }" : " return {}; }");
}

std::string to_text(const RegionSpec& spec, const Region& region)
{
  return fmt::format("{}:{}-{}{}", spec.file, region.first_line, region.last_line,
                     spec.function.empty() ? "" : fmt::format(", {}()", spec.function));
}

} // namespace hone::program
