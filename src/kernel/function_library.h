// Functions that are written in the language itself: names for the formulas that everyone writes (relu, gelu, ...).
#pragma once

#include "kernel/definition.h"

#include <span>
#include <string_view>
#include <vector>

namespace hone::kernel {

struct LibraryFunction {
  std::string_view name;
  std::span<const std::string_view> parameters;
  std::string_view definition; // an expression over the parameters
};

// In alphabetical order.
std::span<const LibraryFunction> library_functions();
// Those that a kernel's expression calls, in alphabetical order.
std::vector<const LibraryFunction*> library_functions_in(const Kernel& kernel);
// Null when there is none of that name.
const LibraryFunction* find_library_function(std::string_view name);

} // namespace hone::kernel
