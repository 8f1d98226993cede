// A loop program: what the compiler prints, as a tree of loops, guards, statements and functions.
//
// Leaves are text in the target language; the tree only knows structure, so that indentation, braces and blank
// lines are decided in one place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone::lower {

struct ProgramNode;
using ProgramBlock = std::vector<ProgramNode>;

struct ProgramNode {
  enum class Kind {
    statement, // text: one statement with its semicolon, or a preprocessor line of its own
    comment,   // text: one or more lines, without the slashes
    blank,     // an empty line
    braced,    // text: what stands before the brace ("for (...)", "if (...)", "else"); body
    function,  // text: the function's head; body; the brace goes on its own line
    pragma,    // text: belongs to the loop that follows
  };
  Kind kind = Kind::statement;
  std::string text;
  ProgramBlock body;
};

ProgramNode statement(std::string text);
ProgramNode comment(std::string text);
ProgramNode blank_line();
ProgramNode pragma(std::string text);
// for (int64_t NAME = BEGIN; NAME < END; NAME += STEP); `type` is the counter's type in the target language.
ProgramNode loop(const std::string& type, const std::string& name, const std::string& begin, const std::string& end,
                 const std::string& step, ProgramBlock body);
ProgramNode guard(const std::string& condition, ProgramBlock body);
ProgramNode braced(std::string head, ProgramBlock body);
ProgramNode function(std::string head, ProgramBlock body);

void append(ProgramBlock& block, ProgramBlock more);

// Two spaces per level, no trailing blanks; comments longer than a line are wrapped.
std::string print(const ProgramBlock& block, int depth = 0);

// True when `text` holds `name` as a whole identifier.
bool mentions(std::string_view text, std::string_view name);
// The text with another name for an identifier.
std::string renamed(const std::string& text, const std::string& name, const std::string& other);

} // namespace hone::lower
