#include "backend/cpu/assembly_text.h"

#include <array>
#include <cctype>

namespace hone::backend::cpu {
namespace {

bool is_space(char c)
{
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

bool is_of_name(char c)
{
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$';
}

} // namespace

std::string_view trimmed(std::string_view text)
{
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

std::string to_lower(std::string_view text)
{
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

std::string_view take_line(std::string_view& text)
{
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view take_word(std::string_view& text)
{
  text = trimmed(text);
  const std::string_view word(text.begin(), std::ranges::find_if(text, is_space));
  text = trimmed(text.substr(word.size()));
  return word;
}

std::vector<std::string_view> take_labels(std::string_view& statement)
{
  std::vector<std::string_view> labels;
  while (true) {
    statement = trimmed(statement);
    const std::string_view name(statement.begin(), std::ranges::find_if_not(statement, is_of_name));
    const std::string_view rest = trimmed(statement.substr(name.size()));
    if (name.empty() || !rest.starts_with(':')) {
      return labels;
    }
    labels.push_back(name);
    statement = rest.substr(1);
  }
}

bool is_prefix(std::string_view word)
{
  using namespace std::literals;
  constexpr std::array k_prefixes{"lock"sv, "rep"sv, "repe"sv,   "repz"sv,   "repne"sv,    "repnz"sv,   "notrack"sv,
                                  "bnd"sv,  "cs"sv,  "data16"sv, "addr32"sv, "data32"sv,   "addr16"sv,  "ds"sv,
                                  "es"sv,   "fs"sv,  "gs"sv,     "ss"sv,     "xacquire"sv, "xrelease"sv};
  return holds(k_prefixes, word) || word.starts_with("rex") || word.starts_with("{");
}

} // namespace hone::backend::cpu
