#include "lower/element_block.h"
#include "lower/element_code.h"
#include "lower/element_intervals.h"
#include "lower/rowwise_program.h"
#include "lower/window_condition.h"
#include "lower/words.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::lower {

namespace {

// In the terms of a sum "column" is what is summed over; this is the target's last index there.
const std::string k_own_column = "own column";

// One direction of a tile: a variable that counts, and how far; "" for a single one.
struct Side {
  std::string variable;
  std::string count;
};

struct SumTile {
  Side rows, columns, vectors;
};

class SumLanes {
public:
  explicit SumLanes(ElementCode& code)
    : m_code(code), m_r(code.fresh("r")), m_c(code.fresh("c")), m_v(code.fresh("v")), m_at(code.fresh("at"))
  {
  }

  Result<ElementLaunch> write()
  {
    HONE_CHECK(check_reductions());
    if (!m_code.options.rows.empty()) {
      m_begin = m_code.fresh("rows_begin");
      m_end = m_code.fresh("rows_end");
    }
    return m_code.source.indices.size() == 1 ? one_dimension() : planes();
  }

  // Elements [begin, end) of a target of one index.
  Result<ProgramBlock> elements(const std::string& begin, const std::string& end)
  {
    HONE_CHECK(check_reductions());
    m_begin = begin;
    m_end = end;
    return in_steps();
  }

private:
  Result<void> check_reductions() const
  {
    const std::vector<kernel::ExprPtr> reductions = kernel::reductions_of(m_code.value);
    if (reductions.empty()) {
      return fail("nothing is summed", k_leave_out, m_code.source.place);
    }
    for (const kernel::ExprPtr& reduce : reductions) {
      if (!kernel::is_float(reduce->args[0]->type) || reduce->args.size() > 1) {
        return fail("a sum of integers, or one with a condition (where), has no lanes", k_leave_out, reduce->place);
      }
    }
    return check_unconditional(m_code, *m_code.value);
  }

  // y[j] = sum(...): a group takes elements side by side.
  Result<ElementLaunch> one_dimension()
  {
    HONE_TRY(const std::string columns, m_code.extent(0));
    ElementLaunch out;
    if (m_begin.empty()) {
      HONE_TRY(ProgramBlock one, tile({{m_r, ""}, {m_c, ""}, {m_v, m_code.options.vectors}}));
      out.grid = {columns};
      out.body = {statement(fmt::format("const {} {} = group->id[0];", m_code.counter(), m_code.j))};
      append(out.body, std::move(one));
      return out;
    }
    out.grid = {fmt::format("ceil_div({}, {})", columns, k_group_rows)};
    out.body = bounds_of_group(columns);
    HONE_TRY(ProgramBlock steps, in_steps());
    append(out.body, std::move(steps));
    return out;
  }

  // Elements from m_begin to m_end, several at a time.
  Result<ProgramBlock> in_steps()
  {
    const Side vectors{m_v, m_code.options.vectors};
    HONE_TRY(ProgramBlock one, tile({{m_r, ""}, {m_c, ""}, vectors}));
    HONE_TRY(ProgramBlock several, tile({{m_r, ""}, {m_c, m_code.options.rows}, vectors}));
    return stepping(m_code.j, m_begin, m_end, m_code.options.rows, std::move(several), std::move(one));
  }

  // Rows and columns: a group takes a row, or a block of rows whose operands stay near while the columns go by.
  Result<ElementLaunch> planes()
  {
    const std::size_t rank = m_code.source.indices.size();
    HONE_TRY(const std::string rows, m_code.extent(rank - 2));
    HONE_TRY(const std::string columns, m_code.extent(rank - 1));
    HONE_TRY(const std::string outer, m_code.product_of_extents(0, rank - 2));
    ElementLaunch out;
    HONE_CHECK(decode_outer(m_code, out.body));
    const bool tiled = !m_begin.empty();
    out.grid = {tiled ? fmt::format("ceil_div({}, {})", rows, k_group_rows) : rows};
    append(out.body,
           tiled ? bounds_of_group(rows)
                 : ProgramBlock{statement(fmt::format("const {} {} = group->id[0];", m_code.counter(), m_code.i))});
    if (rank > 2) {
      out.grid.insert(out.grid.end(), {"1", outer});
    }
    HONE_CHECK(choose_columns());
    const std::string first = tiled ? m_begin : m_code.i, last = tiled ? m_end + " - 1" : m_code.i;
    std::string begin = "0", end = columns;
    for (const LinearForm& lower : m_interval.lowers) {
      HONE_TRY(const std::string bound, smallest(lower, first, last));
      begin = larger_of(begin, bound);
    }
    for (const LinearForm& upper : m_interval.uppers) {
      HONE_TRY(const std::string bound, largest(upper, first, last));
      end = smaller_of(end, bound);
    }
    begin = named(out.body, "columns_begin", begin);
    end = named(out.body, "columns_end", end);
    if (!tiled) {
      HONE_TRY(ProgramBlock one, tile({{m_r, ""}, {m_c, ""}, {m_v, m_code.options.vectors}}));
      out.body.push_back(loop(m_code.counter(), m_code.j, begin, end, "1", std::move(one)));
      return out;
    }
    HONE_TRY(ProgramBlock several, rows_of({m_c, m_code.options.columns}));
    HONE_TRY(ProgramBlock one, rows_of({m_c, ""}));
    append(out.body, stepping(m_code.j, begin, end, m_code.options.columns, std::move(several), std::move(one)));
    return out;
  }

  // Where all other columns keep what they hold, they are left out.
  Result<void> choose_columns()
  {
    const kernel::Expr& value = *m_code.value;
    if (value.kind != kernel::ExprKind::select || !m_code.is_kept(*value.args[2])) {
      return {};
    }
    if (std::optional<ColumnInterval> interval =
          interval_of(value.args[0], k_column, linear_form(m_code.source.indices.back().upper))) {
      const auto even = [&](const LinearForm& form) { return form.factor_of(m_code.row).has_value(); };
      if (std::ranges::all_of(interval->lowers, even) && std::ranges::all_of(interval->uppers, even)) {
        m_interval = std::move(*interval);
      }
    }
    return {};
  }

  Result<std::string> largest(const LinearForm& form, const std::string& first, const std::string& last) const
  {
    return m_code.integer(*form.expression(), form.factor_of(m_code.row).value_or(0) > 0 ? last : first);
  }
  Result<std::string> smallest(const LinearForm& form, const std::string& first, const std::string& last) const
  {
    return m_code.integer(*form.expression(), form.factor_of(m_code.row).value_or(0) > 0 ? first : last);
  }

  std::string named(ProgramBlock& block, const std::string& name, const std::string& text)
  {
    if (text.find(' ') == std::string::npos) {
      return text;
    }
    const std::string out = m_code.fresh(name);
    block.push_back(statement(fmt::format("const {} {} = {};", m_code.counter(), out, text)));
    return out;
  }

  ProgramBlock bounds_of_group(const std::string& all) const
  {
    return {statement(fmt::format("const {} {} = group->id[0] * {};", m_code.counter(), m_begin, k_group_rows)),
            statement(fmt::format("const {} {} = hone_min({} + {}, {});", m_code.counter(), m_end, m_begin,
                                  k_group_rows, all))};
  }

  // Steps of several as long as they fit, then single ones.
  ProgramBlock stepping(const std::string& variable, const std::string& begin, const std::string& end,
                        const std::string& step, ProgramBlock several, ProgramBlock one) const
  {
    return {statement(fmt::format("{} {} = {};", m_code.counter(), variable, begin)),
            braced(fmt::format("for (; {0} + {1} <= {2}; {0} += {1})", variable, step, end), std::move(several)),
            braced(fmt::format("for (; {0} < {1}; ++{0})", variable, end), std::move(one))};
  }

  Result<ProgramBlock> rows_of(const Side& columns)
  {
    HONE_TRY(ProgramBlock several, tile_inside({{m_r, m_code.options.rows}, columns, {m_v, ""}}));
    HONE_TRY(ProgramBlock one, tile_inside({{m_r, ""}, columns, {m_v, ""}}));
    return stepping(m_code.i, m_begin, m_end, m_code.options.rows, std::move(several), std::move(one));
  }

  // A tile, left out where none of its columns is computed.
  Result<ProgramBlock> tile_inside(const SumTile& shape)
  {
    HONE_TRY(ProgramBlock block, tile(shape));
    std::vector<std::string> conditions;
    const std::string last = shape.rows.count.empty() ? m_code.i : m_code.i + " + " + shape.rows.count + " - 1";
    for (const LinearForm& upper : m_interval.uppers) {
      if (upper.factor_of(m_code.row).value_or(0) != 0) {
        HONE_TRY(const std::string bound, largest(upper, m_code.i, last));
        conditions.push_back(fmt::format("{} < {}", m_code.j, bound));
      }
    }
    for (const LinearForm& lower : m_interval.lowers) {
      if (lower.factor_of(m_code.row).value_or(0) != 0) {
        HONE_TRY(const std::string bound, smallest(lower, m_code.i, last));
        conditions.push_back(
          fmt::format("{} + {} > {}", m_code.j, shape.columns.count.empty() ? "1" : shape.columns.count, bound));
      }
    }
    return conditions.empty() ? block : ProgramBlock{guard(join(conditions, " && "), std::move(block))};
  }

  std::string row_text(const SumTile& shape) const
  {
    return shape.rows.count.empty() ? m_code.i : m_code.i + " + " + m_r;
  }
  std::string column_text(const SumTile& shape) const
  {
    return shape.columns.count.empty() ? m_code.j : m_code.j + " + " + m_c;
  }
  static std::string spot(const std::string& name, const SumTile& shape, const std::string& vector)
  {
    std::string out = name;
    for (const Side* side : {&shape.rows, &shape.columns}) {
      out += side->count.empty() ? "" : "[" + side->variable + "]";
    }
    return out + (shape.vectors.count.empty() ? "" : "[" + vector + "]");
  }
  static ProgramBlock each_element(const SumTile& shape, ProgramBlock body)
  {
    return unrolled(shape.rows.variable, shape.rows.count,
                    unrolled(shape.columns.variable, shape.columns.count, std::move(body)));
  }

  Result<ProgramBlock> tile(const SumTile& shape)
  {
    const std::set<std::string> names = m_code.used();
    std::vector<ElementReduction> reductions;
    const kernel::ExprPtr rest = m_code.without_reductions(m_code.value, "", reductions);
    ProgramBlock block, behind;
    std::map<std::string, std::string> nodes;
    for (const ElementReduction& reduction : reductions) {
      const std::string parts = m_code.fresh(reduction.name + "_parts");
      HONE_TRY(const TermRange terms, term_range(m_code, reduction.reduce->ranges.back(), apart(shape)));
      HONE_TRY(ProgramBlock collected, collect(reduction, parts, terms, shape));
      append(block, std::move(collected));
      HONE_TRY(ProgramBlock number, one_number(reduction, parts, terms, shape));
      append(behind, std::move(number));
      nodes[reduction.node] = reduction.name;
    }
    ExpressionText words = m_code.text(row_text(shape), column_text(shape));
    for (const auto& [node, variable] : nodes) {
      words.indices[node] = variable;
    }
    HONE_TRY(const std::string at, m_code.position(words, row_text(shape), column_text(shape)));
    HONE_TRY(ProgramBlock store, stored(*rest, at, words));
    append(behind, std::move(store));
    append(block, each_element(shape, std::move(behind)));
    m_code.free_names(names);
    return block;
  }

  std::vector<TileIndex> apart(const SumTile& shape) const
  {
    std::vector<TileIndex> out;
    if (!shape.rows.count.empty()) {
      out.push_back({m_code.row, m_code.i, fmt::format("{} + {} - 1", m_code.i, shape.rows.count), row_text(shape)});
    }
    if (!shape.columns.count.empty()) {
      out.push_back(
        {k_column, m_code.j, fmt::format("{} + {} - 1", m_code.j, shape.columns.count), column_text(shape)});
    }
    return out;
  }

  // The collectors, and the terms that all elements of the tile have.
  Result<ProgramBlock> collect(const ElementReduction& reduction, const std::string& parts, const TermRange& terms,
                               const SumTile& shape)
  {
    const kernel::Expr& reduce = *reduction.reduce;
    if (!terms.edges.empty() && reduce.ranges.size() > 1) {
      return fail(fmt::format("one of several ranges of a sum depends on the element ({})", reduce.ranges.back().name),
                  k_leave_out, reduce.place);
    }
    std::string size;
    for (const Side* side : {&shape.rows, &shape.columns, &shape.vectors}) {
      size += side->count.empty() ? "" : "[" + side->count + "]";
    }
    ProgramBlock block = terms.before;
    block.push_back(statement(fmt::format("{} {}{};", m_code.vector(), parts, size)));
    const std::string into = spot(parts, shape, m_v);
    append(block, each_element(shape, unrolled(m_v, shape.vectors.count,
                                               {statement(fmt::format("{} = hone_broadcast({});", into,
                                                                      neutral_of(reduce.op, m_code.compute)))})));

    const std::string& p = m_code.variables.at(reduce.ranges.back().name);
    const std::string lanes = m_code.lanes();
    const std::string step = shape.vectors.count.empty() ? lanes : shape.vectors.count + " * " + lanes;
    HONE_TRY(ProgramBlock whole, terms_of(reduce, into, shape, shape.vectors.count.empty() ? p : m_at, ""));
    if (!shape.vectors.count.empty()) {
      whole.insert(whole.begin(),
                   statement(fmt::format("const {} {} = {} + {} * {};", m_code.counter(), m_at, p, m_v, lanes)));
    }
    HONE_TRY(ProgramBlock part,
             terms_of(reduce, spot(parts, shape, "0"), shape, p, fmt::format("{} - {}", terms.end, p)));
    const std::string full = m_code.fresh("full");
    const std::string width = "(" + step + ")";
    const std::string length = terms.begin == "0" ? terms.end : fmt::format("({} - {})", terms.end, terms.begin);
    ProgramBlock loops = {
      statement(fmt::format(
        "const {} {} = {}{} / {} * {};", m_code.counter(), full, terms.begin == "0" ? "" : terms.begin + " + ",
        length.find(' ') == std::string::npos || length[0] == '(' ? length : "(" + length + ")", width, width)),
      loop(m_code.counter(), p, terms.begin, full, step, unrolled(m_v, shape.vectors.count, std::move(whole))),
      comment("Terms that do not fill a step: vectors of which only the first lanes count."),
      loop(m_code.counter(), p, full, terms.end, lanes, std::move(part))};
    HONE_TRY(loops, around(reduce, shape, std::move(loops)));
    append(block, std::move(loops));
    return block;
  }

  // A vector of terms for each element.
  Result<ProgramBlock> terms_of(const kernel::Expr& reduce, const std::string& into, const SumTile& shape,
                                const std::string& at, const std::string& count)
  {
    const kernel::ExprPtr body =
      renamed_index(renamed_index(reduce.args[0], k_column, k_own_column), reduce.ranges.back().name, k_column);
    if (!varies(*body)) {
      return fail("the terms of a sum are all the same", k_leave_out, reduce.place);
    }
    ElementBlock words(m_code, {row_text(shape), at, count, {}});
    words.text().indices[k_own_column] = column_text(shape);
    HONE_TRY(std::string text, words.value(*body));
    if (!count.empty()) {
      const std::string neutral = reduce.op == kernel::ReduceOp::sum ? "0" : neutral_of(reduce.op, m_code.compute);
      text = fmt::format("hone_keep({}, {}, {})", text, count, neutral);
    }
    HONE_TRY(ProgramNode taken, taken_in(reduce.op, into, text, true, m_code.compute));
    words.statements.push_back(std::move(taken));
    return each_element(shape, std::move(words.statements));
  }

  Result<ProgramBlock> around(const kernel::Expr& reduce, const SumTile& shape, ProgramBlock block)
  {
    for (std::size_t r = reduce.ranges.size() - 1; r-- > 0;) {
      const kernel::IndexRange& range = reduce.ranges[r];
      HONE_TRY(const TermRange outer, term_range(m_code, range, apart(shape)));
      if (!outer.edges.empty()) {
        return fail(fmt::format("an outer range of a sum depends on the element ({})", range.name), k_leave_out,
                    range.place);
      }
      block = {loop(m_code.counter(), m_code.variables.at(range.name), outer.begin, outer.end, "1", std::move(block))};
    }
    return block;
  }

  // The lanes become one number; terms that single elements have more are added one by one.
  Result<ProgramBlock> one_number(const ElementReduction& reduction, const std::string& parts, const TermRange& terms,
                                  const SumTile& shape)
  {
    const kernel::Expr& reduce = *reduction.reduce;
    static const std::map<kernel::ReduceOp, std::string> k_folds = {{kernel::ReduceOp::sum, "hone_sum"},
                                                                    {kernel::ReduceOp::prod, "hone_product"},
                                                                    {kernel::ReduceOp::max, "hone_largest"},
                                                                    {kernel::ReduceOp::min, "hone_smallest"}};
    const std::string all = spot(parts, shape, "0");
    ProgramBlock block;
    if (!shape.vectors.count.empty()) {
      HONE_TRY(ProgramNode join, taken_in(reduce.op, all, spot(parts, shape, m_v), true, m_code.compute));
      append(block, {pragma(k_unroll_registers), loop("int", m_v, "1", shape.vectors.count, "1", {std::move(join)})});
    }
    const bool edges = !terms.edges.empty();
    block.push_back(statement(fmt::format("{}{} {} = {}({});", edges ? "" : "const ", m_code.number(), reduction.name,
                                          k_folds.at(reduce.op), all)));
    for (const auto& [begin, end] : terms.edges) {
      ExpressionText words = m_code.text(row_text(shape), column_text(shape));
      ProgramBlock body;
      HONE_TRY(const std::string term, words.value(*reduce.args[0], body));
      HONE_TRY(ProgramNode taken, taken_in(reduce.op, reduction.name, term, false, m_code.compute));
      body.push_back(std::move(taken));
      ProgramBlock one = {
        loop(m_code.counter(), m_code.variables.at(reduce.ranges.back().name), begin, end, "1", std::move(body))};
      HONE_TRY(one, around(reduce, shape, std::move(one)));
      append(block, std::move(one));
    }
    return block;
  }

  // The store; nothing where an element keeps what it holds.
  Result<ProgramBlock> stored(const kernel::Expr& value, const std::string& at, ExpressionText words) const
  {
    ProgramBlock block;
    if (m_code.is_kept(value)) {
      return block;
    }
    const bool keeps =
      value.kind == kernel::ExprKind::select && (m_code.is_kept(*value.args[1]) || m_code.is_kept(*value.args[2]));
    if (!keeps) {
      HONE_TRY(const std::string store, words.store(m_code.source.target, m_code.source.type, at, value, block));
      block.push_back(statement(store));
      return block;
    }
    HONE_TRY(const std::string condition, words.value(*value.args[0], block));
    const bool yes_kept = m_code.is_kept(*value.args[1]);
    HONE_TRY(ProgramBlock inner, stored(*value.args[yes_kept ? 2 : 1], at, words));
    if (!inner.empty()) {
      block.push_back(guard(yes_kept ? fmt::format("!({})", condition) : condition, std::move(inner)));
    }
    return block;
  }

  ElementCode& m_code;
  std::string m_r, m_c, m_v, m_at;
  std::string m_begin, m_end; // rows of the group, where they are tiled
  ColumnInterval m_interval;  // columns that are computed
};

} // namespace

Result<ElementLaunch> lanes_along_sums(ElementCode& code)
{
  return SumLanes(code).write();
}

Result<ProgramBlock> sums_along_rows(ElementCode& code, const std::string& begin, const std::string& end)
{
  return SumLanes(code).elements(begin, end);
}

} // namespace hone::lower
