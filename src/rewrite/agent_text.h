// What an agent is told at its beginning, from the files in prompts/; and edits of a text by a part of it.
#pragma once

#include "rewrite/rewrite.h"
#include "util/fs.h"

#include <map>
#include <string>
#include <string_view>

namespace hone::rewrite {

struct AgentTexts {
  std::string system; // rules, the plan, the language: the same for all episodes on a kernel and backend
  std::string task;   // the kernel, the device, the candidate it begins with, its limits
};

// `prompts`: share_folder() / "prompts". `profiles`: whether it may ask for profiles. `limits`: "40 calls, 110 s".
Result<AgentTexts> agent_texts(const fs::path& prompts, const kernel::Kernel& kernel, const kernel::Candidate& start,
                               const lower::Dialect& dialect, const OptimizationTarget& target, bool profiles,
                               const std::string& limits);

// Files as a model reads them: each name, then a block of code.
std::string files_text(const std::map<std::string, std::string>& files);

// Replaces whole lines that stand exactly once in a text; spaces at their ends do not count. An error says where most
// of them stand.
Result<std::string> edited(const std::string& text, const std::string& file, std::string_view search,
                           std::string_view replacement);

} // namespace hone::rewrite
