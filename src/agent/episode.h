// One episode of a model with tools, as data.
#pragma once

#include "llm/llm.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone::agent {

// A message, and what it took.
struct Turn {
  llm::ModelMessage message;
  std::string raw = {};       // an answer as the model wrote it, where its calls stood in the text
  std::string reasoning = {}; // that the model's server showed apart
  llm::ModelUsage usage = {}; // of an answer
  double seconds = 0;         // of asking, or of the action
  double device_s = 0;        // of the action
  bool failed = false;        // the action was not carried out
  bool finished = false;      // the action ended the episode
  bool operator==(const Turn&) const = default;
};

enum class EpisodeEnd {
  finished, // the model said so
  calls,    // a limit was reached
  tokens,
  device_seconds,
  wall_seconds,
  no_calls,    // the model asks for nothing any more
  no_answer,   // the model refused
  unreachable, // no network, a wrong key, a budget spent
  stopped,     // by the caller
};
std::string_view name_of(EpisodeEnd end); // "finished", "calls", "no calls", ...

struct EpisodeSpent {
  int calls = 0;        // actions asked for
  int failed_calls = 0; // of these, not carried out
  int answers = 0;
  std::int64_t prompt_tokens = 0, answer_tokens = 0;
  double model_s = 0, device_s = 0;
  bool operator==(const EpisodeSpent&) const = default;
};

struct Episode {
  std::string model;
  std::string system;
  std::vector<llm::ModelTool> tools;
  bool calls_in_text = false; // not by the protocol
  std::vector<Turn> turns;    // the first is the task
  EpisodeEnd end = EpisodeEnd::finished;
  std::string why; // the end, for people: "the limit of 40 calls is reached"
  EpisodeSpent spent;
};

// Adds what a turn took.
void add(EpisodeSpent& spent, const Turn& turn);

} // namespace hone::agent
