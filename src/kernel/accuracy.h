// How the outputs of a kernel are compared with the reference: [accuracy] in kernel.toml.
#pragma once

#include <string>

namespace hone::kernel {

struct Kernel;

// How far an output may be off, whatever its expression says: absolute + relative * abs(value).
struct Tolerance {
  double relative = 0;
  double absolute = 0;

  bool is_given() const { return relative > 0 || absolute > 0; }
};

enum class BoundClass {
  elementwise, // of each element by itself
  normwise,    // of the whole output: what Strassen's product and FFT-like algorithms keep to
};

struct Accuracy {
  BoundClass bounds = BoundClass::elementwise;
  Tolerance tolerance;          // of an expression: bounds are no tighter than this; with ordered loops: they are this
  bool checks_overflow = true;  // false: elements computed from numbers near overflow are not compared
  bool checks_nonfinite = true; // false: elements computed from infinities or NaN are not compared
  bool may_leave_elements() const { return !checks_overflow || !checks_nonfinite; }
};

// Elementwise bounds as they follow from the expression, and nothing left out.
bool has_derived_bounds(const Kernel& kernel);

// "elementwise", or "normwise, within 1e-05 + 0.001 of the value, overflow unchecked, NaN undefined".
std::string accuracy_text(const Kernel& kernel);

} // namespace hone::kernel
