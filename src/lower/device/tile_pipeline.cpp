// A pipeline of stages between warps that bring boxes of operands and warps that multiply them. Two barriers in local
// memory for each stage say that it is full, and that it is empty again.
#include "lower/device/tile_writer.h"

#include <fmt/format.h>

namespace hone::lower::device {

namespace {

constexpr int k_producers = 128;
constexpr int k_line_bytes = 128; // of a swizzled line

int line_elements(const Operand& operand)
{
  return k_line_bytes / static_cast<int>(kernel::size_of(operand.type));
}

} // namespace

Result<void> TileFunction::choose_boxes()
{
  if (m_reductions.front()->ranges.size() != 1) {
    return fail("tensor copies are for a sum over one index");
  }
  const kernel::IndexRange& k = m_reductions.front()->ranges.back();
  for (const Operand& operand : m_staged) {
    const auto argument = std::ranges::find(m_kernel.arguments, operand.load->name, &kernel::Argument::name);
    const bool plain = std::ranges::all_of(
      operand.load->args, [](const kernel::ExprPtr& subscript) { return subscript->kind == kernel::ExprKind::index; });
    if (argument == m_kernel.arguments.end() || !plain || operand.load->args.size() < 2
        || operand.load->args.size() > 4) {
      return fail(fmt::format("{} has no tensor map here: it must be an argument with two to four plain subscripts",
                              operand.load->name));
    }
    MapText map{m_values.fresh("map_" + operand.load->name), operand.load->name, {}, {}, 128};
    for (std::size_t d = operand.load->args.size(); d-- > 0;) {
      const std::string& index = operand.load->args[d]->name;
      HONE_TRY(std::string size, m_text.integer_text(*argument->shape[d]));
      map.sizes.push_back(std::move(size));
      // Boxes bring whole slices: terms behind the range's end must lie outside of the tensor, where they are 0.
      const bool whole = !k.lower && kernel::to_text(*k.upper) == kernel::to_text(*argument->shape[d]);
      if (index == k.name && !whole) {
        return fail("tensor copies are for sums over all terms of their operands");
      }
      const bool along = m_rows->name == index || m_columns->name == index;
      const std::string part = clustered() && operand.rows ? " / " + m_options.cluster : "";
      map.box.push_back(d + 1 == operand.load->args.size() ? std::to_string(line_elements(operand))
                        : along                            ? elements_text(operand) + part
                        : index == k.name                  ? m_options.slice_k + part
                                                           : "1");
    }
    Block none;
    HONE_TRY(const Value inner, m_values.whole(*argument->shape.back(), none));
    const Value fits =
      binary("==", cast(inner, k_position) % integer(line_elements(operand) / 8), integer(0)); // 16 bytes
    m_use_tma_value = m_use_tma_value ? both(m_use_tma_value, fits) : fits;
    m_maps.push_back(map.name);
    m_out.function.maps.push_back(map.name);
    m_out.maps.push_back(std::move(map));
  }
  m_use_tma = name(m_values.fresh("use_tma"));
  m_barriers = m_values.fresh("barriers");
  m_slice_number = name(m_values.fresh("slice_number"));
  m_out.function.locals.push_back({m_barriers, kernel::DataType::i64, fmt::format("2 * {}", m_options.stages)});
  m_out.local_bytes.push_back(fmt::format("2 * {} * 8", m_options.stages));
  m_first_filler = m_item_x - consumers();
  m_fillers = integer(k_producers);
  return {};
}

Value TileFunction::consumers() const
{
  return parameter(m_options.group_n);
}

std::string TileFunction::items_of_pipeline() const
{
  return fmt::format("({} + {})", m_options.group_n, k_producers);
}

Value TileFunction::barrier_of(const Value& stage, bool empty) const
{
  return address(m_barriers, empty ? parameter(m_options.stages) + stage : stage);
}

// One arrival fills a stage by boxes, one of each producer where they copy by themselves; each warp empties it.
Block TileFunction::begin_pipeline() const
{
  const Value stage = name("stage");
  const Value warps = consumers() / integer(m_matrix->items);
  const Value all_warps = clustered() ? select(m_use_tma, warps * cluster(), warps) : warps;
  Block init = {
    loop(stage->text, integer(0), parameter(m_options.stages), integer(1), Axis::serial,
         {call("hone_mbarrier_init", {barrier_of(stage, false), select(m_use_tma, integer(1), integer(k_producers))}),
          call("hone_mbarrier_init", {barrier_of(stage, true), all_warps})})};
  init.push_back(call("HONE_FENCE_MBARRIER_INIT", {}));
  return {define(m_use_tma->text, m_use_tma_value), guard(binary("==", m_item_x, integer(0)), std::move(init)),
          barrier_of_all(), define(m_slice_number->text, integer(0), false)};
}

// Of the cluster, whose groups use each other's barriers and blocks.
Node TileFunction::barrier_of_all() const
{
  return clustered() ? call("HONE_CLUSTER_BARRIER", {}) : barrier();
}

// Tells those who fill the stage: with boxes for all of the cluster, each of its groups does.
Block TileFunction::empty_stage(const Value& stage) const
{
  const Value own = barrier_of(stage, true);
  Block alone = {call("hone_mbarrier_arrive", {own})};
  if (!clustered()) {
    return alone;
  }
  const Value rank = name("rank");
  return {guard(
    m_use_tma,
    {loop(rank->text, integer(0), cluster(), integer(1), Axis::serial, {call("hone_mbarrier_arrive_at", {own, rank})})},
    std::move(alone))};
}

Value TileFunction::lines_of_box(const Operand& operand) const
{
  return clustered() && operand.rows ? lines_of(operand) / cluster() : lines_of(operand);
}

Result<Block> TileFunction::pipelined_slices(const std::pair<Value, Value>& ends, const Value& first, Block adds)
{
  const Value stages = parameter(m_options.stages), buffer = name(m_buffer_name);
  Block body = {define(m_buffer_name, m_slice_number % stages),
                call("hone_mbarrier_wait", {barrier_of(buffer, false), m_slice_number / stages % integer(2)})};
  append(body, std::move(adds));
  body.push_back(guard(binary("==", m_item_x % integer(m_matrix->items), integer(0)), empty_stage(buffer)));
  body.push_back(assign(m_slice_number, m_slice_number + integer(1)));
  return Block{loop(first->text, ends.first, ends.second, parameter(m_options.slice_k), Axis::serial, std::move(body))};
}

// Boxes of 128 bytes along the lines, one after the other.
Block TileFunction::copy_boxes(const Value& first, const Value& buffer)
{
  Block out;
  Value bytes = integer(0);
  for (const Operand& operand : m_staged) {
    bytes = bytes + block_size(operand) * integer(static_cast<int>(kernel::size_of(operand.type)));
  }
  out.push_back(call("hone_mbarrier_expect_tx", {barrier_of(buffer, false), bytes}));
  for (std::size_t i = 0; i < m_staged.size(); ++i) {
    const Operand& operand = m_staged[i];
    const Value box = name(m_values.fresh("box"));
    const bool shared = clustered() && operand.rows;
    const Value first_line = shared ? rank_in_cluster() * lines_of_box(operand) : integer(0);
    std::vector<Value> arguments = {
      address(operand.block,
              buffer * block_size(operand) + (box * lines_of(operand) + first_line) * integer(line_elements(operand))),
      name(m_maps[i])};
    for (std::size_t d = operand.load->args.size(); d-- > 0;) {
      const std::string& index = operand.load->args[d]->name;
      const Value at = index == m_rows->name                               ? m_first_row
                       : index == m_columns->name                          ? m_first_column
                       : index == m_reductions.front()->ranges.back().name ? first
                                                                           : m_values.indices.at(index);
      const bool innermost = d + 1 == operand.load->args.size();
      const bool of_lines = index == (operand.along_k ? m_rows->name : m_reductions.front()->ranges.back().name);
      arguments.push_back(cast(innermost            ? at + box * integer(line_elements(operand))
                               : shared && of_lines ? at + first_line
                                                    : at,
                               k_int));
    }
    arguments.push_back(barrier_of(buffer, false));
    const std::string copy = fmt::format("hone_tma_{}_{}", shared ? "multicast" : "load", operand.load->args.size());
    if (shared) {
      arguments.push_back(cluster());
    }
    out.push_back(loop(box->text, integer(0), line_length(operand) / integer(line_elements(operand)), integer(1),
                       Axis::serial, {call(copy, std::move(arguments))}));
  }
  return out;
}

Result<Block> TileFunction::produce(const kernel::IndexRange& k)
{
  Block out;
  HONE_TRY(const auto ends, m_values.bounds(k, out));
  Block acquire;
  for (const std::string& map : m_maps) {
    acquire.push_back(call("HONE_FENCE_TENSORMAP", {name(map)}));
  }
  out.push_back(guard(both(m_use_tma, binary("==", m_item_x, consumers())), std::move(acquire)));
  const Value first = name(m_values.fresh("first_term"), k_position);
  const Value stages = parameter(m_options.stages), buffer = name(m_buffer_name);
  Block body = {define(m_buffer_name, m_slice_number % stages)};
  body.push_back(guard(binary(">=", m_slice_number, stages),
                       {call(clustered() ? "hone_mbarrier_wait_in_cluster" : "hone_mbarrier_wait",
                             {barrier_of(buffer, true), (m_slice_number / stages + integer(1)) % integer(2)})}));
  HONE_TRY(Block copies, fill_all(k, first, ends.second, buffer));
  copies.push_back(call("HONE_FENCE_ASYNC_PROXY", {}));
  copies.push_back(call("hone_mbarrier_arrive", {barrier_of(buffer, false)}));
  Block boxes = {guard(binary("==", m_item_x, consumers()), copy_boxes(first, buffer))};
  body.push_back(guard(m_use_tma, std::move(boxes), std::move(copies)));
  body.push_back(assign(m_slice_number, m_slice_number + integer(1)));
  out.push_back(
    loop(first->text, ends.first, ends.second, parameter(m_options.slice_k), Axis::serial, std::move(body)));
  return out;
}

} // namespace hone::lower::device
