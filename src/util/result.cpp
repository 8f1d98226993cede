#include "util/result.h"

#include "util/text.h"

#include <fmt/format.h>

namespace hone {

// Names of files and words of others stand in errors: none of them speaks to the terminal.
std::string Error::text() const
{
  std::string out;
  if (!place.file.empty()) {
    out += printable(place.file);
    if (place.line > 0) {
      out += fmt::format(":{}:{}", place.line, place.column > 0 ? place.column : 1);
    }
    out += ": ";
  }
  out += printable(message);
  if (!hint.empty()) {
    out += "\n  hint: " + printable(hint);
  }
  return out;
}

} // namespace hone
