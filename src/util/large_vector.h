// Vectors of numbers that are written before they are read, and may be large: new elements hold anything. What is large
// lies in huge pages where the system grants them, and its memory is kept for the next one: a fault for each page costs
// more than filling it.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace hone {

// At least so many bytes, that hold anything; null where there are none. For any thread.
void* take_large_memory(std::size_t bytes);
// Keeps them for the next who asks for as many, up to a limit for all together.
void give_back_large_memory(void* memory);
// What is kept by now, in bytes.
std::size_t large_memory_kept();
constexpr std::size_t k_most_large_memory_kept = 192 << 20;

template <class T> struct LargeAllocator {
  using value_type = T;
  static_assert(std::is_trivially_copyable_v<T>);

  LargeAllocator() = default;
  template <class U> LargeAllocator(const LargeAllocator<U>&) noexcept {}

  T* allocate(std::size_t count)
  {
    void* const data = is_large(count) ? take_large_memory(count * sizeof(T)) : std::malloc(count * sizeof(T));
    if (data == nullptr) {
      throw std::bad_alloc();
    }
    return static_cast<T*>(data);
  }
  void deallocate(T* data, std::size_t count) noexcept
  {
    is_large(count) ? give_back_large_memory(data) : std::free(data);
  }

  template <class U> void construct(U* place) noexcept { ::new (static_cast<void*>(place)) U; }
  template <class U, class... Values> void construct(U* place, Values&&... values)
  {
    ::new (static_cast<void*>(place)) U(std::forward<Values>(values)...);
  }

  bool operator==(const LargeAllocator&) const = default;

private:
  static bool is_large(std::size_t count) { return count * sizeof(T) >= std::size_t{1} << 18; }
};

template <class T> using LargeVector = std::vector<T, LargeAllocator<T>>;

} // namespace hone
