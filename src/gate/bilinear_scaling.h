// Fresh input sets with known right answers, made from others without an evaluation. (internal to the gate)
#pragma once

#include "gate/references.h"
#include "inputs/bilinear_form.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hone::gate {

// For kernels whose output is bilinear in two inputs: multiplies rows, columns and the summed index by random signs
// and powers of two. Both the inputs and the right outputs change exactly, at a cost of order of the data.
class BilinearScaling {
public:
  // Nothing where the kernel is not of this kind.
  static std::optional<BilinearScaling> of(const kernel::Kernel& kernel);

  // Scales the inputs in the arena's set, and gives the expected outputs that belong to them.
  Result<ExpectedOutputs> apply(Arena& arena, std::size_t set, const kernel::ReferenceOutput& base,
                                std::uint64_t seed) const;

private:
  BilinearScaling(const kernel::Kernel& kernel, inputs::BilinearForm form) : m_kernel(&kernel), m_form(std::move(form))
  {
  }

  const kernel::Kernel* m_kernel;
  inputs::BilinearForm m_form;
};

} // namespace hone::gate
