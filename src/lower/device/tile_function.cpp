#include "lower/device/tile_function.h"

#include "lower/candidate_text.h"
#include "lower/device/expression.h"
#include "lower/device/reductions.h"
#include "lower/expression_text.h"
#include "lower/linear_form.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::lower::device {

namespace {

Value parameter(const std::string& text)
{
  return text == "1" ? integer(1) : name(text);
}

std::string product(const std::vector<std::string>& factors)
{
  std::vector<std::string> out;
  std::ranges::copy_if(factors, std::back_inserter(out),
                       [](const std::string& one) { return one != "1" && !one.empty(); });
  return out.empty() ? "1" : join(out, " * ");
}

// What stands in place of a load while the terms of a sum are added.
struct Operand {
  kernel::ExprPtr load;
  std::string text;         // of the load
  bool rows = false;        // it names the index of rows
  bool columns = false;     // it names the index of columns
  std::string block;        // in local memory; "": read where it lies
  bool along_k = false;     // the block's rows hold the terms of one row
  std::string row_elements; // of the block
};

class TileFunction {
public:
  TileFunction(const kernel::Kernel& kernel, const Dialect& dialect, const kernel::Statement& source,
               const TileOptions& options)
    : m_kernel(kernel), m_dialect(dialect), m_source(source), m_options(options),
      m_values(kernel, compute_type(kernel, source)), m_text(kernel, dialect, compute_type(kernel, source)),
      m_reductions(reductions_of(*source.value))
  {
  }

  Result<TiledStatement> build()
  {
    HONE_CHECK(choose_axes());
    HONE_TRY(Block body, whole_body());
    m_out.function.items = {m_options.group_n, m_options.group_m, "1"};
    m_out.function.body = std::move(body);
    m_out.tiles_rows = m_rows != nullptr;
    return std::move(m_out);
  }

private:
  // --- what the axes are ---

  Result<void> choose_axes()
  {
    if (m_source.indices.empty()) {
      return fail(fmt::format("{} is a single number", m_source.target));
    }
    for (const kernel::Expr* reduce : m_reductions) {
      if (kernel::is_position(reduce->op)) {
        return fail("the position of a maximum or minimum has no tiles");
      }
    }
    const auto variables = index_variables(m_kernel, m_source);
    for (const auto& [index, variable] : variables) {
      m_values.indices[index] = name(variable, k_position);
      m_text.indices[index] = variable;
    }
    m_columns = &m_source.indices.back();
    if (!m_options.lanes.empty()) {
      m_values.vector_index = m_columns->name;
    }
    m_rows = m_options.tile_m == "1" && m_options.group_m == "1" ? nullptr : rows_of_most_use();
    if (m_rows == nullptr) {
      m_options.group_m = m_options.tile_m = "1";
    }
    for (const kernel::IndexRange& index : m_source.indices) {
      HONE_TRY(const std::string extent, m_text.integer_text(*index.upper));
      const std::string bracketed = extent.find(' ') == std::string::npos ? extent : "(" + extent + ")";
      if (&index == m_columns) {
        m_column_extent = extent;
      } else if (&index == m_rows) {
        m_row_extent = extent;
      } else {
        m_others.push_back(&index);
        m_other_extents.push_back(bracketed);
      }
    }
    const std::string columns = product({m_options.group_n, m_options.tile_n, m_options.lanes});
    const std::string rows = product({m_options.group_m, m_options.tile_m});
    const auto groups = [](const std::string& extent, const std::string& of_group) {
      return of_group == "1" ? extent : fmt::format("ceil_div({}, {})", extent, of_group);
    };
    m_out.grid = {groups(m_column_extent, columns), m_rows != nullptr ? groups(m_row_extent, rows) : "1",
                  m_others.empty() ? "1" : join(m_other_extents, " * ")};
    while (m_out.grid.back() == "1" && m_out.grid.size() > 1) {
      m_out.grid.pop_back();
    }
    return {};
  }

  // The rows of a tile are an index that most operands do not name: what is loaded is used again for each row.
  const kernel::IndexRange* rows_of_most_use() const
  {
    const kernel::IndexRange* best = nullptr;
    std::size_t most = 0;
    for (std::size_t d = m_source.indices.size() - 1; d-- > 0;) {
      std::size_t apart = 0;
      for (const kernel::Expr* reduce : m_reductions) {
        for (const kernel::ExprPtr& load : loads_of(*reduce)) {
          apart += kernel::names_anywhere(*load, m_source.indices[d].name) ? 0 : 1;
        }
      }
      if (best == nullptr || apart > most) {
        best = &m_source.indices[d];
        most = apart;
      }
    }
    return best;
  }

  bool of_rows(const kernel::Expr& expression) const
  {
    return m_rows != nullptr && kernel::names_anywhere(expression, m_rows->name);
  }
  bool of_columns(const kernel::Expr& expression) const { return kernel::names_anywhere(expression, m_columns->name); }

  // --- loops over the item's tile ---

  Block each(const std::string& name_of_loop, const std::string& count, Block body) const
  {
    return count == "1"
             ? std::move(body)
             : Block{loop(name_of_loop, integer(0), parameter(count), integer(1), Axis::unrolled, std::move(body))};
  }
  Block each_row(Block body) const { return each(m_row_name, has_rows() ? m_options.tile_m : "1", std::move(body)); }
  Block each_vector(Block body) const { return each(m_vector_name, m_options.tile_n, std::move(body)); }
  Value row_number() const { return m_rows == nullptr || m_options.tile_m == "1" ? integer(0) : name(m_row_name); }
  Value vector_number() const { return m_options.tile_n == "1" ? integer(0) : name(m_vector_name); }

  Type number_type() const { return with_lanes(m_values.number_type(), m_options.lanes); }
  Type sum_type(const kernel::Expr& reduce) const
  {
    return kernel::is_float(reduce.type) ? number_type() : with_lanes(k_position, m_options.lanes);
  }

  // A variable for each row of the tile, each vector, or each of both: an array, or one variable where that is one.
  Value slot(const std::string& called, const Type& type, bool rows, bool vectors) const
  {
    std::vector<Value> subscripts;
    if (rows && has_rows()) {
      subscripts.push_back(name(m_row_name));
    }
    if (vectors && m_options.tile_n != "1") {
      subscripts.push_back(name(m_vector_name));
    }
    return entry(called, std::move(subscripts), type);
  }
  Block set_slots(const std::string& called, bool rows, bool vectors, Value value, bool constant) const
  {
    std::vector<Value> extents;
    if (rows && has_rows()) {
      extents.push_back(parameter(m_options.tile_m));
    }
    if (vectors && m_options.tile_n != "1") {
      extents.push_back(parameter(m_options.tile_n));
    }
    if (extents.empty()) {
      return {define(called, std::move(value), constant)};
    }
    const Type type = value->type;
    Block out = {array(called, type, std::move(extents))};
    Block body = {assign(slot(called, type, rows, vectors), std::move(value))};
    body = vectors ? each_vector(std::move(body)) : std::move(body);
    append(out, rows ? each_row(std::move(body)) : std::move(body));
    return out;
  }
  bool has_rows() const { return m_rows != nullptr && m_options.tile_m != "1"; }

  // Where the tile's columns and rows lie, for the code inside of the loops over them.
  void point_at(Value row, Value column)
  {
    if (m_rows != nullptr) {
      m_values.indices[m_rows->name] = std::move(row);
    }
    m_values.indices[m_columns->name] = std::move(column);
  }
  void point_at_tile()
  {
    point_at(slot(m_row_array, k_position, true, false), slot(m_column_array, k_position, false, true));
  }

  // --- the function ---

  Result<Block> whole_body()
  {
    Block body;
    m_item_x = m_options.group_n == "1" ? integer(0) : name(m_values.fresh("item_x"));
    m_item_y = m_options.group_m == "1" || m_rows == nullptr ? integer(0) : name(m_values.fresh("item_y"));
    if (!is_number(m_item_x, 0)) {
      body.push_back(define(m_item_x->text, item_id(0)));
    }
    if (!is_number(m_item_y, 0)) {
      body.push_back(define(m_item_y->text, item_id(1)));
    }
    HONE_TRY(const Value columns, extent_of(*m_columns));
    HONE_TRY(const Value rows, m_rows != nullptr ? extent_of(*m_rows) : Result<Value>(integer(1)));
    const auto [group_x, group_y] = groups(body, columns, rows);
    const Value tile_columns = parameter(m_options.group_n) * parameter(m_options.tile_n) * width();
    m_first_column = name(m_values.fresh("first_column"), k_position);
    body.push_back(define(m_first_column->text, cast(group_x, k_position) * tile_columns));
    if (m_rows != nullptr) {
      m_first_row = name(m_values.fresh("first_row"), k_position);
      const Value tile_rows = parameter(m_options.group_m) * parameter(m_options.tile_m);
      body.push_back(define(m_first_row->text, cast(group_y, k_position) * tile_rows));
    }
    HONE_CHECK(decode_others(body));
    m_row_name = m_values.fresh("row");
    m_vector_name = m_values.fresh(m_options.lanes.empty() ? "column" : "v");
    m_row_array = m_values.fresh("rows");
    m_column_array = m_values.fresh("columns");
    HONE_CHECK(choose_staging());

    Block main;
    define_places(main, rows, columns);
    for (std::size_t i = 0; i < m_reductions.size(); ++i) {
      HONE_CHECK(add_sum(*m_reductions[i], main));
    }
    HONE_CHECK(store_tile(main, rows, columns));
    if (m_options.lanes.empty() || staging()) {
      append(body, std::move(main));
      return body;
    }
    // Fewer columns than a vector has: plain code, so that no vector reads beyond a row.
    HONE_TRY(Block plain, plain_tile(rows, columns));
    body.push_back(guard(below(columns, width()), std::move(plain), std::move(main)));
    return body;
  }

  Value width() const { return m_options.lanes.empty() ? integer(1) : name(m_options.lanes); }

  Result<Value> extent_of(const kernel::IndexRange& index)
  {
    Block none;
    HONE_TRY(Value upper, m_values.whole(*index.upper, none));
    return cast(std::move(upper), k_position);
  }

  // Groups that follow each other take GROUP_ROWS rows of groups before the next column of groups, so that what they
  // read is still in a cache that they share.
  std::pair<Value, Value> groups(Block& body, const Value& columns, const Value& rows)
  {
    if (m_options.group_rows.empty() || m_rows == nullptr) {
      return {group_id(0), group_id(1)};
    }
    const auto count = [&](const Value& extent, const Value& tile) {
      return cast((extent + tile - integer(1)) / tile, k_int);
    };
    const Value tile_columns = parameter(m_options.group_n) * parameter(m_options.tile_n) * width();
    const Value tile_rows = parameter(m_options.group_m) * parameter(m_options.tile_m);
    const Value across = name(m_values.fresh("groups_across")), down = name(m_values.fresh("groups_down"));
    body.push_back(define(across->text, count(columns, tile_columns)));
    body.push_back(define(down->text, count(rows, tile_rows)));
    const Value number = name(m_values.fresh("group_number")), band = name(m_values.fresh("band"));
    body.push_back(define(number->text, group_id(1) * across + group_id(0)));
    const Value band_groups = parameter(m_options.group_rows) * across;
    body.push_back(define(band->text, number / band_groups));
    const Value first = band * parameter(m_options.group_rows);
    const Value height = name(m_values.fresh("band_rows"));
    body.push_back(define(height->text, smaller(down - first, parameter(m_options.group_rows))));
    const Value within = name(m_values.fresh("within"));
    body.push_back(define(within->text, number - band * band_groups));
    const Value x = name(m_values.fresh("group_x")), y = name(m_values.fresh("group_y"));
    body.push_back(define(x->text, within / height));
    body.push_back(define(y->text, first + within % height));
    return {x, y};
  }

  // The remaining indices from the third coordinate, the last one fastest.
  Result<void> decode_others(Block& body)
  {
    Value rest = cast(group_id(2), k_position);
    for (std::size_t d = m_others.size(); d-- > 0;) {
      HONE_TRY(const Value extent, extent_of(*m_others[d]));
      const std::string variable = m_values.indices.at(m_others[d]->name)->text;
      body.push_back(define(variable, d == 0 ? rest : rest % extent));
      rest = rest / extent;
    }
    return {};
  }

  // rows[] and columns[]: places that exist, also for what lies beyond the edge and is not stored.
  void define_places(Block& main, const Value& rows, const Value& columns)
  {
    if (m_rows != nullptr) {
      append(main, set_slots(m_row_array, true, false, smaller(wanted_row(), rows - integer(1)), true));
    }
    const Value inside = staging() ? wanted_column() : smaller(wanted_column(), columns - width());
    append(main, set_slots(m_column_array, false, true, inside, true));
  }

  Value row_in_tile() const { return m_item_y * parameter(m_options.tile_m) + row_number(); }
  Value column_in_tile() const { return (vector_number() * parameter(m_options.group_n) + m_item_x) * width(); }
  Value wanted_row() const { return m_first_row + row_in_tile(); }
  Value wanted_column() const { return m_first_column + column_in_tile(); }

  // --- sums ---

  bool staging() const { return !m_staged.empty(); }

  Result<void> add_sum(const kernel::Expr& reduce, Block& main)
  {
    const std::string sums = m_values.fresh(sum_name(reduce.op));
    const Type type = sum_type(reduce);
    if (!kernel::is_float(reduce.type) && !m_options.lanes.empty()) {
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

  Result<std::pair<Value, Value>> bounds(const kernel::IndexRange& range, Block& before)
  {
    Value lower = cast(integer(0), k_position);
    if (range.lower) {
      HONE_TRY(const Value given, m_values.whole(*range.lower, before));
      lower = cast(given, k_position);
    }
    HONE_TRY(const Value upper, m_values.whole(*range.upper, before));
    return std::pair(lower, cast(upper, k_position));
  }

  // The loops of a sum around what one term does.
  Result<Block> terms(const kernel::Expr& reduce, const Value& place)
  {
    HONE_TRY(Block inner, term(reduce, place));
    for (auto range = reduce.ranges.rbegin(); range != reduce.ranges.rend(); ++range) {
      Block before;
      HONE_TRY(const auto ends, bounds(*range, before));
      const bool innermost = range == reduce.ranges.rbegin();
      Node around = loop(m_values.indices.at(range->name)->text, ends.first, ends.second, integer(1), Axis::serial,
                         std::move(inner));
      if (innermost && !m_options.unroll_k.empty()) {
        around.unroll = m_options.unroll_k;
      }
      before.push_back(std::move(around));
      inner = std::move(before);
    }
    return inner;
  }

  // Loads that no condition guards are shared: those of columns by all rows, those of rows by all columns.
  Result<Block> term(const kernel::Expr& reduce, const Value& place)
  {
    const kernel::Expr* condition = reduce.args.size() > 1 ? reduce.args[1].get() : nullptr;
    const bool by_row = condition != nullptr && of_rows(*condition);
    const bool by_column = condition != nullptr && of_columns(*condition);
    if (by_column && !m_options.lanes.empty()) {
      return fail("a condition (where) that differs from column to column has no vector form");
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
    HONE_TRY(const Value body,
             whole ? m_values.whole(*reduce.args[0], inside) : m_values.value(*reduce.args[0], inside));
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

  std::vector<Operand> operands_of(const kernel::Expr& reduce) const
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

  // --- blocks in local memory ---

  // Operands of the only sum that name its index and rows or columns, but not both.
  Result<void> choose_staging()
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
      operand.along_k = operand.rows && !m_options.transposed;
      const std::string elements = operand.rows ? product({m_options.group_m, m_options.tile_m})
                                                : product({m_options.group_n, m_options.tile_n, m_options.lanes});
      const std::string row = operand.along_k ? m_options.slice_k : elements;
      operand.row_elements = m_options.pad.empty() ? row : fmt::format("({} + {})", row, m_options.pad);
      const std::string all = product(
        {m_options.overlapped ? "2" : "1", operand.along_k ? elements : m_options.slice_k, operand.row_elements});
      m_out.function.locals.push_back({operand.block, m_values.number_type().element, all});
      m_out.local_bytes.push_back(fmt::format("{} * {}", all, kernel::size_of(m_values.number_type().element)));
      m_out.staged.push_back(load->name);
      m_staged.push_back(std::move(operand));
    }
    if (!std::ranges::any_of(m_staged, &Operand::columns)) {
      return fail("no operand is used by several rows");
    }
    return {};
  }

  Value block_size(const Operand& operand) const
  {
    const Value elements = operand.rows ? parameter(m_options.group_m) * parameter(m_options.tile_m)
                                        : parameter(m_options.group_n) * parameter(m_options.tile_n) * width();
    return (operand.along_k ? elements : parameter(m_options.slice_k)) * name(operand.row_elements);
  }

  Value place_in_block(const Operand& operand, const Value& element, const Value& slice_term) const
  {
    const Value row = name(operand.row_elements);
    const Value at = operand.along_k ? element * row + slice_term : slice_term * row + element;
    return m_options.overlapped ? name(m_buffer_name) * block_size(operand) + at : at;
  }

  Result<Value> loaded_operand(const Operand& operand, Block& before)
  {
    if (operand.block.empty()) {
      return m_values.value(*operand.load, before);
    }
    const Value at = place_in_block(operand, operand.rows ? row_in_tile() : column_in_tile(), name(m_slice_term));
    const Type type = operand.rows ? m_values.number_type() : number_type();
    return load(operand.block, Scope::local, type.element, at, type);
  }

  // All items of the group fill a block together, neighbours with what lies side by side in memory.
  Result<Block> fill(const Operand& operand, const kernel::IndexRange& k, const Value& first, const Value& end,
                     const Value& buffer)
  {
    const bool rows = operand.rows;
    const kernel::IndexRange& along = rows ? *m_rows : *m_columns;
    const Value elements = rows ? parameter(m_options.group_m) * parameter(m_options.tile_m)
                                : parameter(m_options.group_n) * parameter(m_options.tile_n) * width();
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
    Value at = operand.along_k ? element * row + slice_term : slice_term * row + element;
    if (m_options.overlapped) {
      at = buffer * block_size(operand) + at;
    }
    body.push_back(store(operand.block, Scope::local, m_values.number_type().element, at, value));
    const Value items = parameter(m_options.group_m) * parameter(m_options.group_n);
    const Value item = m_item_y * parameter(m_options.group_n) + m_item_x;
    return Block{loop(number->text, item, elements * slice, items, Axis::serial, std::move(body))};
  }

  Result<Block> fill_all(const kernel::IndexRange& k, const Value& first, const Value& end, const Value& buffer)
  {
    Block out;
    for (const Operand& operand : m_staged) {
      HONE_TRY(Block one, fill(operand, k, first, end, buffer));
      append(out, std::move(one));
    }
    return out;
  }

  // Slice by slice: load, wait, add, wait. With two blocks the next slice is loaded while this one is added.
  Result<Block> slices(const kernel::Expr& reduce, const Value& place)
  {
    const kernel::IndexRange& k = reduce.ranges.back();
    const Value first = name(m_values.fresh("first_term"), k_position);
    m_slice_term = m_values.fresh("slice_term");
    m_buffer_name = m_values.fresh("buffer");
    Block before;
    HONE_TRY(const auto ends, bounds(k, before));
    const auto [lower, upper] = ends;
    const Value slice = parameter(m_options.slice_k);

    const Value restore = m_values.indices.at(k.name);
    m_values.indices[k.name] = first + name(m_slice_term);
    HONE_TRY(Block inner, term(reduce, place));
    m_values.indices[k.name] = restore;
    const Value count = name(m_values.fresh("terms_here"));
    Node adds = loop(m_slice_term, integer(0), count, integer(1), Axis::serial, std::move(inner));
    adds.unroll = m_options.unroll_k;

    Block body;
    if (m_options.overlapped) {
      const Value buffer = name(m_buffer_name);
      HONE_TRY(Block begin, fill_all(k, lower, upper, integer(0)));
      before.push_back(guard(below(lower, upper), std::move(begin)));
      body.push_back(define(m_buffer_name, cast((first - lower) / slice % integer(2), k_int)));
      body.push_back(barrier());
      HONE_TRY(Block next, fill_all(k, first + slice, upper, integer(1) - buffer));
      body.push_back(guard(below(first + slice, upper), std::move(next)));
    } else {
      HONE_TRY(body, fill_all(k, first, upper, integer(0)));
      body.push_back(barrier());
    }
    body.push_back(define(count->text, cast(smaller(upper - first, cast(slice, k_position)), k_int)));
    body.push_back(std::move(adds));
    if (!m_options.overlapped) {
      body.push_back(barrier());
    }
    before.push_back(loop(first->text, lower, upper, slice, Axis::serial, std::move(body)));
    for (std::size_t r = reduce.ranges.size() - 1; r-- > 0;) {
      const kernel::IndexRange& range = reduce.ranges[r];
      Block around;
      HONE_TRY(const auto outer, bounds(range, around));
      if (m_options.overlapped) { // the next round's first slice goes where this one's last may still be read
        before.push_back(barrier());
      }
      around.push_back(loop(m_values.indices.at(range.name)->text, outer.first, outer.second, integer(1), Axis::serial,
                            std::move(before)));
      before = std::move(around);
    }
    return before;
  }

  // --- results ---

  // The value with sums in place of reductions, in all lanes or in one.
  Result<Node> stored(const Value& column, const Value& one_lane, Block& before)
  {
    point_at(slot(m_row_array, k_position, true, false), column);
    const auto restore = m_values.known;
    for (const auto& [text, sum] : m_sums) {
      m_values.known[text] = one_lane ? lane(sum, one_lane) : sum;
    }
    std::vector<Value> places;
    for (const kernel::IndexRange& index : m_source.indices) {
      places.push_back(m_values.indices.at(index.name));
    }
    HONE_TRY(const Value at, m_values.position(m_source.target, places));
    m_values.lanes = one_lane ? "" : m_options.lanes;
    Result<Node> out = m_values.store(m_source.target, m_source.type, at, *m_source.value, before);
    m_values.lanes.clear();
    m_values.known = restore;
    return out;
  }

  Result<void> store_tile(Block& main, const Value& rows, const Value& columns)
  {
    const Value column = slot(m_column_array, k_position, false, true);
    Block tile;
    if (m_options.lanes.empty()) {
      HONE_TRY(const Node one, stored(column, nullptr, tile));
      tile.push_back(one);
      tile = {guard(below(wanted_column(), columns), std::move(tile))};
    } else {
      Block whole, partial;
      HONE_TRY(const Node all_lanes, stored(column, nullptr, whole));
      whole.push_back(all_lanes);
      const Value number = name(m_values.fresh("lane"));
      const Value here = name(m_values.fresh("column_here"), k_position);
      HONE_TRY(const Node one_lane, stored(here, number, partial));
      partial.push_back(one_lane);
      const Value inside = both(binary(">=", here, wanted_column()), below(here, columns));
      partial = {loop(number->text, integer(0), width(), integer(1), Axis::unrolled,
                      {define(here->text, column + number), guard(inside, std::move(partial))})};
      const Value fits = binary("<=", wanted_column() + width(), columns);
      tile = {guard(fits, std::move(whole), std::move(partial))};
    }
    tile = each_vector(std::move(tile));
    if (m_rows != nullptr) {
      tile = {guard(below(wanted_row(), rows), std::move(tile))};
    }
    append(main, each_row(std::move(tile)));
    return {};
  }

  // Element by element.
  Result<Block> plain_tile(const Value& rows, const Value& columns)
  {
    const Value row = name(m_values.fresh("row_here"), k_position);
    const Value column = name(m_values.fresh("column_here"), k_position);
    point_at(row, column);
    std::vector<Value> places;
    for (const kernel::IndexRange& index : m_source.indices) {
      places.push_back(m_values.indices.at(index.name));
    }
    HONE_TRY(const Value at, m_values.position(m_source.target, places));
    Block body;
    HONE_TRY(const Node one, m_values.store(m_source.target, m_source.type, at, *m_source.value, body));
    body.push_back(one);
    // One group of items has them all.
    Block out = {loop(column->text, cast(m_item_x, k_position), columns, parameter(m_options.group_n), Axis::serial,
                      std::move(body))};
    if (m_rows != nullptr) {
      const Value last = m_first_row + parameter(m_options.group_m) * parameter(m_options.tile_m);
      out = {loop(row->text, m_first_row + m_item_y, smaller(last, rows), parameter(m_options.group_m), Axis::serial,
                  std::move(out))};
    }
    return out;
  }

  const kernel::Kernel& m_kernel;
  const Dialect& m_dialect;
  const kernel::Statement& m_source;
  TileOptions m_options;
  ExpressionValues m_values;
  ExpressionText m_text;
  std::vector<const kernel::Expr*> m_reductions;
  TiledStatement m_out;
  const kernel::IndexRange *m_columns = nullptr, *m_rows = nullptr;
  std::string m_column_extent, m_row_extent;
  std::vector<const kernel::IndexRange*> m_others;
  std::vector<std::string> m_other_extents;
  Value m_item_x, m_item_y, m_first_row, m_first_column;
  std::string m_row_name, m_vector_name, m_row_array, m_column_array, m_slice_term, m_buffer_name;
  std::vector<Operand> m_staged;
  std::vector<std::pair<std::string, Value>> m_sums; // by the text of the reduction
};

} // namespace

Result<TiledStatement> tile_statement(const kernel::Kernel& kernel, const Dialect& dialect,
                                      const kernel::Statement& source, const TileOptions& options)
{
  return TileFunction(kernel, dialect, source, options).build();
}

} // namespace hone::lower::device
