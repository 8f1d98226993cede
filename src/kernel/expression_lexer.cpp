#include "kernel/expression_lexer.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace hone::kernel {

namespace {

bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

class Lexer {
public:
  Lexer(std::string_view text, const SourceMap& map, std::vector<Error>& errors)
    : m_text(text), m_map(map), m_errors(errors)
  {
  }

  std::vector<Token> run()
  {
    while (m_offset < m_text.size()) {
      step();
    }
    push(TokenKind::end, "", m_text.size());
    return std::move(m_tokens);
  }

private:
  char peek(std::size_t ahead = 0) const { return m_offset + ahead < m_text.size() ? m_text[m_offset + ahead] : '\0'; }

  void push(TokenKind kind, std::string_view text, std::size_t offset)
  {
    m_tokens.push_back({kind, std::string(text), 0, false, m_map.at(offset)});
  }

  void step()
  {
    const char c = peek();
    if (c == '\n' || c == ';') {
      push(TokenKind::separator, m_text.substr(m_offset, 1), m_offset);
      ++m_offset;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++m_offset;
    } else if (c == '#') {
      while (m_offset < m_text.size() && peek() != '\n') {
        ++m_offset;
      }
    } else if (is_letter(c)) {
      read_name();
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      read_number();
    } else {
      read_symbol();
    }
  }

  void read_name()
  {
    const std::size_t start = m_offset;
    while (is_letter(peek()) || is_digit(peek())) {
      ++m_offset;
    }
    push(TokenKind::name, m_text.substr(start, m_offset - start), start);
  }

  void read_number()
  {
    const std::size_t start = m_offset;
    double value = 0;
    const char* first = m_text.data() + start;
    const char* last = m_text.data() + m_text.size();
    const auto [end, status] = std::from_chars(first, last, value);
    m_offset = start + static_cast<std::size_t>(end - first);
    const std::string_view text = m_text.substr(start, m_offset - start);
    const bool integer = text.find_first_of(".eE") == std::string_view::npos;
    constexpr double k_exact = 9007199254740992.0; // 2^53: larger integers are not exact in fp64
    if (status != std::errc{} || !std::isfinite(value) || (integer && value > k_exact)) {
      m_errors.push_back({fmt::format("the number '{}' is out of range", text),
                          "integers reach up to 2^53, other numbers up to 1.79e308", m_map.at(start)});
    }
    push(TokenKind::number, text, start);
    m_tokens.back().number = std::isfinite(value) ? value : 0;
    m_tokens.back().integer = integer && value <= k_exact;
  }

  void read_symbol()
  {
    constexpr std::array<std::string_view, 6> pairs{"==", "!=", "<=", ">=", "&&", "||"};
    for (const std::string_view pair : pairs) {
      if (m_text.substr(m_offset, 2) == pair) {
        push(TokenKind::symbol, pair, m_offset);
        m_offset += 2;
        return;
      }
    }
    constexpr std::string_view singles = "+-*/%<>=!()[]{},";
    if (singles.find(peek()) != std::string_view::npos) {
      push(TokenKind::symbol, m_text.substr(m_offset, 1), m_offset);
    } else {
      report_stranger();
    }
    ++m_offset;
  }

  void report_stranger()
  {
    const char c = peek();
    std::string hint;
    if (c == '^') {
      hint = "a power is written pow(x, y)";
    } else if (c == '&' || c == '|') {
      hint = fmt::format("'and' is written &&, 'or' is written ||");
    } else if (c == '?' || c == ':') {
      hint = "a choice is written select(condition, then, else)";
    }
    const bool printable = c >= ' ' && c <= '~';
    m_errors.push_back({printable ? fmt::format("the character '{}' has no meaning in an expression", c)
                                  : "a character that has no meaning in an expression",
                        hint, m_map.at(m_offset)});
    // The other bytes of a multi-byte character are not worth an error each.
    while ((static_cast<unsigned char>(peek(1)) & 0xC0) == 0x80) {
      ++m_offset;
    }
  }

  std::string_view m_text;
  const SourceMap& m_map;
  std::vector<Error>& m_errors;
  std::size_t m_offset = 0;
  std::vector<Token> m_tokens;
};

// True for words after which a statement cannot end.
bool wants_more(const Token& token)
{
  return (token.kind == TokenKind::symbol && token.text != ")" && token.text != "]" && token.text != "}")
         || (token.kind == TokenKind::name && token.text == "where");
}

// True for words that cannot begin a statement.
bool continues(const Token& token)
{
  return (token.kind == TokenKind::symbol && token.text != "}")
         || (token.kind == TokenKind::name && token.text == "where");
}

std::vector<Token> without_soft_breaks(std::vector<Token> tokens)
{
  std::vector<Token> out;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Token& token = tokens[i];
    if (token.kind == TokenKind::symbol) {
      depth += token.text == "(" || token.text == "[" ? 1 : token.text == ")" || token.text == "]" ? -1 : 0;
    }
    if (token.kind == TokenKind::separator && token.text == ";") {
      depth = 0; // a semicolon ends a statement whatever is still open
    }
    if (token.kind == TokenKind::separator && token.text == "\n") {
      std::size_t next = i + 1;
      while (tokens[next].kind == TokenKind::separator && tokens[next].text == "\n") {
        ++next;
      }
      if (depth > 0 || (!out.empty() && wants_more(out.back())) || continues(tokens[next])) {
        continue;
      }
    }
    out.push_back(std::move(token));
  }
  return out;
}

} // namespace

std::vector<Token> tokenize(std::string_view text, const SourceMap& map, std::vector<Error>& errors)
{
  return without_soft_breaks(Lexer(text, map, errors).run());
}

} // namespace hone::kernel
