// Everything that is stored for a kernel, looked through for damage: what `hone fsck` does.
//
// A repair does only what loses nothing. What cannot be read is set aside, in a folder `damaged/` of the workflow: the
// old journal whole, damaged objects and refs as they are. What a commit or the rest of the journal can restore is
// restored; what a killed process left half done is finished or removed.
#pragma once

#include "util/finding.h"
#include "util/fs.h"
#include "util/result.h"

#include <functional>
#include <string>
#include <vector>

namespace hone::store {

struct StoreCheck {
  std::vector<fs::path> workflows; // looked through
  std::vector<std::string> busy;   // of these, another Hone is at work on: "FOLDER: process 4711 on host"
  Findings findings;
};

// All workflows under a state folder; none when there is no such folder. Without `repair` nothing is changed, and what
// another Hone is writing to is looked at beside it. A repair waits for that one as long as `waiting` says, as
// Workflow::open does.
Result<StoreCheck> check_store(const fs::path& state, bool repair,
                               const std::function<bool(const std::string& holder)>& waiting = {});

} // namespace hone::store
