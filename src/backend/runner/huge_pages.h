// Memory that is filled at once takes a page fault for each small page, which costs more than filling it.
#pragma once

#include <cstdint>
#include <sys/mman.h>

namespace hone::runner {

// As far as whole ones lie in [begin, end); a wish, which the system may not grant.
inline void ask_for_huge_pages(std::uintptr_t begin, std::uintptr_t end)
{
  constexpr std::uintptr_t k_huge_page = 2 << 20;
  const std::uintptr_t first = (begin + k_huge_page - 1) / k_huge_page * k_huge_page;
  const std::uintptr_t last = end / k_huge_page * k_huge_page;
  if (first < last) {
    madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  }
}

} // namespace hone::runner
