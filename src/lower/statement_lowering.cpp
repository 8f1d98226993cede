#include "lower/statement_lowering.h"

#include "lower/device/launches.h"
#include "lower/expression_text.h"
#include "lower/ordered_lowering.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::lower {

namespace {

bool has_reduction(const kernel::Expr& expression)
{
  return kernel::any_part(expression, [](const kernel::Expr& part) { return part.kind == kernel::ExprKind::reduce; });
}

// One statement on its way to a launch.
struct StatementWriter {
  const kernel::Kernel& kernel;
  const Dialect& dialect;
  const kernel::Statement& source;
  ExpressionText text;
  std::vector<std::string> variables; // one per output index
  std::vector<std::string> extents;

  std::string written; // the buffer that gets the values: the target, or a scratch buffer

  // target[...] = value, with the loops that the value needs before it.
  Result<ProgramBlock> element()
  {
    HONE_TRY(const std::string at, text.position(source.target, variables));
    ProgramBlock before;
    std::string condition;
    if (source.guard) {
      HONE_TRY(condition, text.value(*source.guard, before));
    }
    HONE_TRY(ProgramBlock block, stored(*source.value, at, text));
    if (!source.guard) {
      return block;
    }
    ProgramBlock otherwise;
    HONE_TRY(const std::string zero, text.store(written, source.type, at, *kernel::make_number(0, true), otherwise));
    append(before, {guard(condition, std::move(block)), braced("else", {statement(zero)})});
    return before;
  }

  // The store; where elements stay what they were, neither a read nor a write of them: they may be the gaps between the
  // rows of a block, which belong to somebody else. `words`: a copy, as what one branch computes the other one has not.
  Result<ProgramBlock> stored(const kernel::Expr& value, const std::string& at, ExpressionText words) const
  {
    ProgramBlock block;
    const bool in_place = written == source.target;
    if (!in_place || !keeps_elements(source, value)) {
      HONE_TRY(const std::string store, words.store(written, source.type, at, value, block));
      block.push_back(statement(store));
      return block;
    }
    if (value.kind != kernel::ExprKind::select) {
      return block;
    }
    HONE_TRY(const std::string condition, words.value(*value.args[0], block));
    HONE_TRY(ProgramBlock yes, stored(*value.args[1], at, words));
    HONE_TRY(ProgramBlock no, stored(*value.args[2], at, words));
    if (yes.empty() && !no.empty()) {
      block.push_back(guard(fmt::format("!({})", condition), std::move(no)));
      return block;
    }
    if (!yes.empty()) {
      block.push_back(guard(condition, std::move(yes)));
    }
    if (!no.empty()) {
      block.push_back(braced("else", std::move(no)));
    }
    return block;
  }

  std::string extents_product(std::size_t from, std::size_t to) const
  {
    std::vector<std::string> parts(extents.begin() + static_cast<std::ptrdiff_t>(from),
                                   extents.begin() + static_cast<std::ptrdiff_t>(to));
    return parts.empty() ? "1" : join(parts, " * ");
  }

  // Splits a flat position into indices [from, to), the last one fastest.
  void decode(ProgramBlock& block, const std::string& flat, std::size_t from, std::size_t to) const
  {
    for (std::size_t d = from; d < to; ++d) {
      std::string value = flat;
      if (d + 1 < to) {
        const std::string below = extents_product(d + 1, to);
        value += d + 2 < to ? " / (" + below + ")" : " / " + below;
      }
      if (d > from) {
        value = d + 1 < to ? value + " % " + extents[d] : flat + " % " + extents[d];
      }
      block.push_back(statement(fmt::format("const {} {} = {};", index_type(dialect), variables[d], value)));
    }
  }
};

// A work-group per row: all indices but the last select the group, the last one is a loop. A vector with a
// reduction per element has a group per element.
Result<ProgramBlock> cpu_body(StatementWriter& writer, LaunchText& launch)
{
  const std::size_t rank = writer.variables.size();
  const bool loop_last = rank >= 2 || (rank == 1 && !has_reduction(*writer.source.value));
  const std::size_t grouped = loop_last ? rank - 1 : rank;
  HONE_TRY(ProgramBlock inner, writer.element());
  if (loop_last) {
    inner = {
      loop(index_type(writer.dialect), writer.variables.back(), "0", writer.extents.back(), "1", std::move(inner))};
  }
  ProgramBlock body;
  launch.grid = {"1"};
  if (grouped >= 1) {
    launch.grid = {writer.extents[grouped - 1]};
    writer.decode(body, "group->id[0]", grouped - 1, grouped);
  }
  if (grouped >= 2) {
    launch.grid.push_back("1");
    launch.grid.push_back(writer.extents_product(0, grouped - 1));
    writer.decode(body, "group->id[2]", 0, grouped - 1);
  }
  append(body, std::move(inner));
  return body;
}

// A statement that reads its target's neighbours computes into a scratch buffer; a second launch moves the values over.
Result<void> copy_back(const kernel::Kernel& kernel, const Dialect& dialect, StatementWriter& writer,
                       const std::string& name, LoweredProgram& out)
{
  const std::string elements = writer.extents_product(0, writer.extents.size());
  out.plan.scratch.push_back({writer.written, writer.source.type, elements});
  LaunchText launch;
  launch.kernel = name + "_copy";
  ProgramBlock body;
  const ProgramNode copy = statement(fmt::format("{}[element] = {}[element];", writer.source.target, writer.written));
  launch.grid = {"1"};
  body.push_back(loop(index_type(dialect), "element", "0", elements, "1", {copy}));
  const std::vector<ParameterText> parameters =
    parameters_for(kernel, dialect, print(body), {ExtraBuffer{writer.written, writer.source.type}});
  launch.args = names(parameters);
  out.device.push_back(blank_line());
  out.device.push_back(function(entry_head(dialect, launch.kernel, parameters), std::move(body)));
  out.plan.launches.push_back(std::move(launch));
  return {};
}

} // namespace

Result<void> lower_statement(const kernel::Kernel& kernel, const Dialect& dialect, const kernel::Statement& source,
                             const std::string& name, LoweredProgram& out)
{
  if (dialect.work_items) {
    return device::lower_elements_of(kernel, dialect, source, name, out);
  }
  const bool aside =
    reads_target_elsewhere(source, *source.value) || (source.guard && reads_target_elsewhere(source, *source.guard));
  StatementWriter writer{kernel,
                         dialect,
                         source,
                         ExpressionText(kernel, dialect, compute_type(kernel, source)),
                         {},
                         {},
                         aside ? free_tensor_name(kernel, source.target + "_next") : source.target};
  writer.text.indices = index_variables(kernel, source);
  for (const kernel::IndexRange& range : source.indices) {
    writer.variables.push_back(writer.text.indices.at(range.name));
    HONE_TRY(std::string extent, writer.text.integer_text(*range.upper));
    writer.extents.push_back(extent.find(' ') == std::string::npos ? extent : "(" + extent + ")");
  }

  LaunchText launch;
  launch.kernel = name;
  HONE_TRY(ProgramBlock body, cpu_body(writer, launch));
  const std::vector<ParameterText> parameters =
    parameters_for(kernel, dialect, print(body),
                   aside ? std::vector{ExtraBuffer{writer.written, source.type}} : std::vector<ExtraBuffer>());
  launch.args = names(parameters);

  out.device.push_back(blank_line());
  out.device.push_back(comment("One work-group per row: " + kernel::to_text(source)));
  out.device.push_back(function(entry_head(dialect, name, parameters), std::move(body)));
  if (source.intermediate) {
    std::string size = writer.extents_product(0, writer.extents.size());
    out.plan.scratch.push_back({source.target, source.type, std::move(size)});
  }
  out.plan.launches.push_back(std::move(launch));
  return aside ? copy_back(kernel, dialect, writer, name, out) : Result<void>();
}

Result<std::string> elements_of(const kernel::Kernel& kernel, const Dialect& dialect, const kernel::Statement& source)
{
  ExpressionText text(kernel, dialect, compute_type(kernel, source));
  std::vector<std::string> extents;
  for (const kernel::ExprPtr& extent : kernel::extents_of(source)) {
    HONE_TRY(std::string one, text.integer_text(*extent));
    extents.push_back(one.find(' ') == std::string::npos ? one : "(" + one + ")");
  }
  return extents.empty() ? "1" : join(extents, " * ");
}

Result<LoweredProgram> lower_statements(const kernel::Kernel& kernel, const Dialect& dialect)
{
  LoweredProgram out;
  const std::vector<kernel::Statement>& all = kernel.program.statements;
  for (std::size_t first = 0; first < all.size();) {
    const std::size_t end = kernel::end_of_block(kernel.program, first);
    const bool single = first == 0 && end == all.size();
    const std::string name = single ? c_name(kernel.name) : c_name(kernel.name + "_" + all[first].target);
    if (kernel::is_ordered(all[first])) {
      HONE_CHECK(lower_block(kernel, dialect, first, name + (single ? "" : "_loops"), out));
    } else {
      HONE_CHECK(lower_statement(kernel, dialect, all[first], name, out));
    }
    first = end;
  }
  return out;
}

} // namespace hone::lower
