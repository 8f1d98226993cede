// What a model can do in an episode.
#pragma once

#include "llm/llm.h"
#include "util/json.h"
#include "util/result.h"

#include <functional>
#include <string>
#include <vector>

namespace hone::agent {

enum class ActionType { text, integer, object };

struct ActionArgument {
  std::string name;
  ActionType type = ActionType::text;
  std::string meaning; // one sentence
  bool required = false;
  std::vector<std::string> choices = {}; // of a text; empty: any
};

struct ActionOutcome {
  std::string text;      // what the model reads
  bool failed = false;   // the action was not carried out; the text says why and what to do
  bool finished = false; // the episode is over
  double device_s = 0;   // seconds on the device
};

struct Action {
  std::string name;
  std::string about; // what it does and when to use it
  std::vector<ActionArgument> arguments;
  // Arguments are of the right types, required ones are there. An error: the episode cannot go on.
  std::function<Result<ActionOutcome>(const Json& arguments)> run;
};

// JSON schema (2020-12) of the arguments.
Json arguments_schema(const Action& action);
llm::ModelTool tool_of(const Action& action);

// The arguments as an object; an error says what is wrong with them, for the model.
Result<Json> read_arguments(const Action& action, const std::string& arguments);

} // namespace hone::agent
