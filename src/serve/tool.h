// A tool of the server: what clients are told of it, and what it does. One file per tool in tools/. (internal to the
// serve room)
#pragma once

#include "serve/arguments.h"
#include "serve/workplace.h"

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace hone::serve {

// How a call reaches who made it while it waits.
struct Exchange {
  std::stop_token stop;                                   // the caller wants no answer any more
  std::function<void(double, const std::string&)> notify; // progress: a growing number and a text; may be empty
};

struct ToolCall {
  Workplace& place;
  const Json& arguments; // checked against the schema
  const Exchange& exchange;
};

struct ToolAnswer {
  Json content;          // as the output schema says
  bool is_error = false; // content says what went wrong
};

struct Tool {
  std::string name, title;
  std::string description; // ends with an example call
  Json input, output;      // JSON schemas
  bool read_only = true;
  bool idempotent = true;
  std::function<Result<ToolAnswer>(const ToolCall&)> call;
};

// In the order in which an agent usually needs them.
const std::vector<Tool>& tools();
// Null where there is none.
const Tool* find_tool(std::string_view name);
// As tools/list shows it.
Json tool_json(const Tool& tool);

// For tools that take their time. Starts `work` as a job and waits for it as long as the call's "wait_s" says.
ToolAnswer run_as_job(const ToolCall& call, const std::string& tool, const std::string& subject, Jobs::Work work);
// Waits for a job, with progress told; a stop request ends the waiting, and the job too where `with_job`.
ToolAnswer wait_for_job(const ToolCall& call, const std::string& id, bool with_job);
// What run_as_job() returns, with the schema of "result".
Json job_output_schema(Json result);
// {"message", "hint", "place"}
Json error_json(const Error& error);

} // namespace hone::serve
