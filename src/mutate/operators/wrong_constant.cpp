// A number of the formula is another one: a quarter larger, 1 in place of 0; a size is one smaller (n - 1 in a mean).
#include "mutate/operator.h"
#include "mutate/program_sites.h"

#include <fmt/format.h>

namespace hone {

namespace {

constexpr double k_factor = 1.25;

ExprPtr other_number(const Expr& number)
{
  if (number.number == 0) {
    return make_number(1, number.integer_literal);
  }
  return number.integer_literal ? make_number(number.number + 1, true) : make_number(number.number * k_factor);
}

std::vector<ProgramMutation> in_program(const Kernel& kernel)
{
  std::vector<ProgramMutation> out;
  visit_sites(kernel.program, [&](const ProgramSite& site) {
    if (site.part != SitePart::value) {
      return;
    }
    const Expr& node = *site.node;
    const std::string where = site.parent != nullptr ? to_text(*site.parent) : to_text(node);
    if (node.kind == ExprKind::number) {
      const ExprPtr other = other_number(node);
      out.push_back({fmt::format("{} -> {} in {}", to_text(node), to_text(*other), where), site.replaced_by(other)});
    } else if (node.kind == ExprKind::extent) {
      const ExprPtr smaller = make_binary("-", site.node, make_number(1, true));
      out.push_back(
        {fmt::format("{} -> {} in {}", to_text(node), to_text(*smaller), where), site.replaced_by(smaller)});
    }
  });
  return out;
}

} // namespace

MutationOperator wrong_constant()
{
  return {"wrong-constant", "a number of the formula is a quarter larger, or a size one smaller", nullptr, in_program};
}

} // namespace hone
