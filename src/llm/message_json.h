// Messages, tools and calls as JSON, for files that keep them. Not the form of any protocol.
#pragma once

#include "llm/llm.h"
#include "util/json.h"

namespace hone::llm {

// {"role": "assistant", "text": "...", "calls": [{"id": "1", "name": "profile", "arguments": "{}"}]}; a tool's result
// has "call". Members without content are left out.
Json to_json(const ModelMessage& message);
// An error: a member is missing or of the wrong kind.
Result<ModelMessage> message_from(const Json& json);

Json to_json(const ModelTool& tool);
Result<ModelTool> tool_from(const Json& json);

Json to_json(const std::vector<ToolCall>& calls);
std::vector<ToolCall> calls_from(const Json& json); // throws Json::exception

} // namespace hone::llm
