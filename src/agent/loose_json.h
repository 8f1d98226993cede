// JSON as models write it. (internal to the agent room)
#pragma once

#include "util/json.h"

#include <string_view>

namespace hone::agent {

// Takes line ends and tabs inside of texts as they are, which JSON does not allow and models write in code. Discarded
// where it is no JSON all the same.
Json loose_json(std::string_view text);

} // namespace hone::agent
