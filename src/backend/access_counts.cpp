#include "backend/access_counts.h"

#include <algorithm>

namespace hone::backend {

CacheMisses& CacheMisses::operator+=(const CacheMisses& other)
{
  reads += other.reads;
  writes += other.writes;
  first += other.first;
  conflicts += other.conflicts;
  return *this;
}

WarpNumbers& WarpNumbers::operator+=(const WarpNumbers& other)
{
  instructions += other.instructions;
  items += other.items;
  requests += other.requests;
  sectors += other.sectors;
  least_sectors += other.least_sectors;
  turns += other.turns;
  least_turns += other.least_turns;
  branches += other.branches;
  parted += other.parted;
  return *this;
}

AccessNumbers& AccessNumbers::operator+=(const AccessNumbers& other)
{
  loads += other.loads;
  stores += other.stores;
  bytes_loaded += other.bytes_loaded;
  bytes_stored += other.bytes_stored;
  bytes_around += other.bytes_around;
  line_crossings += other.line_crossings;
  page_misses += other.page_misses;
  page_walks += other.page_walks;
  contested += other.contested;
  warps += other.warps;
  misses.resize(std::max(misses.size(), other.misses.size()));
  for (std::size_t i = 0; i < other.misses.size(); ++i) {
    misses[i] += other.misses[i];
  }
  return *this;
}

std::string_view name_of(MemoryKind kind)
{
  switch (kind) {
  case MemoryKind::buffer:
    return "buffer";
  case MemoryKind::shared:
    return "shared";
  case MemoryKind::stack:
    return "stack";
  case MemoryKind::constants:
    return "constants";
  case MemoryKind::other:
    break;
  }
  return "other";
}

std::int64_t weight(const AccessNumbers& numbers, const std::vector<CacheLevel>& levels)
{
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < std::min(levels.size(), numbers.misses.size()); ++i) {
    bytes += numbers.misses[i].all() * levels[i].line_bytes;
  }
  return bytes;
}

} // namespace hone::backend
