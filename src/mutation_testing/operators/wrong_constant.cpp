// A number of the formula is another one: a quarter larger, 1 in place of 0; a size is one smaller (n - 1 in a mean).
#include "mutation_testing/operator.h"
#include "mutation_testing/program_sites.h"

#include <fmt/format.h>

namespace hone::mutation_testing {

namespace {

constexpr double k_factor = 1.25;

kernel::ExprPtr other_number(const kernel::Expr& number)
{
  if (number.number == 0) {
    return kernel::make_number(1, number.integer_literal);
  }
  return number.integer_literal ? kernel::make_number(number.number + 1, true)
                                : kernel::make_number(number.number * k_factor);
}

std::vector<ProgramMutation> in_program(const kernel::Kernel& kernel)
{
  std::vector<ProgramMutation> out;
  visit_sites(kernel.program, [&](const ProgramSite& site) {
    if (site.part != SitePart::value) {
      return;
    }
    const kernel::Expr& node = *site.node;
    const std::string where = site.parent != nullptr ? kernel::to_text(*site.parent) : kernel::to_text(node);
    if (node.kind == kernel::ExprKind::number) {
      const kernel::ExprPtr other = other_number(node);
      out.push_back({fmt::format("{} -> {} in {}", kernel::to_text(node), kernel::to_text(*other), where),
                     site.replaced_by(other)});
    } else if (node.kind == kernel::ExprKind::extent) {
      const kernel::ExprPtr smaller = kernel::make_binary("-", site.node, kernel::make_number(1, true));
      out.push_back({fmt::format("{} -> {} in {}", kernel::to_text(node), kernel::to_text(*smaller), where),
                     site.replaced_by(smaller)});
    }
  });
  return out;
}

} // namespace

MutationOperator wrong_constant()
{
  return {"wrong-constant", "a number of the formula is a quarter larger, or a size one smaller", nullptr, in_program};
}

} // namespace hone::mutation_testing
