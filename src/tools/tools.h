// Performance tools: measuring instruments with typed input and bounded output, the same for people, agents, protocols
// and training. A tool knows nothing of who asks.
//
//   Tool: a name, what it tells, its arguments, run()    Bench: what tools share: builds, listings, memory counts
//   Report: what a tool found, the diagnosis first       tools(): all of them
//
// Public too: "tools/report.h", "tools/bench.h", "tools/import_profile.h", which reads what other profilers export.
#pragma once

#include "tools/bench.h"
#include "tools/report.h"
#include "util/json.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone::tools {

enum class ArgumentType { integer, text };

struct ToolArgument {
  std::string name;
  ArgumentType type = ArgumentType::integer;
  std::string meaning;              // one sentence, with the unit
  Json otherwise;                   // its value where it is not given
  std::vector<std::string> choices; // of a text; empty: any
};

class Tool {
public:
  virtual ~Tool() = default;
  virtual std::string_view name() const = 0;    // "memory"
  virtual std::string_view summary() const = 0; // one sentence: what it tells
  virtual std::vector<ToolArgument> arguments() const { return {}; }
  // Whether the same code on the same sizes always gives the same report: then it is kept by content.
  virtual bool is_deterministic() const { return true; }
  // What it needs that this machine or this backend lacks, with the way out.
  virtual Result<void> check(const Bench& bench) const;
  // `arguments`: complete and of the right types. An error: it could not look, which says nothing about the candidate.
  virtual Result<Report> run(Bench& bench, const Json& arguments) const = 0;
};

// In the order in which they are usually asked.
std::span<const Tool* const> tools();
// By name; the error lists the names there are.
Result<const Tool*> find_tool(std::string_view name);

// JSON schema (2020-12) of a tool's arguments.
Json input_schema(const Tool& tool);
// Fills in what is not given and refuses unknown names and wrong types.
Result<Json> complete_arguments(const Tool& tool, const Json& given);

// Checks, completes the arguments, and runs the tool, or returns what it found before about the same content.
Result<Report> run_tool(const Tool& tool, Bench& bench, const Json& arguments);

} // namespace hone::tools
