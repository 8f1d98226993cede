// One command of the contract carried out, whatever the platform and wherever the runner lives.
#pragma once

#include "backend/runner/platform.h"

namespace hone::backend::runner {

struct CommandOutcome {
  const char* failure = nullptr; // what went wrong: the runner refuses then
  RefusalKind kind = RefusalKind::runtime;
  bool ends = false; // the runner's life
};

// Takes the mappings of the former job away and makes those of the new one; nullptr, or what went wrong.
using Remap = const char* (*)(const JobView& job);

CommandOutcome execute_command(const Platform& platform, const JobView& job, Reply& reply, Remap remap);

} // namespace hone::backend::runner
