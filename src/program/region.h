// The region of interest in its file: a function, lines, or what stands between two marks.
#pragma once

#include "util/result.h"

#include <string>
#include <string_view>

namespace hone::program {

struct RegionSpec {
  std::string file;     // below the source folder
  std::string function; // "step" or "Grid::step"; else
  int first = 0;        // lines from 1, both included; else (0) between `// hone: region begin` and `... end`
  int last = 0;
};

struct Region {
  std::size_t begin = 0, end = 0; // bytes of the file
  int first_line = 0, last_line = 0;
  std::size_t body = 0;     // of a function: behind its opening brace
  std::size_t body_end = 0; // of a function: its closing brace
  std::string text;
};

// `origin` names the text in errors. A function's region is its definition, from its return type to its closing brace.
Result<Region> find_region(std::string_view text, const RegionSpec& spec, const std::string& origin);

// The file with another region. `#include <...>` lines of the replacement go to the top of the file, since a region may
// stand inside a namespace or a function.
std::string with_region(std::string_view text, const Region& region, std::string_view replacement);

// What the region does left out: the body of a function that returns nothing or a default; no lines at all.
std::string emptied(std::string_view text, const RegionSpec& spec, const Region& region);

// "src/step.cpp:31-70, step()"
std::string to_text(const RegionSpec& spec, const Region& region);

} // namespace hone::program
