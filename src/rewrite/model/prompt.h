// The text of requests, from the files in prompts/. (internal to the engine room)
#pragma once

#include "rewrite/model/template.h"
#include "rewrite/model_engine.h"
#include "rewrite/rewrite.h"
#include "util/fs.h"

#include <map>
#include <string>

namespace hone::rewrite {

// How much a prompt says.
struct Prompts {
  std::string system, plan, pass, repair, agent, agent_task;
  std::map<std::string, std::string> dialects; // by backend
};

// Of the compact profile, a file of the same name in the folder compact/ holds in place of the usual one.
Result<Prompts> load_prompts(const fs::path& folder, PromptProfile profile);

// Of each file its name, then a block of code.
std::string listed(const std::map<std::string, std::string>& files);

std::string file_of_region(catalogue::Region region,
                           const lower::Dialect& dialect); // "macros.h", "device.cpp", "launch.toml"

// What stays the same for all requests about a kernel on one backend.
Result<std::string> system_text(const Prompts& prompts, const EngineRequest& request, AnswerForm form);
// The rules for an agent, the plan and the language; `profiles`: it may ask for profiles.
Result<std::string> agent_system_text(const Prompts& prompts, const EngineRequest& request, bool profiles);
// Kernel, device and candidate, and what it may use: "40 calls".
Result<std::string> agent_task_text(const Prompts& prompts, const EngineRequest& request, const std::string& limits);
// One pass on files as they are now.
Result<std::string> pass_text(const Prompts& prompts, const EngineRequest& request,
                              const std::map<std::string, std::string>& files, std::size_t pass, AnswerForm form);
// `files` may be empty: nothing was changed, because the answer could not be applied.
Result<std::string> repair_text(const Prompts& prompts, const std::string& report,
                                const std::map<std::string, std::string>& files, const std::string& scope);

} // namespace hone::rewrite
