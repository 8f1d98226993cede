// Who touched which bytes of a buffer: one entry for each of its elements, and for each byte from when somebody touches
// a part of one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace hone::cpu {

struct Touch { // groups, or one of the numbers below
  static constexpr std::int32_t k_nobody = -1;
  static constexpr std::int32_t k_several = -2;

  std::int32_t writer = k_nobody;
  std::int32_t reader = k_nobody;
  std::int32_t adder = k_nobody; // by atomic accesses to what is reduced
  bool changed = false;          // by a write of either kind
};

class Touches {
public:
  Touches() = default; // of nothing
  Touches(std::size_t bytes, std::size_t element_bytes);

  // nullptr: nobody touched the byte.
  const Touch* find(std::size_t offset) const;

  // Calls `visit(touch, offset)` for what the bytes [offset, offset + size) lie in, in order, until it says false.
  template <class Visit> void each(std::size_t offset, std::size_t size, const Visit& visit)
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
  // Made when something in it is touched: of a large call little is, and memory takes its time.
  static constexpr std::size_t k_page = 256;
  using Page = std::array<Touch, k_page>;

  void split(); // into bytes

  std::size_t unit() const { return std::size_t{1} << m_shift; } // bytes

  int m_shift = 0; // elements have a power of two of bytes
  std::vector<std::unique_ptr<Page>> m_pages;
};

} // namespace hone::cpu
