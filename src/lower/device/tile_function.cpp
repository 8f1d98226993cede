#include "lower/candidate_text.h"
#include "lower/device/reductions.h"
#include "lower/device/spelling.h"
#include "lower/device/tile_writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::lower::device {

Result<TiledStatement> TileFunction::build()
{
  if (m_options.matrix) {
    HONE_CHECK(choose_matrix_instruction());
  }
  HONE_CHECK(choose_axes());
  HONE_TRY(Block body, whole_body());
  m_out.function.items = {pipelined() ? items_of_pipeline() : m_options.group_n, m_options.group_m, "1"};
  m_out.function.body = std::move(body);
  return std::move(m_out);
}

Result<void> TileFunction::choose_axes()
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
  const std::string columns = product(column_factors()), rows = product(row_factors());
  const auto groups = [](const std::string& extent, const std::string& of_group) {
    return of_group == "1" ? extent : fmt::format("ceil_div({}, {})", extent, of_group);
  };
  if (clustered()) {
    m_out.cluster = {m_options.cluster};
  }
  const std::string across = groups(m_column_extent, columns);
  m_out.grid = {clustered() ? fmt::format("ceil_div({0}, {1}) * {1}", across, m_options.cluster) : across,
                m_rows != nullptr ? groups(m_row_extent, rows) : "1",
                m_others.empty() ? "1" : join(m_other_extents, " * ")};
  while (m_out.grid.back() == "1" && m_out.grid.size() > 1) {
    m_out.grid.pop_back();
  }
  return {};
}

std::vector<std::string> TileFunction::row_factors() const
{
  return m_matrix != nullptr
           ? std::vector<std::string>{std::to_string(m_matrix->rows), m_options.warps_m, m_options.fragments_m}
           : std::vector<std::string>{m_options.group_m, m_options.tile_m};
}

std::vector<std::string> TileFunction::column_factors() const
{
  return m_matrix != nullptr
           ? std::vector<std::string>{std::to_string(m_matrix->columns), m_options.warps_n, m_options.fragments_n}
           : std::vector<std::string>{m_options.group_n, m_options.tile_n, m_options.lanes};
}

Value TileFunction::product_of(const std::vector<std::string>& factors)
{
  Value out = integer(1);
  for (const std::string& factor : factors) {
    out = out * (factor.empty() ? integer(1) : parameter(factor));
  }
  return out;
}

Value TileFunction::row_in_tile() const
{
  if (m_matrix == nullptr) {
    return m_item_y * parameter(m_options.tile_m) + row_number();
  }
  const Value each = integer(m_matrix->of_rows);
  return m_item_row + row_number() / each * integer(fragment_rows())
         + row_number() % each * integer(m_matrix->row_step);
}

Value TileFunction::column_in_tile() const
{
  return m_matrix == nullptr ? (vector_number() * parameter(m_options.group_n) + m_item_x) * width()
                             : m_item_column + vector_number() * integer(m_matrix->columns);
}

const kernel::IndexRange* TileFunction::rows_of_most_use() const
{
  const kernel::IndexRange* best = nullptr;
  std::size_t most = 0;
  for (std::size_t d = m_source.indices.size() - 1; d-- > 0;) {
    std::size_t apart = 0;
    for (const kernel::Expr* reduce : m_reductions) {
      for (const kernel::ExprPtr& load : loads_of(*reduce)) {
        apart += of_columns(*load) && !kernel::names_anywhere(*load, m_source.indices[d].name) ? 1 : 0;
      }
    }
    if (best == nullptr || apart > most) {
      best = &m_source.indices[d];
      most = apart;
    }
  }
  return best;
}

bool TileFunction::of_rows(const kernel::Expr& expression) const
{
  return m_rows != nullptr && kernel::names_anywhere(expression, m_rows->name);
}

Block TileFunction::each(const std::string& name_of_loop, const std::string& count, Block body) const
{
  return count == "1"
           ? std::move(body)
           : Block{loop(name_of_loop, integer(0), parameter(count), integer(1), Axis::unrolled, std::move(body))};
}

Type TileFunction::sum_type(const kernel::Expr& reduce) const
{
  return m_matrix != nullptr             ? with_lanes(scalar(m_matrix->sum), m_options.lanes)
         : kernel::is_float(reduce.type) ? number_type()
                                         : with_lanes(k_position, m_options.lanes);
}

Value TileFunction::slot(const std::string& called, const Type& type, bool rows, bool vectors) const
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

Block TileFunction::set_slots(const std::string& called, bool rows, bool vectors, Value value, bool constant) const
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

void TileFunction::point_at(Value row, Value column)
{
  if (m_rows != nullptr) {
    m_values.indices[m_rows->name] = std::move(row);
  }
  m_values.indices[m_columns->name] = std::move(column);
}

void TileFunction::point_at_tile()
{
  point_at(slot(m_row_array, k_position, true, false), slot(m_column_array, k_position, false, true));
}

Result<Block> TileFunction::whole_body()
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
  append(body, define_fragments());
  HONE_TRY(const Value columns, extent_of(*m_columns));
  HONE_TRY(const Value rows, m_rows != nullptr ? extent_of(*m_rows) : Result<Value>(integer(1)));
  if (!m_options.unit_groups.empty()) {
    for (const char* axis : {"tile_x", "tile_y", "tile_z"}) {
      m_of_tile[static_cast<std::size_t>(axis[5] - 'x')] = name(m_values.fresh(axis));
    }
    m_tile = name(m_values.fresh("tile"));
  }
  HONE_TRY(Block of_tile, tile_body(columns, rows));
  if (pipelined()) {
    append(body, begin_pipeline());
  }
  append(body, begin_tensor_stores());
  if (m_tile) {
    HONE_TRY(of_tile, tile_loop(columns, rows, std::move(of_tile)));
  }
  append(body, std::move(of_tile));
  append(body, end_tensor_stores());
  if (clustered()) { // others use this group's memory until they are done too
    body.push_back(barrier_of_all());
  }
  return body;
}

Result<Block> TileFunction::tile_loop(const Value& columns, const Value& rows, Block tile_body)
{
  if (spelling_of(m_dialect).groups[0].empty()) {
    return fail(fmt::format("{} does not say how many groups there are", m_dialect.name));
  }
  const auto count = [&](const Value& extent, const Value& of_tile) {
    return is_number(of_tile, 1) ? cast(extent, k_int) : cast((extent + of_tile - integer(1)) / of_tile, k_int);
  };
  Value others = integer(1);
  for (const kernel::IndexRange* other : m_others) {
    HONE_TRY(const Value extent, extent_of(*other));
    others = others * cast(extent, k_int);
  }
  Block out;
  const Value across = name(m_values.fresh("tiles_across")), down = name(m_values.fresh("tiles_down"));
  out.push_back(define(across->text, count(columns, tile_columns() * cluster()))); // clusters, where there are any
  out.push_back(define(down->text, m_rows == nullptr ? integer(1) : count(rows, tile_rows())));
  Block body = {
    define(m_of_tile[0]->text, clustered() ? m_tile % across * cluster() + rank_in_cluster() : m_tile % across),
    define(m_of_tile[1]->text, m_tile / across % down), define(m_of_tile[2]->text, m_tile / (across * down))};
  if (staging() && !pipelined()) {
    // The first slice goes where the last tile's may still be read. At the loop's end the same barrier makes PoCL 3.1
    // compile a wrong program.
    body.push_back(barrier());
  }
  append(body, std::move(tile_body));
  out.push_back(loop(m_tile->text, group_id(0) / cluster(), across * down * others, group_count(0) / cluster(),
                     Axis::serial, std::move(body)));
  const std::string all = fmt::format("min({} * device.units, {})", m_options.unit_groups, join(m_out.grid, " * "));
  m_out.grid = {clustered() ? fmt::format("ceil_div({0}, {1}) * {1}", all, m_options.cluster) : all};
  return out;
}

Result<Block> TileFunction::tile_body(const Value& columns, const Value& rows)
{
  Block body;
  const auto [group_x, group_y] = groups(body, columns, rows);
  m_first_column = name(m_values.fresh("first_column"), k_position);
  body.push_back(define(m_first_column->text, cast(group_x, k_position) * tile_columns()));
  if (m_rows != nullptr) {
    m_first_row = name(m_values.fresh("first_row"), k_position);
    body.push_back(define(m_first_row->text, cast(group_y, k_position) * tile_rows()));
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
  if (pipelined()) {
    HONE_TRY(Block producers, produce(m_reductions.front()->ranges.back()));
    main = {guard(below(m_item_x, consumers()), std::move(main), std::move(producers))};
  }
  if (m_options.lanes.empty() || staging()) {
    append(body, std::move(main));
    return body;
  }
  // Fewer columns than a vector has: plain code, so that no vector reads beyond a row.
  HONE_TRY(Block plain, plain_tile(rows, columns));
  body.push_back(guard(below(columns, width()), std::move(plain), std::move(main)));
  return body;
}

Result<Value> TileFunction::extent_of(const kernel::IndexRange& index)
{
  Block none;
  HONE_TRY(Value upper, m_values.whole(*index.upper, none));
  return cast(std::move(upper), k_position);
}

std::pair<Value, Value> TileFunction::groups(Block& body, const Value& columns, const Value& rows)
{
  if (m_options.group_rows.empty() || m_rows == nullptr) {
    return {group(0), group(1)};
  }
  const auto count = [&](const Value& extent, const Value& tile) {
    return cast((extent + tile - integer(1)) / tile, k_int);
  };
  const Value across = name(m_values.fresh("groups_across")), down = name(m_values.fresh("groups_down"));
  body.push_back(define(across->text, count(columns, tile_columns() * cluster()))); // clusters, where there are any
  body.push_back(define(down->text, count(rows, tile_rows())));
  const Value number = name(m_values.fresh("group_number")), band = name(m_values.fresh("band"));
  body.push_back(define(number->text, group(1) * across + group(0) / cluster()));
  const Value band_groups = parameter(m_options.group_rows) * across;
  body.push_back(define(band->text, number / band_groups));
  const Value first = band * parameter(m_options.group_rows);
  const Value height = name(m_values.fresh("band_rows"));
  body.push_back(define(height->text, smaller(down - first, parameter(m_options.group_rows))));
  const Value within = name(m_values.fresh("within"));
  body.push_back(define(within->text, number - band * band_groups));
  const Value x = name(m_values.fresh("group_x")), y = name(m_values.fresh("group_y"));
  body.push_back(define(x->text, clustered() ? within / height * cluster() + rank_in_cluster() : within / height));
  body.push_back(define(y->text, first + within % height));
  return {x, y};
}

Result<void> TileFunction::decode_others(Block& body)
{
  Value rest = cast(group(2), k_position);
  for (std::size_t d = m_others.size(); d-- > 0;) {
    HONE_TRY(const Value extent, extent_of(*m_others[d]));
    const std::string variable = m_values.indices.at(m_others[d]->name)->text;
    body.push_back(define(variable, d == 0 ? rest : rest % extent));
    rest = rest / extent;
  }
  return {};
}

void TileFunction::define_places(Block& main, const Value& rows, const Value& columns)
{
  if (m_rows != nullptr) {
    append(main, set_slots(m_row_array, true, false, smaller(wanted_row(), rows - integer(1)), true));
  }
  const Value inside = staging() ? wanted_column() : smaller(wanted_column(), columns - width());
  append(main, set_slots(m_column_array, false, true, inside, true));
}

Result<Node> TileFunction::stored(const Value& column, const Value& one_lane, Block& before)
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
  if (m_matrix != nullptr && !kernel::is_float(m_matrix->sum)) { // a whole sum is stored as it is
    const Value sum = m_values.known.at(m_sums.front().first);
    m_values.known = restore;
    return device::store(m_source.target, Scope::global, m_source.type, at, sum);
  }
  m_values.lanes = one_lane ? "" : m_options.lanes;
  Result<Node> out = m_values.store(m_source.target, m_source.type, at, *m_source.value, before);
  m_values.lanes.clear();
  m_values.known = restore;
  return out;
}

Result<void> TileFunction::store_tile(Block& main, const Value& rows, const Value& columns)
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
  tile = each_row(std::move(tile));
  if (stores_boxes()) {
    HONE_TRY(Block boxes, store_boxes(columns));
    tile = {guard(m_stores_boxes, std::move(boxes), std::move(tile))};
  }
  append(main, std::move(tile));
  return {};
}

Result<Block> TileFunction::plain_tile(const Value& rows, const Value& columns)
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
    const Value last = m_first_row + tile_rows();
    out = {loop(row->text, m_first_row + m_item_y, smaller(last, rows), parameter(m_options.group_m), Axis::serial,
                std::move(out))};
  }
  return out;
}

Result<TiledStatement> tile_statement(const kernel::Kernel& kernel, const Dialect& dialect,
                                      const kernel::Statement& source, const TileOptions& options)
{
  return TileFunction(kernel, dialect, source, options).build();
}

} // namespace hone::lower::device
