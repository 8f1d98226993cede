#include "kernel/kernel_class.h"

#include "kernel/stage.h"
#include "kernel/window_class.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

namespace hone::kernel {

namespace {

template <class Visit> void walk(const Expr& expression, const Visit& visit)
{
  visit(expression);
  for (const ExprPtr& arg : expression.args) {
    walk(*arg, visit);
  }
}

// The names of the subscripts when all are plain, different indices; else nothing.
std::optional<std::set<std::string>> plain_indices(const Expr& load)
{
  std::set<std::string> out;
  for (const ExprPtr& subscript : load.args) {
    if (subscript->kind != ExprKind::index || !out.insert(subscript->name).second) {
      return std::nullopt;
    }
  }
  return out;
}

bool depends_on_sizes_only(const ExprPtr& bound)
{
  bool out = true;
  if (bound) {
    walk(*bound, [&](const Expr& node) { out = out && node.kind != ExprKind::index && node.kind != ExprKind::load; });
  }
  return out;
}

bool is_rectangular(const std::vector<IndexRange>& ranges)
{
  return std::ranges::all_of(
    ranges, [](const IndexRange& range) { return range.lower == nullptr && depends_on_sizes_only(range.upper); });
}

// The expression with `other` in the place of `what`.
ExprPtr replaced_part(const ExprPtr& expression, const ExprPtr& what, const ExprPtr& other)
{
  if (expression == what) {
    return other;
  }
  auto copy = std::make_shared<Expr>(*expression);
  for (ExprPtr& arg : copy->args) {
    arg = replaced_part(arg, what, other);
  }
  return copy;
}

bool holds_hole(const Expr& expression)
{
  bool out = false;
  walk(expression, [&](const Expr& node) { out = out || node.kind == ExprKind::hole; });
  return out;
}

// A number or a size, or arithmetic on them: the same for every element.
bool is_constant(const Expr& expression)
{
  bool out = true;
  walk(expression, [&](const Expr& node) {
    out = out && node.kind != ExprKind::load && node.kind != ExprKind::index && node.kind != ExprKind::hole;
  });
  return out;
}

bool is_linear(const Expr& epilogue)
{
  if (epilogue.kind == ExprKind::hole) {
    return true;
  }
  if (epilogue.kind == ExprKind::unary && epilogue.name == "-") {
    return is_linear(*epilogue.args[0]);
  }
  if (epilogue.kind != ExprKind::binary) {
    return false;
  }
  const Expr& left = *epilogue.args[0];
  const Expr& right = *epilogue.args[1];
  if (epilogue.name == "*") {
    return (is_linear(left) && is_constant(right)) || (is_constant(left) && is_linear(right));
  }
  return epilogue.name == "/" && is_linear(left) && is_constant(right);
}

// The body of a sum as a product: two loads, and a factor that is the same for all terms, which can be multiplied at
// the end; null: none.
struct ProductOfLoads {
  ExprPtr a, b, factor;
};

bool names_no_index(const Expr& expression)
{
  bool out = true;
  walk(expression, [&](const Expr& node) {
    out = out && node.kind != ExprKind::index && node.kind != ExprKind::reduce && node.kind != ExprKind::select;
  });
  return out;
}

void take_factors(const ExprPtr& product, std::vector<ExprPtr>& loads, ExprPtr& factor, bool& fits)
{
  if (product->kind == ExprKind::binary && product->name == "*") {
    take_factors(product->args[0], loads, factor, fits);
    take_factors(product->args[1], loads, factor, fits);
  } else if (product->kind == ExprKind::load && !names_no_index(*product)) {
    loads.push_back(product);
  } else if (names_no_index(*product) && is_float(product->type)) {
    factor = factor ? make_binary("*", factor, product) : product;
  } else {
    fits = false;
  }
}

// Of loads that are both of floats or both of bytes: of wider integers, sums are not exact in the doubles that tiles of
// a reference compute. Else nothing.
std::optional<ProductOfLoads> product_of_loads(const Expr& reduce)
{
  const ExprPtr& body = reduce.args[0];
  if (reduce.op != ReduceOp::sum || reduce.args.size() != 1 || body->kind != ExprKind::binary || body->name != "*") {
    return std::nullopt;
  }
  if (body->args[0]->kind == ExprKind::load && body->args[1]->kind == ExprKind::load) {
    const DataType a = body->args[0]->type;
    const DataType b = body->args[1]->type;
    const auto is_byte = [](DataType type) { return type == DataType::i8 || type == DataType::u8; };
    if ((is_byte(a) && is_byte(b)) || (is_float(a) && is_float(b))) {
      return ProductOfLoads{body->args[0], body->args[1], nullptr};
    }
    return std::nullopt;
  }
  std::vector<ExprPtr> loads;
  ProductOfLoads out;
  bool fits = true;
  take_factors(body, loads, out.factor, fits);
  if (!fits || loads.size() != 2 || !out.factor || out.factor->type != reduce.type || loads[0]->type != reduce.type
      || loads[1]->type != reduce.type || !is_float(reduce.type)) {
    return std::nullopt;
  }
  out.a = loads[0];
  out.b = loads[1];
  return out;
}

// Sorts every index into batch, m, n or k; false when one fits nowhere.
bool sort_indices(const Statement& statement, const Expr& reduce, const std::set<std::string>& in_a,
                  const std::set<std::string>& in_b, Contraction& out)
{
  for (const IndexRange& range : statement.indices) {
    const bool a = in_a.contains(range.name);
    const bool b = in_b.contains(range.name);
    if (!a && !b) {
      return false;
    }
    (a && b ? out.batch : a ? out.m : out.n).push_back(range);
  }
  for (const IndexRange& range : reduce.ranges) {
    if (!in_a.contains(range.name) || !in_b.contains(range.name)) {
      return false;
    }
    out.k.push_back(range);
  }
  const std::size_t indices_of_a = out.batch.size() + out.m.size() + out.k.size();
  const std::size_t indices_of_b = out.batch.size() + out.n.size() + out.k.size();
  return indices_of_a == in_a.size() && indices_of_b == in_b.size();
}

// What the guard leaves out is 0.
ExprPtr guarded(ExprPtr value, const ExprPtr& guard)
{
  auto zero = std::make_shared<Expr>(*make_number(0));
  zero->type = value->type;
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::select;
  out->type = value->type;
  out->place = guard->place;
  out->args = {guard, std::move(value), std::move(zero)};
  return out;
}

bool is_plain_load(const Expr& load)
{
  return std::ranges::all_of(load.args, [](const ExprPtr& subscript) { return subscript->kind == ExprKind::index; });
}

// True when every load is of a row (its last subscript is the statement's or the reduction's last index, or it is a
// value per row) and reductions run over the last axis alone.
bool is_row_program(const Kernel& kernel)
{
  bool reduces = false;
  std::optional<std::string> axis; // extent of the reduced axis
  for (const Statement& statement : kernel.program.statements) {
    for (const ExprPtr& reduce : reductions_of(statement.value)) {
      const bool known = reduce->op == ReduceOp::sum || reduce->op == ReduceOp::max || reduce->op == ReduceOp::min;
      if (!known || reduce->ranges.size() != 1 || !is_rectangular(reduce->ranges) || reduce->args.size() > 1) {
        return false;
      }
      const std::string extent = to_text(*reduce->ranges[0].upper);
      if (axis && *axis != extent) {
        return false;
      }
      axis = extent;
      reduces = true;
      bool last = true;
      walk(*reduce->args[0], [&](const Expr& node) {
        for (std::size_t i = 0; node.kind == ExprKind::load && i < node.args.size(); ++i) {
          const Expr& subscript = *node.args[i];
          const bool reduced = subscript.kind == ExprKind::index && subscript.name == reduce->ranges[0].name;
          last = last && subscript.kind == ExprKind::index && (!reduced || i + 1 == node.args.size());
        }
      });
      if (!last) {
        return false;
      }
    }
    bool plain = true;
    walk(*statement.value, [&](const Expr& node) {
      plain = plain && (node.kind != ExprKind::load || (is_plain_load(node) && is_float(node.type)));
    });
    if (!plain || !is_rectangular(statement.indices) || statement.guard) {
      return false;
    }
  }
  return reduces;
}

} // namespace

std::string_view name_of(KernelClass kernel_class)
{
  constexpr std::array<std::string_view, 8> names{"contraction", "row-reduction", "map",        "general",
                                                  "convolution", "pooling",       "recurrence", "products"};
  return names[static_cast<std::size_t>(kernel_class)];
}

KernelClass classify(const Kernel& kernel)
{
  if (kernel.program.statements.empty()) {
    return KernelClass::general; // code says what is right: nothing is known about it
  }
  if (is_ordered(kernel.program)) {
    return KernelClass::recurrence;
  }
  if (as_contraction(kernel)) {
    return KernelClass::contraction;
  }
  if (!product_stages(kernel).empty()) {
    return KernelClass::products;
  }
  const bool reduces = std::ranges::any_of(
    kernel.program.statements, [](const Statement& statement) { return !reductions_of(statement.value).empty(); });
  if (!reduces) {
    return KernelClass::map;
  }
  if (const std::optional<KernelClass> windows = window_class(kernel)) {
    return *windows;
  }
  return is_row_program(kernel) ? KernelClass::row_reduction : KernelClass::general;
}

std::optional<Contraction> as_contraction(const Kernel& kernel)
{
  if (kernel.program.statements.size() != 1 || is_ordered(kernel.program)) {
    return std::nullopt;
  }
  const Statement& statement = kernel.program.statements.front();
  const std::vector<ExprPtr> reductions = reductions_of(statement.value);
  if (statement.indices.empty() || reductions.size() != 1 || !is_rectangular(statement.indices)
      || !is_rectangular(reductions[0]->ranges)) {
    return std::nullopt;
  }
  const Expr& reduce = *reductions[0];
  if (statement.guard
      && (!reductions_of(statement.guard).empty()
          || !reads_inside(kernel, *statement.value, {statement.indices, reduce.ranges}))) {
    return std::nullopt;
  }
  const std::optional<ProductOfLoads> product = product_of_loads(reduce);
  if (!product) {
    return std::nullopt;
  }
  Contraction out;
  out.a = product->a;
  out.b = product->b;
  auto in_a = plain_indices(*out.a);
  auto in_b = plain_indices(*out.b);
  if (!in_a || !in_b) {
    return std::nullopt;
  }
  // n holds the output's last index that only one of the loads has, so rows of the output run along B.
  for (auto range = statement.indices.rbegin(); range != statement.indices.rend(); ++range) {
    if (in_a->contains(range->name) != in_b->contains(range->name)) {
      if (in_a->contains(range->name)) {
        std::swap(out.a, out.b);
        std::swap(in_a, in_b);
      }
      break;
    }
  }
  if (!sort_indices(statement, reduce, *in_a, *in_b, out)) {
    return std::nullopt;
  }
  const ExprPtr hole = make_hole(reductions[0]->type);
  out.epilogue =
    replaced_part(statement.value, reductions[0], product->factor ? make_binary("*", product->factor, hole) : hole);
  if (statement.guard) {
    out.epilogue = guarded(out.epilogue, statement.guard);
  }
  out.linear = holds_hole(*out.epilogue) && is_linear(*out.epilogue);
  return out;
}

bool is_b_transposed(const Contraction& contraction)
{
  const std::string& last = contraction.b->args.back()->name;
  return std::ranges::any_of(contraction.k, [&](const IndexRange& range) { return range.name == last; })
         && !contraction.n.empty();
}

std::optional<std::vector<std::string>> plain_subscripts(const Expr& load)
{
  std::vector<std::string> names;
  for (const ExprPtr& subscript : load.args) {
    if (subscript->kind != ExprKind::index) {
      return std::nullopt;
    }
    names.push_back(subscript->name);
  }
  return names;
}

bool reads_inside(const Kernel& kernel, const Expr& expression, const std::vector<std::vector<IndexRange>>& ranges)
{
  std::map<std::string, std::string> extents; // of each index
  for (const std::vector<IndexRange>& some : ranges) {
    for (const IndexRange& range : some) {
      extents[range.name] = to_text(*range.upper);
    }
  }
  return !any_part(expression, [&](const Expr& part) {
    const std::vector<ExprPtr> shape =
      part.kind == ExprKind::load ? shape_of_tensor(kernel, part.name) : std::vector<ExprPtr>();
    for (std::size_t d = 0; part.kind == ExprKind::load && d < part.args.size(); ++d) {
      const auto extent = extents.find(part.args[d]->name);
      if (part.args[d]->kind != ExprKind::index || extent == extents.end() || extent->second != to_text(*shape[d])) {
        return true;
      }
    }
    return false;
  });
}

bool is_only_compared(const Kernel& kernel, const Argument& argument)
{
  const std::function<bool(const Expr&)> enters = [&](const Expr& part) {
    if (part.type == DataType::boolean || part.kind == ExprKind::load) {
      return part.kind == ExprKind::load && part.name == argument.name;
    }
    return std::ranges::any_of(part.args, [&](const ExprPtr& arg) { return arg && enters(*arg); });
  };
  return argument.role == Role::input
         && std::ranges::none_of(kernel.program.statements,
                                 [&](const Statement& statement) { return enters(*statement.value); });
}

std::optional<std::int64_t> extent_of(const std::vector<IndexRange>& ranges, const Sizes& sizes)
{
  std::vector<NamedValue> values;
  for (const auto& [name, value] : sizes) {
    values.push_back({name, value});
  }
  std::int64_t extent = 1;
  for (const IndexRange& range : ranges) {
    const auto upper = evaluate_integer(*range.upper, values);
    const auto lower = range.lower ? evaluate_integer(*range.lower, values) : Result<std::int64_t>(0);
    if (!upper || !lower) {
      return std::nullopt;
    }
    extent *= *upper - *lower;
  }
  return extent;
}

bool has_one_row(const Contraction& contraction, const Sizes& sizes)
{
  return extent_of(contraction.m, sizes) == 1;
}

} // namespace hone::kernel
