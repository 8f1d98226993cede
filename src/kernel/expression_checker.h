// Gives names their meaning: syntax + declarations -> a typed program. (internal to the room)
#pragma once

#include "kernel/definition.h"
#include "kernel/expression_syntax.h"

#include <span>
#include <string>
#include <vector>

namespace hone::kernel {

struct Declarations {
  std::span<const Argument> arguments;
  std::span<const std::string> symbols; // size symbols
  DataType accumulate = DataType::f32;
};

// Checks names, ranks, types and ranges of indices. Mistakes are added to `errors`; the program is whole only when
// none were added. What the language has but this version does not compute is such a mistake too.
Program check_program(const std::vector<StatementSyntax>& syntax, const Declarations& declarations,
                      std::vector<Error>& errors);

// An entry of a shape: an expression over size symbols alone. Null after an error.
ExprPtr check_shape_entry(const SyntaxPtr& syntax, std::span<const std::string> symbols, std::vector<Error>& errors);
// The same for a condition between sizes.
ExprPtr check_size_condition(const SyntaxPtr& syntax, std::span<const std::string> symbols, std::vector<Error>& errors);

} // namespace hone::kernel
