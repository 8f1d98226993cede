#include "import/c_tokens.h"

#include <algorithm>
#include <cctype>

namespace hone::import {

namespace {

bool in_word(char letter)
{
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::size_t end_of_quoted(std::string_view text, std::size_t at)
{
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote; ++at) {
    at += text[at] == '\\' ? 1 : 0;
  }
  return std::min(at + 1, text.size());
}

std::size_t end_of_token(std::string_view text, std::size_t at)
{
  if (in_word(text[at])) {
    std::size_t end = at;
    while (end < text.size() && (in_word(text[end]) || (text[end] == '.' && text[at] <= '9'))) {
      ++end;
    }
    return end;
  }
  if (text[at] == '"' || text[at] == '\'') {
    return end_of_quoted(text, at);
  }
  for (const std::string_view longer : {"<<<", ">>>", "::"}) {
    if (text.substr(at).starts_with(longer)) {
      return at + longer.size();
    }
  }
  return at + 1;
}

} // namespace

std::vector<CToken> tokens_of(std::string_view text)
{
  std::vector<CToken> out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
    } else if (rest.starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (rest.starts_with("/*")) {
      at = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
    } else {
      const std::size_t end = end_of_token(text, at);
      const bool name = in_word(text[at]) && std::isdigit(static_cast<unsigned char>(text[at])) == 0;
      out.push_back({text.substr(at, end - at), at, end, name});
      at = end;
    }
  }
  return out;
}

int line_at(std::string_view text, std::size_t byte)
{
  return 1 + static_cast<int>(std::ranges::count(text.substr(0, byte), '\n'));
}

std::size_t behind_closing(const std::vector<CToken>& tokens, std::size_t open)
{
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const std::string_view text = tokens[i].text;
    depth += text == "(" || text == "[" || text == "{" ? 1 : 0;
    depth -= text == ")" || text == "]" || text == "}" ? 1 : 0;
    if (depth == 0) {
      return i + 1;
    }
  }
  return tokens.size();
}

} // namespace hone::import
