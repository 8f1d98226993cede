// Kernels whose one output is bilinear in two inputs: rows, columns and the summed index of the inputs may be rescaled,
// and the right outputs change by known factors.
#pragma once

#include "kernel/kernel.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace hone::inputs {

struct BilinearForm {
  // A tensor, and the index variable that runs along each of its axes.
  struct Tensor {
    std::size_t argument = 0; // in Kernel::arguments
    std::vector<std::string> indices;
  };
  Tensor a, b, out;
  std::vector<std::string> free_a; // indices that scale A and the output
  std::vector<std::string> free_b; // indices that scale B and the output
  std::vector<std::string> summed; // scale A up and B down: the output stays
};

// Nothing where the kernel is not of this kind.
std::optional<BilinearForm> bilinear_form(const kernel::Kernel& kernel);

} // namespace hone::inputs
