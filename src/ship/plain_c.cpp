#include "ship/plain_c.h"

#include "ship/source_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace hone::ship {

namespace {

using Kind = SourceToken::Kind;
using Tokens = std::vector<SourceToken>;

const std::string k_hint = "ship it with --as cpp";

std::unexpected<Error> not_c(const std::string& file, int line, const std::string& what)
{
  return fail(fmt::format("the candidate is no C: {}", what), k_hint, Place{file, line, 0});
}

// The next token from `at` on that is neither space nor comment; the number of tokens where there is none.
std::size_t solid(const Tokens& tokens, std::size_t at)
{
  while (at < tokens.size() && (tokens[at].kind == Kind::space || tokens[at].kind == Kind::comment)) {
    ++at;
  }
  return at;
}

std::string solid_text(const Tokens& tokens, std::size_t at)
{
  const std::size_t found = solid(tokens, at);
  return found < tokens.size() ? tokens[found].text : "";
}

std::string text_before(const Tokens& tokens, std::size_t at)
{
  while (at-- > 0) {
    if (tokens[at].kind != Kind::space && tokens[at].kind != Kind::comment) {
      return tokens[at].text;
    }
  }
  return "";
}

// Words with no meaning in C. `alignas` and `static_assert` have one through headers; `true` and `bool` likewise.
const std::set<std::string>& foreign_words()
{
  static const std::set<std::string> k_words{
    "template",    "typename",         "class",      "namespace",    "using",    "auto",     "decltype", "operator",
    "static_cast", "reinterpret_cast", "const_cast", "dynamic_cast", "noexcept", "requires", "concept",  "consteval",
    "constinit",   "mutable",          "new",        "delete",       "this",     "try",      "throw",    "explicit"};
  return k_words;
}

bool is_type_word(const std::string& word)
{
  static const std::set<std::string> k_types{"int",     "long",     "float",    "double",  "bool",   "char",
                                             "int64_t", "int32_t",  "int8_t",   "uint8_t", "size_t", "uint32_t",
                                             "f32v",    "uint64_t", "unsigned", "f64v"};
  return k_types.contains(word) || word.starts_with("hone_");
}

// "float& x" in a list of parameters, or "const float& x = ..." in a body.
bool is_reference(const Tokens& tokens, std::size_t at)
{
  const std::size_t next = solid(tokens, at + 1);
  if (tokens[at].text != "&" || next >= tokens.size() || tokens[next].kind != Kind::word) {
    return false;
  }
  const std::string after = solid_text(tokens, next + 1);
  return is_type_word(text_before(tokens, at)) && (after == "," || after == ")" || after == "=");
}

std::string foreign_thing(const Tokens& tokens, std::size_t at)
{
  const SourceToken& token = tokens[at];
  const std::string next = solid_text(tokens, at + 1);
  if (token.kind == Kind::word && foreign_words().contains(token.text)) {
    return fmt::format("'{}'", token.text);
  }
  if (token.text == ":" && next == ":") {
    return fmt::format("'{}::'", text_before(tokens, at));
  }
  if (token.text == "[" && (next == "&" || next == "=" || next == "]") && text_before(tokens, at) != "]") {
    const std::string before = text_before(tokens, at);
    const bool after_name =
      !before.empty() && (std::isalnum(static_cast<unsigned char>(before.back())) || before.back() == '_');
    return after_name && before != "return" ? "" : "a function without a name ('[...](...)')";
  }
  return is_reference(tokens, at) ? "a reference ('&')" : "";
}

// T{} and T{a, b} are (T){...} in C; an empty one needs a zero.
void write_compound(Tokens& tokens, std::size_t at)
{
  static const std::set<std::string> k_before{"struct", "union", "enum"};
  static const std::set<std::string> k_not_types{"else", "do", "return", "const", "struct", "union", "enum"};
  const std::size_t brace = at + 1;
  const bool is_compound = brace < tokens.size() && tokens[brace].text == "{" && tokens[at].kind == Kind::word
                           && !k_before.contains(text_before(tokens, at)) && !k_not_types.contains(tokens[at].text);
  if (is_compound) {
    tokens[at].text = "(" + tokens[at].text + ")";
    if (solid_text(tokens, brace + 1) == "}") {
      tokens[brace].text = "{0";
    }
  }
}

// x = {} has no braces without a value in C.
void write_empty_initialiser(Tokens& tokens, std::size_t at)
{
  const std::size_t brace = tokens[at].text == "=" ? solid(tokens, at + 1) : tokens.size();
  if (brace < tokens.size() && tokens[brace].text == "{" && solid_text(tokens, brace + 1) == "}") {
    tokens[brace].text = "{0";
  }
}

// constexpr int N = ...; may stand in the extent of an array: in C that takes an enumerator.
Result<void> write_constant(Tokens& tokens, std::size_t at, const std::string& file)
{
  const std::size_t type = solid(tokens, at + 1);
  const std::size_t name = solid(tokens, type + 1);
  const std::size_t equals = solid(tokens, name + 1);
  const bool is_plain = equals < tokens.size() && tokens[type].text == "int" && tokens[name].kind == Kind::word
                        && tokens[equals].text == "=";
  std::size_t end = equals;
  while (end < tokens.size() && tokens[end].text != ";") {
    ++end;
  }
  if (!is_plain || end >= tokens.size()) {
    return not_c(file, tokens[at].line, "'constexpr' of anything but an int");
  }
  for (std::size_t i = at; i-- > 0 && (tokens[i].kind == Kind::space || tokens[i].text == "static");) {
    tokens[i].text = tokens[i].text == "static" ? "" : tokens[i].text;
  }
  tokens[at].text = "enum";
  tokens[type].text = "{";
  tokens[end].text = " };";
  return {};
}

// An inline function of C wants its code somewhere else too, unless it is static.
void write_inline(Tokens& tokens, std::size_t at)
{
  if (text_before(tokens, at) != "static" && solid_text(tokens, at + 1) != "static") {
    tokens[at].text = "static inline";
  }
}

} // namespace

Result<std::string> plain_c(const std::string& text, const std::string& file)
{
  Tokens tokens = source_tokens(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string what = foreign_thing(tokens, i);
    if (!what.empty()) {
      return not_c(file, tokens[i].line, what);
    }
    if (tokens[i].text == "extern" && solid_text(tokens, i + 1) == "\"C\"") {
      return not_c(file, tokens[i].line, "'extern \"C\" { ... }'");
    }
    write_empty_initialiser(tokens, i);
    if (tokens[i].kind != Kind::word) {
      continue;
    }
    if (tokens[i].text == "asm" || tokens[i].text == "typeof") {
      tokens[i].text = "__" + tokens[i].text + "__"; // strict C has no such words
    } else if (tokens[i].text == "constexpr") {
      HONE_CHECK(write_constant(tokens, i, file));
    } else if (tokens[i].text == "nullptr") {
      tokens[i].text = "NULL";
    } else if (tokens[i].text == "inline") {
      write_inline(tokens, i);
    } else {
      write_compound(tokens, i);
    }
  }
  return text_of(tokens);
}

Result<std::set<std::string>> plain_c_headers(const std::set<std::string>& headers)
{
  static const std::array<std::pair<std::string, std::string>, 6> k_names{{{"cmath", "math.h"},
                                                                           {"cstdint", "stdint.h"},
                                                                           {"cstddef", "stddef.h"},
                                                                           {"cstring", "string.h"},
                                                                           {"cfloat", "float.h"},
                                                                           {"climits", "limits.h"}}};
  std::set<std::string> out;
  for (const std::string& header : headers) {
    const auto found = std::ranges::find(k_names, header, [](const auto& pair) { return pair.first; });
    if (found == k_names.end() && !header.ends_with(".h")) {
      return not_c("device.cpp", 0, fmt::format("it includes <{}>", header));
    }
    out.insert(found == k_names.end() ? header : found->second);
  }
  return out;
}

} // namespace hone::ship
