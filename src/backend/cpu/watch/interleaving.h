// The schedule of groups that run interleaved, as fibers: which one runs next, and where it is preempted.
#pragma once

#include "backend/cpu/watch/fibers.h"
#include "util/random.h"

#include <bitset>
#include <cstdint>
#include <optional>

namespace hone::backend::cpu {

class Interleaving {
public:
  using ActiveFibers = std::bitset<Fibers::k_max>;

  enum class Kind {
    random,  // any active group runs next; new groups start now and then
    dense,   // the same, but a new group starts whenever a fiber is free
    delayed, // the group in fiber 0 is preempted at each atomic operation; others start and finish meanwhile
  };

  explicit Interleaving(Random& random); // of a random kind: half of the launches are `delayed`
  // `others`: how many groups finish during each delay; else drawn for each delayed group.
  Interleaving(Kind kind, Random& random, std::optional<std::int64_t> others = std::nullopt);

  // The fiber to run: an active one, or a free one, in which a new group must then start; a free one only if
  // `may_start`. Nothing if no fiber is active and none may start.
  std::optional<std::size_t> choose_next(const ActiveFibers& active, bool may_start);

  // At an atomic operation of the current group: draws whether it yields.
  bool draw_yield();

private:
  std::optional<std::size_t> choose_random(const ActiveFibers& active, bool may_start);
  std::optional<std::size_t> choose_beside_delayed(const ActiveFibers& active, bool may_start);

  Random& m_random;
  Kind m_kind;
  std::optional<std::int64_t> m_fixed_others;
  std::int64_t m_others = 0;   // groups that finish while one is delayed
  std::int64_t m_finished = 0; // of them
  std::size_t m_current = 0;   // fiber
};

} // namespace hone::backend::cpu
