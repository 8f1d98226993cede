// Integer expressions in launch plans: grid sizes, scratch sizes, constraints, guards.
//
// Names are sizes (m), tuning parameters (TILE_M), device facts (device.units) and `shared`. Operators: + - * / %
// comparisons && || !, c ? a : b; functions ceil_div, round_up, min, max, ceil_log2. Division is C's; by zero is an
// error.
#pragma once

#include "util/result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hone::kernel {

using PlanScope = std::map<std::string, std::int64_t, std::less<>>;

// The error for a result beyond 64 bits. Shipped code computes plans in C, where an overflow is silent.
inline constexpr std::string_view k_leaves_64_bits = "the result does not fit 64 bits";

class PlanExpression {
public:
  PlanExpression() = default; // the constant 0
  static Result<PlanExpression> parse(std::string_view text, const Place& place);
  static PlanExpression constant(std::int64_t value);

  Result<std::int64_t> evaluate(const PlanScope& scope) const;
  const std::string& text() const { return m_text; }
  std::vector<std::string> names() const; // each name once

  struct Node;

private:
  std::string m_text = "0";
  Place m_place;
  std::shared_ptr<const Node> m_root;
};

} // namespace hone::kernel
