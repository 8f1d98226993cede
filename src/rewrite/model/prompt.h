// The text of requests, from the files in prompts/. (internal to the engine room)
#pragma once

#include "rewrite/model/template.h"
#include "rewrite/model_engine.h"
#include "rewrite/rewrite.h"
#include "util/fs.h"

#include <map>
#include <string>

namespace hone::rewrite {

struct Prompts {
  std::string system, pass, repair;
  std::map<std::string, std::string> dialects; // by backend
};

Result<Prompts> load_prompts(const fs::path& folder);

std::string file_of_region(catalogue::Region region,
                           const lower::Dialect& dialect); // "macros.h", "device.cpp", "launch.toml"

// What stays the same for all requests about a kernel on one backend.
Result<std::string> system_text(const Prompts& prompts, const EngineRequest& request, AnswerForm form);
// One pass on files as they are now.
Result<std::string> pass_text(const Prompts& prompts, const EngineRequest& request,
                              const std::map<std::string, std::string>& files, std::size_t pass, AnswerForm form);
// `files` may be empty: nothing was changed, because the answer could not be applied.
Result<std::string> repair_text(const Prompts& prompts, const std::string& report,
                                const std::map<std::string, std::string>& files, const std::string& scope);

} // namespace hone::rewrite
