// JSON, for everything that is read by machines.
#pragma once

#include "util/result.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace hone {

// Keeps the order in which members were added: records read like the forms they are.
using Json = nlohmann::ordered_json;

// `origin` names the text in errors (a path, "stdin", ...).
Result<Json> parse_json(std::string_view text, const std::string& origin);

} // namespace hone
