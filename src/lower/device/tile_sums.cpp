// The loops of sums, and what one term does.
#include "lower/device/reductions.h"
#include "lower/device/tile_writer.h"
#include "lower/linear_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace hone::lower::device {

Result<void> TileFunction::add_sum(const kernel::Expr& reduce, Block& main)
{
  const std::string sums = m_values.fresh(name_of_result(reduce.op));
  const Type type = sum_type(reduce);
  if (m_matrix == nullptr && !kernel::is_float(reduce.type) && !m_options.lanes.empty()) {
    return fail("a sum of whole numbers has no vector form here");
  }
  const Value place = slot(sums, type, true, true);
  append(main, set_slots(sums, true, true, ExpressionValues::start_of(reduce.op, type), false));
  for (const kernel::IndexRange& range : reduce.ranges) {
    const bool bound = (range.lower && (of_rows(*range.lower) || of_columns(*range.lower))) || of_rows(*range.upper)
                       || of_columns(*range.upper);
    if (bound) {
      return fail(fmt::format("the range of {} differs from row to row or from column to column", range.name));
    }
  }
  point_at_tile();
  const bool in_slices = staging();
  HONE_TRY(Block loops, in_slices ? slices(reduce, place) : terms(reduce, place));
  append(main, std::move(loops));
  m_sums.emplace_back(kernel::to_text(reduce), place);
  return {};
}

Result<Block> TileFunction::terms(const kernel::Expr& reduce, const Value& place)
{
  HONE_TRY(Block inner, term(reduce, place));
  for (auto range = reduce.ranges.rbegin(); range != reduce.ranges.rend(); ++range) {
    Block before;
    HONE_TRY(const auto ends, m_values.bounds(*range, before));
    const bool innermost = range == reduce.ranges.rbegin();
    Node around =
      loop(m_values.indices.at(range->name)->text, ends.first, ends.second, integer(1), Axis::serial, std::move(inner));
    if (innermost && !m_options.unroll_k.empty()) {
      around.unroll = m_options.unroll_k;
    }
    before.push_back(std::move(around));
    inner = std::move(before);
  }
  return inner;
}

Result<Block> TileFunction::term(const kernel::Expr& reduce, const Value& place)
{
  const kernel::Expr* condition = reduce.args.size() > 1 ? reduce.args[1].get() : nullptr;
  const bool by_row = condition != nullptr && of_rows(*condition);
  const bool by_column = condition != nullptr && of_columns(*condition);
  if (by_column && !m_options.lanes.empty()) {
    return masked_term(reduce, place);
  }
  m_values.lanes = m_options.lanes;
  const auto restore = m_values.known;
  Block outside, of_row, inside, condition_before;
  Value holds;
  if (condition != nullptr) {
    HONE_TRY(holds, m_values.whole(*condition, condition_before));
  }
  for (const Operand& operand : operands_of(reduce)) {
    const bool shared = !operand.rows && operand.columns && !by_row && !by_column;
    const bool along_row = operand.rows && !operand.columns && !by_column;
    if (shared) {
      HONE_TRY(const Value loaded, loaded_operand(operand, outside));
      const std::string values = m_values.fresh("loaded_" + operand.load->name);
      append(outside, set_slots(values, false, true, loaded, true));
      m_values.known[operand.text] = slot(values, loaded->type, false, true);
    } else if (along_row) {
      HONE_TRY(const Value loaded, loaded_operand(operand, of_row));
      const Value one = name(m_values.fresh("of_row_" + operand.load->name), loaded->type);
      of_row.push_back(define(one->text, loaded));
      m_values.known[operand.text] = one;
    } else if (!operand.block.empty()) {
      HONE_TRY(m_values.known[operand.text], loaded_operand(operand, inside));
    }
  }
  const bool whole = !kernel::is_float(reduce.type);
  HONE_TRY(const Value body, whole ? m_values.whole(*reduce.args[0], inside) : m_values.value(*reduce.args[0], inside));
  inside.push_back(ExpressionValues::take_in(reduce.op, place, whole ? cast(body, k_position) : body));
  m_values.known = restore;
  m_values.lanes.clear();

  const auto guarded = [&](Block block) {
    Block out = condition_before;
    out.push_back(guard(holds, std::move(block)));
    return out;
  };
  if (by_column) {
    inside = guarded(std::move(inside));
  }
  append(of_row, each_vector(std::move(inside)));
  if (by_row && !by_column) {
    of_row = guarded(std::move(of_row));
  }
  append(outside, each_row(std::move(of_row)));
  return condition != nullptr && !by_row && !by_column ? guarded(std::move(outside)) : outside;
}

Result<Block> TileFunction::masked_term(const kernel::Expr& reduce, const Value& place)
{
  std::vector<const kernel::Expr*> of_column, of_others;
  HONE_CHECK(sort_conditions(*reduce.args[1], of_column, of_others));
  if (staging() || !kernel::is_float(reduce.type)) {
    return fail("a condition that differs from column to column has no vector form beside this");
  }
  const Value first = m_values.indices.at(m_columns->name);
  const auto holds_at = [&](const std::vector<const kernel::Expr*>& parts, const Value& column) -> Result<Value> {
    const std::string lanes = std::exchange(m_values.lanes, ""); // of one column
    m_values.indices[m_columns->name] = column;
    Value all;
    Block none;
    Result<void> done;
    for (const kernel::Expr* part : parts) {
      const Result<Value> one = m_values.whole(*part, none);
      if (!one) {
        done = std::unexpected(one.error());
        break;
      }
      all = all ? both(all, *one) : *one;
    }
    m_values.indices[m_columns->name] = first;
    m_values.lanes = lanes;
    return done ? Result<Value>(all) : std::unexpected(done.error());
  };
  HONE_TRY(const Value at_first, holds_at(of_column, first));
  HONE_TRY(const Value at_last, holds_at(of_column, first + width() - integer(1)));

  const auto restore = m_values.known;
  m_values.lanes = m_options.lanes;
  Block whole, partial;
  const Type type = number_type();
  const Value number = name(m_values.fresh("lane"));
  const Value here = name(m_values.fresh("column_here"), k_position);
  const std::string keeps = m_values.fresh("keeps");
  const Value keep = entry(keeps, {number}, k_int);
  HONE_TRY(const Value at_lane, holds_at(of_column, here));
  partial.push_back(array(keeps, k_int, {width()}));
  Block lanes = {define(here->text, first + number), assign(keep, integer(0))};
  Block loads = {assign(keep, integer(-1))};
  std::map<std::string, Value> known_whole = m_values.known, known_partial = m_values.known;
  for (const Operand& operand : operands_of(reduce)) {
    if (!operand.columns) {
      continue;
    }
    if (operand.rows) {
      return fail("an operand that differs in every element has no vector form beside a condition");
    }
    HONE_TRY(const Value vector, m_values.value(*operand.load, whole));
    const Value loaded = name(m_values.fresh("loaded_" + operand.load->name), vector->type);
    whole.push_back(define(loaded->text, vector));
    known_whole[operand.text] = loaded;

    const std::string edge = m_values.fresh("edge_" + operand.load->name);
    partial.push_back(array(edge, m_values.number_type(), {width()}));
    const Value element = entry(edge, {number}, m_values.number_type());
    lanes.push_back(assign(element, device::number(0, m_values.number_type())));
    m_values.lanes.clear();
    m_values.indices[m_columns->name] = here;
    HONE_TRY(const Value one, m_values.value(*operand.load, loads));
    m_values.indices[m_columns->name] = first;
    m_values.lanes = m_options.lanes;
    loads.push_back(assign(element, one));
    known_partial[operand.text] = load(edge, Scope::registers, m_values.number_type().element, integer(0), type);
  }
  lanes.push_back(guard(at_lane, std::move(loads)));
  partial.push_back(loop(number->text, integer(0), width(), integer(1), Axis::unrolled, std::move(lanes)));
  const Value mask = name(m_values.fresh("mask"), with_lanes(k_int, m_options.lanes));
  partial.push_back(define(mask->text, load(keeps, Scope::registers, kernel::DataType::i32, integer(0), mask->type)));

  m_values.known = known_whole;
  Block of_row;
  HONE_TRY(const Value body, m_values.value(*reduce.args[0], of_row));
  of_row.push_back(ExpressionValues::take_in(reduce.op, place, body));
  append(whole, each_row(std::move(of_row)));
  m_values.known = known_partial;
  Block of_row_partial;
  HONE_TRY(const Value masked, m_values.value(*reduce.args[0], of_row_partial));
  const Value with = ExpressionValues::take_in(reduce.op, place, masked).values[1];
  of_row_partial.push_back(assign(place, select(mask, with, place)));
  append(partial, each_row(std::move(of_row_partial)));
  m_values.known = restore;
  m_values.lanes.clear();

  Block out = each_vector({guard(both(at_first, at_last), std::move(whole), std::move(partial))});
  if (!of_others.empty()) {
    HONE_TRY(const Value others, holds_at(of_others, first));
    out = {guard(others, std::move(out))};
  }
  return out;
}

Result<void> TileFunction::sort_conditions(const kernel::Expr& condition, std::vector<const kernel::Expr*>& of_column,
                                           std::vector<const kernel::Expr*>& of_others) const
{
  if (condition.kind == kernel::ExprKind::binary && condition.name == "&&") {
    HONE_CHECK(sort_conditions(*condition.args[0], of_column, of_others));
    return sort_conditions(*condition.args[1], of_column, of_others);
  }
  if (of_rows(condition)) {
    return fail("a condition that differs from row to row and from column to column has no vector form");
  }
  if (!of_columns(condition)) {
    of_others.push_back(&condition);
    return {};
  }
  const bool orders =
    condition.kind == kernel::ExprKind::binary && (condition.name.starts_with("<") || condition.name.starts_with(">"));
  if (!orders || !linear_form(condition.args[0]).factor_of(m_columns->name)
      || !linear_form(condition.args[1]).factor_of(m_columns->name)) {
    return fail("a condition that differs from column to column has no vector form");
  }
  of_column.push_back(&condition);
  return {};
}

std::vector<Operand> TileFunction::operands_of(const kernel::Expr& reduce) const
{
  std::vector<Operand> out;
  for (const kernel::ExprPtr& load : loads_of(reduce)) {
    const std::string text = kernel::to_text(*load);
    const auto staged = std::ranges::find(m_staged, text, &Operand::text);
    out.push_back(staged != m_staged.end() ? *staged
                                           : Operand{load, text, of_rows(*load), of_columns(*load), "", false, ""});
  }
  return out;
}

} // namespace hone::lower::device
