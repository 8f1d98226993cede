// A candidate that somebody wrote, through the gate and into the workflow.
#pragma once

#include "app/workbench.h"
#include "policy/policy.h"

#include <string>

namespace hone::app {

struct KeepRequest {
  KernelRequest kernel;
  std::string candidate; // folder
  std::string step;      // what was done, in a few words; empty: "edit"
  std::string onto = "best";
};

struct KeptCandidate {
  std::string step; // its name
  policy::AppliedStep judged;
  bool is_best = false; // of the workflow, from now on
};

// Errors: the folder is no candidate, `step` names a step of the catalogue, `onto` names nothing.
Result<KeptCandidate> keep_candidate(Context& context, const KeepRequest& request);
// "correct; checkpoint 3f2a9c41d0, the new best" and the like.
std::string text_of(const KeptCandidate& kept);
Json to_json(const KeptCandidate& kept);

} // namespace hone::app
