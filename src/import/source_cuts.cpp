#include "import/source_cuts.h"

#include "util/text.h"

#include <algorithm>

namespace hone::import {

std::string with_cuts(const std::string& text, std::vector<Cut> cuts)
{
  std::ranges::sort(cuts, {}, &Cut::begin);
  std::string out;
  std::size_t at = 0;
  for (const Cut& cut : cuts) {
    if (cut.begin >= at && cut.end <= text.size()) {
      out += text.substr(at, cut.begin - at) + cut.instead;
      at = cut.end;
    }
  }
  return out + text.substr(at);
}

std::string tidied(const std::string& text)
{
  std::string out;
  int empty = 2;
  for (const std::string& line : split(text, '\n')) {
    const bool blank = trim(line).empty();
    empty = blank ? empty + 1 : 0;
    if (empty <= 1) {
      out += (blank ? "" : line) + "\n";
    }
  }
  while (out.ends_with("\n\n")) {
    out.pop_back();
  }
  return out;
}

} // namespace hone::import
