#include "app/knowledge.h"

#include <fmt/format.h>

namespace hone::app {

fs::path knowledge_file(const Settings& settings)
{
  const std::string& file = settings.text("knowledge");
  return file.empty() ? knowledge::default_file() : fs::path(file);
}

Result<knowledge::Base> open_knowledge(const Context& context)
{
  return knowledge::Base::open(knowledge_file(context.settings));
}

Result<knowledge::Base> existing_knowledge(const Context& context)
{
  const fs::path file = knowledge_file(context.settings);
  HONE_TRY(std::optional<knowledge::Base> base, knowledge::Base::open_existing(file));
  if (!base) {
    return fail(
      fmt::format("there is no knowledge base {}", file.string()),
      "`hone optimize KERNEL --policy blaster` makes one, or `hone knowledge import FILE`; another one is named "
      "with --knowledge FILE",
      Place{"--knowledge", 0, 0});
  }
  return std::move(*base);
}

Result<knowledge::Signature> signature_here(const Workbench& bench)
{
  HONE_TRY(const backend::DeviceInfo device, bench.backend->probe());
  knowledge::Signature signature = knowledge::signature_of(*bench.kernel, bench.recipe.sizes);
  signature.backend = bench.backend->name();
  signature.device = device.fingerprint;
  signature.device_name = device.name;
  return signature;
}

Result<KnowledgeAnswer> ask_knowledge(const Context& context, const knowledge::Base& base,
                                      const KnowledgeQuestion& question)
{
  KnowledgeAnswer answer;
  knowledge::Question asked;
  knowledge::Signature& signature = asked.signature;
  if (!question.kernel.empty()) {
    HONE_TRY(const Workbench bench, open_workbench(context, {question.kernel, question.sizes}));
    HONE_TRY(signature, signature_here(bench));
  }
  const knowledge::Filter& filter = question.filter;
  if (!filter.state.empty()) {
    HONE_TRY(const std::vector<knowledge::State> found, knowledge::states(base, filter));
    if (!found.empty()) {
      signature = found.front().signature;
      asked.state = found.front().id;
    }
  }
  const auto narrow = [](std::string& word, const std::string& given) { word = given.empty() ? word : given; };
  narrow(signature.kernel_class, filter.kernel_class);
  narrow(signature.backend, filter.backend);
  narrow(signature.types, filter.types);
  narrow(signature.shape, filter.shape);
  narrow(signature.bottleneck, filter.bottleneck);
  if (!filter.device.empty()) {
    signature.device = signature.device_name = filter.device;
  }
  if (!filter.technique.empty()) {
    asked.options = {{filter.technique, 0}};
  }
  asked.most = question.most;
  HONE_TRY(answer.ranked, knowledge::rank(base, asked));
  HONE_TRY(answer.hits, knowledge::search_words(base, question.words, question.most));
  answer.signature = signature;
  return answer;
}

Json to_json(const KnowledgeAnswer& answer)
{
  Json json{{"signature", knowledge::to_json(answer.signature)}};
  json.update(knowledge::to_json(answer.ranked));
  Json hits = Json::array();
  for (const knowledge::Hit& hit : answer.hits) {
    hits.push_back({{"kind", hit.kind}, {"name", hit.name}, {"text", hit.text}});
  }
  json["hits"] = std::move(hits);
  return json;
}

} // namespace hone::app
