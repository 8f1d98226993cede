#include "ship/outer_functions.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::ship {

namespace {

using Kind = SourceToken::Kind;
using Tokens = std::vector<SourceToken>;

bool is_solid(const SourceToken& token)
{
  return token.kind != Kind::space && token.kind != Kind::comment;
}

// The solid token before `at`; `at` itself where there is none.
std::size_t solid_before(const Tokens& tokens, std::size_t at)
{
  for (std::size_t i = at; i-- > 0;) {
    if (is_solid(tokens[i])) {
      return i;
    }
  }
  return at;
}

// The token that closes what `at` opens; the last one where nothing does.
std::size_t closing(const Tokens& tokens, std::size_t at)
{
  const std::string open = tokens[at].text;
  const std::string close = open == "(" ? ")" : "}";
  int depth = 0;
  for (std::size_t i = at; i < tokens.size(); ++i) {
    depth += tokens[i].text == open ? 1 : tokens[i].text == close ? -1 : 0;
    if (depth == 0) {
      return i;
    }
  }
  return tokens.size() - 1;
}

// The last token of a directive that begins at `at`: lines that end in a backslash go on.
std::size_t end_of_directive(const Tokens& tokens, std::size_t at)
{
  for (; at < tokens.size(); ++at) {
    const bool ends = tokens[at].kind == Kind::space && tokens[at].text.find('\n') != std::string::npos;
    if (ends && tokens[at - 1].text != "\\") {
      return at;
    }
  }
  return tokens.size() - 1;
}

bool stands_before_parentheses(const std::string& word)
{
  static const std::set<std::string> k_words{"__attribute__", "__attribute",    "asm",       "__asm__",
                                             "alignas",       "_Alignas",       "decltype",  "noexcept",
                                             "static_assert", "_Static_assert", "__declspec"};
  return k_words.contains(word);
}

// Goes along the declarations outside of all braces.
class OuterReader {
public:
  explicit OuterReader(const Tokens& tokens) : m_tokens(tokens) {}

  std::vector<OuterFunction> run()
  {
    for (std::size_t i = 0; i < m_tokens.size(); ++i) {
      if (is_solid(m_tokens[i])) {
        i = take(i);
      }
    }
    return std::move(m_functions);
  }

private:
  // The last token that is done with.
  std::size_t take(std::size_t i)
  {
    const std::string& text = m_tokens[i].text;
    if (text == "#") {
      return end_of_directive(m_tokens, i);
    }
    if (!m_is_open) {
      m_is_open = true;
      m_has_value = false;
      m_current = {};
      m_current.start = i;
    }
    if (text == "(") {
      return take_parentheses(i);
    }
    if (text == "=") {
      m_has_value = true;
    } else if (text == "{") {
      const std::size_t end = closing(m_tokens, i);
      const bool goes_on = m_current.open == 0 && !opens_a_scope();
      if (!goes_on) {
        finish(i);
      }
      return end;
    } else if (text == ";") {
      finish(0);
    }
    return i;
  }

  std::size_t take_parentheses(std::size_t i)
  {
    const std::size_t end = closing(m_tokens, i);
    const std::size_t name = solid_before(m_tokens, i);
    const bool is_name =
      m_tokens[name].kind == Kind::word && name > m_current.start && !stands_before_parentheses(m_tokens[name].text);
    if (m_current.open == 0 && is_name && !m_has_value && m_tokens[solid_before(m_tokens, name)].text != ":") {
      m_current.name = name;
      m_current.open = i;
      m_current.close = end;
    }
    return end;
  }

  // namespace { ... } and extern "C" { ... } end without a semicolon.
  bool opens_a_scope() const
  {
    const std::string& first = m_tokens[m_current.start].text;
    return first == "namespace" || first == "extern" || first == "inline";
  }

  void finish(std::size_t body)
  {
    m_is_open = false;
    static const std::set<std::string> k_others{"typedef", "using", "template", "struct",       "class",
                                                "enum",    "union", "friend",   "static_assert"};
    const bool is_function = m_current.open != 0 && !m_has_value && !k_others.contains(m_tokens[m_current.start].text);
    if (!is_function) {
      return;
    }
    m_current.body = body;
    m_current.has_own_linkage =
      std::any_of(m_tokens.begin() + static_cast<std::ptrdiff_t>(m_current.start),
                  m_tokens.begin() + static_cast<std::ptrdiff_t>(m_current.name), [](const SourceToken& token) {
                    return token.text == "static" || token.text == "inline" || token.text == "extern";
                  });
    m_functions.push_back(m_current);
  }

  const Tokens& m_tokens;
  bool m_is_open = false; // within a declaration
  bool m_has_value = false;
  OuterFunction m_current;
  std::vector<OuterFunction> m_functions;
};

bool is_word_of_a_type(const std::string& word)
{
  static const std::set<std::string> k_words{"void",   "bool",     "char",   "short", "int",      "long",      "float",
                                             "double", "unsigned", "signed", "const", "volatile", "__restrict"};
  return k_words.contains(word);
}

// A parameter's name; empty where it has none, and where it is not sure which it is.
struct ParameterName {
  std::string name;
  std::size_t last = 0; // its last solid token
  bool is_missing = false;
};

std::vector<ParameterName> parameter_names(const Tokens& tokens, const OuterFunction& function)
{
  std::vector<ParameterName> out;
  std::size_t words = 0;
  bool is_plain = true; // no function pointers, no default values
  ParameterName current;
  for (std::size_t i = function.open + 1; i <= function.close; ++i) {
    const SourceToken& token = tokens[i];
    if (token.text == "," || i == function.close) {
      const bool is_void = words == 1 && tokens[current.last].text == "void";
      if (is_plain && words > 0 && !is_void) {
        const bool ends_in_a_name =
          tokens[current.last].kind == Kind::word && words > 1 && !is_word_of_a_type(tokens[current.last].text);
        current.name = ends_in_a_name ? tokens[current.last].text : "";
        current.is_missing = !ends_in_a_name;
        out.push_back(current);
      }
      words = 0;
      is_plain = true;
      current = {};
      continue;
    }
    is_plain = is_plain && token.text != "(" && token.text != "[" && token.text != "=" && token.text != "."
               && token.text != "<" && token.text != "&";
    words += token.kind == Kind::word ? 1 : 0;
    current.last = is_solid(token) ? i : current.last;
  }
  return out;
}

} // namespace

std::vector<OuterFunction> outer_functions(const std::vector<SourceToken>& tokens)
{
  return OuterReader(tokens).run();
}

std::string with_static_functions(const std::string& text, const std::set<std::string>& entries)
{
  Tokens tokens = source_tokens(text);
  const std::vector<OuterFunction> functions = outer_functions(tokens);
  std::set<std::string> defined;
  for (const OuterFunction& function : functions) {
    if (function.body != 0) {
      defined.insert(tokens[function.name].text);
    }
  }
  for (const OuterFunction& function : functions) {
    const std::string name = tokens[function.name].text;
    if (function.has_own_linkage || entries.contains(name) || !defined.contains(name)) {
      continue;
    }
    const bool is_called = std::ranges::count(tokens, name, &SourceToken::text) > 1;
    std::string& first = tokens[function.start].text;
    first = (is_called ? "static " : "static __attribute__((unused)) ") + first;
  }
  return text_of(tokens);
}

std::string with_used_parameters(const std::string& text)
{
  Tokens tokens = source_tokens(text);
  for (const OuterFunction& function : outer_functions(tokens)) {
    if (function.body == 0) {
      continue;
    }
    const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(function.body);
    const auto end = tokens.begin() + static_cast<std::ptrdiff_t>(closing(tokens, function.body));
    std::string uses;
    int unnamed = 0;
    for (const ParameterName& parameter : parameter_names(tokens, function)) {
      std::string name = parameter.name;
      if (parameter.is_missing) {
        name = fmt::format("unused_{}", unnamed++);
        tokens[parameter.last].text += " " + name;
      }
      const bool is_used = std::any_of(begin, end, [&](const SourceToken& token) { return token.text == name; });
      uses += is_used ? "" : fmt::format("\n  (void){};", name);
    }
    tokens[function.body].text += uses;
  }
  return text_of(tokens);
}

} // namespace hone::ship
