#include "lower/split_lowering.h"

#include "lower/contraction_groups.h"
#include "lower/row_lowering.h"

#include <fmt/format.h>

namespace hone::lower {

namespace {

// Rows of the output, each in a group of its own and in vectors where the tiles are.
Schedule rows_of_output(const kernel::Kernel& kernel, const Schedule& schedule)
{
  Schedule rows = naive_schedule(kernel);
  rows.edges = schedule.edges;
  rows.macros = schedule.macros;
  rows.fixed_sizes = schedule.fixed_sizes;
  if (nest_shape(schedule).vector) {
    const int columns = find_loop(rows, Dimension::n, LoopKind::serial);
    rows.loops[static_cast<std::size_t>(columns)].step = "lanes";
    rows.loops.push_back({Dimension::n, LoopKind::registers, "lanes", true, ""});
  }
  return rows;
}

class AddingWriter {
public:
  explicit AddingWriter(const ContractionCode& code)
    : m_code(code), m_sum(code.local("sum")), m_part(code.local("part")), m_count(code.local("part_count")),
      m_elements(code.local("elements"))
  {
  }

  Result<ProgramBlock> write() const
  {
    ProgramBlock block = batch_indices(m_code);
    append(block, {constant(m_code, m_code.i, "group->id[0]"), constant(m_code, m_count, counted_parts(m_code)),
                   constant(m_code, m_elements, output_elements(m_code))});
    HONE_TRY(ProgramBlock columns, sweep_columns(m_code, [&](Lanes lanes) { return add_up(lanes); }));
    append(block, std::move(columns));
    return block;
  }

private:
  std::string load(const std::string& at, Lanes lanes) const
  {
    const std::string element = fmt::format("{}[{}]", m_code.parts, at);
    switch (lanes) {
    case Lanes::scalar:
      return element;
    case Lanes::whole:
      return fmt::format("hone_load(&{})", element);
    case Lanes::part:
      break;
    }
    return fmt::format("hone_load_part(&{}, {} - {})", element, m_code.j_end, m_code.j);
  }

  // One element, or a vector of them.
  Result<ProgramBlock> add_up(Lanes lanes) const
  {
    HONE_TRY(const std::string at, m_code.output_position(m_code.i, m_code.j));
    const std::string& type = lanes == Lanes::scalar ? m_code.sum_type : m_code.vector_type;
    const std::string next = load(fmt::format("{} * {} + {}", m_part, m_elements, at), lanes);
    ProgramBlock block = {
      statement(fmt::format("{} {} = {};", type, m_sum, load(at, lanes))),
      loop(m_code.counter(), m_part, "1", m_count, "1", {statement(fmt::format("{} += {};", m_sum, next))})};
    std::string value = m_sum;
    if (m_code.has_epilogue()) {
      HONE_TRY(value, m_code.finish(m_sum, m_code.i, m_code.j, lanes, block));
    }
    HONE_TRY(const std::string store, m_code.store_output(m_code.i, m_code.j, lanes, value));
    block.push_back(statement(store));
    return block;
  }

  const ContractionCode& m_code;
  std::string m_sum, m_part, m_count, m_elements;
};

} // namespace

Result<void> lower_adding(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect,
                          LoweredProgram& out)
{
  const Schedule rows = rows_of_output(kernel, schedule);
  HONE_TRY(ContractionCode code, ContractionCode::create(kernel, rows, dialect));
  code.group_buffers = {{code.parts, code.sum_type}};
  HONE_TRY(ProgramBlock body, AddingWriter(code).write());

  LaunchText launch;
  launch.kernel = c_name(kernel.name + "_add_parts");
  launch.grid = grid_of(code);
  const std::vector<ParameterText> parameters = entry_parameters(code, body, launch);
  out.device.push_back(blank_line());
  out.device.push_back(comment("One work-group per row of the output: adds the parts of each sum, always in the same "
                               "order, and finishes it."));
  out.device.push_back(function(entry_head(dialect, launch.kernel, parameters), std::move(body)));
  out.plan.scratch.push_back(
    {code.parts, code.compute, fmt::format("{} * {}", planned_parts(code), output_elements(code))});
  out.plan.launches.push_back(std::move(launch));
  return {};
}

} // namespace hone::lower
