#include "import/size_divisors.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::import {

namespace {

const kernel::ExprPtr& without_conversions(const kernel::ExprPtr& node)
{
  return node->kind == kernel::ExprKind::cast ? without_conversions(node->args[0]) : node;
}

// size > number, where the divisor is size - number; null for other divisors.
kernel::ExprPtr condition_of(const kernel::ExprPtr& divisor)
{
  const kernel::ExprPtr& bare = without_conversions(divisor);
  if (bare->kind != kernel::ExprKind::binary || (bare->name != "-" && bare->name != "+")) {
    return nullptr;
  }
  const kernel::ExprPtr& size = without_conversions(bare->args[0]);
  const kernel::ExprPtr& number = without_conversions(bare->args[1]);
  const bool fits = size->kind == kernel::ExprKind::extent && number->kind == kernel::ExprKind::number;
  const double taken = fits ? (bare->name == "-" ? number->number : -number->number) : 0;
  constexpr double k_most = 1 << 20;
  const auto whole = static_cast<std::int64_t>(std::min(std::max(taken, 0.0), k_most));
  return whole >= 1 ? compared(">", size, kernel::make_number(static_cast<double>(whole), true)) : nullptr;
}

// A divisor that a condition guards may be 0 where the condition is false.
void collect(const kernel::ExprPtr& node, std::vector<kernel::ExprPtr>& out)
{
  if (node->kind == kernel::ExprKind::select) {
    return;
  }
  if (node->kind == kernel::ExprKind::binary && node->name == "/") {
    if (const kernel::ExprPtr condition = condition_of(node->args[1])) {
      out.push_back(condition);
    }
  }
  const bool guarded = node->kind == kernel::ExprKind::reduce && node->args.size() > 1;
  if (!guarded) {
    for (const kernel::ExprPtr& part : node->args) {
      collect(part, out);
    }
  }
}

} // namespace

void add_size_divisors(const Semantics& semantics, std::vector<kernel::ExprPtr>& conditions,
                       std::vector<std::string>& notes)
{
  std::vector<kernel::ExprPtr> found;
  for (const DraftStatement& statement : semantics.statements) {
    if (!statement.guard) {
      collect(statement.value, found);
    }
  }
  for (const kernel::ExprPtr& condition : found) {
    if (std::ranges::none_of(conditions, [&](const auto& known) { return same(known, condition); })) {
      conditions.push_back(condition);
      notes.push_back(fmt::format("{}: the code divides by what is 0 or less otherwise", kernel::to_text(*condition)));
    }
  }
}

} // namespace hone::import
