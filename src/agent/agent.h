// A language model that works with tools: it gets a task and a list of actions, asks for actions, reads their results,
// and goes on until it finishes or a limit is reached. Knows nothing of kernels.
//
//   Action: a name, its arguments, run()      EpisodeSpec: who is asked, the task, the actions, the limits
//   Episode: the conversation and its end     run_episode(): one episode
//
// Public too: "agent/action.h"; "agent/episode.h"; "agent/transcript.h", episodes in files; "agent/trajectory.h",
// episodes as training data.
#pragma once

#include "agent/action.h"
#include "agent/episode.h"
#include "llm/llm.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace hone::agent {

// How a model asks for actions.
enum class CallForm {
  automatic, // native; text where the server takes no tools
  native,    // tool calls of the protocol
  text,      // <tool_call>{"name": ..., "arguments": {...}}</tool_call> in its answers
};
std::string_view name_of(CallForm form); // "auto", "native", "text"
std::optional<CallForm> call_form_named(std::string_view name);

struct Limits { // nothing: no limit
  int calls = 40;
  std::optional<std::int64_t> tokens;   // of prompts and answers of this episode
  std::optional<double> device_seconds; // that actions took on the device
  std::optional<double> wall_seconds;
};

struct EpisodeSpec {
  std::shared_ptr<llm::ModelProvider> provider;
  std::string model;
  std::string system; // rules: what stays the same from episode to episode
  std::string task;   // the first message
  std::vector<Action> actions;
  CallForm form = CallForm::automatic;
  Limits limits;
  std::int64_t most_tokens = 8192;      // of an answer
  std::int64_t context_tokens = 60'000; // of a request: results that are older are left out beyond it
  std::optional<double> temperature;
  std::optional<std::int64_t> seed;
  int sample = 0; // which of several episodes on the same task
  std::stop_token stop;
  // An episode that was interrupted: its actions are carried out again, and its results are shown as they were.
  std::vector<Turn> earlier;
  // Each turn as soon as it is there; what the model says while it says it; waiting and retries. May be empty.
  std::function<Result<void>(const Turn&)> turn;
  std::function<void(std::string_view)> text;
  std::function<void(std::string_view)> progress;
};

// An error: an action could not be carried out at all, or a turn could not be kept. A model that cannot be reached ends
// the episode; what it reached until then stays.
Result<Episode> run_episode(const EpisodeSpec& spec);

} // namespace hone::agent
