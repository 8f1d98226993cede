#include "backend/cpu/counting/access_recorder.h"

#include <algorithm>
#include <bit>

namespace hone::backend::cpu {

namespace {

constexpr std::int64_t k_page_bytes = 4096;

// Translations of pages, as common processors hold them: 64 at once, then 1,536.
const std::vector<CacheLevel>& translation_levels()
{
  static const std::vector<CacheLevel> levels{{"first", 64 * k_page_bytes, k_page_bytes, 64},
                                              {"second", 1536 * k_page_bytes, k_page_bytes, 12}};
  return levels;
}

} // namespace

AccessRecorder::AccessRecorder(const std::vector<CacheLevel>& levels)
  : m_levels(levels), m_line_bytes(static_cast<std::uint64_t>(levels.front().line_bytes)), m_caches(levels),
    m_translations(translation_levels()), m_memories{{0, ~std::uint64_t{0}, 0, MemoryKind::other, {}}}
{
}

void AccessRecorder::add_memory(MemoryRange range)
{
  m_memories.push_back(std::move(range));
}

std::size_t AccessRecorder::memory_of(std::uint64_t address)
{
  std::size_t memory = m_memories.size() - 1;
  while (memory > 0 && (address < m_memories[memory].begin || address >= m_memories[memory].end)) {
    --memory;
  }
  return memory;
}

AccessRecorder::Site& AccessRecorder::site_of(std::uint64_t instruction, std::size_t memory)
{
  Site*& recent = m_recent[(instruction + 61 * memory) % m_recent.size()];
  if (recent == nullptr || recent->instruction != instruction || recent->memory != memory) {
    const auto [found, is_new] = m_sites.try_emplace(SiteKey{instruction, memory});
    recent = &found->second;
    if (is_new) {
      recent->instruction = instruction;
      recent->memory = memory;
      recent->numbers.misses.resize(m_levels.size());
    }
  }
  return *recent;
}

void AccessRecorder::record(const RecordedAccess& access)
{
  if (access.bytes == 0) {
    return;
  }
  const std::size_t memory = memory_of(access.address);
  const std::uint64_t address = access.address - m_memories[memory].begin + m_memories[memory].seen_at;
  Site& site = site_of(access.instruction, memory);
  const auto bytes = static_cast<std::int64_t>(access.bytes);
  AccessNumbers& numbers = site.numbers;
  if (access.reads) {
    ++numbers.loads;
    numbers.bytes_loaded += bytes;
  }
  if (access.writes) {
    ++numbers.stores;
    numbers.bytes_stored += bytes;
    numbers.bytes_around += access.around_caches ? bytes : 0;
  }
  m_accesses += std::uint64_t{access.reads} + std::uint64_t{access.writes};
  site.strides.add(address);
  site.addresses |= address;
  const std::uint64_t first = address / m_line_bytes;
  const std::uint64_t last = (address + access.bytes - 1) / m_line_bytes;
  numbers.line_crossings += first != last && access.bytes <= m_line_bytes ? 1 : 0;
  const std::size_t untranslated = m_translations.access(address / k_page_bytes, false);
  numbers.page_misses += untranslated > 0 ? 1 : 0;
  numbers.page_walks += untranslated > 1 ? 1 : 0;
  for (std::uint64_t line = first; line <= last; ++line) {
    touch(site, line, access);
    if (access.writes && m_memories[memory].kind == MemoryKind::buffer) {
      store_by_thread(site, line);
    }
  }
}

// The stores before the second thread's first one took the line away from nobody yet, but would have, side by side.
void AccessRecorder::store_by_thread(Site& site, std::uint64_t line)
{
  LineStores& stores = m_line_stores.try_emplace(line, LineStores{m_thread}).first->second;
  if (!stores.is_shared && stores.thread != m_thread) {
    stores.is_shared = true;
    site.numbers.contested += stores.stores;
  }
  stores.is_shared ? ++site.numbers.contested : ++stores.stores;
}

void AccessRecorder::touch(Site& site, std::uint64_t line, const RecordedAccess& access)
{
  const auto distance = m_reuse.touch(line);
  ++site.touches;
  if (distance) {
    site.reuse.add(*distance);
  }
  if (access.around_caches) {
    m_caches.store_around(line);
    return;
  }
  const std::size_t missed = m_caches.access(line, access.writes);
  for (std::size_t i = 0; i < missed; ++i) {
    CacheMisses& misses = site.numbers.misses[i];
    ++(access.reads ? misses.reads : misses.writes);
    if (!distance) {
      ++misses.first;
    } else if (*distance < static_cast<std::uint64_t>(m_levels[i].lines())) {
      ++misses.conflicts;
    }
  }
}

CallCounts AccessRecorder::counts() const
{
  CallCounts counts;
  counts.levels = m_levels;
  counts.traffic = m_caches.traffic();
  counts.touched_bytes = static_cast<std::int64_t>(m_reuse.lines() * m_line_bytes);
  for (const auto& [key, site] : m_sites) {
    InstructionCounts each;
    static_cast<AccessNumbers&>(each) = site.numbers;
    each.offset = site.instruction;
    each.memory = m_memories[site.memory].kind;
    each.buffer = m_memories[site.memory].name;
    each.strides = site.strides.counts();
    each.steps = site.strides.steps();
    each.alignment = std::int64_t{1} << std::countr_zero(site.addresses | m_line_bytes);
    each.touches = site.touches;
    each.reuse = site.reuse;
    counts.instructions.push_back(std::move(each));
  }
  std::ranges::sort(counts.instructions, {}, [](const InstructionCounts& each) {
    return std::pair(each.offset, each.buffer + std::string(name_of(each.memory)));
  });
  return counts;
}

} // namespace hone::backend::cpu
