// What a call did to memory, counted and not timed: accesses, and misses of modelled caches, for each line of the
// source. One form for all platforms; access_counter.h says who counts. Counts are for people and models: no verdict
// rests on them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::backend {

struct CacheLevel {
  std::string name; // "L1"
  std::int64_t bytes = 0;
  std::int64_t line_bytes = 64; // the same for all levels
  std::int64_t ways = 1;        // lines of a set
  bool operator==(const CacheLevel&) const = default;

  std::int64_t lines() const { return bytes / line_bytes; }
};

// In lines: an access that lies in two lines may miss twice.
struct CacheMisses {
  std::int64_t reads = 0, writes = 0; // an access that does both counts as a read
  std::int64_t first = 0;             // of these: of lines that the call had not touched before
  // Of these: of lines that a cache of the same size without sets would have kept.
  std::int64_t conflicts = 0;

  std::int64_t all() const { return reads + writes; }
  CacheMisses& operator+=(const CacheMisses& other);
  bool operator==(const CacheMisses&) const = default;
};

// What the warps of a GPU do; zeros on CPUs.
struct WarpNumbers {
  std::int64_t instructions = 0, items = 0; // of warps; of their items, 32 each at most
  std::int64_t requests = 0, sectors = 0;   // of global memory: accesses of warps, and the 32-byte sectors they touch
  std::int64_t least_sectors = 0;           // that the bytes wanted would fill
  std::int64_t turns = 0, least_turns = 0;  // of shared memory's banks; without conflicts
  std::int64_t branches = 0, parted = 0;    // by warps; of these: items went both ways

  WarpNumbers& operator+=(const WarpNumbers& other);
  bool operator==(const WarpNumbers&) const = default;
};

struct AccessNumbers {
  std::int64_t loads = 0, stores = 0; // an access that does both counts in both
  std::int64_t bytes_loaded = 0, bytes_stored = 0;
  std::int64_t bytes_around = 0;   // of bytes_stored: by non-temporal stores, which go around the caches to memory
  std::int64_t line_crossings = 0; // accesses of at most a line that lie in two of them
  std::int64_t page_misses = 0;    // accesses to pages that the first level of translations does not hold
  std::int64_t page_walks = 0;     // of these: that the second one does not hold either
  std::int64_t contested = 0;      // stores to lines that another thread stores to as well
  std::vector<CacheMisses> misses; // by level; empty: no level is modelled
  WarpNumbers warps;

  std::int64_t accesses() const { return loads + stores; }
  AccessNumbers& operator+=(const AccessNumbers& other);
  bool operator==(const AccessNumbers&) const = default;
};

enum class MemoryKind {
  buffer,    // an argument or scratch
  shared,    // scratch of one group
  stack,     // private: registers that were spilled, local arrays
  constants, // of the candidate's code
  other      // such as what tells a group which one it is
};
std::string_view name_of(MemoryKind kind); // "stack"

struct StrideShare {
  std::int64_t bytes = 0; // from one access of an instruction to its next; negative: downwards
  double share = 0;       // of all these steps
};

// Distinct other lines that were touched since a line was touched last. A fully associative LRU cache with more lines
// than that hits.
struct ReuseDistance {
  double median = 0, most = 0; // in lines; `most`: nine in ten are no longer
  double share = 0;            // of the touches: those of lines that had been touched before
};

// Accesses of one line of the source to one memory.
struct AccessSite : AccessNumbers {
  std::string file;     // "device.cpp"; "": not known
  int line = 0;         // 0: not known
  std::string function; // as written, or mangled
  MemoryKind memory = MemoryKind::other;
  std::string buffer;                // of MemoryKind::buffer: its name, as in launch.toml
  std::optional<StrideShare> stride; // the most frequent one
  std::int64_t alignment = 0;        // bytes: what all addresses are multiples of; at most the bytes of a line
  std::optional<ReuseDistance> reuse;
};

// Between a level and the next: the last one's is memory.
struct LevelTraffic {
  std::int64_t fill_bytes = 0;       // brought in
  std::int64_t write_back_bytes = 0; // written back while the call ran
  std::int64_t dirty_bytes = 0;      // left at its end, still to be written back
  bool operator==(const LevelTraffic&) const = default;
};

struct AccessCounts {
  std::vector<CacheLevel> levels;    // from the first to the last
  std::vector<LevelTraffic> traffic; // by level
  std::vector<AccessSite> sites;     // by weight(), the heaviest first
  AccessNumbers total;
  AccessNumbers stack;                     // of it: what went to the stack
  std::int64_t touched_bytes = 0;          // of distinct lines
  std::int64_t groups_run = 0, groups = 0; // of all launches; groups_run: to their ends
  bool has_lines = true;                   // false: only what each kind of memory has in all
  bool of_warps = false;                   // of a GPU: AccessNumbers::warps is counted, strides and reuse are not
  bool whole = true;                       // false: it ended before the call did; the counts are those of its beginning
  std::vector<std::string> notes;          // what is not in the numbers: "hardware prefetch is not modelled"
};

// Bytes that its misses make all levels fetch, to compare sites by.
std::int64_t weight(const AccessNumbers& numbers, const std::vector<CacheLevel>& levels);

} // namespace hone::backend
