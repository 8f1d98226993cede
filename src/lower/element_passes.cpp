#include "lower/element_passes.h"

#include "lower/rowwise_program.h"
#include "lower/window_condition.h"
#include "lower/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace hone::lower {

namespace {

bool is_this_index(const kernel::Expr& expression, const std::string& name)
{
  return expression.kind == kernel::ExprKind::index && expression.name == name;
}

void add_matrices(const kernel::Expr& expression, const std::string& row, const std::string& column,
                  std::set<std::string>& out)
{
  kernel::any_part(expression, [&](const kernel::Expr& part) {
    if (part.kind == kernel::ExprKind::load && part.args.size() == 2 && is_this_index(*part.args[0], row)
        && is_this_index(*part.args[1], column)) {
      out.insert(part.name);
    }
    return false;
  });
}

std::optional<PassMember> member_of(const kernel::Statement& statement)
{
  PassMember out;
  out.statement = &statement;
  if (statement.guard || kernel::is_ordered(statement) || !std::ranges::all_of(statement.indices, is_whole_range)) {
    return std::nullopt;
  }
  const std::vector<kernel::ExprPtr> reductions = kernel::reductions_of(statement.value);
  if (statement.indices.size() == 2 && reductions.empty()) {
    out.rows = statement.indices[0];
    out.columns = statement.indices[1];
    out.matrices.insert(statement.target);
    add_matrices(*statement.value, out.rows.name, out.columns.name, out.matrices);
    return out;
  }
  if (statement.indices.size() != 1 || reductions.size() != 1) {
    return std::nullopt;
  }
  const kernel::Expr& reduce = *reductions.front();
  if (reduce.op != kernel::ReduceOp::sum || reduce.ranges.size() != 1 || reduce.args.size() > 1
      || !is_whole_range(reduce.ranges.front())) {
    return std::nullopt;
  }
  out.rows = statement.indices.front();
  out.columns = reduce.ranges.front();
  out.role = PassRole::along_rows;
  add_matrices(*reduce.args[0], out.rows.name, out.columns.name, out.matrices);
  if (out.matrices.empty()) {
    std::swap(out.rows, out.columns);
    out.role = PassRole::of_rows;
    add_matrices(*reduce.args[0], out.rows.name, out.columns.name, out.matrices);
  }
  return out.matrices.empty() ? std::nullopt : std::optional(out);
}

bool reads_tensor(const PassMember& member, const std::string& tensor)
{
  return kernel::any_part(*member.statement->value, [&](const kernel::Expr& part) {
    return part.kind == kernel::ExprKind::load && part.name == tensor;
  });
}

// All that it reads_tensor of the tensor belongs to the row.
bool reads_row_only(const PassMember& member, const std::string& tensor)
{
  return !kernel::any_part(*member.statement->value, [&](const kernel::Expr& part) {
    return part.kind == kernel::ExprKind::load && part.name == tensor
           && (part.args.empty() || !is_this_index(*part.args[0], member.rows.name));
  });
}

// Row by row, one after the other, they compute what they compute one after the other.
bool may_follow(const PassMember& earlier, const PassMember& later)
{
  const std::string& first = earlier.statement->target;
  const std::string& second = later.statement->target;
  if (first == second) {
    return false;
  }
  if (reads_tensor(later, first) && (earlier.role == PassRole::of_rows || !reads_row_only(later, first))) {
    return false;
  }
  // What is stored behind the last row is not there too early.
  return later.role == PassRole::of_rows || (reads_row_only(earlier, second) && earlier.role != PassRole::of_rows)
         || !reads_tensor(earlier, second);
}

} // namespace

std::vector<PassMember> pass_over_rows(const kernel::Kernel& kernel,
                                       std::span<const kernel::Statement* const> statements)
{
  std::vector<PassMember> members;
  std::set<std::string> matrices;
  for (const kernel::Statement* statement : statements) {
    std::optional<PassMember> next = member_of(*statement);
    const bool fits = next && compute_type(kernel, *statement) == statement->type
                      && std::ranges::all_of(members, [&](const PassMember& earlier) {
                           return kernel::to_text(*earlier.rows.upper) == kernel::to_text(*next->rows.upper)
                                  && kernel::to_text(*earlier.columns.upper) == kernel::to_text(*next->columns.upper)
                                  && earlier.statement->type == statement->type && may_follow(earlier, *next);
                         });
    const auto is_shared = [&](const std::string& name) { return matrices.contains(name); };
    if (!fits || (!members.empty() && std::ranges::none_of(next->matrices, is_shared))) {
      break;
    }
    matrices.insert(next->matrices.begin(), next->matrices.end());
    members.push_back(std::move(*next));
  }
  return members.size() < 2 ? std::vector<PassMember>() : members;
}

Result<void> lower_pass(const kernel::Kernel& kernel, const Dialect& dialect, const std::vector<PassMember>& members,
                        const ElementOptions& options, const std::string& name, LoweredProgram& out)
{
  const std::string& block = options.block;
  ElementCode outer(kernel, dialect, *members.front().statement, options);
  HONE_TRY(const std::string extent, outer.integer(*members.front().rows.upper, outer.i));
  const std::string begin = outer.fresh("rows_begin"), end = outer.fresh("rows_end");
  ProgramBlock body, inside = {statement(fmt::format("const {} {} = hone_min({} + {}, {});", outer.counter(), end,
                                                     begin, block, extent))};
  ProgramBlock behind;
  std::vector<ExtraBuffer> extras;
  std::set<std::string> used = outer.used();
  for (const PassMember& member : members) {
    const kernel::Statement* source = member.statement;
    ElementCode code(kernel, dialect, *source, options);
    std::set<std::string> around = code.used(); // and names of the statements before, which share its block
    around.insert(used.begin(), used.end());
    code.free_names(std::move(around));
    ProgramBlock part;
    if (member.role == PassRole::of_rows) {
      std::vector<ElementReduction> reductions;
      const kernel::ExprPtr rest = code.without_reductions(code.value, k_column, reductions);
      HONE_TRY(const std::string columns, code.extent(0));
      const ExtraBuffer sums{free_tensor_name(kernel, source->target + "_sums"), code.compute};
      const RowStream stream{"0", columns, code.fresh("r"), sums.name, begin, end};
      HONE_TRY(RowSums streamed, sums_of_rows(code, reductions.front(), *rest, stream));
      append(body, std::move(streamed.before));
      part = std::move(streamed.rows);
      append(behind, std::move(streamed.behind));
      extras.push_back(sums);
      out.plan.scratch.push_back({sums.name, sums.type, fmt::format("ceil_div({}, 64) * 64", columns)});
      used = code.used();
    } else if (member.role == PassRole::along_rows) {
      HONE_TRY(part, sums_along_rows(code, begin, end));
    } else {
      HONE_TRY(part, elements_of_rows(code, begin, end));
    }
    inside.push_back(comment(kernel::to_text(*source)));
    inside.push_back(braced("", std::move(part)));
    if (source->intermediate) {
      HONE_TRY(std::string size, code.product_of_extents(0, source->indices.size()));
      out.plan.scratch.push_back({source->target, source->type, std::move(size)});
    }
  }
  body.push_back(loop(outer.counter(), begin, "0", extent, block, std::move(inside)));
  append(body, std::move(behind));

  LaunchText launch;
  launch.kernel = name;
  launch.grid = {"1"};
  const std::vector<ParameterText> parameters = parameters_for(kernel, dialect, print(body), extras);
  launch.args = names(parameters);
  out.device.push_back(blank_line());
  out.device.push_back(comment(fmt::format("One pass over the rows, {} at a time, for all that reads them.", block)));
  out.device.push_back(function(entry_head(dialect, name, parameters), std::move(body)));
  out.plan.launches.push_back(std::move(launch));
  return {};
}

} // namespace hone::lower
