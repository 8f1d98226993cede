// What was understood, written as a kernel.toml. (internal to the room)
#pragma once

#include "import/import.h"
#include "import/interpreter.h"

#include <algorithm>
#include <string>
#include <vector>

namespace hone::import {

// Removes intermediates that need no name: copies of an output, and what is used once beside the same indices.
void simplify(Semantics& semantics, const Survey& survey);

// The statements in the language, one per line.
std::string program_text(const Semantics& semantics, const Survey& survey);

// Arguments of the kernel in the order of the function's parameters (what it returns last), and the sizes that it
// needs.
struct KernelNames {
  std::vector<std::string> arguments;
  std::vector<std::string> sizes;
  std::string result; // the argument that the function returns; empty: none

  bool is_argument(const std::string& name) const { return std::ranges::find(arguments, name) != arguments.end(); }
  bool is_size(const std::string& name) const { return std::ranges::find(sizes, name) != sizes.end(); }
};
KernelNames names_of(const CFunction& function, const Semantics& semantics, const Survey& survey);

// Sizes that only a shape from the user names, and the function does not take.
std::vector<std::string> further_sizes(const CFunction& function, const Semantics& semantics, const Survey& survey);

// What stands in kernel.toml besides the statements.
struct KernelText {
  std::vector<std::string> notes;
  std::map<std::string, ForeignDomain> domains; // by argument
  std::map<std::string, std::string> matrices;  // by argument: its form
  std::vector<kernel::ExprPtr> conditions;      // between sizes
  std::map<std::string, kernel::ExprPtr> equal; // parameters that stand for sizes, such as a leading dimension
};
std::string kernel_toml(const ForeignFunction& request, const CFunction& function, const Semantics& semantics,
                        const Survey& survey, const KernelText& text, const kernel::Sizes& sizes);

// f64 only where all arithmetic is in double.
kernel::DataType accumulation_type(const Semantics& semantics, const Survey& survey);

} // namespace hone::import
