#include "ship/source_tokens.h"

#include <algorithm>

namespace hone::ship {

namespace {

using Kind = SourceToken::Kind;

bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

bool is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

// Where the literal that begins at `at` with a quote ends; at the end of the line where it is not closed.
std::size_t end_of_literal(std::string_view text, std::size_t at)
{
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote && text[at] != '\n') {
    at += text[at] == '\\' ? 2 : 1;
  }
  return std::min(text.size(), at + 1);
}

// Where R"x(...)x" ends, `at` being the quote.
std::size_t end_of_raw_literal(std::string_view text, std::size_t at)
{
  const std::size_t open = text.find('(', at);
  if (open == std::string_view::npos) {
    return text.size();
  }
  const std::string close = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
  const std::size_t end = text.find(close, open);
  return end == std::string_view::npos ? text.size() : end + close.size();
}

std::size_t end_of_comment(std::string_view text, std::size_t at)
{
  const bool is_block = text[at + 1] == '*';
  const std::size_t end = is_block ? text.find("*/", at + 2) : text.find('\n', at);
  return end == std::string_view::npos ? text.size() : is_block ? end + 2 : end;
}

template <class Predicate> std::size_t end_of_run(std::string_view text, std::size_t at, Predicate belongs)
{
  while (at < text.size() && belongs(text[at])) {
    ++at;
  }
  return at;
}

// The kind of the token at `at`, and where it ends.
std::pair<Kind, std::size_t> token_at(std::string_view text, std::size_t at)
{
  const char c = text[at];
  const char next = at + 1 < text.size() ? text[at + 1] : '\0';
  const auto in_word = [](char x) { return is_letter(x) || is_digit(x); };
  if (is_space(c)) {
    return {Kind::space, end_of_run(text, at, is_space)};
  }
  if (c == '/' && (next == '/' || next == '*')) {
    return {Kind::comment, end_of_comment(text, at)};
  }
  if (c == '"' || c == '\'') {
    return {Kind::literal, end_of_literal(text, at)};
  }
  if (is_digit(c) || (c == '.' && is_digit(next))) {
    return {Kind::number, end_of_run(text, at, [&](char x) { return in_word(x) || x == '.' || x == '\''; })};
  }
  if (is_letter(c)) {
    const std::size_t end = end_of_run(text, at, in_word);
    const bool is_raw = end < text.size() && text[end] == '"' && text[end - 1] == 'R' && end - at <= 3;
    return is_raw ? std::pair{Kind::literal, end_of_raw_literal(text, end)} : std::pair{Kind::word, end};
  }
  return {Kind::mark, at + 1};
}

} // namespace

std::vector<SourceToken> source_tokens(std::string_view text)
{
  std::vector<SourceToken> out;
  int line = 1;
  for (std::size_t at = 0; at < text.size();) {
    const auto [kind, end] = token_at(text, at);
    out.push_back({kind, std::string(text.substr(at, end - at)), line});
    line += static_cast<int>(std::ranges::count(out.back().text, '\n'));
    at = end;
  }
  return out;
}

std::string text_of(const std::vector<SourceToken>& tokens)
{
  std::string out;
  for (const SourceToken& token : tokens) {
    out += token.text;
  }
  return out;
}

std::set<std::string> words_of(std::string_view text)
{
  std::set<std::string> out;
  for (SourceToken& token : source_tokens(text)) {
    if (token.kind == Kind::word) {
      out.insert(std::move(token.text));
    }
  }
  return out;
}

std::string with_words(std::string_view text, const std::map<std::string, std::string>& replacements)
{
  std::vector<SourceToken> tokens = source_tokens(text);
  for (SourceToken& token : tokens) {
    const auto found = token.kind == Kind::word ? replacements.find(token.text) : replacements.end();
    if (found != replacements.end()) {
      token.text = found->second;
    }
  }
  return text_of(tokens);
}

} // namespace hone::ship
