#include "util/result.h"

#include <fmt/format.h>

namespace hone {

std::string Error::text() const
{
  std::string out;
  if (!place.file.empty()) {
    out += place.file;
    if (place.line > 0) {
      out += fmt::format(":{}:{}", place.line, place.column > 0 ? place.column : 1);
    }
    out += ": ";
  }
  out += message;
  if (!hint.empty()) {
    out += "\n  hint: " + hint;
  }
  return out;
}

} // namespace hone
