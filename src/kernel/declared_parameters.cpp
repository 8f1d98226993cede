#include "kernel/declared_parameters.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace hone::kernel {
namespace {

bool is_word(char c)
{
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Comments become a space. This is asked about every size that a candidate is tried at.
std::string without_comments(std::string_view text)
{
  std::string out;
  while (!text.empty()) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    out += text.substr(0, slash);
    text.remove_prefix(slash);
    if (text.starts_with("//") || text.starts_with("/*")) {
      const bool line = text[1] == '/';
      const std::size_t end = text.find(line ? "\n" : "*/", 2);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + (line ? 1 : 2));
      out += ' ';
    } else if (!text.empty()) {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

// From behind "(" to before its ")"; empty where there is none.
std::string_view in_parentheses(std::string_view text)
{
  int depth = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) {
      return text.substr(0, i);
    }
  }
  return {};
}

std::vector<std::string_view> parameters_in(std::string_view list)
{
  std::vector<std::string_view> parameters;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    depth += list[i] == '(' || list[i] == '<' ? 1 : list[i] == ')' || list[i] == '>' ? -1 : 0;
    if (list[i] == ',' && depth == 0) {
      parameters.push_back(list.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parameters.push_back(list.substr(begin));
  return parameters;
}

bool has_word(std::string_view text, std::string_view word)
{
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word(text[at - 1]);
    const std::size_t end = at + word.size();
    if (begins && (end == text.size() || !is_word(text[end]))) {
      return true;
    }
  }
  return false;
}

// A definition's or declaration's list: behind "void NAME(", not where it is called.
std::string_view list_of(std::string_view text, std::string_view kernel)
{
  for (std::size_t at = text.find(kernel); at != std::string_view::npos; at = text.find(kernel, at + 1)) {
    std::size_t open = at + kernel.size();
    while (open < text.size() && std::isspace(static_cast<unsigned char>(text[open])) != 0) {
      ++open;
    }
    std::size_t before = at;
    while (before > 0 && std::isspace(static_cast<unsigned char>(text[before - 1])) != 0) {
      --before;
    }
    const bool declared = before < at && text.substr(0, before).ends_with("void");
    if (declared && open < text.size() && text[open] == '(') {
      return in_parentheses(text.substr(open + 1));
    }
  }
  return {};
}

} // namespace

bool is_declared_const(std::string_view device_text, std::string_view kernel, std::size_t parameter)
{
  const std::string text = without_comments(device_text);
  const std::vector<std::string_view> parameters = parameters_in(list_of(text, kernel));
  if (parameter >= parameters.size()) {
    return false;
  }
  const std::size_t star = parameters[parameter].find('*');
  return star != std::string_view::npos && has_word(parameters[parameter].substr(0, star), "const");
}

} // namespace hone::kernel
