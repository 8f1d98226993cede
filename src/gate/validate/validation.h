// What the validators of one contender share: a harness, seeds, references, notes for the verdict.
// (internal to the gate)
#pragma once

#include "gate/bilinear_scaling.h"
#include "gate/gate.h"
#include "gate/harness.h"
#include "gate/references.h"
#include "inputs/input_draw.h"
#include "util/random.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace hone::gate {

struct ValidationSetting {
  const kernel::Kernel* kernel = nullptr;
  const backend::Backend* backend = nullptr;
  backend::Capabilities capabilities; // of the platform, where the contender is a candidate
  References* references = nullptr;
  const record::Recipe* recipe = nullptr;
  record::Depth depth = record::Depth::screen;
  const kernel::Candidate* candidate = nullptr;
  kernel::TuningPoint point;
  const kernel::PlanScope* device_facts = nullptr;
  std::vector<int> cpus{-1};   // of the threads that calls run on
  std::uint64_t seed = 0;      // draws sizes, values, layouts
  std::uint64_t pool_seed = 0; // names the input sets of the timed sizes, whose references are kept
  std::chrono::milliseconds deadline{10'000};
  std::stop_token stop;
  inputs::ForcedInputs forced; // what values and sizes are limited to
  // Plan and module for given sizes.
  std::function<Result<SessionResult<std::shared_ptr<const Prepared>>>(const kernel::Sizes&)> prepare;
};

// How buffers lie in memory: between bands of canaries, or flush against an inaccessible page.
enum class Layout { canaries, guard_pages };

class Watching;

// Wide because each validator is a function of it: it holds what they share, from draws and sizes to notes.
class Validation {
public:
  explicit Validation(ValidationSetting setting);

  const ValidationSetting& setting() const { return m_setting; }
  const kernel::Kernel& kernel() const { return *m_setting.kernel; }
  bool promote() const { return m_setting.depth == record::Depth::promote; }
  Random& random() { return m_random; }
  inputs::InputSet draw_inputs(inputs::ValueFamily family) { return m_draw.of(family); }
  std::vector<inputs::ValueFamily>
  wanted(std::span<const inputs::ValueFamily> families) const;               // all, or those that are forced
  inputs::ValueFamily one_of(std::span<const inputs::ValueFamily> families); // drawn among these
  std::size_t calls_for_all_tops() const { return m_draw.calls_for_all_tops(); }

  // Draws the hidden sizes; afterwards `hidden_sizes` are those, `probe_sizes` the ones with most work-groups.
  Result<SessionResult<void>> draw_sizes();
  const std::vector<kernel::Sizes>& hidden_sizes() const { return m_hidden; }
  const std::vector<kernel::Sizes>& further_sizes() const { return m_further; } // larger, thin, round, far
  const std::vector<kernel::Sizes>& strata() const { return m_strata; }         // every length of every symbol
  const std::vector<kernel::Sizes>& corners() const { return m_corners; }       // several symbols long at once
  const std::vector<kernel::Sizes>& literal_sizes() const { return m_literal; } // about the candidate's own numbers
  std::size_t literals() const { return m_literals; }
  const kernel::Sizes& probe_sizes() const { return m_probe; }

  // Others that are as far beyond the timed ones, in place of one that a plan does not fit.
  Result<std::vector<kernel::Sizes>> sizes_as_far(const kernel::Sizes& sizes);
  // From now on what calls under watch take is made beside the checks: see "gate/validate/watching.h".
  Result<void> watch_beside();
  Watching* watching() { return m_watching.get(); }
  // One for whoever needs it apart from the others.
  Result<SessionResult<Harness>> open_harness(const Prepared& prepared, Layout layout, std::uint64_t layout_seed,
                                              HarnessRest former = {}, HarnessUse use = HarnessUse::calls) const;
  // Valid until the next one is asked for; the same one again where nothing changed.
  Result<SessionResult<Harness*>> harness(const kernel::Sizes& sizes, Layout layout);
  // One checked call on the harness: inputs of a family, fresh poison, every output element against the reference. The
  // same inputs make the same values. At the timed sizes an evaluation of the reference is dear: one per family serves
  // all candidates there, scaled by `inputs.seed` where the kernel is bilinear; other kernels get values of that seed
  // in full depth only. `any_caller`: as one may call whose arithmetic flushes to zero, which outputs show.
  Result<SessionResult<void>> checked_call(Harness& harness, const inputs::InputSet& inputs, bool any_caller = true);
  // The same, but that some elements of the outputs are looked at, many of them near the ends of their rows; what is
  // wrong there is looked at in full. For sizes at which the calls cost less than the reference.
  Result<SessionResult<void>> looked_at_call(Harness& harness, const inputs::InputSet& inputs);
  // The same of what lies in the outputs already, computed from `inputs` in a way that `origin` tells.
  Result<SessionResult<void>> look_at_outputs(Harness& harness, const inputs::InputSet& inputs,
                                              const std::string& origin);
  // Whether single elements can be looked at.
  bool knows_elements() const;
  // The same as `checked_call` on inputs, outputs, scratch and registers as they lie there; at the timed sizes some
  // elements are looked at and a projection of all, where there is one. `origin`: in which way, for whoever reads the
  // reason.
  Result<SessionResult<void>> checked_call_on(Harness& harness, const std::string& origin);

  // Whether other inputs ever changed a right output by more than its bounds, in the calls so far.
  bool output_varies() const { return m_output_varies; }

  void note(std::string name, std::string detail = {})
  {
    m_checks.push_back({std::move(name), true, std::move(detail)});
  }
  void note_failure(std::string name, std::string detail)
  {
    m_checks.push_back({std::move(name), false, std::move(detail)});
  }
  // By a validator that found nothing to look at: why.
  void note_that_nothing_ran(std::string why) { m_why_nothing_ran = std::move(why); }
  std::string take_why_nothing_ran() { return std::exchange(m_why_nothing_ran, {}); }
  std::vector<record::CheckResult>& checks() { return m_checks; }
  record::ErrorFigures& errors() { return m_errors; }
  int calls() const { return m_calls; }
  // Part of a validation's time that went into compiling the candidate for a tool.
  void add_build_time(double seconds) { m_build_seconds += seconds; }
  double build_seconds() const { return m_build_seconds; }

private:
  // The harness at hand: one at a time, since its runner and arena take memory.
  struct Open {
    kernel::Sizes sizes;
    Layout layout;
    std::shared_ptr<const Prepared> prepared;
    Harness harness;
  };

  // Sizes of which more is asked than the device can do.
  void leave_out_what_is_too_long();
  void leave_out_sizes(double most, double (*of)(const kernel::Kernel&, const kernel::Work&), const std::string& check,
                       const std::string& why);
  Result<void> keep_watching();
  std::chrono::milliseconds deadline_for(const Prepared& prepared) const;
  SessionResult<void> call(Harness& harness, CallerState caller);
  Result<bool> some_elements_are_right(Harness& harness);
  // What the last call left.
  SessionResult<void> judge(Harness& harness, const ExpectedOutputs& expected, const inputs::InputSet& inputs,
                            const std::string& origin);
  SessionResult<void> check(Harness& harness, const ExpectedOutputs& expected, const inputs::InputSet& inputs,
                            const std::string& origin, CallerState caller);
  void compare_with_last(const kernel::Sizes& sizes, const ExpectedOutputs& expected);

  ValidationSetting m_setting;
  std::optional<BilinearScaling> m_scaling; // for calls at the timed sizes
  Random m_random;
  inputs::InputDraw m_draw;
  std::vector<kernel::Sizes> m_hidden;
  std::vector<kernel::Sizes> m_further;
  std::vector<kernel::Sizes> m_strata;
  std::vector<kernel::Sizes> m_corners;
  std::vector<kernel::Sizes> m_literal;
  std::size_t m_literals = 0;
  kernel::Sizes m_probe;
  std::unique_ptr<Open> m_open;
  std::uint64_t m_next_style = 0;
  HarnessRest m_former; // of the last one that was open: its memory, and perhaps its runner, are used again
  std::vector<record::CheckResult> m_checks;
  std::string m_why_nothing_ran;
  record::ErrorFigures m_errors;
  int m_calls = 0;
  double m_build_seconds = 0;
  kernel::Sizes m_last_sizes; // of the last call, and what was right there
  ExpectedOutputs m_last_expected;
  bool m_output_varies = false;
  std::shared_ptr<Watching> m_watching;
};

// Something of a platform that a check looks at.
struct Need {
  bool backend::Capabilities::*capability;
  std::string_view words;           // what that is
  std::string_view substitute;      // what stands in for it elsewhere
  std::string_view nothing_because; // where nothing does: why nothing is lost
  bool is_all = false;              // the whole check rests on it: without it, it does not run
};

// One kind of check. Ends with how the contender failed it, or with nothing; notes what it saw.
struct Validator {
  std::string_view name;
  record::Depth least; // shallower validations leave it out
  Result<SessionResult<void>> (*run)(Validation& validation);
  std::span<const Need> needs; // beyond calls at any sizes on any values, which every platform makes
};

// All of them, cheap ones first. One file each.
std::span<const Validator> validators();

// In order, until one ends the contender. `runs`: what became of each, whether it ran or not.
Result<SessionResult<void>> run_validators(Validation& validation, std::vector<record::ValidatorRun>& runs);

// Values of the calls at the timed sizes whose right answers are known for all candidates once they are for one.
std::vector<inputs::ValueFamily> families_shared_at_timed_sizes(const kernel::Kernel& kernel, record::Depth depth);

Result<SessionResult<void>> validate_hidden_sizes(Validation& validation);
Result<SessionResult<void>> validate_corners(Validation& validation);
Result<SessionResult<void>> validate_poison(Validation& validation);
Result<SessionResult<void>> validate_repeats(Validation& validation);
Result<SessionResult<void>> validate_leftovers(Validation& validation);
Result<SessionResult<void>> validate_dependence(Validation& validation);
Result<SessionResult<void>> validate_groups(Validation& validation);
Result<SessionResult<void>> validate_memory_accesses(Validation& validation);
Result<SessionResult<void>> validate_timed_sizes(Validation& validation);

} // namespace hone::gate
