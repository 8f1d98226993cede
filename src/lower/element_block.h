// What happens at one place of a tile, in vectors: the statements that a value needs, and its text. (internal to the
// room)
#pragma once

#include "lower/element_code.h"

#include <map>
#include <set>
#include <string>

namespace hone::lower {

// Where it is, in texts.
struct ElementSpot {
  std::string row;
  std::string at;                           // what the lanes run along: its first value
  std::string count;                        // lanes that count; "" for all
  std::map<std::string, std::string> nodes; // of reductions: variables
};

class ElementBlock {
public:
  ElementBlock(ElementCode& code, const ElementSpot& spot);

  Result<std::string> value(const kernel::Expr& expression) { return m_vectors.value(expression, statements); }
  // The statement that stores a vector at the target's columns.
  Result<std::string> store(const std::string& value);

  // Texts of further indices.
  ExpressionText& text() { return m_text; }

  ProgramBlock statements;

private:
  ElementCode& m_code;
  ElementSpot m_spot;
  std::set<std::string> m_names;
  ExpressionText m_text;
  VectorText m_vectors;
};

} // namespace hone::lower
