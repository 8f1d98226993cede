// Whatever lay in outputs and scratch before a call must not show in the result: the same inputs over two different
// poisons give the same bytes. Finds elements that are never written and uninitialised scratch that is read.
#include "gate/mismatch.h"
#include "gate/validate/validation.h"

#include <fmt/format.h>

#include <cstring>

namespace hone::gate {
namespace {

std::string first_difference(const kernel::Kernel& kernel, const kernel::Sizes& sizes, std::span<const std::byte> one,
                             std::span<const std::byte> other)
{
  std::size_t offset = 0;
  for (const std::size_t position : kernel.outputs()) {
    const kernel::Argument& argument = kernel.arguments[position];
    const auto shape = kernel::shape_of(argument, sizes);
    const auto elements = kernel::elements_of(argument, sizes);
    if (!shape || !elements) {
      return argument.name;
    }
    const std::size_t size = kernel::size_of(argument.type);
    for (std::int64_t i = 0; i < *elements; ++i, offset += size) {
      if (std::memcmp(one.data() + offset, other.data() + offset, size) != 0) {
        return argument.name + multi_index(i, *shape);
      }
    }
  }
  return "nothing";
}

} // namespace

Result<SessionResult<void>> validate_poison(Validation& validation)
{
  HONE_SESSION(Harness* const harness, validation.harness(validation.probe_sizes(), Layout::canaries));
  const inputs::InputSet inputs = validation.draw_inputs(inputs::ValueFamily::normal);
  std::vector<std::byte> first;
  for (int round = 0; round < 2; ++round) {
    HONE_CHECK(harness->set_up(inputs, validation.random().next()));
    if (auto called = harness->call(); !called) {
      return Ended{std::move(called.error())};
    }
    std::vector<std::byte> outputs = harness->outputs();
    if (round == 1 && outputs != first) {
      return Ended{incorrect(fmt::format("{} is not written, or depends on memory that nothing initialised (sizes {})",
                                         first_difference(validation.kernel(), harness->sizes(), first, outputs),
                                         kernel::to_text(harness->sizes())))};
    }
    first = std::move(outputs);
  }
  validation.note("poisoned outputs", "same bytes over two different poisons");
  return SessionResult<void>();
}

} // namespace hone::gate
