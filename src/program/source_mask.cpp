#include "program/source_mask.h"

#include <cctype>

namespace hone::program {

namespace {

// Writes blanks from `begin` to `end`, but for the ends of lines.
void blank(std::string& text, std::size_t begin, std::size_t end)
{
  for (std::size_t i = begin; i < end && i < text.size(); ++i) {
    text[i] = text[i] == '\n' ? '\n' : ' ';
  }
}

// Behind the quote that ends a literal which begins at `at`.
std::size_t end_of_literal(std::string_view text, std::size_t at)
{
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote || text[i] == '\n') {
      return i + 1;
    }
  }
  return text.size();
}

// Of R"x( ... )x" whose quote is at `at`.
std::size_t end_of_raw_literal(std::string_view text, std::size_t at)
{
  const std::size_t open = text.find('(', at);
  if (open == text.npos) {
    return text.size();
  }
  const std::string close = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
  const std::size_t end = text.find(close, open);
  return end == text.npos ? text.size() : end + close.size();
}

bool is_word(char c)
{
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

} // namespace

std::string without_comments(std::string_view text)
{
  std::string masked(text);
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at + 1;
    if (text.substr(at, 2) == "//") {
      end = at;
      do { // a comment whose line ends in a backslash goes on
        end = text.find('\n', end == at ? at : end + 1);
      } while (end != text.npos && end > 0 && text[end - 1] == '\\');
      end = end == text.npos ? text.size() : end;
      blank(masked, at, end);
    } else if (text.substr(at, 2) == "/*") {
      end = text.find("*/", at + 2);
      end = end == text.npos ? text.size() : end + 2;
      blank(masked, at, end);
    } else if (text[at] == '"' && at > 0 && text[at - 1] == 'R') {
      end = end_of_raw_literal(text, at);
      blank(masked, at + 1, end - 1);
    } else if (text[at] == '"' || (text[at] == '\'' && (at == 0 || !is_word(text[at - 1])))) { // 1'000 is a number
      end = end_of_literal(text, at);
      blank(masked, at + 1, end - 1);
    }
    at = end;
  }
  return masked;
}

std::string code_only(std::string_view text)
{
  std::string masked = without_comments(text);
  std::size_t begin = 0;
  while (begin < masked.size()) {
    std::size_t end = masked.find('\n', begin);
    end = end == masked.npos ? masked.size() : end;
    const std::size_t first = masked.find_first_not_of(" \t", begin);
    if (first < end && masked[first] == '#') {
      while (end < masked.size() && masked[end - 1] == '\\') {
        end = masked.find('\n', end + 1);
        end = end == masked.npos ? masked.size() : end;
      }
      blank(masked, begin, end);
      masked[end - 1] = ';';
    }
    begin = end + 1;
  }
  return masked;
}

} // namespace hone::program
