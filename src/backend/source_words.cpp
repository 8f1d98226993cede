#include "backend/source_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <string_view>

namespace hone::backend {
namespace {

// The length of the string or character literal at the start of `text`, which ends at its line's end at the latest.
std::size_t literal_length(std::string_view text)
{
  for (std::size_t at = 1; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == text[0]) {
      return at + 1;
    }
  }
  return 1;
}

std::size_t comment_length(std::string_view text)
{
  if (text.starts_with("//")) {
    return std::min(text.find('\n'), text.size());
  }
  if (text.starts_with("/*")) {
    const std::size_t end = text.find("*/", 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  return 0;
}

bool is_word_character(char c)
{
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

} // namespace

std::string visible_code(std::string text)
{
  static const std::regex continued("\\\\[ \\t\\v\\f\\r]*\\n"); // compilers forgive blanks after the backslash
  text = std::regex_replace(text, continued, "");
  std::string code;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::size_t length = comment_length(rest);
    if (length > 0) {
      code += ' ';
    } else {
      length = rest.front() == '"' || rest.front() == '\'' ? literal_length(rest) : 1;
      code += rest.substr(0, length);
    }
    rest.remove_prefix(length);
  }
  return code;
}

std::vector<std::string> words_of(const std::string& code)
{
  std::vector<std::string> words(1);
  for (const char c : code) {
    if (is_word_character(c)) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

std::string without_joints(const std::string& source)
{
  static const std::regex joint("(^|\n)[ \t]*#[ \t]*(include[ \t]*\"macros\\.h\"|pragma[ \t]+once)[^\n]*");
  return std::regex_replace(source, joint, "$1");
}

std::string macros_of(const BuildInput& input)
{
  std::string out;
  for (const auto& [name, value] : input.point) {
    out += fmt::format("#define {} {}\n", name, value);
  }
  if (input.kernel.also == kernel::AlsoSizes::timed) {
    for (const auto& [name, value] : input.sizes) {
      out += fmt::format("#define HONE_SIZE_{} {}\n", name, value);
    }
  }
  return out;
}

} // namespace hone::backend
