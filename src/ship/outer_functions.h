// The functions of a file of C or C++, found in its tokens: for what a stricter compiler than Hone's asks for.
// (internal to the room)
#pragma once

#include "ship/source_tokens.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace hone::ship {

// A function that is declared or defined outside of all braces; templates and members are not looked at.
struct OuterFunction {
  std::size_t start = 0;       // its first token
  std::size_t name = 0;        // its name
  std::size_t open = 0;        // the parenthesis before its parameters
  std::size_t close = 0;       // the one behind them
  std::size_t body = 0;        // the brace; 0 where it is only declared
  bool has_own_linkage = true; // static, inline or extern
};
std::vector<OuterFunction> outer_functions(const std::vector<SourceToken>& tokens);

// Makes functions that are defined here and are not among `entries` static: no other file of a program may have their
// names taken.
std::string with_static_functions(const std::string& text, const std::set<std::string>& entries);

// Names parameters that have no name, and uses those that nothing uses.
std::string with_used_parameters(const std::string& text);

} // namespace hone::ship
