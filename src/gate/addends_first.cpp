#include "gate/addends_first.h"

#include <algorithm>
#include <optional>

namespace hone::gate {
namespace {

bool is_kind(const kernel::Expr& expression, kernel::ExprKind kind)
{
  return kernel::any_part(expression, [&](const kernel::Expr& part) { return part.kind == kind; });
}

kernel::ExprPtr make_operation(std::string op, kernel::ExprPtr left, kernel::ExprPtr right, kernel::DataType type)
{
  auto node = std::make_shared<kernel::Expr>();
  node->kind = kernel::ExprKind::binary;
  node->name = std::move(op);
  node->args = {std::move(left), std::move(right)};
  node->type = type;
  return node;
}

kernel::ExprPtr make_comparison(std::string op, kernel::ExprPtr left, kernel::ExprPtr right)
{
  return make_operation(std::move(op), std::move(left), std::move(right), kernel::DataType::boolean);
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

// The same in each term of the sum, and cheap to compute there.
bool is_fixed_in(const kernel::Expr& sum, const kernel::Expr& value)
{
  return !is_kind(value, kernel::ExprKind::reduce) && !kernel::any_part(value, [&](const kernel::Expr& part) {
    return part.kind == kernel::ExprKind::index
           && std::ranges::any_of(sum.ranges, [&](const kernel::IndexRange& range) { return range.name == part.name; });
  });
}

bool can_begin_with(const kernel::Expr& sum, const kernel::Expr& addend)
{
  return is_plain_sum(sum) && addend.type == sum.type && is_fixed_in(sum, addend);
}

kernel::ExprPtr make_negative(kernel::ExprPtr value)
{
  auto node = std::make_shared<kernel::Expr>();
  node->kind = kernel::ExprKind::unary;
  node->name = "-";
  node->type = value->type;
  node->args = {std::move(value)};
  return node;
}

// A sum and what is added to it; the sum may be multiplied, or one of both be subtracted.
struct Addition {
  kernel::ExprPtr sum, factor, addend; // no factor: nullptr
  bool negative_sum = false, negative_addend = false;
};

// `value` is a sum that can begin with the addend, or a number times such a sum.
std::optional<Addition> addition_of(const kernel::ExprPtr& value, const kernel::ExprPtr& addend)
{
  if (can_begin_with(*value, *addend)) {
    return Addition{value, nullptr, addend};
  }
  if (value->kind != kernel::ExprKind::binary || value->name != "*") {
    return std::nullopt;
  }
  for (const std::size_t position : {0, 1}) {
    const kernel::ExprPtr& sum = value->args[position];
    const kernel::ExprPtr& factor = value->args[1 - position];
    if (can_begin_with(*sum, *addend) && is_fixed_in(*sum, *factor)) {
      return Addition{sum, factor, addend};
    }
  }
  return std::nullopt;
}

std::optional<Addition> addition_of(const kernel::Expr& part)
{
  if (part.kind != kernel::ExprKind::binary || (part.name != "+" && part.name != "-")) {
    return std::nullopt;
  }
  const bool minus = part.name == "-";
  for (const std::size_t position : {0, 1}) {
    if (auto found = addition_of(part.args[position], part.args[1 - position])) {
      found->negative_sum = minus && position == 1;
      found->negative_addend = minus && position == 0;
      return found;
    }
  }
  return std::nullopt;
}

// One round of the outermost index more, before the others; what it adds besides the addend is zeros.
kernel::ExprPtr beginning_with(const Addition& addition)
{
  const kernel::Expr& sum = *addition.sum;
  auto node = std::make_shared<kernel::Expr>(sum);
  kernel::ExprPtr& term = node->args[0];
  if (addition.factor) {
    term = make_operation("*", addition.factor, term, sum.type);
  }
  term = addition.negative_sum ? make_negative(term) : term;
  const kernel::ExprPtr addend = addition.negative_addend ? make_negative(addition.addend) : addition.addend;
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
  if (const auto addition = addition_of(*expression)) {
    return beginning_with(*addition);
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
    return kernel::any_part(*statement.value, [](const kernel::Expr& part) { return addition_of(part).has_value(); });
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
