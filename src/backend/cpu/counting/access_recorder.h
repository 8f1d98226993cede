// Takes the accesses of a call one by one, and counts them by instruction and memory, through a model of the caches.
// (internal)
#pragma once

#include "backend/cpu/counting/cache_model.h"
#include "backend/cpu/counting/call_counts.h"
#include "backend/cpu/counting/frequent_strides.h"
#include "backend/cpu/counting/reuse_distance.h"

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace hone::backend::cpu {

struct MemoryRange {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t seen_at = 0; // where the caches see `begin`: the same in every process
  MemoryKind kind = MemoryKind::other;
  std::string name; // of MemoryKind::buffer
};

struct RecordedAccess {
  std::uint64_t instruction = 0; // its place in the library
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool reads = false, writes = false;
  bool around_caches = false; // a non-temporal store
};

class AccessRecorder {
public:
  explicit AccessRecorder(const std::vector<CacheLevel>& levels);

  // Later ranges are searched first.
  void add_memory(MemoryRange range);
  void record(const RecordedAccess& access);
  // The thread that makes the accesses that follow, were they shared out.
  void set_thread(std::uint32_t thread) { m_thread = thread; }
  std::uint64_t accesses() const { return m_accesses; } // loads and stores so far

  // Without what the caller knows: groups, and whether this is the whole call.
  CallCounts counts() const;

private:
  struct Site {
    std::uint64_t instruction = 0;
    std::size_t memory = 0;
    AccessNumbers numbers;
    FrequentStrides strides;
    LogHistogram reuse;
    std::int64_t touches = 0;
    std::uint64_t addresses = 0; // all of them, combined by "or"
  };
  struct SiteKey {
    std::uint64_t instruction = 0;
    std::size_t memory = 0;
    bool operator==(const SiteKey&) const = default;
  };
  struct SiteHash {
    std::size_t operator()(const SiteKey& key) const { return key.instruction * 31 + key.memory; }
  };

  std::size_t memory_of(std::uint64_t address);
  Site& site_of(std::uint64_t instruction, std::size_t memory);
  void touch(Site& site, std::uint64_t line, const RecordedAccess& access);
  void store_by_thread(Site& site, std::uint64_t line);

  std::vector<CacheLevel> m_levels;
  std::uint64_t m_line_bytes;
  CacheModel m_caches, m_translations;
  ReuseDistances m_reuse;
  std::vector<MemoryRange> m_memories; // the first: everything else
  std::unordered_map<SiteKey, Site, SiteHash> m_sites;
  std::array<Site*, 1024> m_recent{};
  std::uint64_t m_accesses = 0;

  // Stores to a line, for lines of buffers where there are several threads.
  struct LineStores {
    std::uint32_t thread = 0;
    std::int64_t stores = 0; // while it is one thread's
    bool is_shared = false;
  };
  std::uint32_t m_thread = 0;
  std::unordered_map<std::uint64_t, LineStores> m_line_stores;
};

} // namespace hone::backend::cpu
