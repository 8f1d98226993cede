// Exact reuse distances (LRU stack distances) of a stream of lines: how many distinct other lines were touched since a
// line was touched last. A line's last touch is a set bit in an array by time; the set bits behind it are the distance,
// and a Fenwick tree over words of the array counts them. (internal)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hone::backend::cpu {

class ReuseDistances {
public:
  ReuseDistances();

  // Nothing for a line that was not touched before.
  std::optional<std::uint64_t> touch(std::uint64_t line);
  std::uint64_t lines() const { return m_lines; } // distinct ones so far

private:
  struct Known {
    std::uint64_t line = k_none;
    std::uint32_t time = 0;
  };
  static constexpr std::uint64_t k_none = ~std::uint64_t{0};

  Known& known(std::uint64_t line); // where it stands in the hash table, or is to stand
  void add(std::size_t time, int by);
  std::uint64_t count_up_to(std::size_t time) const; // set bits at `time` and before
  void renumber();                                   // times, from 0 on

  std::vector<Known> m_known;           // a hash table, at most half full; its size is a power of two
  std::vector<std::uint64_t> m_line_at; // by time
  std::vector<std::uint64_t> m_bits;    // by time: whether the line was touched last then
  std::vector<std::uint32_t> m_tree;    // over words of m_bits
  std::size_t m_now = 0;
  std::uint64_t m_lines = 0;
  std::uint64_t m_last = k_none;
};

} // namespace hone::backend::cpu
