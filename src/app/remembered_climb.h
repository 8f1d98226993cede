// How a climb was asked for, kept in its workflow so that `hone resume` goes on with the same.
#pragma once

#include "app/settings.h"
#include "store/store.h"

#include <map>
#include <string>
#include <vector>

namespace hone::app {

struct RememberedClimb {
  std::map<std::string, std::string> settings; // policy, strategy, ...: what decides how the climb goes
  std::vector<std::string> sizes;              // --size items
  std::string steps;                           // absolute path of the recipe file, or ""
  bool no_baselines = false;
  std::string from;    // id of the checkpoint it went on from, or ""
  std::string branch;  // the name that moves along, or ""
  std::string reached; // with `from`: id of the best it had found when it ended
};

// The settings that belong to a climb, as they stand.
std::map<std::string, std::string> climb_settings(const Settings& settings);

Result<void> remember(store::Workflow& workflow, const RememberedClimb& request);
// An empty one where nothing was remembered.
Result<RememberedClimb> remembered(const store::Workflow& workflow);

// Puts remembered settings in where no flag says otherwise.
void adopt(Settings& settings, const RememberedClimb& request);

// The request as flags, for people: "--policy greedy --size m=512".
std::string as_flags(const RememberedClimb& request);

} // namespace hone::app
