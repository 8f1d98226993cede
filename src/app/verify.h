// Checkpoints of a workflow through the gate again, on this machine, now.
#pragma once

#include "app/workbench.h"

#include <functional>
#include <string>
#include <vector>

namespace hone::app {

struct VerifyRequest {
  KernelRequest kernel;
  std::string checkpoint; // only this one; empty: all
};

struct VerifiedCheckpoint {
  store::Checkpoint checkpoint; // with the record of then
  record::Record now;
  bool holds = false; // correct, and as fast beside its parent as was recorded
};

struct VerifyResult {
  std::string kernel;
  std::vector<VerifiedCheckpoint> checkpoints; // as far as it came
  bool holds = true;                           // all of them
  bool stopped = false;                        // before the last one
};

// `each` is called with every checkpoint once it is verified.
Result<VerifyResult> verify(Context& context, const VerifyRequest& request,
                            const std::function<void(const VerifiedCheckpoint&)>& each);
Json to_json(const VerifyResult& result);

} // namespace hone::app
