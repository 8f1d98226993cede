// Implementations that nobody can object to: loops made from the kernel's expression, without the reference's help, in
// the kernel's own types. What they cannot compute within the bounds no candidate is held to. (internal to the gate)
#pragma once

#include "gate/build.h"
#include "gate/harness.h"
#include "kernel/kernel.h"

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hone::gate {

constexpr std::chrono::milliseconds k_control_deadline{30'000}; // of one call

struct ControlImplementation {
  const char* name;
  Result<kernel::Candidate> (*make)(const kernel::Kernel& kernel, const lower::Dialect& dialect);
  bool (*applies)(const kernel::Kernel& kernel);
  const char* unfit; // why it does not
};

// Plain loops, those with sums from the last term to the first, and those that begin with what is added to a sum.
std::span<const ControlImplementation> control_implementations();

// How far rounding takes them from the right outputs, on any values.
class RoundingControls {
public:
  // Nothing is compiled before the first question. `kernel`, which has an expression, outlives it.
  RoundingControls(const kernel::Kernel& kernel, std::string environment, fs::path cache);

  // The largest error of any of them, in bounds, over the elements that have a bound: 0 where none errs. `inputs`: one
  // pointer per kernel argument, of an inout to its old contents. Nothing where they do not end in time.
  Result<std::optional<double>> worst_error(const kernel::Sizes& sizes, std::span<const std::byte* const> inputs,
                                            const std::vector<kernel::ReferenceOutput>& expected);

private:
  struct State;
  Result<void> open();
  Result<std::optional<double>> error_of(const record::Contender& contender, const kernel::Sizes& sizes,
                                         std::span<const std::byte* const> inputs,
                                         const std::vector<kernel::ReferenceOutput>& expected);

  const kernel::Kernel& m_kernel;
  std::string m_environment;
  fs::path m_cache;
  std::shared_ptr<State> m_state; // once it was asked
};

} // namespace hone::gate
