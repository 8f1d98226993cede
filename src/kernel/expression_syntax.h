// What was written, before it is known what the names mean. (internal to the room)
#pragma once

#include "kernel/expression_lexer.h"

#include <memory>
#include <string>
#include <vector>

namespace hone::kernel {

struct Syntax;
using SyntaxPtr = std::shared_ptr<const Syntax>;

struct Syntax {
  enum class Kind { number, name, subscript, unary, binary, call };
  Kind kind = Kind::number;
  std::string text; // name, function or operator
  double number = 0;
  bool integer = false;
  std::vector<SyntaxPtr> args;
  SyntaxPtr where;       // of a call: `sum(k, body where guard)`
  int depth = 1;         // of the tree below, bounded so that walking it is safe
  bool compares = false; // a comparison stands somewhere below
  Place place;
};

// `for t < n`: statements inside the same loop share its number.
struct LoopSyntax {
  int number = 0;
  SyntaxPtr binder;
};

struct StatementSyntax {
  std::string target;
  std::vector<SyntaxPtr> indices;
  SyntaxPtr value;
  SyntaxPtr where;
  Place place;
  std::vector<LoopSyntax> loops; // around it, outermost first
};

// Parses a program. Mistakes are added to `errors`; parsing goes on at the next statement after each.
std::vector<StatementSyntax> parse_program_syntax(std::string_view text, const SourceMap& map,
                                                  std::vector<Error>& errors);

// Parses one expression that fills the whole text (a shape entry); null after an error.
SyntaxPtr parse_expression_syntax(std::string_view text, const SourceMap& map, std::vector<Error>& errors);

} // namespace hone::kernel
