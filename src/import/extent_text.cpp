#include "import/extent_text.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace hone::import {

namespace {

class ExtentParser {
public:
  explicit ExtentParser(std::string_view text) : m_text(text) {}

  std::optional<Polynomial> parse()
  {
    auto out = sum();
    return out && peek() == '\0' ? out : std::nullopt;
  }

private:
  char peek()
  {
    while (m_at < m_text.size() && m_text[m_at] == ' ') {
      ++m_at;
    }
    return m_at < m_text.size() ? m_text[m_at] : '\0';
  }

  std::optional<Polynomial> sum()
  {
    auto out = product();
    while (out && (peek() == '+' || peek() == '-')) {
      const bool minus = m_text[m_at++] == '-';
      const auto next = product();
      out = !next ? std::nullopt : std::optional(minus ? *out - *next : *out + *next);
    }
    return out;
  }

  std::optional<Polynomial> product()
  {
    auto out = factor();
    while (out && (peek() == '*' || peek() == '/')) {
      const bool divides = m_text[m_at++] == '/';
      const auto next = factor();
      if (divides && next && !next->terms.empty()) {
        out = polynomial_of(*kernel::make_binary("/", expression_of(*out), expression_of(*next)));
      } else {
        out = !next || divides ? std::nullopt : std::optional(*out * *next);
      }
    }
    return out;
  }

  std::optional<Polynomial> factor()
  {
    if (peek() == '(') {
      ++m_at;
      auto out = sum();
      return out && peek() == ')' ? (++m_at, out) : std::nullopt;
    }
    std::string word;
    while (m_at < m_text.size()
           && (std::isalnum(static_cast<unsigned char>(m_text[m_at])) != 0 || m_text[m_at] == '_')) {
      word += m_text[m_at++];
    }
    if (word.empty() || word.size() > 18) {
      return std::nullopt;
    }
    const bool number = std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
    return number ? Polynomial::constant(std::stoll(word)) : polynomial_of(*kernel::make_extent(word));
  }

  std::string_view m_text;
  std::size_t m_at = 0;
};

} // namespace

std::optional<Polynomial> extent_from(std::string_view text)
{
  return ExtentParser(text).parse();
}

} // namespace hone::import
