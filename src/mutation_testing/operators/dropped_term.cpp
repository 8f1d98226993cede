// One side of an addition or a product is left out, or the last term of a reduction.
#include "mutation_testing/operator.h"
#include "mutation_testing/program_sites.h"

#include <fmt/format.h>

#include <memory>

namespace hone::mutation_testing {

namespace {

bool drops_sides(const ProgramSite& site)
{
  const kernel::Expr& node = *site.node;
  const bool arithmetic =
    node.kind == kernel::ExprKind::binary && (node.name == "+" || node.name == "-" || node.name == "*");
  // x in place of x - max is an operator of its own.
  const bool exponent =
    site.parent != nullptr && site.parent->kind == kernel::ExprKind::call && site.parent->name == "exp";
  return site.part == SitePart::value && arithmetic && !exponent;
}

std::vector<ProgramMutation> in_program(const kernel::Kernel& kernel)
{
  std::vector<ProgramMutation> out;
  visit_sites(kernel.program, [&](const ProgramSite& site) {
    const kernel::Expr& node = *site.node;
    if (drops_sides(site)) {
      for (const kernel::ExprPtr& kept : node.args) {
        // 0 - x is no term less.
        const bool changes = node.name != "-" || kept == node.args[0];
        if (changes) {
          out.push_back(
            {fmt::format("{} -> {}", kernel::to_text(node), kernel::to_text(*kept)), site.replaced_by(kept)});
        }
      }
    }
    for (std::size_t r = 0; node.kind == kernel::ExprKind::reduce && r < node.ranges.size(); ++r) {
      auto shorter = std::make_shared<kernel::Expr>(node);
      shorter->ranges[r].upper = kernel::make_binary("-", node.ranges[r].upper, kernel::make_number(1, true));
      out.push_back({fmt::format("{} -> without the last {}", kernel::to_text(node), node.ranges[r].name),
                     site.replaced_by(std::move(shorter))});
    }
  });
  return out;
}

} // namespace

MutationOperator dropped_term()
{
  return {"dropped-term", "a summand, a factor or the last term of a reduction is left out", nullptr, in_program};
}

} // namespace hone::mutation_testing
