// JSON, for everything that is read by machines.
#pragma once

#include "util/result.h"

#include <nlohmann/json.hpp>

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace hone {

// Keeps the order in which members were added: records read like the forms they are.
using Json = nlohmann::ordered_json;

// `origin` names the text in errors (a path, "stdin", ...).
Result<Json> parse_json(std::string_view text, const std::string& origin);

// A whole number, where get() would convert any: throws Json::type_error for another, or one that T does not hold.
template <std::signed_integral T> T whole(const Json& json)
{
  const std::int64_t number = json.is_number_integer() ? json.get<std::int64_t>() : 0;
  if (!json.is_number_integer() || static_cast<std::int64_t>(static_cast<T>(number)) != number
      || (json.is_number_unsigned() && number < 0)) {
    throw Json::type_error::create(302, "type must be a whole number", &json);
  }
  return static_cast<T>(number);
}

// An object of such.
std::map<std::string, std::int64_t> whole_members(const Json& json);

} // namespace hone
