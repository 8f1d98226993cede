// exp(x) in place of exp(x - largest): right on small values, infinite on large ones.
#include "mutate/operator.h"
#include "mutate/program_sites.h"

#include <fmt/format.h>

namespace hone {

namespace {

std::vector<ProgramMutation> in_program(const Kernel& kernel)
{
  std::vector<ProgramMutation> out;
  visit_sites(kernel.program, [&](const ProgramSite& site) {
    const Expr& node = *site.node;
    const bool difference = node.kind == ExprKind::binary && node.name == "-";
    if (difference && site.parent != nullptr && site.parent->kind == ExprKind::call && site.parent->name == "exp") {
      out.push_back(
        {fmt::format("exp({}) -> exp({})", to_text(node), to_text(*node.args[0])), site.replaced_by(node.args[0])});
    }
  });
  return out;
}

} // namespace

MutationOperator missing_maximum_subtraction()
{
  return {"missing-maximum-subtraction", "exp(x) in place of exp(x - largest)", nullptr, in_program};
}

} // namespace hone
