#include "util/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone {

Result<Json> parse_json(std::string_view text, const std::string& origin)
{
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    const auto line = 1 + std::count(text.begin(), end, '\n');
    return fail(fmt::format("not valid JSON: {}", error.what()), {}, Place{origin, static_cast<int>(line), 1});
  } catch (const Json::exception& error) { // a number that no double holds
    return fail(fmt::format("not valid JSON: {}", error.what()), {}, Place{origin});
  }
}

std::map<std::string, std::int64_t> whole_members(const Json& json)
{
  std::map<std::string, std::int64_t> out;
  for (const auto& [name, value] : json.get_ref<const Json::object_t&>()) {
    out[name] = whole<std::int64_t>(value);
  }
  return out;
}

} // namespace hone
