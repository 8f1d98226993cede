// Which bytes of a buffer were written in a call that found it with nothing in it. The others hold noise, which tells
// whether some of them were written unseen: by inline assembly, or by intrinsics that the compiler knows nothing of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace hone::cpu {

class WrittenBytes {
public:
  WrittenBytes() = default;                    // of what holds something from the start: all
  explicit WrittenBytes(std::span<std::byte>); // of what holds nothing: none

  void write(std::size_t offset, std::size_t size);
  void write_all();
  void forget(); // as it was at first

  std::optional<std::size_t> first_unwritten(std::size_t offset, std::size_t size) const;
  // Of these bytes, or of all, those that were not written.
  bool holds_noise(std::size_t offset, std::size_t size) const;
  bool was_written_unseen() const { return !holds_noise(0, m_bytes.size()); }

private:
  static constexpr std::size_t k_numbers = 64;
  using Page = std::array<std::uint64_t, k_numbers>; // a bit for each byte; made when one of them is written

  std::uint64_t unwritten(std::size_t number) const; // the bits of 64 bytes

  std::span<std::byte> m_bytes;
  std::vector<std::unique_ptr<Page>> m_pages;
};

} // namespace hone::cpu
