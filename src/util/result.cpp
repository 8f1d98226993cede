#include "util/result.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone {

namespace {

// Names of files and words of others stand in errors: none of them speaks to the terminal.
std::string printable(std::string text)
{
  const auto speaks = [](unsigned char c) { return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f; };
  std::ranges::replace_if(text, speaks, '?');
  return text;
}

} // namespace

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
