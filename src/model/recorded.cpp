// Answers that were kept earlier, and nothing else: a run repeated without its model.
#include "model/answer_store.h"
#include "model/providers.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone {
namespace {

// In which parts two requests differ, in words; "" where they do not.
std::string difference(const ModelRequest& asked, const ModelRequest& kept)
{
  if (asked.system != kept.system) {
    return "its instructions (the system text) differ";
  }
  const std::size_t common = std::min(asked.messages.size(), kept.messages.size());
  for (std::size_t i = 0; i < common; ++i) {
    const std::string& a = asked.messages[i].text;
    const std::string& b = kept.messages[i].text;
    if (a != b) {
      const auto at = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
      const auto line = 1 + std::count(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      return fmt::format("message {} differs from line {} on", i + 1, line);
    }
  }
  if (asked.messages.size() != kept.messages.size()) {
    return fmt::format("it has {} messages, the kept one {}", asked.messages.size(), kept.messages.size());
  }
  return asked.sample != kept.sample ? fmt::format("it is sample {} and not {}", asked.sample, kept.sample)
                                     : "its settings (temperature, length, stop strings) differ";
}

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
    const auto nearest =
      std::ranges::max_element(m_all, {}, [&](const StoredAnswer& stored) { return agreement(request, stored.request); });
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

Result<std::unique_ptr<ModelProvider>> make_recorded(const ModelSetting& setting, const ModelWorld&)
{
  std::error_code ignored;
  if (!fs::is_directory(setting.path, ignored)) {
    return fail(fmt::format("{} is no folder of recorded answers", setting.path.string()),
                "--model recorded:FOLDER, the folder that a run with a model left behind");
  }
  return std::make_unique<Recorded>(AnswerStore(setting.path));
}

} // namespace hone
