// What was last done to every byte of shared or global memory, and whether what is done now is ordered behind it.
// (internal to the room)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace hone::emulate::execute {

// Who does something: a warp by its number in the launch, from 1, at its clock; or the copies that an mbarrier waits
// for, whose number follows those of the cluster's warps, in a phase of it.
struct Actor {
  std::uint64_t warp = 0;
  std::uint32_t clock = 0, place = 0;
  std::uint8_t lane = 0;
  std::uint8_t scope = 0;    // of a strong access, as in Order; 0: weak
  bool asynchronous = false; // done by the asynchronous proxy
};
constexpr std::uint32_t k_pending = ~0u; // a clock that nobody knows of: what is under way

// Of some bytes: the last store, and the last load behind it. 0 as a warp: none.
struct Cell {
  Actor store, load;
  std::uint32_t set = 0; // of further loads since the store; 0: none
  bool foreign = false;  // clusters that know nothing of each other have loaded: no store is behind all of them
};

// Loads of some bytes that are not behind each other.
struct LoadSet {
  std::uint64_t first_actor = 0; // of the cluster whose warps' loads lie in Shadow::near_of
  std::vector<Actor> far;        // of other clusters, and asynchronous ones
};

enum class Access { load, store, atomic };

// Four cells where an access touched part of a word, else one.
class Shadow {
public:
  // Of a cluster: its warps, and its actors. keeps_far: whether loads of other clusters may be in order with later
  // stores.
  void reset(std::size_t bytes, std::size_t warps, std::size_t actors, bool keeps_far)
  {
    m_words.assign((bytes + 3) / 4, {});
    m_split.assign(m_words.size(), 0);
    m_parts.assign(1, {});
    m_sets.assign(1, {});
    m_near.assign(warps, {});
    m_free.clear();
    m_warps = warps;
    m_actors = actors;
    m_keeps_far = keeps_far;
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
          copy_set(part, m_words[word].set);
        }
      }
      visit(m_parts[m_split[word]][byte % 4]);
      ++byte;
    }
  }

  LoadSet& set_of(const Cell& cell) { return m_sets[cell.set]; }
  // Of a cell that has a set, the last load of each warp.
  std::span<Actor> near_of(const Cell& cell) { return {m_near.data() + cell.set * m_warps, m_warps}; }
  // A load that is not behind the cell's last one, by an actor of the cluster whose first actor this is.
  void add_load(Cell& cell, const Actor& load, std::uint64_t first_actor);
  // The warp's load under way has come to its end.
  void end_load(Cell& cell, std::uint64_t warp, std::uint32_t clock);
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
  LoadSet& loads_of(Cell& cell);
  void copy_set(Cell& cell, std::uint32_t from);
  void put(const Cell& cell, const Actor& load);

  std::vector<Cell> m_words;
  std::vector<std::uint32_t> m_split;
  std::deque<std::array<Cell, 4>> m_parts; // they stay where they are
  std::vector<LoadSet> m_sets{1};
  std::vector<Actor> m_near; // of every set, one after the other
  std::vector<std::uint32_t> m_free;
  std::size_t m_warps = 0, m_actors = 0;
  bool m_keeps_far = false;
};

} // namespace hone::emulate::execute
