// Which bytes of a buffer changed since one last looked, found by comparing it with a copy. Tells of stores of which
// the compiler told nothing: by inline assembly, by intrinsics, of structures that a function returns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace hone::cpu {

class ChangedBytes {
public:
  ChangedBytes() = default; // of nothing
  explicit ChangedBytes(std::span<const std::byte> bytes) : m_bytes(bytes), m_before(bytes.begin(), bytes.end()) {}

  std::size_t size() const { return m_bytes.size(); }

  // Calls `see(offset)` for each byte that changed.
  template <class See> void take(const See& see)
  {
    for (std::size_t begin = 0; begin < m_bytes.size(); begin += k_piece) {
      const std::size_t size = std::min(k_piece, m_bytes.size() - begin);
      if (std::memcmp(m_bytes.data() + begin, m_before.data() + begin, size) == 0) {
        continue;
      }
      for (std::size_t i = begin; i < begin + size; ++i) {
        if (m_bytes[i] != m_before[i]) {
          see(i);
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
