// Shadow memory of a buffer: which groups accessed each element. Elements are split into bytes at the first access to a
// part of one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace hone::backend::cpu {

struct ShadowCell { // group numbers, or one of these two
  static constexpr std::int32_t k_no_group = -1;
  static constexpr std::int32_t k_several_groups = -2;

  std::int32_t writer = k_no_group;
  std::int32_t reader = k_no_group;
  std::int32_t adder = k_no_group; // by atomic accesses to a reduced buffer
  bool changed = false;            // by a plain or atomic write
};

class ShadowMemory {
public:
  ShadowMemory() = default; // of an empty buffer
  ShadowMemory(std::size_t bytes, std::size_t element_bytes);

  // nullptr: the byte was not accessed.
  const ShadowCell* find(std::size_t offset) const;

  // Calls `visit(cell, offset)` for each cell of the bytes [offset, offset + size), in order, until it returns false.
  template <class Visit> void for_each(std::size_t offset, std::size_t size, const Visit& visit)
  {
    if (((offset | size) & (unit() - 1)) != 0) {
      split();
    }
    for (std::size_t i = offset >> m_shift; i < (offset + size) >> m_shift; ++i) {
      std::unique_ptr<Page>& page = m_pages[i / k_page];
      if (!page) {
        page = std::make_unique<Page>();
      }
      if (!visit((*page)[i % k_page], i << m_shift)) {
        return;
      }
    }
  }

private:
  // Allocated at the first access: a watched part of a large call accesses little.
  static constexpr std::size_t k_page = 256;
  using Page = std::array<ShadowCell, k_page>;

  void split(); // into bytes

  std::size_t unit() const { return std::size_t{1} << m_shift; } // bytes

  int m_shift = 0; // log2 of the bytes of an element
  std::vector<std::unique_ptr<Page>> m_pages;
};

} // namespace hone::backend::cpu
