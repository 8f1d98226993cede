// Every place of a program at which something else could stand. (internal to the room)
#pragma once

#include "kernel/kernel.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace hone::mutation_testing {

// What a node is part of.
enum class SitePart {
  value,     // of an element, or of a reduction's body
  subscript, // of a load
  condition, // a statement's or reduction's `where`
};

// Its functions are good for as long as the visit lasts.
struct ProgramSite {
  kernel::ExprPtr node;
  SitePart part = SitePart::value;
  const kernel::Expr* parent = nullptr;                        // null at the top of a statement's value or guard
  std::vector<kernel::IndexRange> scope;                       // indices that are known here, outermost first
  std::function<kernel::Program(kernel::ExprPtr)> replaced_by; // the program with something else in the node's place
  kernel::ExprPtr condition; // the whole condition that the node is part of, else null
  std::function<kernel::ExprPtr(kernel::ExprPtr)> condition_with; // it, with something else in the node's place
};

// In the order in which they are written; parents before what is in them.
void visit_sites(const kernel::Program& program, const std::function<void(const ProgramSite&)>& visit);

// A copy whose argument at a position is something else.
kernel::ExprPtr with_argument(const kernel::Expr& expression, std::size_t position, kernel::ExprPtr argument);

// True when two conditions (or integer expressions) agree for all indices of the scope on all sizes up to 5: then one
// in place of the other changes nothing.
bool agree_on_small_sizes(const kernel::Expr& left, const kernel::Expr& right,
                          const std::vector<kernel::IndexRange>& scope);

} // namespace hone::mutation_testing
