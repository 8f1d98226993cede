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

// What the lanes of a tile are: whole vectors, or the first lanes of one.
struct Tile {
  std::string rows;    // tuning parameter, "" for one row
  std::string vectors; // tuning parameter, "" for one vector
  std::string count;   // lanes of the only vector that count; "" for all
};

// The value with reductions whose terms do not run over fixed columns changed so that they do, and the columns for
// which the conditions of all terms hold.
struct Interior {
  kernel::ExprPtr value;
  ColumnInterval interval;
};

class ColumnLanes {
public:
  explicit ColumnLanes(ElementCode& code)
    : m_code(code), m_r(code.fresh("r")), m_v(code.fresh("v")), m_at(code.fresh("at"))
  {
  }

  Result<ElementLaunch> write()
  {
    const std::size_t rank = m_code.source.indices.size();
    HONE_TRY(const std::string columns, m_code.extent(rank - 1));
    m_tiled = !m_code.row.empty() && !m_code.options.rows.empty() && rows_share();
    ElementLaunch out;
    if (rank == 1) {
      return one_row(columns);
    }
    HONE_TRY(const std::string rows, m_code.extent(rank - 2));
    HONE_TRY(const std::string outer, m_code.product_of_extents(0, rank - 2));
    HONE_CHECK(decode_outer(m_code, out.body));
    if (m_tiled) {
      m_row_begin = m_code.fresh("rows_begin");
      m_row_end = m_code.fresh("rows_end");
      out.grid = {fmt::format("ceil_div({}, {})", rows, k_group_rows)};
      out.body.push_back(
        statement(fmt::format("const {} {} = group->id[0] * {};", m_code.counter(), m_row_begin, k_group_rows)));
      out.body.push_back(statement(fmt::format("const {} {} = hone_min({} + {}, {});", m_code.counter(), m_row_end,
                                               m_row_begin, k_group_rows, rows)));
    } else {
      out.grid = {rows};
      out.body.push_back(statement(fmt::format("const {} {} = group->id[0];", m_code.counter(), m_code.i)));
    }
    if (rank > 2) {
      out.grid.insert(out.grid.end(), {"1", outer});
    }
    HONE_TRY(ProgramBlock body, sweep(m_code.value, "0", columns));
    append(out.body, std::move(body));
    return out;
  }

  // For rows [begin, end), without a tile.
  Result<ProgramBlock> rows(const std::string& begin, const std::string& end)
  {
    HONE_TRY(const std::string columns, m_code.extent(m_code.source.indices.size() - 1));
    HONE_TRY(ProgramBlock body, sweep(m_code.value, "0", columns));
    return ProgramBlock{loop(m_code.counter(), m_code.i, begin, end, "1", std::move(body))};
  }

private:
  // A target of one index: a group takes a part of its columns.
  Result<ElementLaunch> one_row(const std::string& columns)
  {
    const std::string begin = m_code.fresh("begin"), end = m_code.fresh("end");
    ElementLaunch out;
    out.grid = {fmt::format("ceil_div({}, {})", columns, k_group_columns)};
    out.body = {statement(fmt::format("const {} {} = group->id[0] * {};", m_code.counter(), begin, k_group_columns)),
                statement(fmt::format("const {} {} = hone_min({} + {}, {});", m_code.counter(), end, begin,
                                      k_group_columns, columns))};
    if (!m_code.options.rows.empty() && m_code.value->kind != kernel::ExprKind::select) {
      HONE_TRY(const Interior interior, interior_of(m_code.value));
      std::vector<ElementReduction> reductions;
      const std::set<std::string> names = m_code.used();
      const kernel::ExprPtr rest = m_code.without_reductions(interior.value, k_column, reductions);
      if (interior.interval.is_whole() && reductions.size() == 1 && reductions.front().varies) {
        HONE_TRY(RowSums sums, sums_of_rows(m_code, reductions.front(), *rest, {begin, end, m_r}));
        for (ProgramBlock* part : {&sums.before, &sums.rows, &sums.behind}) {
          append(out.body, std::move(*part));
        }
        out.shared = fmt::format("{} * {}", k_group_columns, kernel::size_of(m_code.compute));
        return out;
      }
      m_code.free_names(names);
    }
    HONE_TRY(ProgramBlock body, sweep(m_code.value, begin, end));
    append(out.body, std::move(body));
    return out;
  }

  // Rows of a tile pay where the terms of a sum are read for all of them at once, and no condition tells rows apart.
  bool rows_share() const
  {
    bool shares = false;
    for (const kernel::ExprPtr& reduce : kernel::reductions_of(m_code.value)) {
      shares = shares || kernel::any_part(*reduce->args[0], [&](const kernel::Expr& part) {
                 return part.kind == kernel::ExprKind::load && names_anywhere(part, k_column)
                        && !names_anywhere(part, m_code.row);
               });
    }
    const bool tells_apart = kernel::any_part(*m_code.value, [&](const kernel::Expr& part) {
      return part.kind == kernel::ExprKind::select && names_anywhere(*part.args[0], m_code.row);
    });
    return shares && !tells_apart;
  }

  LinearForm columns() const { return linear_form(m_code.source.indices.back().upper); }

  // target[row, column] = value for the columns from begin to end.
  Result<ProgramBlock> sweep(const kernel::ExprPtr& value, const std::string& begin, const std::string& end)
  {
    if (m_code.is_kept(*value)) {
      return ProgramBlock{};
    }
    if (value->kind != kernel::ExprKind::select) {
      return inside_conditions(value, begin, end);
    }
    bool turned = false;
    std::optional<ColumnInterval> interval = interval_of(value->args[0], k_column, columns());
    if (!interval && value->args[0]->kind == kernel::ExprKind::binary && value->args[0]->name == "||") {
      auto denied = std::make_shared<kernel::Expr>();
      denied->kind = kernel::ExprKind::unary;
      denied->name = "!";
      denied->type = kernel::DataType::boolean;
      denied->args = {value->args[0]};
      interval = interval_of(denied, k_column, columns());
      turned = true;
    }
    if (!interval) {
      return inside_conditions(value, begin, end);
    }
    return branches(*interval, value->args[turned ? 2 : 1], value->args[turned ? 1 : 2], begin, end);
  }

  Result<ProgramBlock> branches(const ColumnInterval& interval, const kernel::ExprPtr& yes, const kernel::ExprPtr& no,
                                const std::string& begin, const std::string& end)
  {
    ProgramBlock block;
    HONE_TRY(const auto inner, cut(interval, begin, end, block));
    HONE_TRY(ProgramBlock inside, sweep(yes, inner.first, inner.second));
    if (!interval.is_whole()) {
      if (inner.first != begin) {
        HONE_TRY(ProgramBlock before, sweep(no, begin, inner.first));
        append(block, std::move(before));
      }
      append(block, std::move(inside));
      if (inner.second != end) {
        HONE_TRY(ProgramBlock behind, sweep(no, inner.second, end));
        append(block, std::move(behind));
      }
    } else {
      append(block, std::move(inside));
    }
    if (interval.guards.empty()) {
      return block;
    }
    HONE_TRY(const std::string condition, m_code.condition(*all_of(interval.guards), m_code.i));
    HONE_TRY(ProgramBlock otherwise, sweep(no, begin, end));
    if (block.empty()) {
      return otherwise.empty() ? ProgramBlock{}
                               : ProgramBlock{guard(fmt::format("!({})", condition), std::move(otherwise))};
    }
    ProgramBlock out = {guard(condition, std::move(block))};
    if (!otherwise.empty()) {
      out.push_back(braced("else", std::move(otherwise)));
    }
    return out;
  }

  // The part of [begin, end) that lies in the interval.
  Result<std::pair<std::string, std::string>> cut(const ColumnInterval& interval, const std::string& begin,
                                                  const std::string& end, ProgramBlock& block)
  {
    std::pair<std::string, std::string> out{begin, end};
    if (!interval.lowers.empty()) {
      std::string text = begin;
      for (const LinearForm& lower : interval.lowers) {
        HONE_TRY(const std::string bound, m_code.integer(*lower.expression(), m_code.i));
        text = larger_of(text, bound);
      }
      out.first = m_code.fresh("first");
      block.push_back(statement(fmt::format("const {} {} = {};", m_code.counter(), out.first, smaller_of(text, end))));
    }
    if (!interval.uppers.empty()) {
      std::string text = end;
      for (const LinearForm& upper : interval.uppers) {
        HONE_TRY(const std::string bound, m_code.integer(*upper.expression(), m_code.i));
        text = smaller_of(text, bound);
      }
      out.second = m_code.fresh("last");
      block.push_back(
        statement(fmt::format("const {} {} = {};", m_code.counter(), out.second, larger_of(text, out.first))));
    }
    return out;
  }

  // Columns where all terms of the reductions count go by vectors, the others one by one.
  Result<ProgramBlock> inside_conditions(const kernel::ExprPtr& value, const std::string& begin, const std::string& end)
  {
    HONE_TRY(const Interior interior, interior_of(value));
    ProgramBlock block;
    HONE_TRY(const auto inner, cut(interior.interval, begin, end, block));
    if (inner.first != begin) {
      HONE_TRY(ProgramBlock before, plain(value, begin, inner.first));
      append(block, std::move(before));
    }
    HONE_TRY(ProgramBlock vectors, vectors_of(interior.value, inner.first, inner.second));
    append(block, std::move(vectors));
    if (inner.second != end) {
      HONE_TRY(ProgramBlock behind, plain(value, inner.second, end));
      append(block, std::move(behind));
    }
    return block;
  }

  Result<Interior> interior_of(const kernel::ExprPtr& value)
  {
    Interior out{value, {}};
    std::map<const kernel::Expr*, kernel::ExprPtr> changed;
    for (const kernel::ExprPtr& reduce : kernel::reductions_of(value)) {
      auto copy = std::make_shared<kernel::Expr>(*reduce);
      for (std::size_t r = 0; r < copy->ranges.size(); ++r) {
        HONE_CHECK(move_with_column(*copy, r));
      }
      std::vector<kernel::ExprPtr> kept;
      for (const kernel::ExprPtr& conjunct : conjuncts_of(copy->args.size() > 1 ? copy->args[1] : kernel::ExprPtr())) {
        if (!names_anywhere(*conjunct, k_column)) {
          kept.push_back(conjunct);
        } else if (!narrow(out.interval, *conjunct, k_column, columns(), copy->ranges)) {
          return fail(fmt::format("the condition {} is no interval of columns", kernel::to_text(*conjunct)),
                      k_leave_out, conjunct->place);
        }
      }
      copy->args.resize(1);
      if (!kept.empty()) {
        copy->args.push_back(all_of(kept));
      }
      changed[reduce.get()] = copy;
    }
    out.value = exchanged(value, changed);
    return out;
  }

  // A range that moves along with the column becomes one that does not: sum(j <= k < j + w, X[k]) is
  // sum(k < w, X[j + k]).
  Result<void> move_with_column(kernel::Expr& reduce, std::size_t r) const
  {
    kernel::IndexRange& range = reduce.ranges[r];
    const LinearForm lower = range.lower ? linear_form(range.lower) : linear_constant(0);
    const LinearForm upper = linear_form(range.upper);
    const auto from = lower.factor_of(k_column), to = upper.factor_of(k_column);
    if (!from || !to || *from != *to) {
      return fail(fmt::format("how many terms a sum has depends on the column ({})", range.name), k_leave_out,
                  range.place);
    }
    if (*from == 0) {
      return {};
    }
    const kernel::ExprPtr moved =
      (linear_form(kernel::make_index(range.name)) + scaled(linear_form(kernel::make_index(k_column)), *from))
        .expression();
    range.lower = lower.without(k_column).expression();
    range.upper = upper.without(k_column).expression();
    for (kernel::ExprPtr& part : reduce.args) {
      part = with_index(part, range.name, moved);
    }
    for (std::size_t inner = r + 1; inner < reduce.ranges.size(); ++inner) {
      kernel::IndexRange& other = reduce.ranges[inner];
      other.lower = other.lower ? with_index(other.lower, range.name, moved) : other.lower;
      other.upper = with_index(other.upper, range.name, moved);
    }
    return {};
  }

  // Element by element, as the expression says.
  Result<ProgramBlock> plain(const kernel::ExprPtr& value, const std::string& begin, const std::string& end)
  {
    ExpressionText text = m_code.text(m_code.i, m_code.j);
    HONE_TRY(const std::string at, m_code.position(text, m_code.i, m_code.j));
    ProgramBlock body;
    HONE_TRY(const std::string store, text.store(m_code.source.target, m_code.source.type, at, *value, body));
    body.push_back(statement(store));
    ProgramBlock columns = {loop(m_code.counter(), m_code.j, begin, end, "1", std::move(body))};
    return m_tiled ? ProgramBlock{loop(m_code.counter(), m_code.i, m_row_begin, m_row_end, "1", std::move(columns))}
                   : columns;
  }

  Result<ProgramBlock> vectors_of(const kernel::ExprPtr& value, const std::string& begin, const std::string& end)
  {
    const std::string& j = m_code.j;
    const std::string step = fmt::format("({} * {})", m_code.options.vectors, m_code.lanes());
    const std::string full = m_code.fresh("full");
    const std::string whole_row = end.find(' ') == std::string::npos ? end : "(" + end + ")";
    const std::string length = begin == "0" ? whole_row : fmt::format("({} - {})", end, begin);
    ProgramBlock block = {statement(fmt::format("const {} {} = {}{} / {} * {};", m_code.counter(), full,
                                                begin == "0" ? "" : begin + " + ", length, step, step))};
    HONE_TRY(ProgramBlock whole, rows_of(value, m_code.options.vectors, ""));
    HONE_TRY(ProgramBlock part, rows_of(value, "", fmt::format("{} - {}", end, j)));
    block.push_back(
      loop(m_code.counter(), j, begin, full, m_code.options.vectors + " * " + m_code.lanes(), std::move(whole)));
    block.push_back(comment("Columns that do not fill a step: vectors of which only the first lanes count."));
    block.push_back(loop(m_code.counter(), j, full, end, m_code.lanes(), std::move(part)));
    return block;
  }

  // The rows of the group at one step of columns.
  Result<ProgramBlock> rows_of(const kernel::ExprPtr& value, const std::string& vectors, const std::string& count)
  {
    if (!m_tiled) {
      return tile(value, {"", vectors, count});
    }
    const std::string& i = m_code.i;
    const std::string& rows = m_code.options.rows;
    HONE_TRY(ProgramBlock several, tile(value, {rows, vectors, count}));
    HONE_TRY(ProgramBlock one, tile(value, {"", vectors, count}));
    return ProgramBlock{
      statement(fmt::format("{} {} = {};", m_code.counter(), i, m_row_begin)),
      braced(fmt::format("for (; {0} + {1} <= {2}; {0} += {1})", i, rows, m_row_end), std::move(several)),
      braced(fmt::format("for (; {0} < {1}; ++{0})", i, m_row_end), std::move(one))};
  }

  std::string row_text(const Tile& tile) const { return tile.rows.empty() ? m_code.i : m_code.i + " + " + m_r; }
  std::string at(const Tile& tile) const { return tile.vectors.empty() ? m_code.j : m_at; }
  std::string spot(const std::string& name, const Tile& tile) const
  {
    return name + (tile.rows.empty() ? "" : "[" + m_r + "]") + (tile.vectors.empty() ? "" : "[" + m_v + "]");
  }

  ProgramBlock each_row(const Tile& tile, ProgramBlock body) const { return unrolled(m_r, tile.rows, std::move(body)); }
  ProgramBlock each_vector(const Tile& tile, ProgramBlock body) const
  {
    if (tile.vectors.empty()) {
      return body;
    }
    body.insert(body.begin(), statement(fmt::format("const {} {} = {} + {} * {};", m_code.counter(), m_at, m_code.j,
                                                    m_v, m_code.lanes())));
    return unrolled(m_v, tile.vectors, std::move(body));
  }

  Result<ProgramBlock> tile(const kernel::ExprPtr& value, const Tile& tile)
  {
    const std::set<std::string> names = m_code.used();
    std::vector<ElementReduction> reductions;
    HONE_CHECK(check_unconditional(m_code, *value));
    const kernel::ExprPtr rest = m_code.without_reductions(value, k_column, reductions);
    std::map<std::string, std::string> nodes;
    ProgramBlock block;
    for (const ElementReduction& reduction : reductions) {
      HONE_TRY(ProgramBlock one,
               reduction.varies ? collected(reduction, tile, nodes) : computed_by_row(reduction, tile, nodes));
      append(block, std::move(one));
    }
    ElementBlock words(m_code, {row_text(tile), at(tile), tile.count, nodes});
    HONE_TRY(const std::string text, words.value(*rest));
    HONE_TRY(const std::string store, words.store(text));
    words.statements.push_back(statement(store));
    append(block, each_row(tile, each_vector(tile, std::move(words.statements))));
    m_code.free_names(names);
    return block;
  }

  // What is the same for all columns is one number per row.
  Result<ProgramBlock> computed_by_row(const ElementReduction& reduction, const Tile& tile,
                                       std::map<std::string, std::string>& nodes)
  {
    ExpressionText text = m_code.text(row_text(tile), at(tile));
    for (const std::string& name : m_code.used()) {
      text.indices["taken " + name] = name;
    }
    ProgramBlock before;
    const bool integer = !kernel::is_float(reduction.reduce->type);
    HONE_TRY(const std::string value,
             integer ? text.whole(*reduction.reduce, before) : text.value(*reduction.reduce, before));
    const std::string type = integer ? m_code.counter() : m_code.number();
    nodes[reduction.node] = reduction.name + (tile.rows.empty() ? "" : "[" + m_r + "]");
    if (tile.rows.empty()) {
      before.push_back(statement(fmt::format("const {} {} = {};", type, reduction.name, value)));
      return before;
    }
    before.push_back(statement(fmt::format("{}[{}] = {};", reduction.name, m_r, value)));
    ProgramBlock block = {statement(fmt::format("{} {}[{}];", type, reduction.name, tile.rows))};
    append(block, each_row(tile, std::move(before)));
    return block;
  }

  Result<ProgramBlock> collected(const ElementReduction& reduction, const Tile& tile,
                                 std::map<std::string, std::string>& nodes)
  {
    const kernel::Expr& reduce = *reduction.reduce;
    const std::string into = spot(reduction.name, tile);
    nodes[reduction.node] = into;
    ProgramBlock block = {statement(fmt::format("{} {}{}{};", m_code.vector(), reduction.name,
                                                tile.rows.empty() ? "" : "[" + tile.rows + "]",
                                                tile.vectors.empty() ? "" : "[" + tile.vectors + "]"))};
    const std::string start = fmt::format("{} = hone_broadcast({});", into, neutral_of(reduce.op, m_code.compute));
    append(block, each_row(tile, unrolled(m_v, tile.vectors, {statement(start)})));

    HONE_TRY(ProgramBlock row, one_term(reduction, tile, into));
    HONE_TRY(ProgramBlock terms, over_terms(reduce, tile, std::move(row)));
    append(block, std::move(terms));
    return block;
  }

  // What one term adds to the vectors of a row.
  Result<ProgramBlock> one_term(const ElementReduction& reduction, const Tile& tile, const std::string& into)
  {
    const kernel::Expr& reduce = *reduction.reduce;
    ElementBlock words(m_code, {row_text(tile), at(tile), tile.count, {}});
    HONE_TRY(const std::string body, words.value(*reduce.args[0]));
    HONE_TRY(ProgramNode taken, taken_in(reduce.op, into, body, true, m_code.compute));
    words.statements.push_back(std::move(taken));
    ProgramBlock row = each_vector(tile, std::move(words.statements));
    if (reduce.args.size() > 1) {
      HONE_TRY(const std::string condition, m_code.condition(*reduce.args[1], row_text(tile)));
      row = {guard(condition, std::move(row))};
    }
    return row;
  }

  // The loops of a reduction around what a row does with one term. Of several rows, the terms that all of them have go
  // first, then those that single rows have more.
  Result<ProgramBlock> over_terms(const kernel::Expr& reduce, const Tile& tile, ProgramBlock row)
  {
    const kernel::IndexRange& last = reduce.ranges.back();
    HONE_TRY(const TermRange terms, term_range(m_code, last, rows_apart(tile)));
    const std::string& p = m_code.variables.at(last.name);
    ProgramBlock block = terms.before;
    block.push_back(loop(m_code.counter(), p, terms.begin, terms.end, "1", each_row(tile, row)));
    for (const auto& [begin, end] : terms.edges) {
      append(block, each_row(tile, {loop(m_code.counter(), p, begin, end, "1", row)}));
    }
    for (std::size_t r = reduce.ranges.size() - 1; r-- > 0;) {
      const kernel::IndexRange& range = reduce.ranges[r];
      HONE_TRY(const TermRange outer, term_range(m_code, range, rows_apart(tile)));
      if (!outer.edges.empty()) {
        return fail(fmt::format("an outer range of a sum depends on the row ({})", range.name), k_leave_out,
                    range.place);
      }
      block = {loop(m_code.counter(), m_code.variables.at(range.name), outer.begin, outer.end, "1", std::move(block))};
    }
    return block;
  }

  std::vector<TileIndex> rows_apart(const Tile& tile) const
  {
    if (tile.rows.empty()) {
      return {};
    }
    return {{m_code.row, m_code.i, fmt::format("{} + {} - 1", m_code.i, tile.rows), row_text(tile)}};
  }

  ElementCode& m_code;
  std::string m_r, m_v, m_at;
  bool m_tiled = false;
  std::string m_row_begin, m_row_end; // of the group, where rows are tiled
};

} // namespace

Result<ElementLaunch> lanes_along_columns(ElementCode& code)
{
  return ColumnLanes(code).write();
}

Result<ProgramBlock> elements_of_rows(ElementCode& code, const std::string& begin, const std::string& end)
{
  return ColumnLanes(code).rows(begin, end);
}

} // namespace hone::lower
