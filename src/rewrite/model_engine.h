// The engine that asks a language model, or a person in its place: one request per pass, strict answers, and a bounded
// number of repairs with what the compiler or the gate said.
#pragma once

#include "llm/llm.h"
#include "rewrite/rewrite.h"
#include "util/fs.h"

#include <functional>
#include <memory>
#include <span>
#include <stop_token>

namespace hone::rewrite {

// What answers are asked for in.
enum class AnswerForm {
  blocks, // prose with fenced code
  object, // a JSON object after a schema, where the server holds models to one; elsewhere they are only told
};

// How much a request says.
enum class PromptProfile {
  full,
  compact, // about a third of the words, for small models and short contexts
};

struct ModelEngineSetting {
  std::shared_ptr<llm::ModelProvider> provider;
  std::string model;    // as the provider knows it
  fs::path prompts;     // share_folder() / "prompts"
  int samples = 1;      // whole attempts at a step, until one passes
  int first_sample = 0; // number of the first of them: others have other answers
  int repairs = 3;      // per pass
  AnswerForm form = AnswerForm::blocks;
  std::int64_t most_tokens = 16'384; // of an answer
  PromptProfile profile = PromptProfile::full;
  // Of first answers; a repair is a new sample, and at a low temperature a model repeats itself.
  std::optional<double> temperature; // nothing: the server's own
  double repair_temperature = 0.8;   // at least
  std::optional<std::int64_t> seed;  // each request has its own, counted from here; nothing: the server draws
  std::stop_token stop;
  // What happens, for people: "cache-tiling, pass 1 of 2, sample 1: asking, about 3100 tokens"; and what the model says
  // as it says it.
  std::function<void(std::string_view)> progress;
  std::function<void(std::string_view)> text;
};

// How an answer failed; for statistics.
enum class AnswerFault {
  not_applicable,
  plan,
  compile,
  constraints,
  correctness,
  hang,
  crash,
  rejected,
  unchanged, // only comments, or code that the compiler drops
  refused,
  other
};
std::string_view name_of(AnswerFault fault); // "did not apply", "plan", "compile", ...

struct AnswerEvent { // one answer and its result
  std::string transformation, pass;
  int sample = 0, try_number = 0; // 0: the first answer, then repairs
  std::string request;            // hash
  bool passed = false;            // went on to the next pass, or through the trial
  std::optional<AnswerFault> fault;
  std::string report;
  llm::ModelAnswer answer;
};

// Either may be empty.
struct ModelEngineObserver {
  std::function<void(const AnswerEvent&)> answered;
  // A step that succeeded, with all answers to it in order, earlier samples included.
  std::function<void(const EngineRequest&, const kernel::Candidate&, std::span<const AnswerEvent>)> carried_out;
};

// An error where the prompts cannot be read.
Result<std::unique_ptr<Engine>> make_model_engine(ModelEngineSetting setting, ModelEngineObserver observer);

} // namespace hone::rewrite
