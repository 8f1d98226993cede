// What was last done to every byte of shared or global memory, and whether what is done now is ordered behind it.
// (internal to the room)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
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
  std::uint32_t set = 0; // of loads by further warps of the group since the store; 0: none
  bool foreign =
    false;             // warps of several groups have loaded since the store: no store of anybody is behind all of them
  bool atomic = false; // the store was one
};

// The last loads of some bytes by the warps of a group.
using LoadSet = std::array<Actor, 32>;

enum class Access { load, store, atomic };

// Four cells where an access touched part of a word, else one.
class Shadow {
public:
  void reset(std::size_t bytes)
  {
    m_words.assign((bytes + 3) / 4, {});
    m_split.assign(m_words.size(), 0);
    m_parts.assign(1, {});
    m_sets.assign(1, {});
    m_free.clear();
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
        for (std::size_t i = 1; i < 4 && m_words[word].set != 0; ++i) { // a set has one owner
          Cell& part = m_parts.back()[i];
          part.set = 0;
          const LoadSet loads = m_sets[m_words[word].set];
          loads_of(part) = loads;
        }
      }
      visit(m_parts[m_split[word]][byte % 4]);
      ++byte;
    }
  }

  LoadSet& loads_of(Cell& cell)
  {
    if (cell.set == 0) {
      if (m_free.empty()) {
        cell.set = static_cast<std::uint32_t>(m_sets.size());
        m_sets.emplace_back();
      } else {
        cell.set = m_free.back();
        m_free.pop_back();
        m_sets[cell.set] = {};
      }
    }
    return m_sets[cell.set];
  }
  void forget_loads(Cell& cell)
  {
    if (cell.set != 0) {
      m_free.push_back(cell.set);
      cell.set = 0;
    }
    cell.load = {};
    cell.foreign = false;
  }

private:
  std::vector<Cell> m_words;
  std::vector<std::uint32_t> m_split;
  std::deque<std::array<Cell, 4>> m_parts; // they stay where they are
  std::deque<LoadSet> m_sets{1};
  std::vector<std::uint32_t> m_free;
};

} // namespace hone::emulate::execute
