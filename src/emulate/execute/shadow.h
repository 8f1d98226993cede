// What was last done to every byte of shared or global memory, and whether what is done now is ordered behind it.
// (internal to the room)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace hone::emulate::execute {

// Who does something: a warp by its number in the launch, from 1, at its clock; or the copies that an mbarrier waits
// for, whose number follows those of the group's warps, in a phase of it.
struct Actor {
  std::uint64_t warp = 0;
  std::uint32_t clock = 0, place = 0;
  std::uint8_t lane = 0;
};
constexpr std::uint32_t k_pending = ~0u; // a clock that nobody knows of: what is under way

// Of some bytes: the last store, and the last load behind it. 0 as a warp: none.
struct Cell {
  Actor store, load;
  bool several = false; // further warps have loaded since the store
  bool atomic = false;  // the store was one
};

enum class Access { load, store, atomic };

// Four cells where an access touched part of a word, else one.
class Shadow {
public:
  void reset(std::size_t bytes)
  {
    m_words.assign((bytes + 3) / 4, {});
    m_split.assign(m_words.size(), 0);
    m_parts.assign(1, {});
    m_loads.clear();
  }
  bool empty() const { return m_words.empty(); }

  // Calls `visit(cell)` for the cells of bytes [at, at + bytes).
  template <class Visit> void cells(std::size_t at, std::size_t bytes, const Visit& visit)
  {
    for (std::size_t byte = at; byte < at + bytes;) {
      const std::size_t word = byte / 4;
      const bool whole = byte % 4 == 0 && byte + 4 <= at + bytes;
      if (whole && m_split[word] == 0) {
        visit(m_words[word]);
        byte += 4;
        continue;
      }
      if (m_split[word] == 0) {
        m_split[word] = static_cast<std::uint32_t>(m_parts.size());
        m_parts.push_back({m_words[word], m_words[word], m_words[word], m_words[word]});
      }
      visit(m_parts[m_split[word]][byte % 4]);
      ++byte;
    }
  }

  // Loads by further warps since a cell's store: their clocks.
  std::vector<Actor>& loads_of(const Cell& cell) { return m_loads[&cell]; }

private:
  std::vector<Cell> m_words;
  std::vector<std::uint32_t> m_split;
  std::deque<std::array<Cell, 4>> m_parts; // they stay where they are
  std::map<const Cell*, std::vector<Actor>> m_loads;
};

} // namespace hone::emulate::execute
