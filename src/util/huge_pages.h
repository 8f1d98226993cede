// Memory that is filled at once takes a page fault for each small page, which costs more than filling it. Needs nothing
// else of Hone: runners and the inspector have it, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace hone {

constexpr std::uintptr_t k_huge_page = std::uintptr_t{2} << 20;

// As far as whole ones lie in [begin, end); a wish, which the system may not grant.
inline void ask_for_huge_pages(std::uintptr_t begin, std::uintptr_t end)
{
  const std::uintptr_t first = (begin + k_huge_page - 1) / k_huge_page * k_huge_page;
  const std::uintptr_t last = end / k_huge_page * k_huge_page;
  if (first < last) {
    madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  }
}

// For programs, at their beginning. The heap is extended at once by so many bytes, which stay with it; what is not
// touched costs nothing.
inline void keep_heap_in_huge_pages(int bytes)
{
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, bytes);
  const auto begin = reinterpret_cast<std::uintptr_t>(sbrk(0));
  void* volatile all = std::malloc(static_cast<std::size_t>(bytes)); // so that no compiler leaves it out
  std::free(all);
  ask_for_huge_pages(begin, reinterpret_cast<std::uintptr_t>(sbrk(0)));
}

} // namespace hone
