#include "gate/addends_first.h"

#include <algorithm>

namespace hone::gate {
namespace {

bool is_kind(const kernel::Expr& expression, kernel::ExprKind kind)
{
  return kernel::any_part(expression, [&](const kernel::Expr& part) { return part.kind == kind; });
}

kernel::ExprPtr make_comparison(std::string op, kernel::ExprPtr left, kernel::ExprPtr right)
{
  auto node = std::make_shared<kernel::Expr>();
  node->kind = kernel::ExprKind::binary;
  node->name = std::move(op);
  node->args = {std::move(left), std::move(right)};
  node->type = kernel::DataType::boolean;
  return node;
}

kernel::ExprPtr make_select(kernel::ExprPtr condition, kernel::ExprPtr yes, kernel::ExprPtr no)
{
  auto node = std::make_shared<kernel::Expr>();
  node->kind = kernel::ExprKind::select;
  node->type = no->type;
  node->args = {std::move(condition), std::move(yes), std::move(no)};
  return node;
}

// A sum of which one more round can be made: nothing in it is hoisted out of its loops.
bool is_plain_sum(const kernel::Expr& part)
{
  return part.kind == kernel::ExprKind::reduce && part.op == kernel::ReduceOp::sum && kernel::is_float(part.type)
         && std::ranges::none_of(part.args,
                                 [](const kernel::ExprPtr& arg) { return is_kind(*arg, kernel::ExprKind::reduce); })
         && std::ranges::none_of(part.ranges.begin() + 1, part.ranges.end(), [](const kernel::IndexRange& range) {
              return range.lower || is_kind(*range.upper, kernel::ExprKind::index)
                     || is_kind(*range.upper, kernel::ExprKind::load);
            });
}

bool can_begin_with(const kernel::Expr& sum, const kernel::Expr& addend)
{
  return is_plain_sum(sum) && addend.type == sum.type && !is_kind(addend, kernel::ExprKind::reduce)
         && !kernel::any_part(addend, [&](const kernel::Expr& part) {
              return part.kind == kernel::ExprKind::index
                     && std::ranges::any_of(sum.ranges,
                                            [&](const kernel::IndexRange& range) { return range.name == part.name; });
            });
}

// Position of the sum among the two of an addition, or -1.
int sum_of(const kernel::Expr& part)
{
  if (part.kind != kernel::ExprKind::binary || part.name != "+") {
    return -1;
  }
  for (const int position : {0, 1}) {
    if (can_begin_with(*part.args[static_cast<std::size_t>(position)],
                       *part.args[static_cast<std::size_t>(1 - position)])) {
      return position;
    }
  }
  return -1;
}

// One round of the outermost index more, before the others; what it adds besides the addend is zeros.
kernel::ExprPtr beginning_with(const kernel::Expr& sum, const kernel::ExprPtr& addend)
{
  auto node = std::make_shared<kernel::Expr>(sum);
  kernel::IndexRange& outermost = node->ranges.front();
  const kernel::ExprPtr least = outermost.lower ? outermost.lower : kernel::make_number(0, true);
  outermost.lower = kernel::make_binary("-", least, kernel::make_number(1, true));
  const kernel::ExprPtr is_first = make_comparison("==", kernel::make_index(outermost.name), outermost.lower);
  kernel::ExprPtr first = addend;
  auto zero = std::make_shared<kernel::Expr>();
  zero->type = sum.type;
  for (auto range = node->ranges.begin() + 1; range != node->ranges.end(); ++range) {
    first =
      make_select(make_comparison("==", kernel::make_index(range->name), kernel::make_number(0, true)), first, zero);
  }
  node->args[0] = make_select(is_first, first, node->args[0]);
  if (node->args.size() > 1) {
    node->args[1] = make_comparison("||", is_first, node->args[1]);
  }
  return node;
}

kernel::ExprPtr replaced(const kernel::ExprPtr& expression)
{
  if (expression->args.empty()) {
    return expression;
  }
  if (const int position = sum_of(*expression); position >= 0) {
    return beginning_with(*expression->args[static_cast<std::size_t>(position)],
                          expression->args[static_cast<std::size_t>(1 - position)]);
  }
  auto node = std::make_shared<kernel::Expr>(*expression);
  for (kernel::ExprPtr& part : node->args) {
    part = replaced(part);
  }
  return node;
}

} // namespace

bool adds_to_sums(const kernel::Program& program)
{
  return std::ranges::any_of(program.statements, [](const kernel::Statement& statement) {
    return kernel::any_part(*statement.value, [](const kernel::Expr& part) { return sum_of(part) >= 0; });
  });
}

kernel::Program with_addends_first(const kernel::Program& program)
{
  kernel::Program out = program;
  for (kernel::Statement& statement : out.statements) {
    statement.value = replaced(statement.value);
  }
  return out;
}

} // namespace hone::gate
