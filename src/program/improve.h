// A language model asked for a better region: one prompt of five parts (goal and platform; where the region is; its
// text; measured baseline; what may be used), the judge's findings for repairs, and what was accepted as the next
// start.
#pragma once

#include "llm/llm.h"
#include "program/judge.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::program {

struct ImproveRequest {
  llm::ModelProvider* provider = nullptr;
  std::string model;
  std::string prompt;                         // template, with {goal}-like names as in prompts/program.md
  std::string start;                          // text of the region to begin from
  ProgramCheck baseline;                      // measured once, so that a repeated request is the same
  int attempts = 1;                           // each from the best text so far
  int repairs = 3;                            // of each
  std::function<void(std::string_view)> told; // one line per answer; may be empty
  std::function<Result<bool>(const std::string& text, const ProgramRecord&)> kept; // stores a record; is it the best?
};

struct ImproveAnswer {
  std::string text; // of the region; empty where the answer held none
  ProgramRecord record;
  bool best = false;
};

// All answers in turn. The error: the model cannot be asked, or Hone could not judge.
Result<std::vector<ImproveAnswer>> improve(Judge& judge, const ImproveRequest& request, std::stop_token stop);

// The request's first message.
Result<std::string> prompt_for(const Program& program, const ImproveRequest& request, const std::string& text);
// What stands in the answer's last fenced block; empty where there is none.
std::string region_in(std::string_view answer);

} // namespace hone::program
