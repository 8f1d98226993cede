// Performance tools on a candidate: what the compiler made of it, where its time goes, what bounds it.
#pragma once

#include "app/workbench.h"
#include "tools/tools.h"

#include <cstddef>
#include <string>
#include <vector>

namespace hone::app {

struct ProfileRequest {
  KernelRequest kernel;
  std::string candidate;              // checkpoint or folder; "naive": the generated one; empty: best, else naive
  std::string against;                // another one, for `compare`; empty: none
  std::vector<std::string> tools;     // empty: all that work here
  std::vector<std::string> arguments; // "TOOL.NAME=VALUE"
};

// One tool: its report, or why there is none.
struct ToolOutcome {
  std::string tool;
  Result<tools::Report> report;
};

struct Profile {
  std::string kernel, backend, candidate;
  std::vector<ToolOutcome> outcomes;
  bool stopped = false; // before the last tool
};

Result<Profile> profile(Context& context, const ProfileRequest& request);
Json to_json(const Profile& profile);
// What another profiler wrote ("tools/import_profile.h").
Result<tools::Report> profile_from_file(Context& context, const fs::path& file);

// A tool as agents and programs see it: name, summary, input schema.
Json tool_json(const tools::Tool& tool);

} // namespace hone::app
