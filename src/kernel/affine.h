// Integer expressions as constant + sum of coefficient * index, for concrete sizes. (internal to the room)
#pragma once

#include "kernel/definition.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace hone::kernel {

struct Affine {
  std::int64_t constant = 0;
  std::map<std::string, std::int64_t> coefficients; // per index; no zeros

  bool operator==(const Affine&) const = default;
};

Affine operator+(const Affine& a, const Affine& b);
Affine operator-(const Affine& a, const Affine& b);
Affine scaled(const Affine& a, std::int64_t factor);

// Nothing when a number is so large (2^60) that sums of a few forms could overflow.
std::optional<Affine> within_limit(Affine affine);

// Nothing when the expression is not affine in its indices.
std::optional<Affine> affine_of(const Expr& expression, const Sizes& sizes);

} // namespace hone::kernel
