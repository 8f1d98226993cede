// Buffers that exist twice: in the arena, where the parent fills and judges them, and in a device's own memory, where
// launches compute. Decides what must be copied, poisoned, guarded and checked around a block, and what the answers
// mean. Knows nothing of how requests travel. (internal to the gate)
#pragma once

#include "backend/runner_abi.h"
#include "gate/arena.h"
#include "util/random.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hone::gate {

// A buffer of a job as it lies in the arena.
struct BufferPlace {
  static constexpr std::size_t k_nowhere = ~std::size_t{0};
  std::size_t placement = k_nowhere; // in the layout; k_nowhere: the runner has no access to it
  std::size_t offset = 0;            // from the placement's start
  std::size_t bytes = 0;
  std::size_t element_bytes = 1;
  bool writable = false;
  bool scratch = false;
  std::string name;
};

class DeviceCopies {
public:
  // `places`: [set][buffer]. `pulls_scratch`: the parent looks at what calls leave there.
  DeviceCopies(Arena::Impl& arena, std::vector<BufferPlace> places, std::size_t buffers_per_set, bool pulls_scratch);

  // Before a block on these sets: what the parent has changed since the last one is pushed (or poisoned, where it holds
  // nothing but poison), guards are renewed, and digests of inputs are taken where they are not known.
  std::vector<backend::runner::MemoryRequest> requests_before(std::span<const std::uint32_t> sets);
  void record_digests(std::span<const backend::runner::MemoryRequest> requests, std::span<const std::uint64_t> results);
  // After it: guards are checked, digests of inputs taken again, outputs pulled.
  std::vector<backend::runner::MemoryRequest> requests_after(std::span<const std::uint32_t> sets);
  // What a call did that it must not: "wrote out of bounds: ...", "wrote to input: ..."; nothing where all is well.
  std::optional<std::string> check_results(std::span<const backend::runner::MemoryRequest> requests,
                                           std::span<const std::uint64_t> results);

private:
  struct Copy {
    std::uint64_t version = 0; // of the staging area when both were the same; 0: never
    std::uint64_t guard_key = 0;
    std::optional<std::uint64_t> digest; // of an input
  };
  using Key = std::pair<std::size_t, std::size_t>; // placement, offset: what is shared by sets has one copy

  const BufferPlace& place(std::uint32_t set, std::uint32_t buffer) const
  {
    return m_places[std::size_t{set} * m_buffers + buffer];
  }
  Copy& copy_of(const BufferPlace& place) { return m_copies[{place.placement, place.offset}]; }
  // Each copy once: its first (set, buffer).
  std::vector<std::pair<std::uint32_t, std::uint32_t>> distinct(std::span<const std::uint32_t> sets) const;

  Arena::Impl* m_arena;
  std::vector<BufferPlace> m_places;
  std::size_t m_buffers;
  bool m_pulls_scratch;
  Random m_random; // nobody must foresee guards and poison
  std::map<Key, Copy> m_copies;
};

} // namespace hone::gate
