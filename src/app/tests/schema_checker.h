// The parts of JSON schema that Hone's schemas use, carried out: what an editor would complain about.
#pragma once

#include "util/json.h"

#include <toml++/toml.h>

#include <string>
#include <vector>

namespace hone::app {

// What an editor makes of a TOML file before it looks at the schema.
Json json_of(const toml::node& node);

// Each complaint begins with the place inside the document. A keyword that is not known here is a complaint too, so
// that no part of a schema goes unchecked.
std::vector<std::string> complaints(const Json& schema, const Json& value, const std::string& place = "");

} // namespace hone::app
