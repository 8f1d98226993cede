#include "kernel/accuracy.h"

#include "kernel/definition.h"

#include <fmt/format.h>

namespace hone::kernel {

bool has_derived_bounds(const Kernel& kernel)
{
  const Accuracy& accuracy = kernel.accuracy;
  return kernel.reference == ReferenceKind::expression && accuracy.bounds == BoundClass::elementwise
         && !accuracy.tolerance.is_given() && !accuracy.may_leave_elements();
}

std::string accuracy_text(const Kernel& kernel)
{
  const Accuracy& accuracy = kernel.accuracy;
  const bool normwise = accuracy.bounds == BoundClass::normwise;
  std::string out = normwise ? "normwise" : "elementwise";
  if (accuracy.tolerance.is_given()) {
    out += fmt::format(", within {} + {} of the {}", accuracy.tolerance.absolute, accuracy.tolerance.relative,
                       normwise ? "output's largest value" : "value");
  }
  out += accuracy.checks_overflow ? "" : ", overflow unchecked";
  out += accuracy.checks_nonfinite ? "" : ", NaN undefined";
  return out;
}

} // namespace hone::kernel
