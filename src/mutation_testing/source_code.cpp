#include "mutation_testing/source_code.h"

#include "util/util.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace hone::mutation_testing {

namespace {

constexpr std::array<std::string_view, 17> k_pairs{
  "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "->", "::", "<<", ">>"};

bool is_word(char c)
{
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Behind what no token is: blanks, comments, preprocessor lines.
std::size_t skip(const std::string& text, std::size_t at, bool& line_begins)
{
  while (at < text.size()) {
    const char c = text[at];
    if (c == '\n') {
      line_begins = true;
      ++at;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at;
    } else if (text.compare(at, 2, "//") == 0) {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.compare(at, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string::npos ? text.size() : end + 2;
    } else if (c == '#' && line_begins) {
      do {
        at = std::min(text.find('\n', at + 1), text.size());
      } while (at < text.size() && text[at - 1] == '\\');
    } else {
      return at;
    }
  }
  return at;
}

std::size_t end_of_token(const std::string& text, std::size_t at)
{
  const char c = text[at];
  if (is_word(c)) {
    const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
    std::size_t end = at + 1;
    while (
      end < text.size()
      && (is_word(text[end]) || (number && text[end] == '.')
          || (number && (text[end] == '-' || text[end] == '+') && (text[end - 1] == 'e' || text[end - 1] == 'p')))) {
      ++end;
    }
    return end;
  }
  if (c == '"' || c == '\'') {
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != c) {
      end += text[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, text.size());
  }
  const std::string_view two(text.data() + at, std::min<std::size_t>(2, text.size() - at));
  return at + (std::ranges::find(k_pairs, two) != k_pairs.end() ? 2 : 1);
}

} // namespace

bool is_float_type(std::string_view word)
{
  constexpr std::array<std::string_view, 10> k_types{"float",  "double",   "half", "SUM",  "ELEMENT",
                                                     "VECTOR", "hone_f16", "f32v", "f64v", "hone_bf16"};
  return std::ranges::find(k_types, word) != k_types.end();
}

bool is_type_name(std::string_view word)
{
  constexpr std::array<std::string_view, 16> k_types{
    "int64_t", "int32_t", "int16_t", "int8_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
    "int",     "long",    "char",    "short",  "uchar",   "ushort",   "uint",     "hone_i32v"};
  return is_float_type(word) || std::ranges::find(k_types, word) != k_types.end();
}

SourceCode::SourceCode(std::string text) : m_text(std::move(text))
{
  tokenize();
  pair_brackets();
  find_shapes();
}

void SourceCode::tokenize()
{
  bool line_begins = true;
  for (std::size_t at = skip(m_text, 0, line_begins); at < m_text.size(); at = skip(m_text, at, line_begins)) {
    const std::size_t end = end_of_token(m_text, at);
    m_tokens.push_back({m_text.substr(at, end - at), at, end});
    line_begins = false;
    at = end;
  }
}

void SourceCode::pair_brackets()
{
  std::vector<std::size_t> open;
  m_partners.resize(size());
  for (std::size_t at = 0; at < size(); ++at) {
    m_partners[at] = at;
    if (is(at, "(") || is(at, "[") || is(at, "{")) {
      open.push_back(at);
    } else if ((is(at, ")") || is(at, "]") || is(at, "}")) && !open.empty()) {
      m_partners[at] = open.back();
      m_partners[open.back()] = at;
      open.pop_back();
    }
  }
}

bool SourceCode::is_name(std::size_t at) const
{
  return at < size() && is_word(m_tokens[at].text[0])
         && std::isdigit(static_cast<unsigned char>(m_tokens[at].text[0])) == 0;
}

std::size_t SourceCode::find(TokenRange range, std::string_view text) const
{
  std::size_t at = range.first;
  while (at < range.last && !is(at, text)) {
    ++at;
  }
  return at;
}

std::size_t SourceCode::enclosing_brace(std::size_t at) const
{
  for (std::size_t open = at; open-- > 0;) {
    if (is(open, "{") && m_partners[open] > at) {
      return open;
    }
  }
  return size();
}

std::string SourceCode::words(TokenRange range) const
{
  std::string out;
  for (std::size_t at = range.first; at < range.last; ++at) {
    const bool apart = at > range.first && m_tokens[at].begin > m_tokens[at - 1].end;
    out += (apart ? " " : "") + m_tokens[at].text;
  }
  return out;
}

TokenRange SourceCode::braced(std::size_t open) const
{
  return is(open, "{") ? TokenRange{open + 1, m_partners[open]} : TokenRange{open, open};
}

// Returns where to go on: behind the head.
std::size_t SourceCode::find_for(std::size_t keyword)
{
  const std::size_t open = keyword + 1;
  const std::size_t close = is(open, "(") ? m_partners[open] : open;
  std::vector<std::size_t> semicolons;
  for (std::size_t at = open; at < close; ++at) {
    if (is(at, ";")) {
      semicolons.push_back(at);
    }
  }
  if (semicolons.size() == 2) {
    m_loops.push_back({keyword,
                       {open + 1, semicolons[0]},
                       {semicolons[0] + 1, semicolons[1]},
                       {semicolons[1] + 1, close},
                       braced(close + 1)});
  }
  return close + 1;
}

std::size_t SourceCode::find_condition(std::size_t keyword)
{
  const std::size_t open = keyword + 1;
  const std::size_t close = is(open, "(") ? m_partners[open] : open;
  if (close > open) {
    m_conditions.push_back({keyword, {open + 1, close}, braced(close + 1)});
  }
  return close + 1;
}

// Simple statements begin behind ; { } and the heads of loops and conditions, and end with a semicolon.
void SourceCode::find_shapes()
{
  std::size_t begin = 0;
  for (std::size_t at = 0; at < size();) {
    if (is(at, "for")) {
      begin = at = find_for(at);
    } else if (is(at, "if")) {
      begin = at = find_condition(at);
    } else if (is(at, "else") || is(at, "}")) {
      begin = ++at;
    } else if (is(at, "HONE_UNROLL")) {
      begin = at = is(at + 1, "(") ? m_partners[at + 1] + 1 : at + 1;
    } else if (is(at, "{") && at > 0 && is(at - 1, "=")) {
      at = m_partners[at] + 1;
    } else if (is(at, "{")) {
      // The name in front of the brackets that stand before the brace.
      const std::size_t open = at > 0 && is(at - 1, ")") ? m_partners[at - 1] : 0;
      if (open > 0 && is_name(open - 1) && enclosing_brace(at) == size()) {
        m_functions.insert(m_tokens[open - 1].text);
      }
      begin = ++at;
    } else if (is(at, ";")) {
      if (at > begin) {
        m_statements.push_back({begin, at});
      }
      begin = ++at;
    } else {
      ++at;
    }
  }
  for (std::size_t at = 0; at + 1 < size(); ++at) {
    if (is_name(at) && is(at + 1, "(") && m_partners[at + 1] > at + 1) {
      Call call{at, {}, m_partners[at + 1]};
      std::size_t first = at + 2;
      for (std::size_t inner = first; inner <= call.close; ++inner) {
        if (is(inner, ",") || inner == call.close) {
          call.arguments.push_back({first, inner});
          first = inner + 1;
        } else if (m_partners[inner] > inner) {
          inner = m_partners[inner];
        }
      }
      m_calls.push_back(std::move(call));
    }
    const std::size_t name = is(at + 1, "const") || is(at + 1, "restrict") ? at + 2 : at + 1;
    if (at > 0 && is(at, "*") && is_type_name(m_tokens[at - 1].text) && is_name(name)) {
      m_pointers.insert(m_tokens[name].text);
    }
  }
}

bool SourceCode::begins_loop(TokenRange statement) const
{
  return is(statement.last + 1, "for") && is(statement.last + 3, ";");
}

std::string SourceCode::type_of(std::string_view name) const
{
  for (std::size_t at = 1; at < size(); ++at) {
    if (m_tokens[at].text == name && is_type_name(m_tokens[at - 1].text)) {
      return m_tokens[at - 1].text;
    }
    if (at > 1 && m_tokens[at].text == name && is(at - 1, "*") && is_type_name(m_tokens[at - 2].text)) {
      return m_tokens[at - 2].text;
    }
  }
  return {};
}

std::size_t SourceCode::line_start_with_pragmas(std::size_t offset) const
{
  std::size_t start = m_text.rfind('\n', offset) + 1; // npos + 1 is 0
  while (start >= 2) {
    const std::size_t before = m_text.rfind('\n', start - 2) + 1;
    const std::string_view line = trim(std::string_view(m_text).substr(before, start - before));
    if (!line.starts_with("#pragma") && !line.starts_with("HONE_UNROLL")) {
      break;
    }
    start = before;
  }
  return start;
}

std::size_t SourceCode::behind_includes() const
{
  std::size_t behind = 0;
  for (std::size_t at = 0; at < m_text.size();) {
    const std::size_t end = std::min(m_text.find('\n', at), m_text.size() - 1) + 1;
    const std::string_view line = trim(std::string_view(m_text).substr(at, end - at));
    if (line.starts_with("#include") || line.starts_with("#pragma OPENCL")) {
      behind = end;
    }
    at = end;
  }
  return behind;
}

} // namespace hone::mutation_testing
