// Device code as tokens, with the shapes that operators look for: loops, conditions, calls, simple statements. Enough
// of C for what the compiler of the lower room prints, and for most that people write. (internal to the room)
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hone::mutation_testing {

struct CodeToken {
  std::string text;
  std::size_t begin = 0; // in the source
  std::size_t end = 0;
};

// Tokens [first, last).
struct TokenRange {
  std::size_t first = 0;
  std::size_t last = 0;

  std::size_t size() const { return last - first; }
};

// for (start; condition; step) { body }
struct ForLoop {
  std::size_t keyword = 0;
  TokenRange start, condition, step;
  TokenRange body; // inside the braces; empty where there are none
};

// if (condition) { body }
struct Condition {
  std::size_t keyword = 0;
  TokenRange condition;
  TokenRange body;
};

struct Call {
  std::size_t name = 0;
  std::vector<TokenRange> arguments;
  std::size_t close = 0; // the bracket behind the last one
};

// Wide because every mutation operator asks it what the tokens are.
class SourceCode {
public:
  explicit SourceCode(std::string text);

  const std::string& text() const { return m_text; }
  std::size_t size() const { return m_tokens.size(); }
  const CodeToken& operator[](std::size_t at) const { return m_tokens[at]; }
  bool is(std::size_t at, std::string_view text) const { return at < m_tokens.size() && m_tokens[at].text == text; }
  bool is_name(std::size_t at) const;

  std::size_t partner(std::size_t bracket) const { return m_partners[bracket]; } // itself where there is none
  std::size_t enclosing_brace(std::size_t at) const; // the innermost { around a token; size() for none
  std::string words(TokenRange range) const;         // its text on one line
  // The first token of a range that says this; range.last where none does.
  std::size_t find(TokenRange range, std::string_view text) const;
  bool has(TokenRange range, std::string_view text) const { return find(range, text) != range.last; }

  const std::vector<TokenRange>& statements() const { return m_statements; } // up to the semicolon, without it
  const std::vector<ForLoop>& loops() const { return m_loops; }
  const std::vector<Condition>& conditions() const { return m_conditions; }
  const std::vector<Call>& calls() const { return m_calls; }
  const std::set<std::string>& functions() const { return m_functions; } // that the file defines
  const std::set<std::string>& pointers() const { return m_pointers; }   // names declared with a *

  // A statement that only says where the loop behind it, which has no start of its own, begins.
  bool begins_loop(TokenRange statement) const;
  // The type that a name is declared with, as one word ("float", "int64_t", "VECTOR"); "" where none is seen.
  std::string type_of(std::string_view name) const;
  // Where a line begins that holds this offset, or the first of the pragmas and unrolling macros right above it.
  std::size_t line_start_with_pragmas(std::size_t offset) const;
  // Behind the last #include, where definitions can stand.
  std::size_t behind_includes() const;

private:
  void tokenize();
  void pair_brackets();
  void find_shapes();
  std::size_t find_for(std::size_t keyword);
  std::size_t find_condition(std::size_t keyword);
  TokenRange braced(std::size_t open) const;

  std::string m_text;
  std::vector<CodeToken> m_tokens;
  std::vector<std::size_t> m_partners;
  std::vector<TokenRange> m_statements;
  std::vector<ForLoop> m_loops;
  std::vector<Condition> m_conditions;
  std::vector<Call> m_calls;
  std::set<std::string> m_functions, m_pointers;
};

bool is_type_name(std::string_view word); // float, int64_t, VECTOR, ...
bool is_float_type(std::string_view word);

} // namespace hone::mutation_testing
