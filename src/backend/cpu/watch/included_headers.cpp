#include "backend/cpu/watch/included_headers.h"

#include "util/text.h"

#include <algorithm>
#include <array>
#include <string>

namespace hone::backend::cpu {
namespace {

// None of these includes a header of intrinsics; a test checks that.
constexpr std::array<std::string_view, 20> k_plain_headers{
  "\"hone.h\"",     "\"hone_math.h\"",   "\"hone_window.h\"", "\"hone_vector.h\"", "\"hone_lanes.h\"",
  "\"hone_dot.h\"", "\"hone_narrow.h\"", "\"macros.h\"",      "<math.h>",          "<cmath>",
  "<stdint.h>",     "<cstdint>",         "<string.h>",        "<cstring>",         "<stddef.h>",
  "<cstddef>",      "<float.h>",         "<limits.h>",        "<algorithm>",       "<atomic>"};

bool is_plain_directive(std::string_view line)
{
  std::string words(line);
  std::erase_if(words, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
  return std::ranges::any_of(k_plain_headers,
                             [&](std::string_view header) { return words == "#include" + std::string(header); });
}

} // namespace

bool may_include_intrinsics(std::string_view text)
{
  const std::string joined = with_lines_joined(text);
  if (joined.contains("import")) {
    return true;
  }
  return std::ranges::any_of(
    split(joined, '\n'), [](const std::string& line) { return line.contains("include") && !is_plain_directive(line); });
}

} // namespace hone::backend::cpu
