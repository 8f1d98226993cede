#include "lower/packing_lowering.h"

#include "lower/lanes.h"
#include "util/util.h"

#include <fmt/format.h>

namespace hone::lower {

namespace {

// Columns of a packed panel of B, as the nest writes it in the schedule.
const std::string& panel_columns(const ContractionCode& code)
{
  return code.nest.n_outside_m ? code.nest.n_step : code.nest.n_block;
}

std::string rows_text(const std::string& columns, const std::string& block)
{
  return block == "1" ? columns : columns + " * " + block;
}

// A copy in the group's memory, and how many elements it has, in the schedule's words.
struct Panel {
  std::string name;
  std::string elements;
};

std::vector<Panel> panels(const ContractionCode& code)
{
  std::vector<Panel> out;
  if (code.schedule.is_packed(Dimension::m)) {
    out.push_back({code.panel_a, rows_text(code.nest.k_block, code.nest.m_block)});
  }
  if (code.schedule.is_packed(Dimension::n)) {
    out.push_back({code.panel_b, code.nest.k_block + " * " + panel_columns(code)});
  }
  if (code.schedule.dot_remainders) {
    out.push_back({code.last_columns, code.nest.k_block + " * DOT_COLUMNS"});
  }
  return out;
}

} // namespace

Result<Outlined> lower_pack_a(const ContractionCode& code)
{
  const std::string row = code.local("row");
  const std::string start = code.nest.m_loop ? code.local(code.i + "_block") : code.i;
  HONE_TRY(const std::string at, code.position(*code.view.contraction.a, start + " + " + row, "0", code.p));
  const std::string from = fmt::format("{}[{}]", code.view.contraction.a->name, at);
  const std::string depth = fmt::format("({} - {})", code.p, code.p_begin);

  ProgramBlock body;
  if (code.nest.m_block == "1") {
    HONE_TRY(const std::string single, code.position(*code.view.contraction.a, start, "0", code.p));
    body = {statement(
      fmt::format("{}[{} - {}] = {}[{}];", code.panel_a, code.p, code.p_begin, code.view.contraction.a->name, single))};
  } else {
    const std::string to = fmt::format("{}[{} * {} + {}]", code.panel_a, depth, code.nest.m_block, row);
    body = {loop(code.counter(), row, "0", code.nest.m_block, "1",
                 {statement(fmt::format("{} = {} + {} < {} ? {} : 0;", to, start, row, code.i_end, from))})};
  }
  ProgramBlock function_body = {loop(code.counter(), code.p, code.p_begin, code.p_end, "1", std::move(body))};
  return outline(code, code.local("pack_" + code.view.contraction.a->name), std::move(function_body), true);
}

Result<Outlined> lower_pack_b(const ContractionCode& code)
{
  const kernel::Expr& load = *code.view.contraction.b;
  const std::string column = code.local("column");
  const std::string start = code.nest.n_outside_m ? code.j : code.j_begin;
  const std::string width = code.spell(panel_columns(code));
  const std::string width_factor = width.find(' ') == std::string::npos ? width : "(" + width + ")";
  const std::string depth = fmt::format("({} - {})", code.p, code.p_begin);
  HONE_TRY(const std::string at, code.position(load, "0", start + " + " + column, code.p));
  const std::string to = fmt::format("{} * {} + {}", depth, width_factor, column);
  const std::string left = fmt::format("{} - ({} + {})", code.j_end, start, column);

  ProgramBlock body;
  if (code.nest.vector && !code.view.b_strided) {
    body = {loop(code.counter(), column, "0", width, code.lanes,
                 {statement(fmt::format("hone_store(&{}[{}], hone_load_part(&{}[{}], {}));", code.panel_b, to,
                                        load.name, at, left))})};
    body = {loop(code.counter(), code.p, code.p_begin, code.p_end, "1", std::move(body))};
  } else {
    body = {statement(
      fmt::format("{}[{}] = {} + {} < {} ? {}[{}] : 0;", code.panel_b, to, start, column, code.j_end, load.name, at))};
    // The inner loop follows the operand's memory.
    const bool across = code.view.b_strided;
    body = {across ? loop(code.counter(), code.p, code.p_begin, code.p_end, "1", std::move(body))
                   : loop(code.counter(), column, "0", width, "1", std::move(body))};
    body = {across ? loop(code.counter(), column, "0", width, "1", std::move(body))
                   : loop(code.counter(), code.p, code.p_begin, code.p_end, "1", std::move(body))};
  }
  return outline(code, code.local("pack_" + name_of_b(code.view)), std::move(body), true);
}

ProgramBlock declare_panels(const ContractionCode& code)
{
  ProgramBlock block;
  const std::string type = code.type_of(code.view.contraction.b->type);
  std::string start = fmt::format("({}*)group->shared", type);
  for (const auto& [name, elements] : panels(code)) {
    block.push_back(statement(fmt::format("{}* {} = {};", type, name, start)));
    start = name + " + " + code.spell(elements);
  }
  return block;
}

std::string shared_bytes(const ContractionCode& code)
{
  const std::size_t size = kernel::size_of(code.view.contraction.b->type);
  std::vector<std::string> parts;
  for (const auto& [name, elements] : panels(code)) {
    parts.push_back(replace_all(elements, "lanes", std::to_string(k_widest_vector / size)));
  }
  if (parts.empty()) {
    return "";
  }
  return parts.size() == 1 ? fmt::format("{} * {}", parts[0], size)
                           : fmt::format("({}) * {}", join(parts, " + "), size);
}

} // namespace hone::lower
