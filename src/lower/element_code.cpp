#include "lower/element_code.h"

#include "lower/element_intervals.h"
#include "lower/lanes.h"
#include "lower/linear_form.h"
#include "lower/rowwise_code.h"
#include "lower/window_condition.h"
#include "lower/words.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::lower {

namespace {

bool is_number(const std::string& text)
{
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string chosen(const std::string& a, const std::string& b, bool larger)
{
  if (a == b) {
    return a;
  }
  if (is_number(a) && is_number(b)) {
    const std::int64_t left = std::stoll(a);
    const std::int64_t right = std::stoll(b);
    return std::to_string(larger ? std::max(left, right) : std::min(left, right));
  }
  return fmt::format("{}({}, {})", larger ? "hone_max" : "hone_min", is_number(a) ? b : a, is_number(a) ? a : b);
}

bool varies_along(const kernel::Expr& expression, const std::string& along)
{
  return names_anywhere(expression, along);
}

kernel::ExprPtr replaced(ElementCode& code, const kernel::ExprPtr& expression, const std::string& along,
                         std::vector<ElementReduction>& out, std::map<const kernel::Expr*, kernel::ExprPtr>& done)
{
  kernel::ExprPtr& known = done[expression.get()];
  if (known) {
    return known;
  }
  if (expression->kind == kernel::ExprKind::reduce) {
    static const std::map<kernel::ReduceOp, std::string> k_names = {
      {kernel::ReduceOp::sum, "sum"},         {kernel::ReduceOp::prod, "product"},
      {kernel::ReduceOp::max, "largest"},     {kernel::ReduceOp::min, "smallest"},
      {kernel::ReduceOp::argmax, "position"}, {kernel::ReduceOp::argmin, "position"}};
    ElementReduction reduction;
    reduction.reduce = expression.get();
    reduction.name = code.fresh(k_names.at(expression->op));
    reduction.varies = along.empty() || varies_along(*expression, along);
    reduction.node = reduction.varies ? value_name(reduction.name) : local_name(reduction.name);
    auto node = std::make_shared<kernel::Expr>();
    node->kind = kernel::ExprKind::index;
    node->name = reduction.node;
    node->type = expression->type;
    out.push_back(std::move(reduction));
    return done[expression.get()] = node;
  }
  bool same = true;
  std::vector<kernel::ExprPtr> parts;
  for (const kernel::ExprPtr& argument : expression->args) {
    parts.push_back(replaced(code, argument, along, out, done));
    same = same && parts.back() == argument;
  }
  if (same) {
    return done[expression.get()] = expression;
  }
  auto copy = std::make_shared<kernel::Expr>(*expression);
  copy->args = std::move(parts);
  return done[expression.get()] = copy;
}

} // namespace

ElementCode::ElementCode(const kernel::Kernel& the_kernel, const Dialect& the_dialect,
                         const kernel::Statement& the_source, ElementOptions the_options)
  : kernel(the_kernel), dialect(the_dialect), source(the_source), options(std::move(the_options)),
    compute(compute_type(the_kernel, the_source)), variables(index_variables(the_kernel, the_source))
{
  m_used.insert(kernel.symbols.begin(), kernel.symbols.end());
  for (const kernel::Argument& argument : kernel.arguments) {
    m_used.insert(argument.name);
  }
  for (const kernel::Statement& other : kernel.program.statements) {
    m_used.insert(other.target);
  }
  for (const auto& [index, variable] : variables) {
    m_used.insert(variable);
  }
  const std::size_t rank = source.indices.size();
  const std::string last = source.indices.back().name;
  j = variables.at(last);
  value = renamed_index(source.value, last, k_column);
  variables.erase(last);
  if (rank > 1) {
    row = source.indices[rank - 2].name;
    i = variables.at(row);
  }
}

std::string ElementCode::vector() const
{
  return vector_type(compute);
}

std::string ElementCode::lanes() const
{
  return vector_lanes(compute);
}

std::string ElementCode::fresh(const std::string& wanted)
{
  return RowCode::fresh(wanted, m_used);
}

ExpressionText ElementCode::text(const std::string& row_text, const std::string& column_text) const
{
  ExpressionText out(kernel, dialect, compute);
  out.indices = variables;
  out.indices[k_column] = column_text;
  if (!row.empty()) {
    out.indices[row] = row_text;
  }
  return out;
}

Result<std::string> ElementCode::integer(const kernel::Expr& expression, const std::string& row_text) const
{
  return text(row_text, j).integer_text(expression);
}

Result<std::string> ElementCode::condition(const kernel::Expr& expression, const std::string& row_text) const
{
  ProgramBlock before;
  HONE_TRY(std::string out, text(row_text, j).value(expression, before));
  return before.empty() ? Result<std::string>(std::move(out))
                        : fail("a condition that is computed step by step", k_leave_out, expression.place);
}

Result<std::string> ElementCode::position(ExpressionText& text, const std::string& row_text,
                                          const std::string& at) const
{
  std::vector<std::string> subscripts;
  for (std::size_t d = 0; d + 1 < source.indices.size(); ++d) {
    const std::string& index = source.indices[d].name;
    subscripts.push_back(index == row ? row_text : variables.at(index));
  }
  subscripts.push_back(at);
  return text.position(source.target, subscripts);
}

Result<std::string> ElementCode::extent(std::size_t dimension) const
{
  HONE_TRY(const std::string text, integer(*source.indices[dimension].upper, i));
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

Result<std::string> ElementCode::product_of_extents(std::size_t from, std::size_t to) const
{
  std::vector<std::string> parts;
  for (std::size_t d = from; d < to; ++d) {
    HONE_TRY(std::string part, extent(d));
    parts.push_back(std::move(part));
  }
  return parts.empty() ? "1" : join(parts, " * ");
}

bool is_whole_range(const kernel::IndexRange& range)
{
  return !range.lower && !kernel::any_part(*range.upper, [](const kernel::Expr& part) {
    return part.kind == kernel::ExprKind::index || part.kind == kernel::ExprKind::load;
  });
}

Result<void> decode_outer(const ElementCode& code, ProgramBlock& block)
{
  const std::size_t outer = code.source.indices.size() - 2;
  for (std::size_t d = 0; d < outer; ++d) {
    HONE_TRY(const std::string below, code.product_of_extents(d + 1, outer));
    HONE_TRY(const std::string size, code.extent(d));
    std::string index = below == "1" ? "group->id[2]" : fmt::format("group->id[2] / ({})", below);
    if (d > 0) {
      index += " % " + size;
    }
    const std::string& variable = code.variables.at(code.source.indices[d].name);
    block.push_back(statement(fmt::format("const {} {} = {};", code.counter(), variable, index)));
  }
  return {};
}

bool ElementCode::is_kept(const kernel::Expr& expression) const
{
  if (expression.kind != kernel::ExprKind::load || expression.name != source.target) {
    return false;
  }
  for (std::size_t d = 0; d < source.indices.size(); ++d) {
    const std::string name = d + 1 == source.indices.size() ? k_column : source.indices[d].name;
    if (expression.args[d]->kind != kernel::ExprKind::index || expression.args[d]->name != name) {
      return false;
    }
  }
  return true;
}

kernel::ExprPtr ElementCode::without_reductions(const kernel::ExprPtr& expression, const std::string& along,
                                                std::vector<ElementReduction>& out)
{
  std::map<const kernel::Expr*, kernel::ExprPtr> done;
  return replaced(*this, expression, along, out, done);
}

Result<void> check_unconditional(const ElementCode& code, const kernel::Expr& value)
{
  if (value.kind == kernel::ExprKind::reduce) {
    return {};
  }
  std::vector<kernel::IndexRange> indices = code.source.indices;
  indices.back().name = k_column; // as the value calls it
  const bool conditional = value.kind == kernel::ExprKind::select
                           || (value.kind == kernel::ExprKind::binary && (value.name == "&&" || value.name == "||"));
  for (const kernel::ExprPtr& part : value.args) {
    HONE_CHECK(check_unconditional(code, *part));
    if (!conditional) {
      continue;
    }
    for (const kernel::ExprPtr& reduce : kernel::reductions_of(part)) {
      if (!kernel::reads_inside(code.kernel, *reduce->args[0], {indices, reduce->ranges})) {
        return fail("a sum may only be computed where a condition holds", k_leave_out, reduce->place);
      }
    }
  }
  return {};
}

ProgramBlock unrolled(const std::string& name, const std::string& count, ProgramBlock body)
{
  if (count.empty()) {
    return body;
  }
  return {pragma(k_unroll_registers), loop("int", name, "0", count, "1", std::move(body))};
}

std::string neutral_of(kernel::ReduceOp op, kernel::DataType compute)
{
  const std::string suffix = compute == kernel::DataType::f32 ? "f" : "";
  switch (op) {
  case kernel::ReduceOp::sum:
    return "0.0" + suffix;
  case kernel::ReduceOp::prod:
    return "1.0" + suffix;
  case kernel::ReduceOp::max:
    return compute == kernel::DataType::f32 ? "-INFINITY" : "-(double)INFINITY";
  default:
    return compute == kernel::DataType::f32 ? "INFINITY" : "(double)INFINITY";
  }
}

Result<ProgramNode> taken_in(kernel::ReduceOp op, const std::string& into, const std::string& body, bool vectors,
                             kernel::DataType compute)
{
  const std::string suffix = compute == kernel::DataType::f32 ? "f" : "";
  const std::string larger = vectors ? "hone_max" : "fmax" + suffix;
  const std::string smaller = vectors ? "hone_min" : "fmin" + suffix;
  switch (op) {
  case kernel::ReduceOp::sum:
    return statement(fmt::format("{} += {};", into, body));
  case kernel::ReduceOp::prod:
    return statement(fmt::format("{} *= {};", into, body));
  case kernel::ReduceOp::max: // what is compared comes first: where it is NaN the largest so far stays
    return statement(fmt::format("{0} = {1}({2}, {0});", into, larger, body));
  case kernel::ReduceOp::min:
    return statement(fmt::format("{0} = {1}({2}, {0});", into, smaller, body));
  default:
    return fail("a position is not collected side by side", k_leave_out);
  }
}

Result<TermRange> term_range(ElementCode& code, const kernel::IndexRange& range, const std::vector<TileIndex>& tile)
{
  // The texts of indices where a bound is largest, where it is smallest, and anywhere in the tile.
  const auto spelled = [&](const LinearForm& form, int side) -> Result<std::string> {
    std::string row_text = code.i, column_text = code.j;
    for (const TileIndex& one : tile) {
      const std::optional<std::int64_t> factor = form.factor_of(one.index);
      if (!factor) {
        return fail(fmt::format("the bound {} does not grow evenly", kernel::to_text(*form.expression())), k_leave_out,
                    range.place);
      }
      const std::string& text = side == 0 ? one.any : (*factor > 0) == (side > 0) ? one.last : one.first;
      (one.index == k_column ? column_text : row_text) = text;
    }
    return code.text(row_text, column_text).integer_text(*form.expression());
  };
  const auto named = [&](const LinearForm& form) {
    return std::ranges::any_of(tile, [&](const TileIndex& one) { return names_index(*form.expression(), one.index); });
  };
  const LinearForm lower = range.lower ? linear_form(range.lower) : linear_constant(0);
  const LinearForm upper = linear_form(range.upper);
  TermRange out;
  HONE_TRY(out.begin, spelled(lower, 1));
  HONE_TRY(out.end, spelled(upper, -1));
  if (!named(lower) && !named(upper)) {
    return out;
  }
  const std::string& variable = code.variables.at(range.name);
  const std::string begin = code.fresh(variable + "_begin"), end = code.fresh(variable + "_end");
  out.before = {statement(fmt::format("const {} {} = {};", code.counter(), begin, out.begin)),
                statement(fmt::format("const {} {} = {};", code.counter(), end, larger_of(out.end, begin)))};
  out.begin = begin;
  out.end = end;
  HONE_TRY(const std::string first, spelled(lower, 0));
  HONE_TRY(const std::string last, spelled(upper, 0));
  if (named(lower)) {
    out.edges.emplace_back(first, smaller_of(begin, last));
  }
  if (named(upper)) {
    out.edges.emplace_back(larger_of(end, first), last);
  }
  return out;
}

std::string smaller_of(const std::string& a, const std::string& b)
{
  return chosen(a, b, false);
}

std::string larger_of(const std::string& a, const std::string& b)
{
  return chosen(a, b, true);
}

} // namespace hone::lower
