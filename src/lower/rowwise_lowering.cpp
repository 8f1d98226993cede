#include "lower/rowwise_lowering.h"

#include "lower/rowwise_code.h"
#include "lower/tuning_macros.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace hone::lower {

namespace {

// "a * b" of extents, the rows that a launch goes over; "1" where there is one row.
Result<std::string> product_of(RowCode& code, std::size_t from)
{
  std::vector<std::string> parts;
  ExpressionText text = code.text();
  for (std::size_t d = from; d < code.program.extents.size(); ++d) {
    HONE_TRY(std::string extent, text.integer_text(*code.program.extents[d]));
    parts.push_back(extent.find(' ') == std::string::npos ? extent : "(" + extent + ")");
  }
  return parts.empty() ? "1" : join(parts, " * ");
}

// Splits the number of a row into the row's indices, the last one fastest.
Result<ProgramBlock> decode_row(RowCode& code, const std::string& row)
{
  ProgramBlock block;
  ExpressionText text = code.text();
  for (std::size_t d = 0; d < code.program.prefix; ++d) {
    HONE_TRY(const std::string below, product_of(code, d + 1));
    HONE_TRY(const std::string extent, text.integer_text(*code.program.extents[d]));
    std::string value = below == "1" ? row : fmt::format("{} / ({})", row, below);
    if (d > 0) {
      value += " % " + (extent.find(' ') == std::string::npos ? extent : "(" + extent + ")");
    }
    block.push_back(statement(fmt::format("const {} {} = {};", code.counter(), code.names.at(row_index(d)), value)));
  }
  return block;
}

// A work-group per row, or per block of rows.
Result<ProgramBlock> group_of_rows(RowCode& code, const std::string& rows_per_group, LaunchText& launch)
{
  HONE_TRY(const std::string rows, product_of(code, 0));
  const bool one_index = code.program.prefix == 1;
  const std::string row = one_index ? code.names.at(row_index(0)) : code.fresh("row");
  HONE_TRY(ProgramBlock body, row_body(code));
  if (!one_index) {
    HONE_TRY(ProgramBlock indices, decode_row(code, row));
    append(indices, std::move(body));
    body = std::move(indices);
  }
  if (rows_per_group == "1") {
    launch.grid = {rows};
    body.insert(body.begin(), statement(fmt::format("const {} {} = group->id[0];", code.counter(), row)));
    return body;
  }
  launch.grid = {fmt::format("ceil_div({}, {})", rows, rows_per_group)};
  const std::string end = code.fresh("rows_end");
  return ProgramBlock{statement(fmt::format("const {} {} = hone_min((group->id[0] + 1) * {}, {});", code.counter(), end,
                                            rows_per_group, rows)),
                      loop(code.counter(), row, "group->id[0] * " + rows_per_group, end, "1", std::move(body))};
}

// One row only: the whole of it, or a block of columns per group where columns are independent.
Result<ProgramBlock> group_of_columns(RowCode& code, const std::string& columns_per_group, LaunchText& launch)
{
  launch.grid = {"1"};
  if (columns_per_group.empty() || code.program.reduces() || code.program.passes() != 1) {
    return row_body(code);
  }
  ExpressionText text = code.text();
  HONE_TRY(const std::string columns, text.integer_text(*code.program.statements.front()->indices.back().upper));
  code.columns_begin = code.fresh("begin");
  code.columns_end = code.fresh("end");
  launch.grid = {fmt::format("ceil_div({}, {})", columns, columns_per_group)};
  HONE_TRY(ProgramBlock body, row_body(code));
  ProgramBlock block = {
    statement(fmt::format("const {} {} = group->id[0] * {};", code.counter(), code.columns_begin, columns_per_group)),
    statement(fmt::format("const {} {} = hone_min({} + {}, {});", code.counter(), code.columns_end, code.columns_begin,
                          columns_per_group, columns))};
  append(block, std::move(body));
  return block;
}

// Of the intermediates that the launch computes itself only those are buffers that others read.
std::vector<ParameterText> row_parameters(const RowCode& code, const std::string& body)
{
  return parameters_for(code.kernel, code.dialect, body, {}, [&code](const kernel::Statement& source) {
    const bool here = std::ranges::find(code.program.statements, &source) != code.program.statements.end();
    return !here || code.program.stored.contains(source.target);
  });
}

struct RowOptions {
  std::string vectors;           // "" for plain loops
  std::string rows_per_group;    // "1", or a tuning parameter
  std::string columns_per_group; // of a kernel without rows; "" for all
  bool streaming = false;
};

RowOptions options_of(const Schedule& schedule)
{
  RowOptions out;
  out.rows_per_group = step_at(schedule, find_loop(schedule, Dimension::m, LoopKind::group));
  const std::string columns = step_at(schedule, find_loop(schedule, Dimension::n, LoopKind::group));
  out.columns_per_group = columns;
  out.streaming = schedule.streaming;
  out.vectors = find_loop(schedule, Dimension::n, LoopKind::registers) >= 0 ? "VECTORS" : "";
  return out;
}

Result<void> add_scratch(RowCode& code, LoweredProgram& out)
{
  for (const kernel::Statement* source : code.program.statements) {
    if (!source->intermediate || !code.program.stored.contains(source->target)) {
      continue;
    }
    std::vector<std::string> parts;
    ExpressionText text = code.text();
    for (const kernel::IndexRange& range : source->indices) {
      HONE_TRY(std::string extent, text.integer_text(*range.upper));
      parts.push_back(extent.find(' ') == std::string::npos ? extent : "(" + extent + ")");
    }
    out.plan.scratch.push_back({source->target, source->type, parts.empty() ? "1" : join(parts, " * ")});
  }
  return {};
}

// Outputs are to be stored past the caches: the first target that waits in an output's row moves to group->shared.
Result<void> stream(RowCode& code, RowProgram& program, LaunchText& launch)
{
  code.streaming = true;
  code.waiting = code.fresh("waiting");
  for (auto& [name, target] : program.targets) {
    if (target.buffer.empty() || target.buffer == name || program.prefix == 0) {
      continue;
    }
    ExpressionText text = code.text();
    HONE_TRY(const std::string columns, text.integer_text(*target.statement->indices.back().upper));
    launch.shared = fmt::format("({}) * {}", columns, kernel::size_of(target.statement->type));
    target.buffer = code.waiting;
    return {};
  }
  return {};
}

Result<void> lower_stage(const kernel::Kernel& kernel, const Dialect& dialect, RowProgram program,
                         const RowOptions& options, const std::string& name, LoweredProgram& out)
{
  RowCode code(kernel, dialect, program);
  code.vectors = options.vectors;
  LaunchText launch;
  launch.kernel = name;
  const bool streaming = options.streaming && all_vectors(code);
  if (streaming) {
    HONE_CHECK(stream(code, program, launch));
  }
  HONE_TRY(ProgramBlock body, program.prefix == 0 ? group_of_columns(code, options.columns_per_group, launch)
                                                  : group_of_rows(code, options.rows_per_group, launch));
  if (!launch.shared.empty()) {
    body.insert(body.begin(),
                statement(fmt::format("{0}* {1} = ({0}*)group->shared;", code.number_type(), code.waiting)));
  }
  const std::vector<ParameterText> parameters = row_parameters(code, print(body));
  launch.args = names(parameters);
  out.device.push_back(blank_line());
  for (const kernel::Statement* source : program.statements) {
    out.device.push_back(comment(kernel::to_text(*source)));
  }
  out.device.push_back(function(entry_head(dialect, name, parameters), std::move(body)));
  HONE_CHECK(add_scratch(code, out));
  out.plan.launches.push_back(std::move(launch));
  return {};
}

} // namespace

Result<LoweredProgram> lower_rows(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect)
{
  LoweredProgram out;
  const RowOptions options = options_of(schedule);
  const std::vector<RowStage> stages = row_stages(kernel, schedule);
  for (const RowStage& stage : stages) {
    const std::string target = stage.plain != nullptr ? stage.plain->target : stage.program.statements.back()->target;
    const std::string name = stages.size() == 1 ? c_name(kernel.name) : c_name(kernel.name + "_" + target);
    HONE_CHECK(stage.plain != nullptr ? lower_statement(kernel, dialect, *stage.plain, name, out)
                                      : lower_stage(kernel, dialect, stage.program, options, name, out));
  }
  if (!options.vectors.empty()) {
    out.device.insert(out.device.begin(), statement("#include \"hone_math.h\""));
  }
  out.plan.tuning = schedule.tuning;
  out.plan.constraints = schedule.constraints;
  out.macros = tuning_macros(schedule);
  return out;
}

Result<void> lower_row_stage(const kernel::Kernel& kernel, const Dialect& dialect, const RowStage& stage,
                             const std::string& vectors, const std::string& name, LoweredProgram& out)
{
  RowOptions options;
  options.vectors = vectors;
  options.rows_per_group = "1";
  return lower_stage(kernel, dialect, stage.program, options, name, out);
}

bool check_stage_vectors(const kernel::Kernel& kernel, const Dialect& dialect, const RowStage& stage)
{
  return check_vectors(RowCode(kernel, dialect, stage.program)).has_value();
}

Result<void> check_row_vectors(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect)
{
  std::optional<Error> reason;
  for (const RowStage& stage : row_stages(kernel, schedule)) {
    if (stage.plain != nullptr) {
      reason = reason ? reason : Error{stage.plain->target + ": " + stage.reason, {}, stage.plain->place};
      continue;
    }
    const Result<void> possible = check_vectors(RowCode(kernel, dialect, stage.program));
    if (possible) {
      return {};
    }
    reason = reason ? reason : possible.error();
  }
  return std::unexpected(*reason);
}

} // namespace hone::lower
