// The memory that candidates compute in: owned by the parent, mapped by runners.
//
// One arena holds `sets` independent copies of all tensors of one kernel at given sizes. Inputs live in sealed shared
// memory that runners can only read; outputs and scratch are the same physical pages, at the same addresses, for both
// arms of a comparison. What is prepared from weights is written by runners that see nothing else, and only read by
// those that are timed. (internal to the gate)
#pragma once

#include "backend/backend.h"
#include "gate/arena_noise.h"
#include "kernel/kernel.h"
#include "util/random.h"
#include "util/result.h"

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hone::gate {

constexpr std::uint64_t k_layout_styles = 6;

struct ArenaSpec {
  const kernel::Kernel* kernel = nullptr;
  kernel::Sizes sizes;
  std::size_t sets = 1;
  std::int64_t scratch_bytes = 0;  // room for the larger of both arms' scratch, per set (see scratch_bytes_of)
  std::int64_t prepared_bytes = 0; // room for the larger of both arms' prepared scratch, per set of weights
  std::int64_t shared_bytes = 0;   // room for the larger of both arms' group-local scratch, one per worker for all sets
  std::size_t workers = 1;         // threads that run groups
  bool shared_inputs = false;      // all sets read the inputs of set 0 (hot regime); inout stays per set
  bool flush_to_guard = false;     // every tensor ends at an inaccessible page (validation), else between canary bands
  bool across_borders = false;     // of 4 GiB in some layouts, where calls may take twice as long (validation)
  bool spare_room = false;         // files larger than they must be: runners stay, and larger sizes may follow
  std::uint64_t layout_seed = 0;   // draws map addresses and offsets; modulo k_layout_styles, how tensors lie
};

// Wide because each part of the mapped memory has a view.
class Arena {
public:
  static Result<Arena> create(const ArenaSpec& spec);
  // A new arena in the memory of one that no runner uses any more, as far as its files are large enough: getting pages
  // from the system costs more than most measurements. Addresses and offsets are drawn anew.
  static Result<Arena> create(const ArenaSpec& spec, std::optional<Arena> former);
  Arena(Arena&&) noexcept;
  Arena& operator=(Arena&&) noexcept;
  ~Arena();

  std::size_t sets() const;
  std::size_t bytes_held() const; // of memory
  const kernel::Sizes& sizes() const;
  // The parent's view of one argument of one set. Inputs are writable for the parent only. Where a device has memory of
  // its own these bytes are copied there before the next call on the set: whoever writes again asks for them again.
  std::span<std::byte> tensor(std::size_t set, std::size_t argument);
  std::span<std::byte> scratch(std::size_t set);
  std::span<std::byte> prepared(std::size_t set);
  // Positions of the kernel arguments that are weights.
  std::vector<std::size_t> weights() const;
  std::span<std::byte> shared_scratch(); // of the first worker
  // One pointer per kernel argument, as Reference wants them.
  std::vector<const std::byte*> arguments(std::size_t set);

  // Random bytes (never a recognisable value) over outputs and scratch and fresh canaries in the bands around them.
  // An inout tensor keeps its values, its bands are renewed. Scratch beyond `scratch_bytes`, which the arm that runs
  // next has no use for, is written around the caches.
  void poison(std::size_t set, Random& random, Store store = Store::cached,
              std::size_t scratch_bytes = std::numeric_limits<std::size_t>::max());
  // The same for what is prepared from a set's weights: other runners write it, at other times.
  void poison_prepared(std::size_t set, Random& random);
  // The first damaged canary: "4 bytes past the end of C, set 0"; nothing when all are whole.
  std::string damaged_guard(std::size_t set);
  std::string damaged_prepared_guard(std::size_t set);

  struct Impl;
  Impl& impl() { return *m_impl; }

private:
  explicit Arena(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> m_impl;
};

// Where each scratch buffer of a plan lies: bytes from the start of the set's scratch, or of its prepared scratch.
std::vector<std::size_t> scratch_offsets(const kernel::ResolvedPlan& plan);
// Room that a plan needs in an arena.
std::int64_t scratch_bytes_of(const kernel::ResolvedPlan& plan);
std::int64_t prepared_bytes_of(const kernel::ResolvedPlan& plan);
std::int64_t shared_bytes_of(const kernel::ResolvedPlan& plan);

} // namespace hone::gate
