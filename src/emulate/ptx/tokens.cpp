#include "emulate/ptx/tokens.h"

#include <algorithm>
#include <cctype>

namespace hone::emulate::ptx {

namespace {

bool is_word(char c)
{
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.' || c == '%' || c == '@';
}

} // namespace

std::vector<Token> tokens_of(std::string_view text)
{
  std::vector<Token> out;
  int line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      ++i;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
    } else if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i, 2) == "/*") {
      const std::size_t end = std::min(text.find("*/", i + 2), text.size() - 2);
      line += static_cast<int>(std::ranges::count(text.substr(i, end - i), '\n'));
      i = end + 2;
    } else if (c == '"') {
      const std::size_t end = std::min(text.find('"', i + 1), text.size() - 1);
      out.push_back({text.substr(i, end + 1 - i), line});
      i = end + 1;
    } else if (is_word(c) && c != '@') {
      std::size_t end = i + 1;
      while (end < text.size() && ((is_word(text[end]) && text[end] != '@') || text.substr(end, 2) == "::")) {
        end += text[end] == ':' ? 2 : 1;
      }
      out.push_back({text.substr(i, end - i), line});
      i = end;
    } else {
      out.push_back({text.substr(i, 1), line});
      ++i;
    }
  }
  return out;
}

} // namespace hone::emulate::ptx
