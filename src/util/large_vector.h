// Vectors of numbers that are written before they are read, and may be large: new elements hold anything, and what is
// large lies in huge pages where the system grants them, as a fault for each small one costs more than filling it.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <type_traits>
#include <utility>
#include <vector>

namespace hone {

template <class T> struct LargeAllocator {
  using value_type = T;
  static_assert(std::is_trivially_copyable_v<T>);

  LargeAllocator() = default;
  template <class U> LargeAllocator(const LargeAllocator<U>&) noexcept {}

  T* allocate(std::size_t count)
  {
    constexpr std::size_t k_huge_page = std::size_t{2} << 20;
    const std::size_t bytes = count * sizeof(T);
    const bool large = bytes >= 2 * k_huge_page;
    void* const data = large ? std::aligned_alloc(k_huge_page, (bytes + k_huge_page - 1) / k_huge_page * k_huge_page)
                             : std::malloc(bytes);
    if (data == nullptr) {
      throw std::bad_alloc();
    }
    if (large) {
      madvise(data, bytes, MADV_HUGEPAGE); // a wish
    }
    return static_cast<T*>(data);
  }
  void deallocate(T* data, std::size_t) noexcept { std::free(data); }

  template <class U> void construct(U* place) noexcept { ::new (static_cast<void*>(place)) U; }
  template <class U, class... Values> void construct(U* place, Values&&... values)
  {
    ::new (static_cast<void*>(place)) U(std::forward<Values>(values)...);
  }

  bool operator==(const LargeAllocator&) const = default;
};

template <class T> using LargeVector = std::vector<T, LargeAllocator<T>>;

} // namespace hone
