#include "backend/cpu/assembly_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace hone::cpu {
namespace {

using namespace std::literals;

constexpr std::string_view k_begin = "#APP", k_end = "#NO_APP";
constexpr std::array k_directives{".p2align"sv, ".align"sv, ".balign"sv};
constexpr std::array k_prefixes{"lock"sv, "rep"sv, "repe"sv, "repz"sv, "repne"sv, "repnz"sv, "notrack"sv, "bnd"sv};
constexpr std::array k_on_the_stack{"push"sv, "pop"sv, "enter"sv, "leave"sv, "ret"sv, "iret"sv};
constexpr std::array k_stack_pointers{"%rsp"sv, "%esp"sv, "%sp"sv, "%spl"sv};

bool is_space(char c)
{
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

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

std::string_view line_of(std::string_view& text)
{
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view take_word(std::string_view& text)
{
  text = trimmed(text);
  const auto end = std::ranges::find_if(text, is_space);
  const std::string_view word(text.begin(), end);
  text = trimmed(text.substr(word.size()));
  return word;
}

std::string in_small_letters(std::string_view text)
{
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

// Numbers with f or b behind them, and the compiler's own.
bool is_label_at_hand(std::string_view name)
{
  const bool number = name.size() > 1 && (name.back() == 'f' || name.back() == 'b')
                      && std::all_of(name.begin(), name.end() - 1,
                                     [](unsigned char c) { return std::isdigit(c) != 0; });
  return number || name.starts_with(".L");
}

std::string_view without_labels(std::string_view statement)
{
  const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$'; };
  while (true) {
    statement = trimmed(statement);
    const auto end = std::ranges::find_if_not(statement, is_name);
    if (end == statement.begin() || end == statement.end() || *end != ':') {
      return statement;
    }
    statement.remove_prefix(static_cast<std::size_t>(end - statement.begin()) + 1);
  }
}

// As an operand, not in an address.
bool names_stack_pointer(std::string_view operands)
{
  const std::string small = in_small_letters(operands);
  return std::ranges::any_of(k_stack_pointers, [&](std::string_view name) {
    for (std::size_t at = small.find(name); at != std::string::npos; at = small.find(name, at + 1)) {
      const std::size_t behind = at + name.size();
      const bool whole = behind == small.size() || std::isalnum(static_cast<unsigned char>(small[behind])) == 0;
      const std::string_view before = trimmed(std::string_view(small).substr(0, at));
      if (whole && !before.ends_with('(')) {
        return true;
      }
    }
    return false;
  });
}

std::string trouble_of(std::string_view statement)
{
  statement = without_labels(statement);
  if (statement.empty()) {
    return {};
  }
  std::string_view operands = statement;
  std::string mnemonic = in_small_letters(take_word(operands));
  const auto begins = [&](std::string_view begin) { return mnemonic.starts_with(begin); };
  if (begins(".")) {
    return std::ranges::find(k_directives, mnemonic) != k_directives.end() ? ""
                                                                           : fmt::format("gives the directive {}", mnemonic);
  }
  if (operands.starts_with("=")) {
    return fmt::format("gives {} a value", mnemonic);
  }
  while (std::ranges::find(k_prefixes, mnemonic) != k_prefixes.end() && !operands.empty()) {
    mnemonic = in_small_letters(take_word(operands));
  }
  if (std::ranges::any_of(k_on_the_stack, begins) && !begins("popcnt")) {
    return fmt::format("uses the stack by {}", mnemonic);
  }
  if (begins("call") || begins("lcall") || begins("xbegin")) {
    return fmt::format("calls by {}", statement);
  }
  if ((begins("j") || begins("loop") || begins("ljmp")) && !is_label_at_hand(operands)) {
    return fmt::format("jumps by {}", statement);
  }
  if (names_stack_pointer(operands)) {
    return fmt::format("uses the stack pointer by {}", statement);
  }
  return {};
}

std::vector<std::string_view> statements_of(std::string_view line)
{
  std::vector<std::string_view> statements;
  line = line.substr(0, line.find('#'));
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(';'), line.size());
    statements.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return statements;
}

// Neither the sign itself nor a way to write it within a string: no other escapes, no raw strings.
bool is_plain(std::string_view line)
{
  for (std::size_t at = line.find('\\'); at != std::string_view::npos; at = line.find('\\', at + 2)) {
    if (at + 1 == line.size() || !"nt\\\"'0"sv.contains(line[at + 1])) {
      return false;
    }
  }
  return !line.contains('#') && !line.contains("R\"");
}

} // namespace

bool holds_assembly(std::string_view assembly)
{
  while (!assembly.empty()) {
    if (trimmed(line_of(assembly)) == k_begin) {
      return true;
    }
  }
  return false;
}

std::string what_assembly_breaks(std::string_view assembly)
{
  bool inside = false;
  while (!assembly.empty()) {
    const std::string_view line = line_of(assembly);
    const std::string_view mark = trimmed(line);
    if (mark == k_begin || mark == k_end) {
      inside = mark == k_begin;
    } else if (inside) {
      for (const std::string_view statement : statements_of(line)) {
        if (std::string trouble = trouble_of(statement); !trouble.empty()) {
          return "has assembly that " + trouble
                 + ", of which the compiler, and whoever else looks at the stack, knows nothing: registers, memory and "
                   "labels at hand are free, all else is written in C++";
        }
      }
    }
  }
  return {};
}

std::string what_may_forge_marks(std::string_view preprocessed)
{
  while (!preprocessed.empty()) {
    const std::string_view line = line_of(preprocessed);
    const bool is_mark = trimmed(line).starts_with('#'); // where the lines that follow come from, or a pragma
    if (!is_mark && !is_plain(line)) {
      return "has assembly, and in its text the sign #, escapes beside \\n, \\t, \\\\ and \\\", or raw strings: what "
             "comes from assembly cannot be told from what does not";
    }
  }
  return {};
}

} // namespace hone::cpu
