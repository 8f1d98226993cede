// The most frequent distances between successive addresses, in little memory: a new distance takes the place of the
// rarest, whose count becomes its error (the algorithm is known as Space-Saving). (internal)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace hone::backend::cpu {

class FrequentStrides {
public:
  void add(std::uint64_t address)
  {
    if (m_has_last) {
      add_stride(static_cast<std::int64_t>(address - m_last));
    }
    m_has_last = true;
    m_last = address;
  }

  // How often each of them occurred at least.
  std::map<std::int64_t, std::int64_t> counts() const;
  std::int64_t steps() const { return m_steps; } // of all distances

private:
  struct Entry {
    std::int64_t stride = 0;
    std::int64_t count = 0, error = 0;
  };
  static constexpr std::size_t k_entries = 16;

  void add_stride(std::int64_t stride);

  std::array<Entry, k_entries> m_entries{};
  std::size_t m_recent = 0;
  std::int64_t m_steps = 0;
  std::uint64_t m_last = 0;
  bool m_has_last = false;
};

} // namespace hone::backend::cpu
