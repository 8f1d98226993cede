// Outputs that were not computed but copied from an input.
#include "gate/lint/solutions.h"
#include "inputs/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace hone::gate {
namespace {

// With an extent of 1 many kernels do copy: the sum of one term is the term. Where other sizes are right too, these say
// nothing.
bool is_trivial(const kernel::Kernel& kernel, const kernel::Sizes& sizes)
{
  return kernel.also == kernel::AlsoSizes::any
         && std::ranges::any_of(sizes, [](const auto& extent) { return extent.second == 1; });
}

// y = i32(x): the conversion is what there is to compute.
bool is_conversion(const DegenerateCall& call, const kernel::Argument& source)
{
  return source.type != call.output.type
         && std::ranges::any_of(call.kernel.program.statements, [&](const kernel::Statement& statement) {
              const kernel::Expr* value = statement.value.get();
              while (value->kind == kernel::ExprKind::cast) {
                value = value->args[0].get();
              }
              return statement.target == call.output.name && value->kind == kernel::ExprKind::load
                     && value->name == source.name;
            });
}

DegenerateSolution copy_of(const kernel::Kernel& kernel, std::size_t input)
{
  const kernel::Argument& argument = kernel.arguments[input];
  DegenerateSolution solution;
  solution.name = "copy of " + argument.name;
  solution.meaning =
    fmt::format("copying '{}' is all there is to compute, and nothing is left to make faster", argument.name);
  solution.untried = fmt::format("'{}' has never as many elements as the output", argument.name);
  solution.write = [input](const DegenerateCall& call, std::span<std::byte> bytes) {
    const kernel::Argument& source = call.kernel.arguments[input];
    const auto elements = kernel::elements_of(source, call.sizes);
    const std::size_t count = call.expected.values.size();
    if (!elements || static_cast<std::size_t>(*elements) != count || is_trivial(call.kernel, call.sizes)
        || is_conversion(call, source)) {
      return false;
    }
    const std::byte* from = call.arguments[input];
    const bool wraps = !kernel::is_float(source.type) && !kernel::is_float(call.output.type);
    const std::size_t size = kernel::size_of(call.output.type);
    for (std::size_t i = 0; i < count; ++i) {
      const double value = inputs::load_element(source.type, from + i * kernel::size_of(source.type));
      if (wraps && std::fabs(value) < 0x1p63) { // as code does it; store_element() stays at the ends of the type
        const auto whole = static_cast<std::int64_t>(value);
        std::memcpy(bytes.data() + i * size, &whole, size);
      } else {
        inputs::store_element(call.output.type, bytes.data() + i * size, value);
      }
    }
    return true;
  };
  return solution;
}

} // namespace

void add_copies(const kernel::Kernel& kernel, std::size_t, Solutions& list)
{
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    if (kernel.arguments[i].role != kernel::Role::output) {
      list.push_back(copy_of(kernel, i));
    }
  }
}

} // namespace hone::gate
