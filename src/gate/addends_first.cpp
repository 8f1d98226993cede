#include "gate/addends_first.h"

#include <algorithm>

namespace hone {
namespace {

bool is_kind(const Expr& expression, ExprKind kind)
{
  return any_part(expression, [&](const Expr& part) { return part.kind == kind; });
}

ExprPtr make_comparison(std::string op, ExprPtr left, ExprPtr right)
{
  auto node = std::make_shared<Expr>();
  node->kind = ExprKind::binary;
  node->name = std::move(op);
  node->args = {std::move(left), std::move(right)};
  node->type = DataType::boolean;
  return node;
}

ExprPtr make_select(ExprPtr condition, ExprPtr yes, ExprPtr no)
{
  auto node = std::make_shared<Expr>();
  node->kind = ExprKind::select;
  node->type = no->type;
  node->args = {std::move(condition), std::move(yes), std::move(no)};
  return node;
}

// A sum of which one more round can be made: nothing in it is hoisted out of its loops.
bool is_plain_sum(const Expr& part)
{
  return part.kind == ExprKind::reduce && part.op == ReduceOp::sum && is_float(part.type)
         && std::ranges::none_of(part.args, [](const ExprPtr& arg) { return is_kind(*arg, ExprKind::reduce); })
         && std::ranges::none_of(part.ranges.begin() + 1, part.ranges.end(), [](const IndexRange& range) {
              return range.lower || is_kind(*range.upper, ExprKind::index) || is_kind(*range.upper, ExprKind::load);
            });
}

bool can_begin_with(const Expr& sum, const Expr& addend)
{
  return is_plain_sum(sum) && addend.type == sum.type && !is_kind(addend, ExprKind::reduce)
         && !any_part(addend, [&](const Expr& part) {
              return part.kind == ExprKind::index && std::ranges::any_of(sum.ranges, [&](const IndexRange& range) {
                       return range.name == part.name;
                     });
            });
}

// Position of the sum among the two of an addition, or -1.
int sum_of(const Expr& part)
{
  if (part.kind != ExprKind::binary || part.name != "+") {
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
ExprPtr beginning_with(const Expr& sum, const ExprPtr& addend)
{
  auto node = std::make_shared<Expr>(sum);
  IndexRange& outermost = node->ranges.front();
  const ExprPtr least = outermost.lower ? outermost.lower : make_number(0, true);
  outermost.lower = make_binary("-", least, make_number(1, true));
  const ExprPtr is_first = make_comparison("==", make_index(outermost.name), outermost.lower);
  ExprPtr first = addend;
  auto zero = std::make_shared<Expr>();
  zero->type = sum.type;
  for (auto range = node->ranges.begin() + 1; range != node->ranges.end(); ++range) {
    first = make_select(make_comparison("==", make_index(range->name), make_number(0, true)), first, zero);
  }
  node->args[0] = make_select(is_first, first, node->args[0]);
  if (node->args.size() > 1) {
    node->args[1] = make_comparison("||", is_first, node->args[1]);
  }
  return node;
}

ExprPtr replaced(const ExprPtr& expression)
{
  if (expression->args.empty()) {
    return expression;
  }
  if (const int position = sum_of(*expression); position >= 0) {
    return beginning_with(*expression->args[static_cast<std::size_t>(position)],
                          expression->args[static_cast<std::size_t>(1 - position)]);
  }
  auto node = std::make_shared<Expr>(*expression);
  for (ExprPtr& part : node->args) {
    part = replaced(part);
  }
  return node;
}

} // namespace

bool adds_to_sums(const Program& program)
{
  return std::ranges::any_of(program.statements, [](const Statement& statement) {
    return any_part(*statement.value, [](const Expr& part) { return sum_of(part) >= 0; });
  });
}

Program with_addends_first(const Program& program)
{
  Program out = program;
  for (Statement& statement : out.statements) {
    statement.value = replaced(statement.value);
  }
  return out;
}

} // namespace hone
