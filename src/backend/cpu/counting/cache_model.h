// A hierarchy of caches as a model: sets of ways, the least recently used line of a set goes, stores allocate, dirty
// lines are written back when they go. A level is asked when the one before misses, and takes the line then; nothing is
// kept or dropped for another level's sake. A line that is written back marks the next level's copy; where there is
// none it goes on to the level behind. Addresses are taken as they are, without translation. (internal)
#pragma once

#include "backend/access_counts.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hone::backend::cpu {

class CacheModel {
public:
  // `levels`: as check_levels() allows.
  explicit CacheModel(const std::vector<CacheLevel>& levels);

  // `line`: its address, divided by the bytes of a line. How many levels miss, from the first on.
  std::size_t access(std::uint64_t line, bool write);
  // The same for a store that goes around the caches to memory: their copies are dropped, dirty ones written back.
  void store_around(std::uint64_t line);

  std::vector<LevelTraffic> traffic() const;

private:
  // Ways of a set in the order of use, the last used first. An entry is 2 x line + 2, + 1 if dirty; 0: empty.
  struct Level {
    std::int64_t line_bytes = 0;
    std::size_t ways = 0;
    std::uint64_t sets = 0;
    std::vector<std::uint64_t> entries;
    LevelTraffic traffic;

    std::uint64_t* set_of(std::uint64_t line) { return entries.data() + line % sets * ways; }
    std::uint64_t* find(std::uint64_t line);
  };

  void write_back(std::size_t from, std::uint64_t line);

  std::vector<Level> m_levels;
};

} // namespace hone::backend::cpu
