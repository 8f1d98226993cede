#include "lower/rowwise_rewriter.h"

#include "lower/expression_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::lower {

namespace {

kernel::ExprPtr named_value(const std::string& name, kernel::DataType type)
{
  auto out = std::make_shared<kernel::Expr>();
  out->kind = kernel::ExprKind::index;
  out->name = name;
  out->type = type;
  return out;
}

bool is_index(const kernel::Expr& expression, const std::string& name)
{
  return expression.kind == kernel::ExprKind::index && expression.name == name;
}

std::string text_or(const kernel::ExprPtr& expression)
{
  return expression ? kernel::to_text(*expression) : "0";
}

bool same_ranges(const std::vector<kernel::IndexRange>& a, const std::vector<kernel::IndexRange>& b)
{
  return std::ranges::equal(a, b, [](const kernel::IndexRange& left, const kernel::IndexRange& right) {
    return text_or(left.lower) == text_or(right.lower) && text_or(left.upper) == text_or(right.upper);
  });
}

// The rows that an operand belongs to.
std::set<std::string> rows_of(const kernel::Expr& expression)
{
  std::set<std::string> out;
  kernel::any_part(expression, [&](const kernel::Expr& part) {
    if (part.kind == kernel::ExprKind::index && part.name.starts_with("row ")) {
      out.insert(part.name);
    }
    return false;
  });
  return out;
}

// A sum over products of elements of different rows: a matrix product, which has other transformations.
bool is_contraction(const kernel::Expr& reduce, const kernel::Expr& body)
{
  if (reduce.op != kernel::ReduceOp::sum || body.kind != kernel::ExprKind::binary || body.name != "*") {
    return false;
  }
  const std::set<std::string> left = rows_of(*body.args[0]);
  const std::set<std::string> right = rows_of(*body.args[1]);
  return !left.empty() && !right.empty() && left != right;
}

// Whether a reduction runs from 0 up to the column of its statement, or to the one before.
enum class RunningEnd { none, here, before };

RunningEnd running_end(const kernel::Expr& reduce, const RowScope& scope)
{
  const auto is_column = [&](const kernel::Expr& expression) {
    const auto found = scope.names.find(expression.name);
    return expression.kind == kernel::ExprKind::index && found != scope.names.end() && found->second == k_column;
  };
  if (reduce.ranges.size() != 1 || reduce.ranges.front().lower || (reduce.args.size() > 1 && reduce.args[1])) {
    return RunningEnd::none;
  }
  const kernel::Expr& upper = *reduce.ranges.front().upper;
  if (is_column(upper)) {
    return RunningEnd::before;
  }
  const bool one_more = upper.kind == kernel::ExprKind::binary && upper.name == "+" && is_column(*upper.args[0])
                        && upper.args[1]->kind == kernel::ExprKind::number && upper.args[1]->number == 1;
  return one_more ? RunningEnd::here : RunningEnd::none;
}

} // namespace

RowRewriter::RowRewriter(const kernel::Kernel& kernel, RowProgram& program) : m_kernel(kernel), m_program(program) {}

void RowRewriter::know_value(const kernel::Statement& statement, const std::string& local, std::size_t level)
{
  m_known[statement.target] = {&statement, local, level};
}

void RowRewriter::know_element(const kernel::Statement& statement, std::size_t level)
{
  m_known[statement.target] = {&statement, "", level};
}

std::string RowRewriter::fresh_local(const std::string& wanted)
{
  std::string name = wanted;
  const auto taken = [&] {
    return m_locals.contains(name) || std::ranges::find(m_kernel.symbols, name) != m_kernel.symbols.end()
           || m_kernel.find_argument(name) != nullptr
           || std::ranges::any_of(m_kernel.program.statements, [&](const kernel::Statement& other) {
                const bool here = std::ranges::find(m_program.statements, &other) != m_program.statements.end();
                return other.target == name && (name != wanted || !here || m_program.stored.contains(name));
              });
  };
  while (taken()) {
    name += "_here";
  }
  m_locals.insert(name);
  return name;
}

void RowRewriter::add_task(std::size_t level, std::vector<kernel::IndexRange> outer, kernel::ExprPtr lower,
                           kernel::ExprPtr upper, RowTask task)
{
  if (m_program.levels.size() <= level) {
    m_program.levels.resize(level + 1);
  }
  for (RowPass& pass : m_program.levels[level].passes) {
    if (text_or(pass.lower) == text_or(lower) && kernel::to_text(*pass.upper) == kernel::to_text(*upper)
        && same_ranges(pass.outer, outer)) {
      pass.tasks.push_back(std::move(task));
      return;
    }
  }
  m_program.levels[level].passes.push_back({std::move(outer), std::move(lower), std::move(upper), {std::move(task)}});
}

Result<kernel::ExprPtr> RowRewriter::rewrite(const kernel::ExprPtr& expression, RowScope& scope)
{
  if (const auto found = scope.shared.find(expression.get()); found != scope.shared.end()) {
    return found->second;
  }
  HONE_TRY(kernel::ExprPtr out, rewrite_new(expression, scope));
  scope.shared[expression.get()] = out;
  return out;
}

Result<kernel::ExprPtr> RowRewriter::rewrite_new(const kernel::ExprPtr& expression, RowScope& scope)
{
  if (expression->kind == kernel::ExprKind::index) {
    const auto found = scope.names.find(expression->name);
    if (found == scope.names.end()) {
      return fail(fmt::format("a reduction depends on the column {}", expression->name));
    }
    return named_value(found->second, expression->type);
  }
  if (expression->kind == kernel::ExprKind::reduce) {
    return rewrite_reduction(*expression, scope);
  }
  auto copy = std::make_shared<kernel::Expr>(*expression);
  for (kernel::ExprPtr& argument : copy->args) {
    HONE_TRY(argument, rewrite(argument, scope));
  }
  return expression->kind == kernel::ExprKind::load ? rewrite_load(*expression, copy, scope)
                                                    : Result<kernel::ExprPtr>(copy);
}

// What a statement of the program computed is there already: a local, or the element at the same column.
Result<kernel::ExprPtr> RowRewriter::rewrite_load(const kernel::Expr& load, const kernel::ExprPtr& copy,
                                                  RowScope& scope)
{
  const auto found = m_known.find(load.name);
  if (found == m_known.end()) {
    const bool later = std::ranges::any_of(
      m_program.statements, [&](const kernel::Statement* statement) { return statement->target == load.name; });
    return later && load.name != m_updated ? fail(fmt::format("{} is read before it is overwritten", load.name))
                                           : Result<kernel::ExprPtr>(copy);
  }
  const Known& known = found->second;
  for (std::size_t d = 0; d < m_program.prefix; ++d) {
    if (!is_index(*copy->args[d], row_index(d))) {
      return fail(fmt::format("{} is read in other rows", load.name));
    }
  }
  scope.level = std::max(scope.level, known.level);
  if (!known.local.empty()) {
    return named_value(local_name(known.local), load.type);
  }
  if (!is_index(*copy->args.back(), k_column)
      || scope.upper != kernel::to_text(*known.statement->indices.back().upper)) {
    return fail(fmt::format("{} is read at other columns", load.name));
  }
  return named_value(value_name(load.name), load.type);
}

Result<void> RowRewriter::rewrite_ranges(const kernel::Expr& reduce, RowScope& outside, RowScope& inside,
                                         std::vector<kernel::IndexRange>& out)
{
  for (std::size_t r = 0; r < reduce.ranges.size(); ++r) {
    kernel::IndexRange range = reduce.ranges[r];
    const bool last = r + 1 == reduce.ranges.size();
    if (range.lower) {
      HONE_TRY(range.lower, rewrite(range.lower, outside));
    }
    HONE_TRY(range.upper, rewrite(range.upper, outside));
    inside.names[range.name] = last ? k_column : outer_index(r);
    out.push_back(std::move(range));
  }
  return {};
}

// Up to the column, or the one before it: what it has come to is carried along in the pass of the element itself.
Result<kernel::ExprPtr> RowRewriter::rewrite_running(const kernel::Expr& reduce, RowScope& scope, bool inclusive)
{
  RowScope inside;
  inside.in_reduction = true;
  for (const auto& [name, canonical] : scope.names) {
    if (canonical != k_column) {
      inside.names[name] = canonical;
    }
  }
  inside.names[reduce.ranges.front().name] = k_column;
  inside.upper = scope.upper;
  RowTask task;
  task.kind = RowTask::Kind::reduce;
  task.op = reduce.op;
  task.running = true;
  HONE_TRY(task.body, rewrite(reduce.args[0], inside));
  task.local = fresh_local(name_of_result(reduce.op));
  const std::string local = task.local;
  (inclusive ? scope.running_before : scope.running_after).push_back(std::move(task));
  scope.level = std::max(scope.level, inside.level);
  return named_value(running_name(local), reduce.type);
}

Result<kernel::ExprPtr> RowRewriter::rewrite_reduction(const kernel::Expr& reduce, RowScope& scope)
{
  if (scope.in_reduction) {
    return fail("one reduction stands inside another");
  }
  const bool position = kernel::is_position(reduce.op);
  if (!kernel::is_float(reduce.args[0]->type)) {
    return fail("it reduces integers");
  }
  if (const RunningEnd end = running_end(reduce, scope); m_program.running && end != RunningEnd::none && !position) {
    return rewrite_running(reduce, scope, end == RunningEnd::here);
  }
  RowScope inside;
  inside.in_reduction = true;
  RowScope outside;
  for (const auto& [name, canonical] : scope.names) {
    if (canonical != k_column) {
      inside.names[name] = canonical;
      outside.names[name] = canonical;
    }
  }
  outside.in_reduction = true;
  std::vector<kernel::IndexRange> ranges;
  HONE_CHECK(rewrite_ranges(reduce, outside, inside, ranges));
  inside.upper = ranges.back().lower ? "" : kernel::to_text(*ranges.back().upper);
  RowTask task;
  task.kind = RowTask::Kind::reduce;
  task.op = reduce.op;
  HONE_TRY(task.body, rewrite(reduce.args[0], inside));
  if (is_contraction(reduce, *task.body)) {
    return fail("it sums products of different rows, as a matrix product does");
  }
  if (reduce.args.size() > 1 && reduce.args[1]) {
    HONE_TRY(task.guard, rewrite(reduce.args[1], inside));
  }
  task.local = fresh_local(scope.preferred.empty() ? name_of_result(reduce.op) : scope.preferred);
  scope.preferred.clear();
  const std::string local = task.local;
  const std::size_t level = std::max(inside.level, outside.level);
  const kernel::IndexRange columns = ranges.back();
  ranges.pop_back();
  add_task(level, std::move(ranges), columns.lower, columns.upper, std::move(task));
  scope.level = std::max(scope.level, level + 1);
  return named_value(local_name(local), position ? kernel::DataType::i64 : reduce.type);
}

} // namespace hone::lower
