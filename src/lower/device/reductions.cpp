#include "lower/device/reductions.h"

#include <algorithm>

namespace hone::lower::device {

namespace {

void collect(const kernel::Expr& value, std::vector<const kernel::Expr*>& out)
{
  if (value.kind == kernel::ExprKind::reduce) {
    const std::string text = kernel::to_text(value);
    if (std::ranges::none_of(out, [&](const kernel::Expr* known) { return kernel::to_text(*known) == text; })) {
      out.push_back(&value);
    }
    return;
  }
  for (const kernel::ExprPtr& part : value.args) {
    if (part) {
      collect(*part, out);
    }
  }
}

void collect_loads(const kernel::ExprPtr& value, std::vector<kernel::ExprPtr>& out)
{
  if (!value || value->kind == kernel::ExprKind::reduce) {
    return;
  }
  if (value->kind == kernel::ExprKind::load) {
    const std::string text = kernel::to_text(*value);
    if (std::ranges::none_of(out, [&](const kernel::ExprPtr& known) { return kernel::to_text(*known) == text; })) {
      out.push_back(value);
    }
    return;
  }
  for (const kernel::ExprPtr& part : value->args) {
    collect_loads(part, out);
  }
}

} // namespace

std::vector<const kernel::Expr*> outermost_reductions(const kernel::Expr& value)
{
  std::vector<const kernel::Expr*> out;
  collect(value, out);
  return out;
}

std::vector<kernel::ExprPtr> loads_of(const kernel::Expr& reduce)
{
  std::vector<kernel::ExprPtr> out;
  collect_loads(reduce.args[0], out);
  return out;
}

} // namespace hone::lower::device
