// A model of the device's L2 cache: sets of lines of four sectors. (internal to the room)
//
// A sector that is read comes from memory unless the cache holds all of it. Stores bring nothing from memory: the cache
// knows which bytes of a sector it holds. An atomic update needs the sector, and makes it differ from memory. What
// differs goes back to memory as whole sectors: when its line makes room for another, or at the end.
#pragma once

#include "emulate/launch.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace hone::emulate::execute {

constexpr std::uint64_t k_sector_bytes = 32;
constexpr std::uint32_t k_whole_sector = ~std::uint32_t{0}; // a bit for each byte

// In bytes; see Counts.
struct CacheTraffic {
  std::uint64_t reads = 0, writes = 0, updates = 0, memory_reads = 0, memory_writes = 0;
};

class Cache {
public:
  explicit Cache(const CacheSizes& sizes);

  // Of the sector with this number, by the instruction at `place`. What is written back counts where it was stored
  // last.
  void read(std::uint64_t sector, std::uint32_t place);
  void write(std::uint64_t sector, std::uint32_t bytes, std::uint32_t place); // bytes: which of the sector's
  void update(std::uint64_t sector, std::uint32_t place);
  void write_back(); // all that differs from memory

  CacheTraffic traffic(std::uint32_t place) const;

private:
  struct Sector {
    std::uint32_t held = 0; // bytes
    std::uint32_t place = 0;
    bool differs = false; // from memory
  };
  static constexpr std::uint64_t k_sectors = 4; // of a line
  struct Line {
    std::uint64_t number = 0;
    std::array<Sector, k_sectors> sectors;
  };

  Sector& sector_at(std::uint64_t number);
  CacheTraffic& traffic_of(std::uint32_t place);
  void fetch(Sector& sector, std::uint32_t place);
  void write_back(const Line& line);

  std::size_t m_ways = 1;
  std::vector<std::vector<Line>> m_sets; // the most recently used line first
  std::vector<CacheTraffic> m_traffic;   // by place
};

// Where allocations lie in the model, so that nothing depends on this process's addresses: one behind the other in the
// order in which the launch meets them, each at a multiple of 256, as the driver places them.
class CacheAddresses {
public:
  std::uint64_t of(const Allocation& allocation, std::uint64_t address);

private:
  std::map<std::uintptr_t, std::uint64_t> m_begins;
  std::uint64_t m_end = 0;
};

struct CacheModel {
  explicit CacheModel(const CacheSizes& sizes) : cache(sizes) {}
  Cache cache;
  CacheAddresses addresses;
};

} // namespace hone::emulate::execute
