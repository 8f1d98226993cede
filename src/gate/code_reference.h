// References that are code: reference.cpp of a kernel's folder, or its own first candidate. Compiled in the jail and
// called in a locked runner, like everything foreign. (internal to the gate)
#pragma once

#include "gate/build.h"
#include "gate/harness.h"
#include "kernel/kernel.h"

#include <memory>
#include <span>
#include <vector>

namespace hone::gate {

class CodeReference {
public:
  // Compiles it; errors name the file. `environment` and `cache` as for candidates.
  static Result<CodeReference> build(const kernel::Kernel& kernel, const std::string& environment,
                                     const fs::path& cache);

  // As Reference::evaluate: one pointer per kernel argument. Bounds are the kernel's tolerance, and the rounding to the
  // output's type.
  Result<std::vector<kernel::ReferenceOutput>> evaluate(const kernel::Sizes& sizes,
                                                        std::span<const std::byte* const> inputs);

private:
  struct State;
  std::shared_ptr<State> m_state;
};

} // namespace hone::gate
