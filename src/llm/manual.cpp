// A person, or another program, answers: the request is a file, the answer is the file beside it.
#include "llm/providers.h"
#include "llm/request_text.h"
#include "util/process.h"
#include "util/text.h"

#include <fmt/format.h>

#include <cstdlib>

namespace hone::llm {
namespace {

constexpr std::chrono::milliseconds k_between_looks{300};
constexpr int k_looks_until_settled = 2; // an answer that did not grow meanwhile is complete

class Manual final : public ModelProvider {
public:
  Manual(fs::path folder, std::shared_ptr<Pause> pause) : m_folder(std::move(folder)), m_pause(std::move(pause)) {}
  std::string_view name() const override { return "manual"; }

  ModelResult<ModelAnswer> ask(const ModelRequest& request, const ModelListener& listener) override
  {
    const std::string stem = request.hash().substr(0, 12);
    const fs::path question = m_folder / (stem + ".request.md");
    const fs::path reply = m_folder / (stem + ".answer.md");
    std::error_code failed;
    fs::create_directories(m_folder, failed);
    if (auto written = write_file(question, text_of(request)); !written) {
      return std::unexpected(ModelFailure{ModelFailure::Kind::configuration, std::move(written.error())});
    }
    if (listener.progress) {
      listener.progress(
        fmt::format("waiting for {} (the request is {})", reply.string(), question.filename().string()));
    }
    std::string last;
    for (int settled = 0; settled < k_looks_until_settled;) {
      const auto text = fs::exists(reply, failed) ? read_file(reply) : Result<std::string>("");
      const bool is_there = text && !trim(*text).empty();
      settled = is_there && *text == last ? settled + 1 : 0;
      last = is_there ? *text : "";
      if (settled < k_looks_until_settled && !m_pause->wait(k_between_looks, listener.stop)) {
        return std::unexpected(ModelFailure{
          ModelFailure::Kind::stopped,
          {"stopped", fmt::format("the request stays in {}: answer it and resume", question.string()), {}}});
      }
    }
    ModelAnswer answer;
    answer.text = std::move(last);
    answer.usage = {estimate_prompt_tokens(request), 0, estimate_tokens(answer.text), true};
    answer.model = "manual";
    return answer;
  }

  ModelResult<std::vector<std::string>> models(std::stop_token) override { return std::vector<std::string>(); }

private:
  fs::path m_folder;
  std::shared_ptr<Pause> m_pause;
};

} // namespace

Result<std::unique_ptr<ModelProvider>> make_manual(const ModelSetting& setting, const ModelServices& world)
{
  return std::make_unique<Manual>(setting.path, world.pause);
}

} // namespace hone::llm
