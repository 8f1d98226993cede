// Bytes of a buffer that changed since the last comparison with a copy. Finds stores that compiler instrumentation
// misses: inline assembly, intrinsics, structures returned by value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace hone::cpu {

class ChangedBytes {
public:
  ChangedBytes() = default; // of an empty buffer
  explicit ChangedBytes(std::span<const std::byte> bytes) : m_bytes(bytes), m_before(bytes.begin(), bytes.end()) {}

  std::size_t size() const { return m_bytes.size(); }

  // Calls `visit(offset)` for each byte that changed, then updates the copy.
  template <class Visit> void take_changes(const Visit& visit)
  {
    for (std::size_t begin = 0; begin < m_bytes.size(); begin += k_piece) {
      const std::size_t size = std::min(k_piece, m_bytes.size() - begin);
      if (std::memcmp(m_bytes.data() + begin, m_before.data() + begin, size) == 0) {
        continue;
      }
      for (std::size_t i = begin; i < begin + size; ++i) {
        if (m_bytes[i] != m_before[i]) {
          visit(i);
        }
      }
      std::memcpy(m_before.data() + begin, m_bytes.data() + begin, size);
    }
  }

private:
  static constexpr std::size_t k_piece = 4096; // bytes

  std::span<const std::byte> m_bytes;
  std::vector<std::byte> m_before;
};

} // namespace hone::cpu
