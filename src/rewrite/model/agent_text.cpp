#include "rewrite/agent_text.h"

#include "rewrite/model/answer.h"
#include "rewrite/model/prompt.h"

namespace hone::rewrite {

Result<AgentTexts> agent_texts(const fs::path& prompts, const kernel::Kernel& kernel, const kernel::Candidate& start,
                               const lower::Dialect& dialect, const OptimizationTarget& target, bool profiles,
                               const std::string& limits)
{
  HONE_TRY(const Prompts texts, load_prompts(prompts, PromptProfile::full));
  const catalogue::Transformation none;
  const EngineRequest request{kernel, start, none, dialect, &target, nullptr};
  AgentTexts result;
  HONE_TRY(result.system, agent_system_text(texts, request, profiles));
  HONE_TRY(result.task, agent_task_text(texts, request, limits));
  return result;
}

std::string files_text(const std::map<std::string, std::string>& files)
{
  return listed(files);
}

Result<std::string> edited(const std::string& text, const std::string& file, std::string_view search,
                           std::string_view replacement)
{
  std::string changed = text;
  HONE_CHECK(apply_edit({lines_of(search), lines_of(replacement)}, 1, file, changed));
  return changed;
}

} // namespace hone::rewrite
