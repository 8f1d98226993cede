#include "backend/cpu/watch/shadow_memory.h"

#include <bit>
#include <utility>

namespace hone::backend::cpu {

ShadowMemory::ShadowMemory(std::size_t bytes, std::size_t element_bytes)
  : m_shift(std::has_single_bit(element_bytes) && bytes % element_bytes == 0 ? std::countr_zero(element_bytes) : 0),
    m_pages((bytes >> m_shift) / k_page + 1)
{
}

const ShadowCell* ShadowMemory::find(std::size_t offset) const
{
  const std::size_t i = offset >> m_shift;
  const std::unique_ptr<Page>& page = m_pages[i / k_page];
  return page ? &(*page)[i % k_page] : nullptr;
}

void ShadowMemory::split()
{
  const std::size_t unit = std::size_t{1} << std::exchange(m_shift, 0);
  std::vector<std::unique_ptr<Page>> pages(m_pages.size() * unit);
  for (std::size_t p = 0; p < m_pages.size(); ++p) {
    for (std::size_t i = 0; m_pages[p] && i < k_page * unit; ++i) {
      std::unique_ptr<Page>& page = pages[p * unit + i / k_page];
      if (!page) {
        page = std::make_unique<Page>();
      }
      (*page)[i % k_page] = (*m_pages[p])[i / unit];
    }
  }
  m_pages = std::move(pages);
}

} // namespace hone::backend::cpu
