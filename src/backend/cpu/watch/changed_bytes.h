// Bytes of a buffer that changed since the last comparison with a copy. Finds stores that compiler instrumentation
// misses: inline assembly, intrinsics, structures returned by value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace hone::backend::cpu {

class ChangedBytes {
public:
  ChangedBytes() = default; // of an empty buffer
  explicit ChangedBytes(std::span<const std::byte> bytes) : m_bytes(bytes), m_before(bytes.begin(), bytes.end()) {}

  std::size_t size() const { return m_bytes.size(); }

  // Calls `visit(offset)` for each byte that changed, then updates the copy.
  template <class Visit> void take_changes(const Visit& visit)
  {
    for_each_piece_that_differs(k_piece, 0, m_bytes.size(), [&](std::size_t piece, std::size_t piece_end) {
      // A group often writes a few elements only: most of a piece is as before.
      for_each_piece_that_differs(k_line, piece, piece_end, [&](std::size_t line, std::size_t line_end) {
        for (std::size_t i = line; i < line_end; ++i) {
          if (m_bytes[i] != m_before[i]) {
            visit(i);
          }
        }
        std::memcpy(m_before.data() + line, m_bytes.data() + line, line_end - line);
      });
    });
  }

private:
  static constexpr std::size_t k_piece = 4096, k_line = 64; // bytes

  template <class Visit>
  void for_each_piece_that_differs(std::size_t size, std::size_t begin, std::size_t end, const Visit& visit) const
  {
    for (; begin < end; begin += size) {
      const std::size_t piece_end = std::min(begin + size, end);
      if (std::memcmp(m_bytes.data() + begin, m_before.data() + begin, piece_end - begin) != 0) {
        visit(begin, piece_end);
      }
    }
  }

  std::span<const std::byte> m_bytes;
  std::vector<std::byte> m_before;
};

} // namespace hone::backend::cpu
