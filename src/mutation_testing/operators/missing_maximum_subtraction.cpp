// exp(x) in place of exp(x - largest): right on small values, infinite on large ones.
#include "mutation_testing/operator.h"
#include "mutation_testing/program_sites.h"

#include <fmt/format.h>

namespace hone::mutation_testing {

namespace {

std::vector<ProgramMutation> in_program(const kernel::Kernel& kernel)
{
  std::vector<ProgramMutation> out;
  visit_sites(kernel.program, [&](const ProgramSite& site) {
    const kernel::Expr& node = *site.node;
    const bool difference = node.kind == kernel::ExprKind::binary && node.name == "-";
    if (difference && site.parent != nullptr && site.parent->kind == kernel::ExprKind::call
        && site.parent->name == "exp") {
      out.push_back({fmt::format("exp({}) -> exp({})", kernel::to_text(node), kernel::to_text(*node.args[0])),
                     site.replaced_by(node.args[0])});
    }
  });
  return out;
}

} // namespace

MutationOperator missing_maximum_subtraction()
{
  return {"missing-maximum-subtraction", "exp(x) in place of exp(x - largest)", nullptr, in_program};
}

} // namespace hone::mutation_testing
