// Fresh input sets with known right answers, made from others without an evaluation. (internal to the gate)
#pragma once

#include "gate/references.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hone {

// For kernels whose output is bilinear in two inputs: multiplies rows, columns and the summed index by random signs
// and powers of two. Both the inputs and the right outputs change exactly, at a cost of order of the data.
class BilinearScaling {
public:
  // Nothing where the kernel is not of this kind.
  static std::optional<BilinearScaling> of(const Kernel& kernel);

  // Scales the inputs in the arena's set, and gives the expected outputs that belong to them.
  Result<ExpectedOutputs> apply(Arena& arena, std::size_t set, const ReferenceOutput& base, std::uint64_t seed) const;

private:
  // An axis of a tensor and the index variable that runs along it.
  struct ScaledTensor {
    std::size_t argument = 0;
    std::vector<std::string> indices;
  };
  const Kernel* m_kernel = nullptr;
  ScaledTensor m_a, m_b, m_out;
  std::vector<std::string> m_free_a; // indices that scale A and the output
  std::vector<std::string> m_free_b; // indices that scale B and the output
  std::vector<std::string> m_summed; // scale A up and B down: the output stays
};

} // namespace hone
