// Prompts are files with names to be filled in. (internal to the engine room)
#pragma once

#include "util/result.h"

#include <map>
#include <string>
#include <string_view>

namespace hone::rewrite {

using TemplateValues = std::map<std::string, std::string>;

// "{{name}}" becomes the value; lines from "{{?name}}" to "{{/name}}", each alone on a line, stay only where the value
// is not empty. Names that are not in `values` are errors: a prompt never goes out with a hole in it.
Result<std::string> fill_template(std::string_view text, const TemplateValues& values, const std::string& origin);

} // namespace hone::rewrite
