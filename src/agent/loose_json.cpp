#include "agent/loose_json.h"

#include <string>

namespace hone::agent {

Json loose_json(std::string_view text)
{
  Json strict = Json::parse(text, nullptr, false);
  if (!strict.is_discarded()) {
    return strict;
  }
  std::string mended;
  bool inside = false, escaped = false;
  for (const char c : text) {
    if (inside && !escaped && (c == '\n' || c == '\t' || c == '\r')) {
      mended += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
      continue;
    }
    inside ^= c == '"' && !escaped;
    escaped = inside && c == '\\' && !escaped;
    mended += c;
  }
  return Json::parse(mended, nullptr, false);
}

} // namespace hone::agent
