#include "backend/cpu/assembly_rules.h"

#include "backend/cpu/assembly_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <vector>

namespace hone::backend::cpu {
namespace {

using namespace std::literals;

constexpr std::string_view k_begin = "#APP", k_end = "#NO_APP";
constexpr std::array k_directives{".p2align"sv, ".align"sv, ".balign"sv};
constexpr std::array k_on_the_stack{"push"sv, "pop"sv, "enter"sv, "leave"sv, "ret"sv, "iret"sv};
constexpr std::array k_stack_pointers{"%rsp"sv, "%esp"sv, "%sp"sv, "%spl"sv};

// Local numeric labels (1f, 2b), and the compiler's own.
bool is_local_label(std::string_view name)
{
  const bool number =
    name.size() > 1 && (name.back() == 'f' || name.back() == 'b')
    && std::all_of(name.begin(), name.end() - 1, [](unsigned char c) { return std::isdigit(c) != 0; });
  return number || name.starts_with(".L");
}

// As an operand, not as a part of an address.
bool names_stack_pointer(std::string_view operands)
{
  const std::string small = to_lower(operands);
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

// `labels`: of the same piece of assembly.
std::string trouble_of(std::string_view statement, std::span<const std::string_view> labels)
{
  if (statement.empty()) {
    return {};
  }
  std::string_view operands = statement;
  std::string mnemonic = to_lower(take_word(operands));
  const auto begins = [&](std::string_view begin) { return mnemonic.starts_with(begin); };
  if (begins(".")) {
    return holds(k_directives, mnemonic) ? "" : fmt::format("gives the directive {}", mnemonic);
  }
  if (operands.starts_with("=")) {
    return fmt::format("gives {} a value", mnemonic);
  }
  while (is_prefix(mnemonic) && !operands.empty()) {
    mnemonic = to_lower(take_word(operands));
  }
  if (std::ranges::any_of(k_on_the_stack, begins) && !begins("popcnt")) {
    return fmt::format("uses the stack by {}", mnemonic);
  }
  if (begins("call") || begins("lcall") || begins("xbegin")) {
    return fmt::format("calls by {}", statement);
  }
  if ((begins("j") || begins("loop") || begins("ljmp")) && !is_local_label(operands) && !holds(labels, operands)) {
    return fmt::format("jumps by {}", statement);
  }
  if (names_stack_pointer(operands)) {
    return fmt::format("uses the stack pointer by {}", statement);
  }
  return {};
}

// Split at each semicolon, also inside quotes, so that nothing can hide behind one.
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

// Strings in the library's own headers; no directive begins like this.
constexpr std::array k_known_strings{"Argument x too large in __bessel_jn; "sv, "in __bessel_ik; "sv};
constexpr std::array k_keywords{"asm"sv, "__asm"sv, "__asm__"sv};
constexpr std::array k_qualifiers{"volatile"sv, "__volatile"sv, "__volatile__"sv, "goto"sv,
                                  "inline"sv,   "__inline"sv,   "__inline__"sv};

struct Token {
  enum class Kind { word, string, raw_string, sign };
  Kind kind = Kind::sign;
  std::string_view text; // of a string: without its quotes
};

bool is_of_word(char c)
{
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

// At an opening quote: removes the quoted text with both quotes and returns it without them.
std::string_view take_quoted(std::string_view& line)
{
  std::size_t end = 1;
  while (end < line.size() && line[end] != line.front()) {
    end += line[end] == '\\' ? 2 : 1;
  }
  const std::string_view contents = line.substr(1, std::min(end, line.size()) - 1);
  line.remove_prefix(std::min(end + 1, line.size()));
  return contents;
}

// Numbers may contain single quotes.
std::string_view take_word_or_number(std::string_view& line)
{
  const bool number = std::isdigit(static_cast<unsigned char>(line.front())) != 0;
  const auto end = std::ranges::find_if_not(line, [&](char c) { return is_of_word(c) || (number && c == '\''); });
  const std::string_view word(line.begin(), end);
  line.remove_prefix(word.size());
  return word;
}

// Of preprocessed text, without line markers and pragmas.
std::vector<Token> tokens_of(std::string_view text)
{
  std::vector<Token> tokens;
  while (!text.empty()) {
    std::string_view line = trimmed(take_line(text));
    if (line.starts_with('#')) {
      continue;
    }
    bool raw = false;
    while (!line.empty()) {
      if (line.front() == '"') {
        tokens.push_back({raw ? Token::Kind::raw_string : Token::Kind::string, take_quoted(line)});
      } else if (line.front() == '\'') {
        take_quoted(line);
      } else if (is_of_word(line.front())) {
        tokens.push_back({Token::Kind::word, take_word_or_number(line)});
        raw = tokens.back().text.ends_with('R');
        continue;
      } else {
        if (std::isspace(static_cast<unsigned char>(line.front())) == 0) {
          tokens.push_back({Token::Kind::sign, line.substr(0, 1)});
        }
        line.remove_prefix(1);
      }
      raw = false;
    }
  }
  return tokens;
}

// Contents that are allowed in an assembly template with operands.
bool is_for_instructions(std::string_view contents)
{
  for (std::size_t at = contents.find('\\'); at != std::string_view::npos; at = contents.find('\\', at + 2)) {
    if (at + 1 == contents.size() || !"nt\\\"'"sv.contains(contents[at + 1])) {
      return false;
    }
  }
  return !contents.contains('#');
}

// Contents that are allowed elsewhere: names of sections and symbols reach the assembler unchanged.
bool is_for_names(std::string_view contents)
{
  return contents.find_first_of("#;\\") == std::string_view::npos || holds(k_known_strings, contents);
}

} // namespace

std::string assembly_violation(std::string_view assembly)
{
  bool inside = false;
  std::vector<std::string_view> statements, labels; // of one piece
  while (!assembly.empty()) {
    const std::string_view line = take_line(assembly);
    const std::string_view mark = trimmed(line);
    if (inside && mark != k_end) {
      for (std::string_view statement : statements_of(line)) {
        const std::vector<std::string_view> more = take_labels(statement);
        labels.insert(labels.end(), more.begin(), more.end());
        statements.push_back(statement);
      }
      continue;
    }
    inside = mark == k_begin;
    for (const std::string_view statement : statements) {
      if (std::string trouble = trouble_of(statement, labels); !trouble.empty()) {
        return "has assembly that " + trouble
               + "; inline assembly may use registers, memory and its own labels only: write the rest in C++";
      }
    }
    statements.clear();
    labels.clear();
  }
  return {};
}

std::string marker_forgery(std::string_view preprocessed)
{
  const std::vector<Token> tokens = tokens_of(preprocessed);
  const auto is_string = [&](std::size_t at) { return at < tokens.size() && tokens[at].kind == Token::Kind::string; };
  const auto is_sign = [&](std::size_t at, std::string_view sign) {
    return at < tokens.size() && tokens[at].kind == Token::Kind::sign && tokens[at].text == sign;
  };
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (tokens[at].kind == Token::Kind::raw_string || (is_string(at) && !is_for_names(tokens[at].text))) {
      return "has a raw string, or one with #, ; or \\, in a place from which it could reach the assembler: end "
             "assembly that has no operands with ::";
    }
    if (tokens[at].kind != Token::Kind::word || !holds(k_keywords, tokens[at].text)) {
      continue;
    }
    std::size_t begin = at + 1;
    while (begin < tokens.size() && holds(k_qualifiers, tokens[begin].text)) {
      ++begin;
    }
    std::size_t end = begin + 1;
    while (is_string(end)) {
      ++end;
    }
    if (!is_sign(begin, "(") || !is_sign(end, ":")) {
      continue; // not an assembly statement with operands
    }
    for (at = begin + 1; at < end; ++at) {
      if (!is_for_instructions(tokens[at].text)) {
        return "has assembly with #, or with escapes other than \\n, \\t, \\\\ and \\\": it could imitate the "
               "compiler's "
               "markers of inline assembly";
      }
    }
  }
  return {};
}

} // namespace hone::backend::cpu
