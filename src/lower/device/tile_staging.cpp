// Blocks of operands in the group's local memory.
#include "lower/device/reductions.h"
#include "lower/device/tile_writer.h"
#include "lower/linear_form.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::lower::device {

Result<void> TileFunction::choose_staging()
{
  if (m_options.slice_k.empty()) {
    return {};
  }
  if (m_reductions.size() != 1) {
    return fail("blocks in local memory are for a statement with one sum");
  }
  const kernel::Expr& reduce = *m_reductions.front();
  if (reduce.args.size() > 1 && reduce.args[1]) {
    return fail("a sum with a condition (where) has no blocks in local memory");
  }
  const std::string& k = reduce.ranges.back().name;
  for (const kernel::ExprPtr& load : loads_of(reduce)) {
    Operand operand{load, kernel::to_text(*load), of_rows(*load), of_columns(*load), "", false, ""};
    if (operand.columns && (operand.rows || !kernel::names_anywhere(*load, k))) {
      return fail(fmt::format("{} is read at another place for every row and column", load->name));
    }
    if (operand.rows == operand.columns || !kernel::names_anywhere(*load, k)
        || (operand.rows && m_options.rows_from_memory)) {
      continue;
    }
    const bool alone = m_kernel.program.statements.size() == 1;
    operand.block = m_values.fresh("block_" + load->name + (alone ? "" : "_of_" + m_source.target));
    operand.type = m_values.number_type().element;
    operand.along_k = operand.rows && !m_options.transposed;
    if (m_matrix != nullptr) {
      HONE_CHECK(choose_lines(operand, k));
    }
    const std::string elements = elements_text(operand);
    const std::string row = operand.along_k ? m_options.slice_k : elements;
    operand.row_elements = m_options.pad.empty() ? row : fmt::format("({} + {})", row, m_options.pad);
    const std::string all = product({m_options.overlapped ? "2" : m_options.stages,
                                     operand.along_k ? elements : m_options.slice_k, operand.row_elements});
    m_out.function.locals.push_back({operand.block, operand.type, all});
    m_out.local_bytes.push_back(fmt::format("{} * {}", all, kernel::size_of(operand.type)));
    m_staged.push_back(std::move(operand));
  }
  if (!std::ranges::any_of(m_staged, &Operand::columns)) {
    return fail("no operand is used by several rows");
  }
  m_out.function.sized_at_launch = m_matrix != nullptr;
  if (m_matrix != nullptr && m_staged.size() != 2) {
    return fail("matrix instructions need an operand of rows and one of columns");
  }
  if (stores_boxes()) {
    HONE_CHECK(choose_stored_box());
  }
  return pipelined() ? choose_boxes() : Result<void>();
}

Value TileFunction::block_size(const Operand& operand) const
{
  return (operand.along_k ? elements_of(operand) : parameter(m_options.slice_k)) * name(operand.row_elements);
}

Value TileFunction::elements_of(const Operand& operand) const
{
  return operand.rows ? tile_rows() : tile_columns();
}

std::string TileFunction::elements_text(const Operand& operand) const
{
  return product(operand.rows ? row_factors() : column_factors());
}

Value TileFunction::in_stage(const Operand& operand, const Value& buffer, const Value& at) const
{
  return m_options.overlapped || !m_options.stages.empty() ? buffer * block_size(operand) + at : at;
}

Value TileFunction::rotated(const Value& element, const Value& slice_term) const
{
  return m_options.swizzled ? (slice_term + element) % parameter(m_options.slice_k) : slice_term;
}

Value TileFunction::place_in_block(const Operand& operand, const Value& element, const Value& slice_term) const
{
  const Value row = name(operand.row_elements);
  const Value at = operand.along_k ? element * row + rotated(element, slice_term) : slice_term * row + element;
  return in_stage(operand, name(m_buffer_name), at);
}

Result<Value> TileFunction::loaded_operand(const Operand& operand, Block& before)
{
  if (operand.block.empty()) {
    return m_values.value(*operand.load, before);
  }
  const Value at = place_in_block(operand, operand.rows ? row_in_tile() : column_in_tile(), name(m_slice_term));
  const Type type = operand.rows ? m_values.number_type() : number_type();
  return load(operand.block, Scope::local, type.element, at, type);
}

Result<Block> TileFunction::fill(const Operand& operand, const kernel::IndexRange& k, const Value& first,
                                 const Value& end, const Value& buffer)
{
  const bool rows = operand.rows;
  const kernel::IndexRange& along = rows ? *m_rows : *m_columns;
  const Value elements = elements_of(operand);
  const Value slice = parameter(m_options.slice_k);
  const kernel::ExprPtr& last = operand.load->args.back();
  const bool terms_are_neighbours = linear_form(last).factor_of(k.name) == 1;
  const Value number = name(m_values.fresh("e")), element = name(m_values.fresh("of_tile")),
              slice_term = name(m_values.fresh("of_slice"));
  const Value fast = terms_are_neighbours ? slice : elements;
  Block body = {define(element->text, terms_are_neighbours ? number / fast : number % fast),
                define(slice_term->text, terms_are_neighbours ? number % fast : number / fast)};
  HONE_TRY(const Value extent, extent_of(along));
  const auto restore = m_values.indices;
  const Value first_of_tile = rows ? m_first_row : m_first_column;
  const Value from = name(m_values.fresh(rows ? "from_row" : "from_column"), k_position);
  const Value from_term = name(m_values.fresh("from_term"), k_position);
  body.push_back(define(from->text, smaller(first_of_tile + element, extent - integer(1))));
  body.push_back(define(from_term->text, smaller(first + slice_term, end - integer(1))));
  m_values.indices[along.name] = from;
  m_values.indices[k.name] = from_term;
  HONE_TRY(const Value value, m_values.value(*operand.load, body));
  m_values.indices = restore;
  const Value row = name(operand.row_elements);
  const Value at = operand.along_k ? element * row + rotated(element, slice_term) : slice_term * row + element;
  body.push_back(
    store(operand.block, Scope::local, m_values.number_type().element, in_stage(operand, buffer, at), value));
  return Block{loop(number->text, group_item(), elements * slice, group_items(), Axis::serial, std::move(body))};
}

Result<Block> TileFunction::fill_all(const kernel::IndexRange& k, const Value& first, const Value& end,
                                     const Value& buffer)
{
  Block out;
  for (const Operand& operand : m_staged) {
    HONE_TRY(Block one,
             m_matrix != nullptr ? fill_lines(operand, k, first, end, buffer) : fill(operand, k, first, end, buffer));
    append(out, std::move(one));
  }
  return out;
}

Block TileFunction::block_barrier() const
{
  return m_options.warp_groups ? Block{call("HONE_FENCE_ASYNC_PROXY", {}), barrier()} : Block{barrier()};
}

Result<Block> TileFunction::plain_slices(const kernel::IndexRange& k, const std::pair<Value, Value>& ends,
                                         const Value& first, Block adds)
{
  HONE_TRY(Block body, fill_all(k, first, ends.second, integer(0)));
  append(body, block_barrier());
  append(body, std::move(adds));
  body.push_back(barrier());
  return Block{loop(first->text, ends.first, ends.second, parameter(m_options.slice_k), Axis::serial, std::move(body))};
}

Result<Block> TileFunction::overlapped_slices(const kernel::IndexRange& k, const std::pair<Value, Value>& ends,
                                              const Value& first, Block adds)
{
  const auto& [lower, upper] = ends;
  const Value slice = parameter(m_options.slice_k), buffer = name(m_buffer_name);
  HONE_TRY(Block begin, fill_all(k, lower, upper, integer(0)));
  Block out = {guard(below(lower, upper), std::move(begin))};
  Block body = {define(m_buffer_name, cast((first - lower) / slice % integer(2), k_int))};
  append(body, block_barrier());
  HONE_TRY(Block next, fill_all(k, first + slice, upper, integer(1) - buffer));
  body.push_back(guard(below(first + slice, upper), std::move(next)));
  append(body, std::move(adds));
  out.push_back(loop(first->text, lower, upper, slice, Axis::serial, std::move(body)));
  return out;
}

// Copies are committed slice by slice, also where none is left, so that all but the newest STAGES - 2 have come when a
// slice is used.
Result<Block> TileFunction::staged_slices(const kernel::IndexRange& k, const std::pair<Value, Value>& ends,
                                          const Value& first, Block adds)
{
  const auto& [lower, upper] = ends;
  const Value slice = parameter(m_options.slice_k), buffer = name(m_buffer_name), stages = parameter(m_options.stages);
  const Value stage = name(m_values.fresh("stage"));
  const Value of_stage = lower + cast(stage, k_position) * slice;
  HONE_TRY(Block begin, fill_all(k, of_stage, upper, stage));
  Block out = {loop(stage->text, integer(0), stages - integer(1), integer(1), Axis::unrolled,
                    {guard(below(of_stage, upper), std::move(begin)), call("HONE_CP_ASYNC_COMMIT", {})})};
  Block body = {define(m_buffer_name, cast((first - lower) / slice % stages, k_int)),
                call("HONE_CP_ASYNC_WAIT", {stages - integer(2)})};
  append(body, block_barrier());
  const Value ahead = first + (stages - integer(1)) * slice;
  HONE_TRY(Block next, fill_all(k, ahead, upper, (buffer + stages - integer(1)) % stages));
  body.push_back(guard(below(ahead, upper), std::move(next)));
  body.push_back(call("HONE_CP_ASYNC_COMMIT", {}));
  append(body, std::move(adds));
  out.push_back(loop(first->text, lower, upper, slice, Axis::serial, std::move(body)));
  return out;
}

Result<Block> TileFunction::slices(const kernel::Expr& reduce, const Value& place)
{
  const kernel::IndexRange& k = reduce.ranges.back();
  const Value first = name(m_values.fresh("first_term"), k_position);
  m_slice_term = m_values.fresh("slice_term");
  m_buffer_name = m_values.fresh("buffer");
  Block before;
  HONE_TRY(const auto ends, m_values.bounds(k, before));
  Block adds;
  if (m_matrix != nullptr) {
    adds = multiply_fragments(place);
  } else {
    const Value restore = m_values.indices.at(k.name);
    m_values.indices[k.name] = first + name(m_slice_term);
    HONE_TRY(Block inner, term(reduce, place));
    m_values.indices[k.name] = restore;
    const Value count = name(m_values.fresh("terms_here"));
    adds.push_back(
      define(count->text, cast(smaller(ends.second - first, cast(parameter(m_options.slice_k), k_position)), k_int)));
    adds.push_back(loop(m_slice_term, integer(0), count, integer(1), Axis::serial, std::move(inner)));
    adds.back().unroll = m_options.unroll_k;
  }

  const bool ahead = m_options.overlapped || !m_options.stages.empty();
  HONE_TRY(Block innermost, pipelined()                 ? pipelined_slices(ends, first, std::move(adds))
                            : !m_options.stages.empty() ? staged_slices(k, ends, first, std::move(adds))
                            : m_options.overlapped      ? overlapped_slices(k, ends, first, std::move(adds))
                                                        : plain_slices(k, ends, first, std::move(adds)));
  append(before, std::move(innermost));
  for (std::size_t r = reduce.ranges.size() - 1; r-- > 0;) {
    const kernel::IndexRange& range = reduce.ranges[r];
    Block around;
    HONE_TRY(const auto outer, m_values.bounds(range, around));
    if (ahead) { // the next round's first slice goes where this one's last may still be read
      before.push_back(barrier());
    }
    around.push_back(loop(m_values.indices.at(range.name)->text, outer.first, outer.second, integer(1), Axis::serial,
                          std::move(before)));
    before = std::move(around);
  }
  return before;
}

} // namespace hone::lower::device
