// Data for timed calls: fresh inputs before a block, checks of what the block left behind. (internal to the gate)
//
// Which answers are known exactly, and which calls are looked at, is drawn in secret. Calls get new random inputs; of
// their outputs bilinear kernels have a random projection checked, others a few elements drawn afterwards. Now and then
// the inputs are such that every element of the answer is known: from a small pool with cached references. Kernels that
// overwrite their inputs get the pool only. An output that equals one that was checked in full needs no second look.
#pragma once

#include "gate/arena.h"
#include "gate/bilinear_scaling.h"
#include "gate/output_check.h"
#include "gate/references.h"
#include "gate/runner_session.h"
#include "gate/timing.h"
#include "util/random.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hone::gate {

class TimedData {
public:
  // `pool_seed` names the input sets whose references are kept between comparisons.
  TimedData(const kernel::Kernel& kernel, References& references, std::uint64_t pool_seed, std::uint64_t secret_seed);

  // To be called when an arena is new: forgets what lay in the old one.
  void begin(std::size_t sets, bool shared_inputs);

  // Fresh inputs for these sets, or the one input of all sets where the arena shares it; written around the caches. The
  // answer to some is known in full. A single set is for the next call of `arm`.
  Result<void> fill(Arena& arena, std::span<const std::uint32_t> sets, Arm arm);

  // Until an arm has had a call whose answer is known in full, there is one among these, which it runs next.
  Result<void> ensure_known(Arena& arena, std::span<const std::uint32_t> sets, Arm arm);

  // Stress values for one set, or for all where the arena shares its inputs, with the answer in full.
  // Kinds of values come in turn, none again before all came.
  Result<bool> fill_stress(Arena& arena, std::size_t set);
  std::size_t stress_kinds(const kernel::Sizes& sizes) const;

  // Values for one set that never were and never come again, known answer or not.
  Result<void> fill_unseen(Arena& arena, std::size_t set);
  // Whether the values of timed calls come again, so that a result could be kept for them.
  bool repeats() const { return !m_fresh; }

  // Outputs of a block that an arm just ran on these sets: a secret choice of calls, never none. The end says what is
  // wrong.
  Result<SessionResult<void>> check(Arena& arena, std::span<const std::uint32_t> sets, Arm arm);

  double fill_seconds() const { return m_fill_seconds; }
  double check_seconds() const { return m_check_seconds; }
  std::int64_t full_checks() const { return m_full_checks; }
  std::int64_t projections() const { return m_projections; }
  std::int64_t element_checks() const { return m_element_checks; }
  std::int64_t recognised() const { return m_recognised; }

private:
  // What lies in a set's inputs. `expected` is null where a projection or single elements must do.
  struct Content {
    std::uint64_t generation = 0; // sets of one generation hold the same inputs
    ExpectedOutputs expected;
    inputs::InputSet inputs;
  };
  // An output that was checked in full, for inputs of this generation.
  struct Checked {
    std::uint64_t generation = 0;
    std::vector<std::byte> bytes;
  };

  bool seen_in_full(Arm arm) const { return m_seen_in_full[static_cast<std::size_t>(arm)]; }
  Result<void> fill_one(Arena& arena, std::size_t set, bool exact);
  void drop_inputs(Arena& arena, std::size_t set) const;
  Result<SessionResult<void>> check_one(Arena& arena, std::size_t set);
  Result<SessionResult<void>> check_elements(Arena& arena, std::size_t set);
  std::size_t wanted_looks(std::size_t calls, std::size_t exact) const;
  std::vector<std::byte> outputs(Arena& arena, std::size_t set) const;
  bool is_recognised(Arena& arena, std::size_t set, std::uint64_t generation) const;

  const kernel::Kernel& m_kernel;
  References& m_references;
  std::uint64_t m_pool_seed;
  Random m_random;
  std::optional<BilinearScaling> m_scaling;
  bool m_projects;
  bool m_fresh; // most calls get inputs that never were and never come again
  bool m_shared = false;
  std::array<bool, k_arms> m_seen_in_full{}; // in this arena
  std::vector<Content> m_content;
  std::vector<Checked> m_checked;
  std::vector<inputs::ValueFamily> m_stress_left; // before all of them come again
  std::uint64_t m_generation = 0;
  std::size_t m_output_bytes = 0;
  double m_fill_seconds = 0, m_check_seconds = 0;
  std::int64_t m_full_checks = 0, m_projections = 0, m_element_checks = 0, m_recognised = 0;
};

} // namespace hone::gate
