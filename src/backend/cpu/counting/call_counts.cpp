#include "backend/cpu/counting/call_counts.h"

#include <array>
#include <sstream>

namespace hone::backend::cpu {
namespace {

constexpr std::array k_memories{MemoryKind::buffer, MemoryKind::shared, MemoryKind::stack, MemoryKind::constants,
                                MemoryKind::other};
constexpr std::size_t k_most_levels = 8;

std::unexpected<Error> not_counts(std::string_view line)
{
  return fail("the counts of accesses cannot be read: \"" + std::string(line.substr(0, 80)) + "\"",
              "the program hone-cpu-inspector belongs to another version of Hone: build or install Hone again");
}

bool read_instruction(std::istringstream& words, std::size_t levels, InstructionCounts& into)
{
  std::string memory;
  words >> into.offset >> memory >> into.buffer >> into.loads >> into.stores >> into.bytes_loaded >> into.bytes_stored
    >> into.bytes_around >> into.line_crossings >> into.page_misses >> into.page_walks >> into.contested >> into.steps
    >> into.alignment >> into.touches;
  for (const MemoryKind kind : k_memories) {
    if (name_of(kind) == memory) {
      into.memory = kind;
    }
  }
  into.buffer = into.memory == MemoryKind::buffer ? into.buffer : "";
  into.misses.resize(levels);
  for (CacheMisses& misses : into.misses) {
    words >> misses.reads >> misses.writes >> misses.first >> misses.conflicts;
  }
  return !words.fail();
}

} // namespace

// Lines of words; the first word says what the others are. Strides and distances follow their instruction.
std::string to_text(const CallCounts& counts)
{
  std::ostringstream out;
  for (std::size_t i = 0; i < counts.levels.size(); ++i) {
    const CacheLevel& level = counts.levels[i];
    const LevelTraffic& traffic = counts.traffic.at(i);
    out << "level " << level.name << ' ' << level.bytes << ' ' << level.line_bytes << ' ' << level.ways << ' '
        << traffic.fill_bytes << ' ' << traffic.write_back_bytes << ' ' << traffic.dirty_bytes << '\n';
  }
  out << "call " << counts.touched_bytes << ' ' << counts.groups_run << ' ' << counts.groups << ' ' << counts.whole
      << '\n';
  for (const InstructionCounts& each : counts.instructions) {
    out << "instruction " << each.offset << ' ' << name_of(each.memory) << ' '
        << (each.buffer.empty() ? "-" : each.buffer) << ' ' << each.loads << ' ' << each.stores << ' '
        << each.bytes_loaded << ' ' << each.bytes_stored << ' ' << each.bytes_around << ' ' << each.line_crossings
        << ' ' << each.page_misses << ' ' << each.page_walks << ' ' << each.contested << ' ' << each.steps << ' '
        << each.alignment << ' ' << each.touches;
    for (const CacheMisses& misses : each.misses) {
      out << ' ' << misses.reads << ' ' << misses.writes << ' ' << misses.first << ' ' << misses.conflicts;
    }
    out << '\n';
    for (const auto& [stride, times] : each.strides) {
      out << "stride " << stride << ' ' << times << '\n';
    }
    for (std::size_t bucket = 0; bucket < each.reuse.buckets().size(); ++bucket) {
      if (const std::int64_t times = each.reuse.buckets()[bucket]; times > 0) {
        out << "reuse " << bucket << ' ' << times << '\n';
      }
    }
  }
  out << "end\n";
  return std::move(out).str();
}

Result<CallCounts> call_counts_from(std::string_view text)
{
  CallCounts counts;
  std::istringstream lines{std::string(text)};
  bool complete = false;
  for (std::string line; !complete && std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    if (what == "end") {
      complete = true;
    } else if (what == "level" && counts.levels.size() < k_most_levels) {
      CacheLevel& level = counts.levels.emplace_back();
      LevelTraffic& traffic = counts.traffic.emplace_back();
      words >> level.name >> level.bytes >> level.line_bytes >> level.ways >> traffic.fill_bytes
        >> traffic.write_back_bytes >> traffic.dirty_bytes;
    } else if (what == "call") {
      words >> counts.touched_bytes >> counts.groups_run >> counts.groups >> counts.whole;
    } else if (what == "instruction") {
      if (!read_instruction(words, counts.levels.size(), counts.instructions.emplace_back())) {
        return not_counts(line);
      }
    } else if (what == "stride" && !counts.instructions.empty()) {
      std::int64_t stride = 0, times = 0;
      words >> stride >> times;
      counts.instructions.back().strides[stride] = times;
    } else if (what == "reuse" && !counts.instructions.empty()) {
      std::size_t bucket = 0;
      std::int64_t times = 0;
      words >> bucket >> times;
      if (bucket >= LogHistogram::k_max_buckets) {
        return not_counts(line);
      }
      counts.instructions.back().reuse.add_to(bucket, times);
    } else {
      return not_counts(line);
    }
    if (words.fail()) {
      return not_counts(line);
    }
  }
  if (!complete) {
    return not_counts("(no last line)");
  }
  return counts;
}

} // namespace hone::backend::cpu
