// The spread of several runs of the same kind.
#pragma once

#include "util/stats.h"

#include <string>
#include <vector>

namespace hone::policy {

// The result of a climb or a tuning session.
struct StudiedRun {
  std::string group; // runs of one group are alike: "30 s"
  int number = 0;
  double ratio = 0; // over its start, judged in full; 0: no result
  Interval ci95;    // of the ratio
  double seconds = 0;
  std::string note;
};

struct StudiedGroup {
  std::string group;
  int n = 0, failed = 0;
  double median = 0, least = 0, largest = 0; // of ratios; 0 where none came to anything
};

// In the order in which groups come.
std::vector<StudiedGroup> groups_of(const std::vector<StudiedRun>& runs);

} // namespace hone::policy
