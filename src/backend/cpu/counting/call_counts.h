// What is counted of a call, by instruction, and as text: how the program that counts hands it over. (internal)
#pragma once

#include "backend/access_counts.h"
#include "backend/cpu/counting/log_histogram.h"
#include "util/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hone::backend::cpu {

// Accesses of one instruction to one memory.
struct InstructionCounts : AccessNumbers {
  std::uint64_t offset = 0; // of the instruction in its library
  MemoryKind memory = MemoryKind::other;
  std::string buffer;
  std::map<std::int64_t, std::int64_t> strides; // the frequent ones, and how often
  std::int64_t steps = 0;                       // of all strides
  std::int64_t alignment = 0;
  std::int64_t touches = 0; // of lines
  LogHistogram reuse;       // distances of those of lines that had been touched before
  bool operator==(const InstructionCounts&) const = default;
};

struct CallCounts {
  std::vector<CacheLevel> levels;
  std::vector<LevelTraffic> traffic;
  std::vector<InstructionCounts> instructions;
  std::int64_t touched_bytes = 0;
  std::int64_t groups_run = 0, groups = 0;
  bool whole = true;
  bool operator==(const CallCounts&) const = default;
};

std::string to_text(const CallCounts& counts);
// An error: not such a text, or one that is cut off.
Result<CallCounts> call_counts_from(std::string_view text);

} // namespace hone::backend::cpu
