// What a call gives to a tool, held against the tool's schema. (internal to the serve room)
#pragma once

#include "util/json.h"
#include "util/json_schema.h"

#include <string>
#include <string_view>
#include <vector>

namespace hone::serve {

// Refuses what the schema does not allow: the keywords that tools use. The error names the argument.
Result<void> check_arguments(const Json& schema, const Json& arguments, const std::string& place = "arguments");

// Readers of checked arguments; what is not given is `otherwise`.
std::string text_in(const Json& arguments, std::string_view name, std::string otherwise = {});
std::int64_t integer_in(const Json& arguments, std::string_view name, std::int64_t otherwise);
bool flag_in(const Json& arguments, std::string_view name);
std::vector<std::string> texts_in(const Json& arguments, std::string_view name);
// {"m": 64} -> {"m=64"}
std::vector<std::string> sizes_in(const Json& arguments);

// Schemas beside those of util/json_schema.h.
Json flag_schema(std::string_view description);
Json bounded_schema(std::string_view description, std::int64_t least, std::int64_t most);
Json any_object_schema(std::string_view description); // members of any name and kind
// Members that callers share: "kernel", "backend", "sizes", "threads".
std::vector<SchemaMember> kernel_members();
SchemaMember wait_member();

// An object of at least these members: what a tool returns.
Json output_schema(std::string_view description, const std::vector<SchemaMember>& members);

} // namespace hone::serve
