// Positions inside a string value, back in the file it was written in. (internal to the room)
#pragma once

#include "util/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hone::kernel {

class SourceMap {
public:
  // A text that stands for itself: line 1, column 1 is its first character.
  static SourceMap of_text(std::string_view text, std::string file);

  // A string value of a TOML document whose opening quote stands at line:column. Follows escapes and multi-line
  // strings; where that does not give back `value`, every position is the opening quote.
  static SourceMap of_toml_string(std::string_view document, int line, int column, std::string_view value,
                                  std::string file);

  // Place of the byte at `offset` (up to and including the end).
  Place at(std::size_t offset) const;

private:
  std::string m_file;
  std::vector<std::pair<int, int>> m_positions; // line and column per byte, and one for the end
};

} // namespace hone::kernel
