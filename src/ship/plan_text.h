// Launch plans and shapes as text in C. (internal to the room)
#pragma once

#include "ship/names.h"

namespace hone::ship {

// An expression of the plan over the function's sizes; tuning values and device facts as numbers. `shared` names the
// variable that holds the bytes of group-local scratch.
Result<std::string> plan_text(const ExportContext& names, const kernel::PlanExpression& expression,
                              const std::string& shared = {});
// Whether it has the same value on all sizes.
bool is_fixed(const ExportContext& names, const kernel::PlanExpression& expression);

// An extent or another integer over sizes.
Result<std::string> extent_text(const ExportContext& names, const kernel::Expr& expression);
// Elements of an argument: "m * n", "1" for a scalar.
Result<std::string> elements_text(const ExportContext& names, const kernel::Argument& argument);

// The functions of the plan's language that a text calls, with the kernel's name before theirs.
std::string plan_functions(const ExportContext& names, const std::string& text);

} // namespace hone::ship
