#include "gate/printable.h"

#include <cstddef>

namespace hone::gate {
namespace {

// Length of the UTF-8 sequence that starts here, 0 where there is none.
std::size_t sequence_length(std::string_view text)
{
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) {
    return lead >= 0x20 && lead != 0x7f ? 1 : lead == '\n' || lead == '\t' ? 1 : 0;
  }
  const std::size_t length = lead >= 0xf0 && lead <= 0xf4 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (length == 0 || lead > 0xf4 || text.size() < length) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) {
      return 0;
    }
  }
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool no_character = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
  const bool control = lead == 0xc2 && second < 0xa0; // U+0080 to U+009F: U+009B begins what ESC [ does
  return overlong || no_character || control ? 0 : length;
}

} // namespace

std::string printable_utf8(std::string_view text)
{
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) {
      clean += '?';
      text.remove_prefix(1);
    } else {
      clean += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return clean;
}

} // namespace hone::gate
