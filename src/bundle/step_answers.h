// Which answers of a model made a candidate: remembered in its workflow when the step was carried out.
#pragma once

#include "rewrite/model_engine.h"
#include "store/store.h"
#include "util/json.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hone::bundle {

struct AnswerMade {
  std::string request; // hash: what the answer is kept under
  std::string pass;
  int sample = 0, try_number = 0;
  bool passed = false;
  std::string fault;  // name_of(AnswerFault), or ""
  std::string report; // what went back to the model
};
Json to_json(const AnswerMade& made);

// A step as it was worded then.
struct StepText {
  std::string name;
  std::string sentence; // of a step that has no file
  std::string source;   // of one that has
};
Json to_json(const StepText& text);
StepText step_text_from(const Json& json);     // throws Json::exception
AnswerMade answer_made_from(const Json& json); // likewise
Result<catalogue::Transformation> parse(const StepText& text);

struct StepAnswers {
  StepText text;
  std::vector<AnswerMade> answers;
};

Result<void> remember_answers(store::Workflow& workflow, const catalogue::Transformation& step,
                              const kernel::Candidate& from, const kernel::Candidate& made,
                              std::span<const rewrite::AnswerEvent> answers);
// Nothing where no model was asked.
Result<std::optional<StepAnswers>> remembered_answers(const store::Workflow& workflow, const std::string& step,
                                                      const kernel::Candidate& from, const kernel::Candidate& made);

} // namespace hone::bundle
