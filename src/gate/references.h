// Input sets with known right answers: made from seeds, and evaluated once. (internal to the gate)
#pragma once

#include "gate/arena.h"
#include "gate/output_check.h"
#include "inputs/inputs.h"
#include "kernel/kernel.h"

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace hone::gate {

// What is right for one set of inputs.
struct Expected {
  std::vector<kernel::ReferenceOutput> outputs;
  // Old contents of the inout arguments, which a call overwrites: by position in Kernel::arguments, empty elsewhere.
  std::vector<LargeVector<std::byte>> overwritten;
};
using ExpectedOutputs = std::shared_ptr<const Expected>;

// Fills every argument that a candidate may read (input, weight, scalar, inout) of one set, or only those that it may
// also write and that each set therefore has for itself.
enum class Fill { all, inout_only };
Result<void> fill_inputs(const kernel::Kernel& kernel, Arena& arena, std::size_t set, const inputs::InputSet& inputs,
                         Store store = Store::cached, Fill fill = Fill::all);
// One of them.
Result<void> fill_input(const kernel::Kernel& kernel, Arena& arena, std::size_t set, std::size_t position,
                        const inputs::InputSet& inputs, Store store = Store::cached);

class CodeReference;
class RoundingControls;

// How often outputs were a little beyond their bounds.
struct Doubts {
  int asked = 0;   // so that control loops were asked about the same values
  int excused = 0; // and were as far off, so that the outputs counted as right
};

class References {
public:
  // `controls`, where given, is asked in doubt: see check().
  References(const kernel::Kernel& kernel, kernel::Reference reference,
             std::shared_ptr<RoundingControls> controls = nullptr);
  References(const kernel::Kernel& kernel, CodeReference reference);

  // The right outputs for what lies in the arena's set now; `inputs` says how it was made. Remembered when asked for
  // with `keep` (timed sizes, where an evaluation is dear).
  Result<ExpectedOutputs> expected(Arena& arena, std::size_t set, const inputs::InputSet& inputs, bool keep);
  // Begins to evaluate what will be asked for, with `keep`, beside whatever the caller does: by one thread, where that
  // takes no longer than a compiler does. Whoever asks before it is known waits.
  void evaluate_ahead(const kernel::Sizes& sizes, const std::vector<inputs::InputSet>& inputs);
  // Afterwards nothing goes on.
  void finish_ahead();

  // Some elements of the output at `output` in Kernel::outputs(), for what lies in the arena's set now.
  Result<std::vector<kernel::ElementReference>> elements(Arena& arena, std::size_t set, std::size_t output,
                                                         std::span<const std::int64_t> flat_indices);
  // False where the reference is code, or bounds are normwise: whole outputs only are known.
  bool has_elements() const { return m_reference.has_value() && kernel::knows_elements(m_kernel); }

  // The outputs in the arena's set against what is expected there. Bounds say what rounding does with a probability
  // that leaves room for bad luck: what is a little beyond them is compared with what control loops make of the same
  // values, and wrong only where it errs more than twice as much.
  Result<OutputCheck> check(Arena& arena, std::size_t set, const Expected& expected);
  // The same for outputs that lie elsewhere. `arguments`, `inputs`: one pointer per kernel argument, to what was there
  // after the call, and before it.
  Result<OutputCheck> check(const kernel::Sizes& sizes, std::span<const std::byte* const> arguments,
                            std::span<const std::byte* const> inputs,
                            const std::vector<kernel::ReferenceOutput>& expected);
  const Doubts& doubts() const { return m_doubts; }

  double seconds() const { return m_seconds; } // spent in evaluations so far, and waiting for those ahead

private:
  std::vector<const std::byte*> inputs_of(Arena& arena, std::size_t set) const;

  struct Known {
    kernel::Sizes sizes;
    inputs::InputSet inputs;
    std::shared_future<Result<ExpectedOutputs>> outputs;
  };
  const Known* find(const kernel::Sizes& sizes, const inputs::InputSet& inputs) const;
  void remember(Known known);

  const kernel::Kernel& m_kernel;
  std::optional<kernel::Reference> m_reference;
  std::shared_ptr<CodeReference> m_code;        // instead
  std::shared_ptr<RoundingControls> m_controls; // where there is an expression
  std::vector<Known> m_known;                   // a few entries, oldest first
  double m_seconds = 0;
  Doubts m_doubts;
  std::jthread m_ahead;
};

} // namespace hone::gate
