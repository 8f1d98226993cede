#include "llm/answer_store.h"

#include "llm/message_json.h"
#include "util/compression.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::llm {
namespace {

constexpr const char* k_ending = ".json.zst";
constexpr std::size_t k_largest_answer = std::size_t{64} << 20; // bytes, uncompressed

class Keeping final : public ModelProvider {
public:
  Keeping(std::unique_ptr<ModelProvider> inner, AnswerStore store, AskAgain again)
    : m_inner(std::move(inner)), m_store(std::move(store)), m_again(again)
  {
  }
  std::string_view name() const override { return m_inner->name(); }

  ModelResult<ModelAnswer> ask(const ModelRequest& request, const ModelListener& listener) override
  {
    const auto broken = [](Error error) {
      return std::unexpected(ModelFailure{ModelFailure::Kind::configuration, std::move(error)});
    };
    auto known = m_store.find(request);
    if (!known) {
      return broken(std::move(known.error()));
    }
    if (*known && m_again == AskAgain::never) {
      ModelAnswer answer = std::move((*known)->answer);
      answer.kept = true;
      return answer;
    }
    auto answer = m_inner->ask(request, listener);
    if (answer) {
      if (auto added = m_store.add({std::string(name()), request, *answer}); !added) {
        return broken(std::move(added.error()));
      }
    }
    return answer;
  }

  ModelResult<std::vector<std::string>> models(std::stop_token stop) override { return m_inner->models(stop); }

private:
  std::unique_ptr<ModelProvider> m_inner;
  AnswerStore m_store;
  AskAgain m_again;
};

} // namespace

Json to_json(const StoredAnswer& stored)
{
  Json messages = Json::array();
  for (const ModelMessage& message : stored.request.messages) {
    messages.push_back(to_json(message));
  }
  Json request{{"model", stored.request.model},   {"system", stored.request.system},
               {"messages", std::move(messages)}, {"most_tokens", stored.request.most_tokens},
               {"stop", stored.request.stop},     {"sample", stored.request.sample}};
  if (stored.request.temperature) {
    request["temperature"] = *stored.request.temperature;
  }
  if (!stored.request.schema.empty()) {
    request["schema"] = stored.request.schema;
  }
  if (stored.request.seed) {
    request["seed"] = *stored.request.seed;
  }
  for (const ModelTool& tool : stored.request.tools) {
    request["tools"].push_back(to_json(tool));
  }
  const ModelAnswer& answer = stored.answer;
  Json answered{{"model", answer.model},
                {"text", answer.text},
                {"finish", answer.finish == ModelAnswer::Finish::complete ? "complete" : "cut_off"},
                {"prompt_tokens", answer.usage.prompt_tokens},
                {"cached_tokens", answer.usage.cached_tokens},
                {"answer_tokens", answer.usage.answer_tokens},
                {"tokens_estimated", answer.usage.estimated},
                {"seconds", answer.seconds}};
  if (!answer.calls.empty()) {
    answered["calls"] = to_json(answer.calls);
  }
  if (!answer.reasoning.empty()) {
    answered["reasoning"] = answer.reasoning;
  }
  return {{"provider", stored.provider},
          {"request_hash", stored.request.hash()},
          {"request", std::move(request)},
          {"answer", std::move(answered)}};
}

Result<StoredAnswer> stored_answer_from(const Json& json, const std::string& origin)
{
  StoredAnswer stored;
  try {
    stored.provider = json.at("provider").get<std::string>();
    const Json& request = json.at("request");
    stored.request.model = request.at("model").get<std::string>();
    stored.request.system = request.at("system").get<std::string>();
    stored.request.most_tokens = request.at("most_tokens").get<std::int64_t>();
    stored.request.stop = request.at("stop").get<std::vector<std::string>>();
    stored.request.sample = request.at("sample").get<int>();
    if (request.contains("temperature")) {
      stored.request.temperature = request.at("temperature").get<double>();
    }
    stored.request.schema = request.value("schema", "");
    for (const Json& message : request.at("messages")) {
      HONE_TRY(ModelMessage kept, message_from(message));
      stored.request.messages.push_back(std::move(kept));
    }
    if (request.contains("seed")) {
      stored.request.seed = request.at("seed").get<std::int64_t>();
    }
    for (const Json& tool : request.value("tools", Json::array())) {
      HONE_TRY(ModelTool kept, tool_from(tool));
      stored.request.tools.push_back(std::move(kept));
    }
    const Json& answer = json.at("answer");
    stored.answer.model = answer.at("model").get<std::string>();
    stored.answer.text = answer.at("text").get<std::string>();
    stored.answer.finish = answer.at("finish").get<std::string>() == "cut_off" ? ModelAnswer::Finish::cut_off
                                                                               : ModelAnswer::Finish::complete;
    stored.answer.usage = {answer.at("prompt_tokens").get<std::int64_t>(),
                           answer.at("cached_tokens").get<std::int64_t>(),
                           answer.at("answer_tokens").get<std::int64_t>(), answer.at("tokens_estimated").get<bool>()};
    stored.answer.seconds = answer.at("seconds").get<double>();
    stored.answer.calls = calls_from(answer.value("calls", Json::array()));
    stored.answer.reasoning = answer.value("reasoning", "");
  } catch (const Json::exception& error) {
    return fail(fmt::format("this is no kept answer of a model: {}", error.what()),
                "remove it; it will be asked for again", {origin, 0, 0});
  }
  if (json.value("request_hash", "") != stored.request.hash()) {
    return fail("the request was changed after its answer was kept", "remove it; it will be asked for again",
                {origin, 0, 0});
  }
  return stored;
}

fs::path AnswerStore::file_of(const std::string& hash) const
{
  return m_folder / (hash + k_ending);
}

Result<std::optional<StoredAnswer>> AnswerStore::find(const std::string& request_hash) const
{
  const fs::path file = file_of(request_hash);
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return std::nullopt;
  }
  HONE_TRY(const std::string packed, read_file(file));
  HONE_TRY(const std::string text, decompress(packed, k_largest_answer, file.string()));
  HONE_TRY(const Json json, parse_json(text, file.string()));
  HONE_TRY(StoredAnswer stored, stored_answer_from(json, file.string()));
  if (stored.request.hash() != request_hash) {
    return fail("a kept answer has the name of another one", "remove it; it will be asked for again",
                {file.string(), 0, 0});
  }
  return stored;
}

Result<void> AnswerStore::add(const StoredAnswer& stored) const
{
  std::error_code failed;
  fs::create_directories(m_folder, failed);
  if (failed) {
    return fail(fmt::format("cannot make the folder {}: {}", m_folder.string(), failed.message()),
                "answers of models are kept there: make room or choose another place with --state");
  }
  const std::string text = to_json(stored).dump(1, ' ', false, Json::error_handler_t::replace);
  return write_file(file_of(stored.request.hash()), compress(text));
}

std::vector<StoredAnswer> AnswerStore::all() const
{
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(m_folder, ignored)) {
    if (entry.path().string().ends_with(k_ending)) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  std::vector<StoredAnswer> all;
  for (const fs::path& file : files) {
    const auto packed = read_file(file);
    const auto text = packed ? decompress(*packed, k_largest_answer, file.string()) : Result<std::string>("");
    const auto json = text ? parse_json(*text, file.string()) : Result<Json>(Json());
    if (json) {
      if (auto stored = stored_answer_from(*json, file.string())) {
        all.push_back(std::move(*stored));
      }
    }
  }
  return all;
}

std::string difference(const ModelRequest& asked, const ModelRequest& kept)
{
  if (asked.system != kept.system) {
    return "its instructions (the system text) differ";
  }
  const std::size_t common = std::min(asked.messages.size(), kept.messages.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (const std::size_t line = first_different_line(asked.messages[i].text, kept.messages[i].text); line > 0) {
      return fmt::format("message {} differs from line {} on", i + 1, line);
    }
  }
  if (asked.messages.size() != kept.messages.size()) {
    return fmt::format("it has {} messages, the kept one {}", asked.messages.size(), kept.messages.size());
  }
  if (asked.sample != kept.sample) {
    return fmt::format("it is sample {} and not {}", asked.sample, kept.sample);
  }
  const bool same = asked.most_tokens == kept.most_tokens && asked.temperature == kept.temperature
                    && asked.stop == kept.stop && asked.schema == kept.schema && asked.seed == kept.seed
                    && asked.tools == kept.tools;
  return same ? "" : "its settings (temperature, seed, length, stop strings, schema, tools) differ";
}

std::unique_ptr<ModelProvider> make_keeping(std::unique_ptr<ModelProvider> inner, AnswerStore store, AskAgain again)
{
  return std::make_unique<Keeping>(std::move(inner), std::move(store), again);
}

} // namespace hone::llm
