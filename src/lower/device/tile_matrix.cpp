// Sums as products of small matrices: blocks of both operands in lines, fragments of them in registers, instructions
// that a warp carries out together.
#include "lower/device/tile_writer.h"
#include "lower/linear_form.h"

#include <fmt/format.h>

namespace hone::lower::device {

namespace {

constexpr int k_warps_of_group = 4;

} // namespace

Result<void> TileFunction::choose_matrix_instruction()
{
  HONE_TRY(m_matrix, matrix_instruction_for(m_kernel, m_source, m_dialect.name));
  HONE_TRY(const MatrixInstruction* const first, matrix_instruction_of(m_kernel, m_dialect.name));
  if (kernel::size_of(first->type) != kernel::size_of(m_matrix->type)) {
    return fail(fmt::format("the tuning parameters are for elements of {}, not {}", kernel::name_of(first->type),
                            kernel::name_of(m_matrix->type)));
  }
  m_options.tile_m = fmt::format("({} * {})", m_matrix->of_rows, m_options.fragments_m);
  m_options.tile_n = m_options.fragments_n;
  m_options.lanes = m_matrix->of_columns > 1 ? std::to_string(m_matrix->of_columns) : "";
  return {};
}

Block TileFunction::define_fragments()
{
  if (m_matrix == nullptr) {
    return {};
  }
  Block out;
  const auto defined = [&](const char* called, const Value& value) {
    out.push_back(define(m_values.fresh(called), value));
    return name(out.back().text);
  };
  const Value items = integer(m_matrix->items), item_columns = integer(m_matrix->item_columns);
  const Value warp = m_item_x / items, in_warp = m_item_x % items;
  const Value rows = integer(m_matrix->rows), columns = integer(m_matrix->columns);
  Value row_in_warp = in_warp / item_columns * integer(m_matrix->row_factor);
  if (m_options.warp_groups) { // of each instruction's rows a warp has its part
    const Value warps = integer(k_warps_of_group);
    m_warp_row = defined("warp_group_row", warp / warps * (warps * rows * parameter(m_options.fragments_m)));
    m_warp_column = integer(0);
    row_in_warp = warp % warps * rows + row_in_warp;
  } else {
    const Value across = parameter(m_options.warps_n);
    m_warp_row = defined("warp_row", warp / across * (rows * parameter(m_options.fragments_m)));
    m_warp_column = defined("warp_column", warp % across * (columns * parameter(m_options.fragments_n)));
  }
  m_item_row = defined("item_row", m_warp_row + row_in_warp);
  m_item_column = defined("item_column", m_warp_column + in_warp % item_columns * integer(m_matrix->of_columns));
  return out;
}

Result<void> TileFunction::choose_lines(Operand& operand, const std::string& k)
{
  const auto neighbours = [&](const std::string& index) {
    for (const kernel::ExprPtr& subscript : operand.load->args) {
      const bool last = &subscript == &operand.load->args.back();
      const bool named = kernel::names_anywhere(*subscript, index);
      if (last ? linear_form(subscript).factor_of(index) != 1 : named) {
        return false;
      }
    }
    return true;
  };
  const std::string& along = operand.rows ? m_rows->name : m_columns->name;
  operand.type = m_matrix->type;
  operand.along_k = neighbours(k);
  if (m_options.warp_groups && m_matrix->warp_groups == WarpGroups::lines_of_terms && !operand.along_k) {
    return fail(
      fmt::format("instructions of warp groups take {} where the terms of a sum are neighbours in memory, and "
                  "those of {} are not",
                  kernel::name_of(m_matrix->type), operand.load->name),
      "choose matrix-loads");
  }
  return operand.along_k || neighbours(along)
           ? Result<void>()
           : fail(fmt::format("neither {} nor {} are neighbours in {}", k, along, operand.load->name));
}

Value TileFunction::lines_of(const Operand& operand) const
{
  return operand.along_k ? elements_of(operand) : parameter(m_options.slice_k);
}

Value TileFunction::line_length(const Operand& operand) const
{
  return operand.along_k ? parameter(m_options.slice_k) : elements_of(operand);
}

std::string TileFunction::layout_of(const Operand& operand) const
{
  if (!m_options.swizzled) {
    return fmt::format("hone_lines<{}>", operand.row_elements);
  }
  return fmt::format("hone_swizzled<{}, {}>", operand.along_k ? elements_text(operand) : m_options.slice_k,
                     kernel::size_of(operand.type));
}

std::string TileFunction::fragment_arguments(const Operand& operand) const
{
  return fmt::format("<{}, {}>", layout_of(operand), operand.along_k);
}

Result<Block> TileFunction::fill_lines(const Operand& operand, const kernel::IndexRange& k, const Value& first,
                                       const Value& end, const Value& buffer)
{
  const kernel::IndexRange& along = operand.rows ? *m_rows : *m_columns;
  HONE_TRY(const Value extent, extent_of(along));
  const int of_piece = 16 / static_cast<int>(kernel::size_of(operand.type));
  const Value pieces = line_length(operand) / integer(of_piece);
  const Value number = name(m_values.fresh("e")), line = name(m_values.fresh("line")), at = name(m_values.fresh("at"));
  Block body = {define(line->text, number / pieces), define(at->text, number % pieces * integer(of_piece))};
  const Value from = name(m_values.fresh(operand.rows ? "from_row" : "from_column"), k_position);
  const Value from_term = name(m_values.fresh("from_term"), k_position);
  const Value first_of_tile = operand.rows ? m_first_row : m_first_column;
  const Value valid = name(m_values.fresh("valid"));
  const Value piece = cast(integer(of_piece), k_position);
  if (operand.along_k) { // what lies beyond the edge is computed and not stored
    body.push_back(define(from->text, smaller(first_of_tile + line, extent - integer(1))));
    body.push_back(define(from_term->text, first + at));
    body.push_back(define(valid->text, cast(smaller(end - from_term, piece), k_int)));
  } else {
    body.push_back(define(from->text, first_of_tile + at));
    body.push_back(define(from_term->text, first + line));
    body.push_back(
      define(valid->text, select(below(from_term, end), cast(smaller(extent - from, piece), k_int), integer(0))));
  }
  const auto restore = m_values.indices;
  m_values.indices[along.name] = from;
  m_values.indices[k.name] = from_term;
  HONE_TRY(const Value value, m_values.whole(*operand.load, body));
  m_values.indices = restore;
  if (value->kind != ValueKind::load) {
    return fail(fmt::format("{} is not read as it lies in memory", operand.load->name));
  }
  const Value to = in_stage(operand, buffer, device::call(layout_of(operand) + "::at", {line, at}, k_int));
  body.push_back(device::call(m_options.stages.empty() || pipelined() ? "hone_copy_piece" : "hone_copy_piece_async",
                              {address(operand.block, to), address(value->text, value->args[0]), valid}));
  return Block{loop(number->text, m_first_filler ? m_first_filler : group_item(), lines_of(operand) * pieces,
                    m_fillers ? m_fillers : group_items(), Axis::serial, std::move(body))};
}

int TileFunction::fragment_rows() const
{
  return m_matrix->rows * (m_options.warp_groups ? k_warps_of_group : 1);
}

// One instruction for all columns. It reads the blocks where they lie, beside the threads: what they stored must be
// shown to it before, and the blocks stay as they are until it has ended.
Block TileFunction::multiply_in_warp_groups(const Value& place)
{
  const Value term = name(m_slice_term), buffer = name(m_buffer_name);
  const Value row = name(m_values.fresh("fragment_row"));
  std::vector<Value> arguments;
  for (int i = 0; i < m_matrix->of_rows; ++i) {
    arguments.push_back(entry(place->text, {row * integer(m_matrix->of_rows) + integer(i)}, place->type));
  }
  std::string flags;
  for (const bool rows : {true, false}) {
    const Operand& operand = m_staged[m_staged[0].rows == rows ? 0 : 1];
    flags += fmt::format("{}{}", flags.empty() ? "" : ", ", !operand.along_k);
    const Value begin = address(operand.block, in_stage(operand, buffer, integer(0)));
    arguments.push_back(device::call("hone_descriptor" + fragment_arguments(operand),
                                     {begin, rows ? m_warp_row + row * integer(fragment_rows()) : integer(0), term},
                                     k_position));
  }
  const std::string product = fmt::format("hone_wgmma_{}<{}>", m_matrix->name, flags);
  Block products = each(row->text, m_options.fragments_m, {device::call(product, std::move(arguments))});
  return {device::call("HONE_WGMMA_FENCE", {}),
          loop(m_slice_term, integer(0), parameter(m_options.slice_k), integer(m_matrix->terms), Axis::unrolled,
               std::move(products)),
          device::call("HONE_WGMMA_COMMIT_AND_WAIT", {})};
}

Block TileFunction::multiply_fragments(const Value& place)
{
  if (m_options.warp_groups) {
    return multiply_in_warp_groups(place);
  }
  const Value term = name(m_slice_term), buffer = name(m_buffer_name);
  const Value row = name(m_values.fresh("fragment_row")), column = name(m_values.fresh("fragment_column"));
  const Type word = scalar(m_matrix->registers);
  const std::string of_rows = m_values.fresh("of_rows"), of_columns = m_values.fresh("of_columns");
  const Value one_of_rows = entry(of_rows, {row}, word), one_of_columns = entry(of_columns, {column}, word);
  const Value fragments_m = parameter(m_options.fragments_m), fragments_n = parameter(m_options.fragments_n);
  Block body = {array(of_rows, word, {fragments_m, integer(m_matrix->a_registers)}),
                array(of_columns, word, {fragments_n, integer(m_matrix->b_registers)})};
  for (const Operand& operand : m_staged) {
    const Value at =
      operand.rows ? m_warp_row + row * integer(m_matrix->rows) : m_warp_column + column * integer(m_matrix->columns);
    const std::string load = fmt::format("hone_{}_{}{}", m_options.matrix_loads ? "ldmatrix" : "fragment",
                                         operand.rows ? "rows" : "columns", fragment_arguments(operand));
    const Value begin = address(operand.block, in_stage(operand, buffer, integer(0)));
    Node one = device::call(load, {operand.rows ? one_of_rows : one_of_columns, begin, at, term});
    append(body, operand.rows ? each(row->text, m_options.fragments_m, {std::move(one)})
                              : each(column->text, m_options.fragments_n, {std::move(one)}));
  }
  std::vector<Value> arguments;
  for (int i = 0; i < m_matrix->of_rows; ++i) {
    arguments.push_back(entry(place->text, {row * integer(m_matrix->of_rows) + integer(i), column}, place->type));
  }
  arguments.push_back(one_of_rows);
  arguments.push_back(one_of_columns);
  append(body, each(row->text, m_options.fragments_m,
                    each(column->text, m_options.fragments_n,
                         {device::call(fmt::format("hone_mma_{}", m_matrix->name), std::move(arguments))})));
  return {loop(m_slice_term, integer(0), parameter(m_options.slice_k), integer(m_matrix->terms), Axis::unrolled,
               std::move(body))};
}

} // namespace hone::lower::device
