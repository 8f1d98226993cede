// The two sides of a difference or a quotient change places, or two subscripts of a load.
#include "mutation_testing/operator.h"
#include "mutation_testing/program_sites.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace hone::mutation_testing {

namespace {

kernel::ExprPtr swapped(const kernel::Expr& expression, std::size_t one, std::size_t other)
{
  auto out = std::make_shared<kernel::Expr>(expression);
  std::swap(out->args[one], out->args[other]);
  return out;
}

// abs(x - y) is abs(y - x).
bool is_even(const kernel::Expr* function)
{
  return function != nullptr && function->kind == kernel::ExprKind::call
         && (function->name == "abs" || function->name == "cos" || function->name == "cosh");
}

std::vector<ProgramMutation> in_program(const kernel::Kernel& kernel)
{
  std::vector<ProgramMutation> out;
  visit_sites(kernel.program, [&](const ProgramSite& site) {
    const kernel::Expr& node = *site.node;
    const auto add = [&](std::size_t one, std::size_t other) {
      const kernel::ExprPtr changed = swapped(node, one, other);
      if (kernel::to_text(*changed) != kernel::to_text(node)) {
        out.push_back(
          {fmt::format("{} -> {}", kernel::to_text(node), kernel::to_text(*changed)), site.replaced_by(changed)});
      }
    };
    const bool difference = node.kind == kernel::ExprKind::binary && node.name == "-" && !is_even(site.parent);
    const bool quotient = node.kind == kernel::ExprKind::binary && node.name == "/";
    if (site.part == SitePart::value && (difference || quotient)) {
      add(0, 1);
    }
    if (node.kind == kernel::ExprKind::load && node.args.size() >= 2 && site.part == SitePart::value) {
      const std::size_t last = node.args.size() - 1;
      add(last - 1, last);
    }
  });
  return out;
}

} // namespace

MutationOperator swapped_operands()
{
  return {"swapped-operands", "the sides of a difference or quotient, or two subscripts, change places", nullptr,
          in_program};
}

} // namespace hone::mutation_testing
