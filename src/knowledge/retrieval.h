// What to expect of techniques in a state, from evidence of this state and of others that are like it. Every answer
// names the evidence that it rests on.
#pragma once

#include "knowledge/base.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hone::knowledge {

// A technique that may be tried, and what is expected of it before any evidence.
struct Option {
  std::string technique;
  double gain = 0; // logarithm
};

struct Question {
  Signature signature;         // empty members: any
  std::string state;           // its id where it is known: evidence of that state counts in full
  std::vector<Option> options; // empty: every technique that the base has evidence of
  std::int64_t now = 0;        // seconds since 1970; 0: the clock
  bool deprecated_too = true;  // else those are left out
  std::size_t most = 1000;
};

// Evidence of one technique in one state, and how much it counted.
struct Used {
  std::string state;
  double similarity = 1;
  double weight = 0; // of all that was weighed
  double gain = 0;   // mean, logarithm
  std::int64_t tries = 0, failures = 0;
  std::vector<std::string> evidence; // ids, the newest; see k_named
};
constexpr int k_named = 3; // ids of evidence that an answer names for each state

struct Estimate {
  std::string technique;
  Gain gain;             // what one more try is expected to measure, where it does not fail; 90 % interval
  double returned = 0;   // what was gained from there on in the end; at least the gain
  double failing = 0;    // how likely it fails, 0 to 1
  double confidence = 0; // 0 to 1: how much evidence there is, and how good predictions were
  double reward = 0;     // mean of this state's tries
  double tries = 0;      // in this state, decayed
  bool deprecated = false;
  std::string why;                  // one line
  std::vector<Used> used;           // what weighs most first
  std::vector<std::string> changes; // ids of updates that were applied

  double worth() const { return (1 - failing) * std::max(gain.value, returned); } // by which answers are ordered
};

struct Answer {
  std::vector<Estimate> estimates; // the most promising first
  std::size_t states = 0;          // that were like the one that was asked about
  double seconds = 0;              // that answering took
};

Result<Answer> rank(const Base& base, const Question& question);

// Entries whose words match, the best first: full-text search, as FTS5 has it. Words that mean something to it are
// taken as they are.
struct Hit {
  std::string kind; // "technique", "state", "failure", "change"
  std::string name; // name or id
  std::string text;
};
Result<std::vector<Hit>> search_words(const Base& base, const std::string& words, std::size_t most);

Json to_json(const Answer& answer);

} // namespace hone::knowledge
