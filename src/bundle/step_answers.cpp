#include "bundle/step_answers.h"

#include <fmt/format.h>

namespace hone::bundle {

namespace {

// From two candidates the same step may lead to the same third.
std::string key_of(const std::string& step, const kernel::Candidate& from, const kernel::Candidate& made)
{
  return fmt::format("answers.{}.{}.{}", step, from.hash(), made.hash());
}

} // namespace

Json to_json(const AnswerMade& made)
{
  return {{"request", made.request}, {"pass", made.pass},   {"sample", made.sample}, {"try", made.try_number},
          {"passed", made.passed},   {"fault", made.fault}, {"report", made.report}};
}

AnswerMade answer_made_from(const Json& json)
{
  return {json.at("request").get<std::string>(), json.at("pass").get<std::string>(),
          json.at("sample").get<int>(),          json.at("try").get<int>(),
          json.at("passed").get<bool>(),         json.at("fault").get<std::string>(),
          json.at("report").get<std::string>()};
}

Json to_json(const StepText& text)
{
  return {{"name", text.name}, {"sentence", text.sentence}, {"source", text.source}};
}

StepText step_text_from(const Json& json)
{
  return {json.at("name").get<std::string>(), json.at("sentence").get<std::string>(),
          json.at("source").get<std::string>()};
}

Result<catalogue::Transformation> parse(const StepText& text)
{
  return text.source.empty() ? catalogue::free_transformation(text.sentence)
                             : catalogue::parse_transformation(text.source, text.name);
}

Result<void> remember_answers(store::Workflow& workflow, const catalogue::Transformation& step,
                              const kernel::Candidate& from, const kernel::Candidate& made,
                              std::span<const rewrite::AnswerEvent> answers)
{
  const bool from_file = !step.file.empty();
  Json list = Json::array();
  for (const rewrite::AnswerEvent& event : answers) {
    list.push_back(to_json(AnswerMade{event.request, event.pass, event.sample, event.try_number, event.passed,
                                      event.fault ? std::string(rewrite::name_of(*event.fault)) : "", event.report}));
  }
  const Json all{{"step", to_json(StepText{step.name, from_file ? "" : step.intent, from_file ? step.source : ""})},
                 {"answers", std::move(list)}};
  return workflow.remember(key_of(step.name, from, made), all.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Result<std::optional<StepAnswers>> remembered_answers(const store::Workflow& workflow, const std::string& step,
                                                      const kernel::Candidate& from, const kernel::Candidate& made)
{
  HONE_TRY(const std::string text, workflow.recall(key_of(step, from, made)));
  if (text.empty()) {
    return std::nullopt;
  }
  const std::string origin = fmt::format("journal.db: the answers behind '{}'", step);
  HONE_TRY(const Json json, parse_json(text, origin));
  try {
    StepAnswers answers{step_text_from(json.at("step")), {}};
    for (const Json& one : json.at("answers")) {
      answers.answers.push_back(answer_made_from(one));
    }
    return answers;
  } catch (const Json::exception& error) {
    return fail(fmt::format("this is no list of answers: {}", error.what()), "", Place{origin, 0, 0});
  }
}

} // namespace hone::bundle
