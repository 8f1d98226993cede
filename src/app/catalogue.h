// The catalogue of transformations: what it holds, and drafts of new ones.
#pragma once

#include "app/context.h"
#include "catalogue/catalogue.h"

#include <string>
#include <vector>

namespace hone::app {

struct DraftRequest {
  std::string sentence; // what the step does
  std::string kernel;   // it is drafted for; empty: any
  std::string from, to; // checkpoints of the kernel, to draft it from what changed; both or none
  std::string out;      // file; empty: KERNEL/transformations/NAME.md, or here
};

struct DraftedStep {
  std::string name;
  fs::path file;
  std::string text;
};

// `kernel`: folder of a kernel that brings some along; may be empty.
Result<std::vector<catalogue::Transformation>> catalogue(const std::string& kernel);
Result<DraftedStep> draft_step(const Context& context, const DraftRequest& request);

Json to_json(const catalogue::Transformation& transformation);
Json to_json(const DraftedStep& drafted);

} // namespace hone::app
