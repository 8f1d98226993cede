#include "lower/window_view.h"

#include "lower/expression_text.h"
#include "lower/rowwise_program.h"
#include "lower/words.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::lower {

namespace {

kernel::ExprPtr node(const std::string& name, kernel::DataType type)
{
  auto out = std::make_shared<kernel::Expr>(*kernel::make_index(name));
  out->type = type;
  return out;
}

// A copy in which some nodes stand for others.
template <class Choose> kernel::ExprPtr replaced(const kernel::ExprPtr& expression, const Choose& choose)
{
  if (kernel::ExprPtr other = choose(expression)) {
    return other;
  }
  auto copy = std::make_shared<kernel::Expr>(*expression);
  bool changed = false;
  for (kernel::ExprPtr& part : copy->args) {
    const kernel::ExprPtr before = part;
    part = replaced(part, choose);
    changed = changed || part != before;
  }
  return changed ? kernel::ExprPtr(copy) : expression;
}

Result<kernel::ExprPtr> only_reduction(const kernel::Statement& statement)
{
  kernel::ExprPtr found;
  std::size_t different = 0;
  (void)replaced(statement.value, [&](const kernel::ExprPtr& part) -> kernel::ExprPtr {
    if (part->kind != kernel::ExprKind::reduce) {
      return nullptr;
    }
    different += part != found ? 1 : 0;
    found = part;
    return part; // what is inside counts below
  });
  if (different != 1) {
    return fail(different == 0 ? "there is no reduction over windows" : "there are several reductions", k_leave_out,
                statement.place);
  }
  const bool nested =
    kernel::any_part(*found->args[0], [](const kernel::Expr& part) { return part.kind == kernel::ExprKind::reduce; });
  if (nested) {
    return fail("a reduction inside a reduction", k_leave_out, found->place);
  }
  if (found->op != kernel::ReduceOp::sum && found->op != kernel::ReduceOp::max && found->op != kernel::ReduceOp::min) {
    return fail("only sums, maxima and minima go over windows", k_leave_out, found->place);
  }
  return found;
}

bool depends_on_sizes_only(const kernel::ExprPtr& bound)
{
  return !bound || !kernel::any_part(*bound, [](const kernel::Expr& part) {
    return part.kind != kernel::ExprKind::extent && part.kind != kernel::ExprKind::number
           && part.kind != kernel::ExprKind::binary;
  });
}

Result<void> check_ranges(const std::vector<kernel::IndexRange>& ranges, bool from_zero)
{
  for (const kernel::IndexRange& range : ranges) {
    if (!depends_on_sizes_only(range.lower) || !depends_on_sizes_only(range.upper) || (from_zero && range.lower)) {
      return fail(fmt::format("the range of {} depends on other indices", range.name), k_leave_out, range.place);
    }
  }
  return {};
}

Result<void> check_types(const kernel::Kernel& kernel, const kernel::Statement& statement, const kernel::Expr& reduce)
{
  const kernel::DataType type = compute_type(kernel, statement);
  bool same = statement.type == type && (type == kernel::DataType::f32 || type == kernel::DataType::f64);
  kernel::any_part(*statement.value, [&](const kernel::Expr& part) {
    const kernel::Argument* argument = part.kind == kernel::ExprKind::load ? kernel.find_argument(part.name) : nullptr;
    same = same && (argument == nullptr || argument->type == type);
    return false;
  });
  if (!same || reduce.type != type) {
    return fail("vectors need inputs, sums and output of one type, f32 or f64",
                "change the types in kernel.toml, or leave this step out");
  }
  const bool reads_target = kernel::any_part(*statement.value, [&](const kernel::Expr& part) {
    return part.kind == kernel::ExprKind::load && part.name == statement.target;
  });
  return reads_target ? fail(fmt::format("{} is read and written by the same statement", statement.target), k_leave_out)
                      : Result<void>();
}

// Where a load lies along the columns.
Result<WindowLoad> window_load(const kernel::ExprPtr& load, const std::string& column, std::size_t number)
{
  for (std::size_t i = 0; i + 1 < load->args.size(); ++i) {
    if (names_index(*load->args[i], column)) {
      return fail(fmt::format("neighbouring columns of {} are not neighbours in memory", load->name), k_leave_out,
                  load->place);
    }
  }
  const std::optional<std::int64_t> stride = coefficient_of(*load->args.back(), column);
  if (!stride || *stride <= 0) {
    return fail(fmt::format("columns of {} do not lie a fixed number apart", load->name), k_leave_out, load->place);
  }
  return WindowLoad{load, *stride, false, fmt::format("value {}.{}", load->name, number)};
}

Result<void> sort_loads(const kernel::ExprPtr& body, WindowView& view)
{
  std::vector<kernel::ExprPtr> varying;
  (void)replaced(body, [&](const kernel::ExprPtr& part) -> kernel::ExprPtr {
    if (part->kind == kernel::ExprKind::load && names_index(*part, view.column.name)) {
      varying.push_back(part);
    }
    return nullptr;
  });
  if (varying.empty()) {
    return fail(fmt::format("what is reduced does not depend on {}, the last index", view.column.name), k_leave_out);
  }
  for (const kernel::ExprPtr& load : varying) {
    const auto known = std::ranges::find_if(
      view.loads, [&](const WindowLoad& other) { return kernel::to_text(*other.load) == kernel::to_text(*load); });
    if (known == view.loads.end()) {
      HONE_TRY(WindowLoad found, window_load(load, view.column.name, view.loads.size()));
      view.loads.push_back(std::move(found));
    }
  }
  return {};
}

// The last index besides the column on which one of the loads along the columns does not depend.
void choose_channel(const kernel::Statement& statement, WindowView& view)
{
  view.outer.assign(statement.indices.begin(), statement.indices.end() - 1);
  for (std::size_t i = view.outer.size(); i-- > 0;) {
    const std::string name = view.outer[i].name;
    const auto depends = [&](const WindowLoad& load) { return names_index(*load.load, name); };
    if (std::ranges::all_of(view.loads, depends)) {
      continue;
    }
    view.channel = {view.outer[i]};
    view.outer.erase(view.outer.begin() + static_cast<std::ptrdiff_t>(i));
    for (WindowLoad& load : view.loads) {
      load.by_channel = depends(load);
    }
    return;
  }
}

} // namespace

Result<WindowView> window_view(const kernel::Kernel& kernel, const kernel::Statement& statement)
{
  HONE_TRY(const kernel::ExprPtr reduce, only_reduction(statement));
  if (statement.guard || statement.indices.empty()) {
    return fail("the statement has a condition, or no indices", k_leave_out, statement.place);
  }
  HONE_CHECK(check_types(kernel, statement, *reduce));
  HONE_CHECK(check_ranges(statement.indices, true));
  HONE_CHECK(check_ranges(reduce->ranges, false));

  WindowView view;
  view.statement = &statement;
  view.op = reduce->op;
  view.ranges = reduce->ranges;
  view.column = statement.indices.back();
  view.type = statement.type;
  HONE_CHECK(sort_loads(reduce->args[0], view));
  choose_channel(statement, view);

  const auto in_columns = [&](const kernel::ExprPtr& part) -> kernel::ExprPtr {
    if (part == reduce) {
      return node(k_collected, view.type);
    }
    const bool column = part->kind == kernel::ExprKind::index && part->name == view.column.name;
    return column ? node(k_column, kernel::DataType::i64) : nullptr;
  };
  view.body = replaced(reduce->args[0], [&](const kernel::ExprPtr& part) -> kernel::ExprPtr {
    for (const WindowLoad& load : view.loads) {
      if (part->kind == kernel::ExprKind::load && kernel::to_text(*part) == kernel::to_text(*load.load)) {
        return node(load.node, view.type);
      }
    }
    return in_columns(part);
  });
  view.epilogue = replaced(statement.value, in_columns);
  std::vector<std::string> indices = {view.column.name};
  if (!view.channel.empty()) {
    indices.push_back(view.channel.front().name);
  }
  HONE_TRY(view.conditions,
           window_conditions(reduce->args.size() > 1 ? reduce->args[1] : nullptr, indices, reduce->ranges));
  return view;
}

Result<WindowView> window_view(const kernel::Kernel& kernel)
{
  if (kernel.program.statements.size() != 1) {
    return fail("windows are for kernels of one statement", k_leave_out);
  }
  return window_view(kernel, kernel.program.statements.front());
}

} // namespace hone::lower
