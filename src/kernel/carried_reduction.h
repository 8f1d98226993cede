// Reductions that can be carried along: from one index of a statement to the next they gain terms and lose none.
// (internal to the room)
#pragma once

#include "kernel/expression.h"

#include <vector>

namespace hone::kernel {

enum class Carried {
  no,
  upwards,   // sum(k <= i, X[k]): as i rises, terms are added at the end
  downwards, // sum(i <= k < n, X[k]): as i falls, terms are added at the start
};

// Of a reduction that the statement names outside of other reductions, over the statement's index `along`.
Carried carried_along(const Expr& reduce, const IndexRange& along);

// The index of the statement that carries most of its reductions, in which direction, and which these are; positions
// are not among them.
struct CarriedReductions {
  std::size_t along = 0; // in Statement::indices
  Carried direction = Carried::no;
  std::vector<const Expr*> reductions; // each once; none: nothing is carried
};
CarriedReductions carried_reductions(const Statement& statement);

} // namespace hone::kernel
