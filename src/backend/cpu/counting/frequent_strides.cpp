#include "backend/cpu/counting/frequent_strides.h"

#include <algorithm>

namespace hone::backend::cpu {

void FrequentStrides::add_stride(std::int64_t stride)
{
  ++m_steps;
  Entry* entry = &m_entries[m_recent];
  if (entry->count == 0 || entry->stride != stride) {
    entry = std::ranges::find_if(m_entries, [&](const Entry& each) { return each.count > 0 && each.stride == stride; });
    if (entry == m_entries.end()) {
      entry = std::ranges::min_element(m_entries, {}, &Entry::count);
      *entry = {stride, entry->count, entry->count};
    }
    m_recent = static_cast<std::size_t>(entry - m_entries.begin());
  }
  ++entry->count;
}

std::map<std::int64_t, std::int64_t> FrequentStrides::counts() const
{
  std::map<std::int64_t, std::int64_t> counts;
  for (const Entry& entry : m_entries) {
    if (entry.count > entry.error) {
      counts[entry.stride] = entry.count - entry.error;
    }
  }
  return counts;
}

} // namespace hone::backend::cpu
