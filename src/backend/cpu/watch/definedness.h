// Definedness of a buffer's bytes: which of them the call has written. Undefined bytes hold a known noise pattern. A
// byte that differs from its pattern was written without being recorded (inline assembly, unknown intrinsics).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace hone::backend::cpu {

class Definedness {
public:
  Definedness() = default;                    // of a buffer with contents before the call: all bytes are defined
  explicit Definedness(std::span<std::byte>); // fills the buffer with noise: no byte is defined

  void mark_defined(std::size_t offset, std::size_t size);
  void mark_all_defined();
  void reset(); // undefined again, as after construction

  std::optional<std::size_t> first_undefined(std::size_t offset, std::size_t size) const;
  // Whether every undefined byte in the range still holds its noise.
  bool is_poisoned(std::size_t offset, std::size_t size) const;
  bool has_unseen_writes() const { return !is_poisoned(0, m_bytes.size()); }

private:
  static constexpr std::size_t k_words = 64;
  using Page = std::array<std::uint64_t, k_words>; // a bit for each byte; allocated at the first write

  std::uint64_t undefined_bits(std::size_t word) const; // of 64 bytes

  std::span<std::byte> m_bytes;
  std::vector<std::unique_ptr<Page>> m_pages;
};

} // namespace hone::backend::cpu
