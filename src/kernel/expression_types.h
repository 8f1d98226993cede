// The typing rules of expressions, in one place for the checker and the node builders. (internal to the room)
#pragma once

#include "kernel/expression.h"

namespace hone::kernel {

// Literals, indices and sizes, and arithmetic on nothing else, have no float type of their own: they take the type
// of what they meet, so that `x * 0.5` stays f32 when x is.
bool is_weak(const Expr& expression);

// The type of an arithmetic result: the wider of the two, where a weak side gives way.
DataType joined_type(const Expr& left, const Expr& right);

// True when the value is an integer (of any width, or an integer literal); booleans are not.
bool is_integer(DataType type);

bool is_comparison(std::string_view op);
bool is_logical(std::string_view op); // && ||

} // namespace hone::kernel
