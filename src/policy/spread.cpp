#include "policy/spread.h"

#include <algorithm>

namespace hone::policy {

std::vector<StudiedGroup> groups_of(const std::vector<StudiedRun>& runs)
{
  std::vector<StudiedGroup> groups;
  for (const StudiedRun& run : runs) {
    if (std::ranges::find(groups, run.group, &StudiedGroup::group) != groups.end()) {
      continue;
    }
    StudiedGroup group{.group = run.group};
    std::vector<double> ratios;
    for (const StudiedRun& other : runs) {
      if (other.group == run.group) {
        ++group.n;
        group.failed += other.ratio > 0 ? 0 : 1;
        if (other.ratio > 0) {
          ratios.push_back(other.ratio);
        }
      }
    }
    if (!ratios.empty()) {
      group.median = median(ratios);
      group.least = std::ranges::min(ratios);
      group.largest = std::ranges::max(ratios);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

} // namespace hone::policy
