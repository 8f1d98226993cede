#include "backend/cpu/counting/cache_model.h"

#include <algorithm>

namespace hone::backend::cpu {
namespace {

constexpr std::uint64_t k_dirty = 1;

std::uint64_t clean_entry(std::uint64_t line)
{
  return 2 * line + 2;
}

} // namespace

CacheModel::CacheModel(const std::vector<CacheLevel>& levels)
{
  for (const CacheLevel& level : levels) {
    Level& made = m_levels.emplace_back();
    made.line_bytes = level.line_bytes;
    made.ways = static_cast<std::size_t>(level.ways);
    made.sets = static_cast<std::uint64_t>(level.lines() / level.ways);
    made.entries.resize(made.sets * made.ways);
  }
}

// Its entry; nullptr where the level does not hold the line.
std::uint64_t* CacheModel::Level::find(std::uint64_t line)
{
  std::uint64_t* const set = set_of(line);
  const std::uint64_t wanted = clean_entry(line);
  std::uint64_t* const found =
    std::find_if(set, set + ways, [&](std::uint64_t entry) { return (entry & ~k_dirty) == wanted; });
  return found == set + ways ? nullptr : found;
}

std::size_t CacheModel::access(std::uint64_t line, bool write)
{
  std::size_t missed = 0;
  for (; missed < m_levels.size(); ++missed) {
    Level& level = m_levels[missed];
    std::uint64_t* const set = level.set_of(line);
    const bool dirty = write && missed == 0;
    if (std::uint64_t* const found = level.find(line)) {
      const std::uint64_t entry = *found | (dirty ? k_dirty : 0);
      std::copy_backward(set, found, found + 1);
      *set = entry;
      break;
    }
    const std::uint64_t victim = set[level.ways - 1];
    std::copy_backward(set, set + level.ways - 1, set + level.ways);
    *set = clean_entry(line) | (dirty ? k_dirty : 0);
    level.traffic.fill_bytes += level.line_bytes;
    if ((victim & k_dirty) != 0) {
      write_back(missed, victim / 2 - 1);
    }
  }
  return missed;
}

void CacheModel::store_around(std::uint64_t line)
{
  for (std::size_t i = 0; i < m_levels.size(); ++i) {
    Level& level = m_levels[i];
    if (std::uint64_t* const found = level.find(line)) {
      const bool dirty = (*found & k_dirty) != 0;
      std::uint64_t* const end = level.set_of(line) + level.ways;
      std::copy(found + 1, end, found);
      end[-1] = 0;
      if (dirty) {
        write_back(i, line);
      }
    }
  }
}

void CacheModel::write_back(std::size_t from, std::uint64_t line)
{
  m_levels[from].traffic.write_back_bytes += m_levels[from].line_bytes;
  for (std::size_t i = from + 1; i < m_levels.size(); ++i) {
    if (std::uint64_t* const found = m_levels[i].find(line)) {
      *found |= k_dirty;
      return;
    }
    m_levels[i].traffic.write_back_bytes += m_levels[i].line_bytes;
  }
}

std::vector<LevelTraffic> CacheModel::traffic() const
{
  std::vector<LevelTraffic> traffic;
  for (const Level& level : m_levels) {
    traffic.push_back(level.traffic);
    traffic.back().dirty_bytes = level.line_bytes * std::ranges::count_if(level.entries, [](std::uint64_t entry) {
                                   return (entry & k_dirty) != 0;
                                 });
  }
  return traffic;
}

} // namespace hone::backend::cpu
