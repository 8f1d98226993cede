// Finished tiles go through a block in local memory, and from there to the output as boxes of a tensor map: one item
// stores what all of them have computed, and what lies beyond the edge is left out by the device.
#include "lower/device/tile_writer.h"

#include <fmt/format.h>

namespace hone::lower::device {

namespace {

int stored_line(const kernel::Statement& source)
{
  return 128 / static_cast<int>(kernel::size_of(source.type)); // elements that a swizzle moves about in
}

} // namespace

Result<void> TileFunction::choose_stored_box()
{
  const auto argument = std::ranges::find(m_kernel.arguments, m_source.target, &kernel::Argument::name);
  if (argument == m_kernel.arguments.end() || m_source.indices.size() < 2 || m_source.indices.size() > 4) {
    return fail(
      fmt::format("{} has no tensor map here: it must be an argument with two to four dimensions", m_source.target));
  }
  const bool updates = kernel::any_part(*m_source.value, [&](const kernel::Expr& part) {
    return part.kind == kernel::ExprKind::load && part.name == m_source.target;
  });
  if (updates) {
    return fail(
      fmt::format("{} is read before it is stored, and tensor stores are for what is only stored", m_source.target));
  }
  MapText map{m_values.fresh("map_" + m_source.target), m_source.target, {}, {}, 128};
  for (std::size_t d = m_source.indices.size(); d-- > 0;) {
    HONE_TRY(std::string size, m_text.integer_text(*argument->shape[d]));
    map.sizes.push_back(std::move(size));
    const kernel::IndexRange& index = m_source.indices[d];
    map.box.push_back(&index == m_columns ? std::to_string(stored_line(m_source))
                      : &index == m_rows  ? product(row_factors())
                                          : "1");
  }
  Block none;
  HONE_TRY(const Value inner, m_values.whole(*argument->shape.back(), none));
  m_stores_boxes_value =
    binary("==", cast(inner, k_position) % integer(stored_line(m_source) / 8), integer(0)); // 16 bytes
  m_stores_boxes = name(m_values.fresh("stores_boxes"));
  m_stored_map = map.name;
  m_stored_block = m_values.fresh("block_" + m_source.target);
  const std::string elements = product({product(row_factors()), product(column_factors())});
  m_out.function.locals.push_back({m_stored_block, m_source.type, elements});
  m_out.local_bytes.push_back(fmt::format("{} * {}", elements, kernel::size_of(m_source.type)));
  m_out.function.maps.push_back(map.name);
  m_out.maps.push_back(std::move(map));
  return {};
}

Block TileFunction::begin_tensor_stores() const
{
  if (!stores_boxes()) {
    return {};
  }
  return {
    define(m_stores_boxes->text, m_stores_boxes_value),
    guard(both(m_stores_boxes, first_item()), {call("HONE_FENCE_TENSORMAP", {name(m_stored_map)})}),
  };
}

// The block must stay until the device has read it.
Block TileFunction::end_tensor_stores() const
{
  return stores_boxes() ? Block{guard(both(m_stores_boxes, first_item()), {call("HONE_BULK_WAIT", {})})} : Block{};
}

Value TileFunction::first_item() const
{
  return binary("==", m_item_x, integer(0));
}

// Of those that multiply.
Node TileFunction::consumers_barrier() const
{
  return pipelined() ? call("HONE_BARRIER_OF", {consumers()}) : barrier();
}

Result<Block> TileFunction::store_boxes(const Value& columns)
{
  const Value column = slot(m_column_array, k_position, false, true);
  Block out;
  if (m_tile) { // the last tile's boxes may still be read
    out.push_back(guard(first_item(), {call("HONE_BULK_WAIT_READ", {})}));
    out.push_back(consumers_barrier());
  }
  const std::string layout =
    fmt::format("hone_swizzled<{}, {}>", product(row_factors()), kernel::size_of(m_source.type));
  const Value at = name(m_values.fresh("at_block"));
  Block whole;
  HONE_TRY(Node one, stored(column, nullptr, whole));
  one.text = m_stored_block;
  one.scope = Scope::local;
  one.values[0] = at;
  Node none = one;
  none.values[1] = device::number(0, one.values[1]->type);
  whole.push_back(std::move(one));
  // Rows have a multiple of 16 bytes: a vector lies inside or outside.
  Block tile = each_vector({define(at->text, device::call(layout + "::at", {row_in_tile(), column_in_tile()}, k_int)),
                            guard(below(wanted_column(), columns), std::move(whole), {std::move(none)})});
  append(out, each_row(std::move(tile)));
  out.push_back(call("HONE_FENCE_ASYNC_PROXY", {}));
  out.push_back(consumers_barrier());

  const Value box = name(m_values.fresh("box"));
  const int line = stored_line(m_source);
  std::vector<Value> arguments = {address(m_stored_block, box * (tile_rows() * integer(line))), name(m_stored_map)};
  for (std::size_t d = m_source.indices.size(); d-- > 0;) {
    const kernel::IndexRange& index = m_source.indices[d];
    const Value first = &index == m_columns ? m_first_column + box * integer(line)
                        : &index == m_rows  ? m_first_row
                                            : m_values.indices.at(index.name);
    arguments.push_back(cast(first, k_int));
  }
  const std::string store = fmt::format("hone_tma_store_{}", m_source.indices.size());
  out.push_back(guard(first_item(), {loop(box->text, integer(0), tile_columns() / integer(line), integer(1),
                                          Axis::serial, {call(store, std::move(arguments))}),
                                     call("HONE_BULK_COMMIT", {})}));
  return out;
}

} // namespace hone::lower::device
