// Calls that stand in a model's text, for models and servers without calls of their own. (internal to the agent room)
#pragma once

#include "llm/llm.h"

#include <string>
#include <string_view>
#include <vector>

namespace hone::agent {

// An answer taken apart.
struct CallText {
  std::string prose;                // without calls and reasoning
  std::string reasoning;            // between <think> and </think>
  std::vector<llm::ToolCall> calls; // ids are numbers from `first_id` on
};

// <tool_call>{"name": "edit", "arguments": {"file": "device.cpp"}}</tool_call>, several in a row. A block of code right
// behind a call is its argument "text": code needs no escapes there. Where there are no such tags, an object with
// "name" and "arguments" alone in a block of code is a call, too.
CallText read_calls(std::string_view answer, int first_id);

// What tells a model to answer so, with the actions it has.
std::string calls_explained(const std::vector<llm::ModelTool>& tools);

// Results as a message of the user.
std::string results_text(const std::vector<std::string>& results);

} // namespace hone::agent
