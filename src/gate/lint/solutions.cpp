#include "gate/lint/solutions.h"

#include "inputs/elements.h"

#include <array>

namespace hone::gate {

std::vector<DegenerateSolution> degenerate_solutions(const kernel::Kernel& kernel, std::size_t output)
{
  static constexpr std::array k_kinds{add_constants, add_copies, add_coarse_values, add_unwritten};
  std::vector<DegenerateSolution> list;
  for (const auto add : k_kinds) {
    add(kernel, output, list);
  }
  return list;
}

void store_values(kernel::DataType type, std::span<const double> values, std::span<std::byte> bytes)
{
  const std::size_t size = kernel::size_of(type);
  for (std::size_t i = 0; i < values.size(); ++i) {
    inputs::store_element(type, bytes.data() + i * size, values[i]);
  }
}

} // namespace hone::gate
