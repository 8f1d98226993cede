// < in place of <=, and the other way round. Comparisons that only choose between two ways to compute the same (a whole
// vector or its sessions) are left alone, and so are those of the expression that agree wherever they are asked.
#include "mutation_testing/clipping.h"
#include "mutation_testing/operator.h"
#include "mutation_testing/program_sites.h"

#include <fmt/format.h>

#include <map>
#include <memory>

namespace hone::mutation_testing {

namespace {

const std::map<std::string, std::string>& others()
{
  static const std::map<std::string, std::string> k_others = {{"<", "<="}, {"<=", "<"}, {">", ">="}, {">=", ">"}};
  return k_others;
}

TextMutation changed(const SourceCode& code, TokenRange shown, std::size_t at)
{
  const std::string now = others().at(code[at].text);
  return {fmt::format("{} -> {} {} {}", code.words(shown), code.words({shown.first, at}), now,
                      code.words({at + 1, shown.last})),
          {{code[at].begin, code[at].end, now}}};
}

// One round too many of a loop over elements. Loops over registers count with an int, and know how many there are.
void longer_loops(const SourceCode& code, std::vector<TextMutation>& out)
{
  for (const ForLoop& loop : code.loops()) {
    const bool elements =
      loop.start.size() > 0 && (code.is(loop.start.first, "int64_t") || code.is(loop.start.first, "long"));
    const bool by_one = code.is(loop.step.first, "++") || code.is(loop.step.last - 1, "++");
    const std::size_t compare = loop.condition.first + 1;
    if (elements && by_one && loop.condition.size() >= 3 && code.is(compare, "<")) {
      out.push_back(changed(code, loop.condition, compare));
    }
  }
}

void other_conditions(const SourceCode& code, std::vector<TextMutation>& out)
{
  for (const Condition& condition : code.conditions()) {
    const TokenRange inside = condition.condition;
    const std::size_t second = inside.first + 1;
    // The work-item behind the last element; the row behind the last one; of equal values the last one wins.
    const bool leaves =
      code.is(condition.body.first, "return") && !code.is(inside.last - 1, "1") && code.is(second, ">=");
    const bool better = (code.is(second, ">") || code.is(second, "<")) && code.is(inside.first + 3, "||");
    const bool row =
      code.is(second, "+") && code.is(inside.first + 3, "<") && !code.is(condition.body.last + 1, "else");
    if (leaves || better) {
      out.push_back(changed(code, inside, second));
    } else if (row && clamped_indices(code, condition.body).empty()) {
      out.push_back(changed(code, inside, inside.first + 3));
    }
  }
}

std::vector<TextMutation> in_code(const CodeSubject& subject)
{
  std::vector<TextMutation> out;
  longer_loops(subject.code, out);
  other_conditions(subject.code, out);
  return out;
}

std::vector<ProgramMutation> in_program(const kernel::Kernel& kernel)
{
  std::vector<ProgramMutation> out;
  visit_sites(kernel.program, [&](const ProgramSite& site) {
    const kernel::Expr& node = *site.node;
    const bool compares = node.kind == kernel::ExprKind::binary && others().contains(node.name);
    if (site.part != SitePart::condition || !compares || kernel::is_float(node.args[0]->type)
        || kernel::is_float(node.args[1]->type)) {
      return;
    }
    auto other = std::make_shared<kernel::Expr>(node);
    other->name = others().at(node.name);
    // One comparison may never be decisive beside the others: the whole condition is compared.
    if (!agree_on_small_sizes(*site.condition, *site.condition_with(other), site.scope)) {
      out.push_back({fmt::format("{} -> {}", kernel::to_text(node), kernel::to_text(*other)), site.replaced_by(other)});
    }
  });
  return out;
}

} // namespace

MutationOperator wrong_comparison()
{
  return {"wrong-comparison", "< in place of <=, or the other way round", in_code, in_program};
}

} // namespace hone::mutation_testing
