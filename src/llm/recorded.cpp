// Answers that were kept earlier, and nothing else: a run repeated without its model.
#include "llm/answer_store.h"
#include "llm/providers.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::llm {
namespace {

// How much two requests have in common: the nearer, the more it explains.
std::size_t agreement(const ModelRequest& asked, const ModelRequest& kept)
{
  std::size_t equal = asked.system == kept.system ? 1 : 0;
  for (std::size_t i = 0; i < std::min(asked.messages.size(), kept.messages.size()); ++i) {
    const auto& [a, b] = std::pair(asked.messages[i].text, kept.messages[i].text);
    equal += static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  }
  return equal;
}

class Recorded final : public ModelProvider {
public:
  explicit Recorded(const AnswerStore& store) : m_folder(store.folder()), m_all(store.all()) {}
  std::string_view name() const override { return "recorded"; }

  ModelResult<ModelAnswer> ask(const ModelRequest& request, const ModelListener&) override
  {
    for (const StoredAnswer& stored : m_all) { // whichever model it was: who asks now has none
      ModelRequest then = request;
      then.model = stored.request.model;
      if (then.hash() == stored.request.hash()) {
        ModelAnswer answer = stored.answer;
        answer.kept = true;
        return answer;
      }
    }
    const auto nearest = std::ranges::max_element(
      m_all, {}, [&](const StoredAnswer& stored) { return agreement(request, stored.request); });
    const std::string why = nearest == m_all.end() ? "nothing is kept there" : difference(request, nearest->request);
    return std::unexpected(
      ModelFailure{ModelFailure::Kind::configuration,
                   {fmt::format("{} holds no answer to this request: {}", m_folder.string(), why),
                    "a recorded run repeats only where kernel, transformations and prompts are as they were; ask a "
                    "model for the rest",
                    {}}});
  }

  ModelResult<std::vector<std::string>> models(std::stop_token) override { return std::vector<std::string>(); }

private:
  fs::path m_folder;
  std::vector<StoredAnswer> m_all;
};

} // namespace

Result<std::unique_ptr<ModelProvider>> make_recorded(const ModelSetting& setting, const ModelServices&)
{
  std::error_code ignored;
  if (!fs::is_directory(setting.path, ignored)) {
    return fail(fmt::format("{} is no folder of recorded answers", setting.path.string()),
                "--model recorded:FOLDER, the folder that a run with a model left behind");
  }
  return std::make_unique<Recorded>(AnswerStore(setting.path));
}

} // namespace hone::llm
