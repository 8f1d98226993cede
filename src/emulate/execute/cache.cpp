#include "emulate/execute/cache.h"

#include <algorithm>

namespace hone::emulate::execute {

namespace {

constexpr std::uint64_t k_allocation_alignment = 256;

} // namespace

Cache::Cache(const CacheSizes& sizes)
{
  m_ways = std::max<std::size_t>(sizes.ways, 1);
  m_sets.resize(std::max<std::size_t>(sizes.bytes / (k_sectors * k_sector_bytes * m_ways), 1));
}

CacheTraffic& Cache::traffic_of(std::uint32_t place)
{
  if (m_traffic.size() <= place) {
    m_traffic.resize(std::size_t{place} + 1);
  }
  return m_traffic[place];
}

CacheTraffic Cache::traffic(std::uint32_t place) const
{
  return place < m_traffic.size() ? m_traffic[place] : CacheTraffic{};
}

void Cache::write_back(const Line& line)
{
  for (const Sector& sector : line.sectors) {
    if (sector.differs) {
      traffic_of(sector.place).memory_writes += k_sector_bytes;
    }
  }
}

Cache::Sector& Cache::sector_at(std::uint64_t number)
{
  const std::uint64_t line = number / k_sectors;
  std::vector<Line>& set = m_sets[line % m_sets.size()];
  auto found = std::ranges::find(set, line, &Line::number);
  if (found == set.end()) {
    if (set.size() < m_ways) {
      set.emplace_back();
    } else {
      write_back(set.back());
    }
    found = set.end() - 1;
    *found = Line{line, {}};
  }
  std::rotate(set.begin(), found, found + 1);
  return set.front().sectors[number % k_sectors];
}

void Cache::fetch(Sector& sector, std::uint32_t place)
{
  if (sector.held != k_whole_sector) {
    traffic_of(place).memory_reads += k_sector_bytes;
    sector.held = k_whole_sector;
  }
}

void Cache::read(std::uint64_t sector, std::uint32_t place)
{
  traffic_of(place).reads += k_sector_bytes;
  fetch(sector_at(sector), place);
}

void Cache::write(std::uint64_t sector, std::uint32_t bytes, std::uint32_t place)
{
  traffic_of(place).writes += k_sector_bytes;
  Sector& at = sector_at(sector);
  at.held |= bytes;
  at.differs = true;
  at.place = place;
}

void Cache::update(std::uint64_t sector, std::uint32_t place)
{
  traffic_of(place).updates += k_sector_bytes;
  Sector& at = sector_at(sector);
  fetch(at, place);
  at.differs = true;
  at.place = place;
}

void Cache::write_back()
{
  for (std::vector<Line>& set : m_sets) {
    for (Line& line : set) {
      write_back(line);
      for (Sector& sector : line.sectors) {
        sector.differs = false;
      }
    }
  }
}

std::uint64_t CacheAddresses::of(const Allocation& allocation, std::uint64_t address)
{
  const auto [found, added] = m_begins.try_emplace(allocation.begin, m_end);
  if (added) {
    m_end += (allocation.bytes + k_allocation_alignment - 1) / k_allocation_alignment * k_allocation_alignment;
  }
  return found->second + (address - allocation.begin);
}

} // namespace hone::emulate::execute
