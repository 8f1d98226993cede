#include "lower/window_lowering.h"

#include "lower/lanes.h"
#include "lower/tuning_macros.h"
#include "lower/window_matrix.h"
#include "lower/window_packing.h"
#include "lower/window_tile.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace hone::lower {

namespace {

class WindowNest {
public:
  WindowNest(const WindowCode& code, const PackedWindows* packing)
    : m_code(code), m_view(code.view), m_packing(packing), m_channels(code.local("channels")),
      m_vectors(code.local("vectors"))
  {
  }

  Result<ProgramBlock> group(LaunchText& launch)
  {
    HONE_TRY(ProgramBlock body, channels());
    return rows(std::move(body), launch);
  }

  ProgramBlock functions;

private:
  void define(ProgramNode definition, const std::string& purpose)
  {
    functions.push_back(blank_line());
    functions.push_back(comment(purpose));
    functions.push_back(std::move(definition));
  }

  // Where all windows of a column (or channel) lie inside, as the conditions say: "hone_max(0, ...)".
  std::string inside(const std::string& index, bool lower, std::string bound) const
  {
    for (const WindowCondition& condition : m_view.conditions) {
      if (condition.index == index && condition.is_lower() == lower) {
        bound = fmt::format("hone_{}({}, {})", lower ? "max" : "min", m_code.wide(bound),
                            m_code.integer(condition.bound(m_view.ranges)));
      }
    }
    return bound;
  }

  bool has_conditions(const std::string& index) const
  {
    return std::ranges::any_of(m_view.conditions,
                               [&](const WindowCondition& condition) { return condition.index == index; });
  }

  // All columns of a block of channels.
  Result<ProgramBlock> columns()
  {
    HONE_TRY(ProgramBlock tile_body, window_tile(m_code, m_packing, TilePlace::inside));
    const WindowFunction tile = window_function(
      m_code, "compute_tile", fmt::format("int {}, int {}", m_channels, m_vectors), {}, std::move(tile_body));
    define(tile.definition, "Where all of the windows count: the sums stay in registers.");
    HONE_TRY(ProgramBlock edge_body, window_tile(m_code, m_packing, TilePlace::edge));
    const WindowFunction edge = window_function(
      m_code, "compute_edge_tile", fmt::format("int {}, int {}", m_channels, m_vectors), {}, std::move(edge_body));
    define(edge.definition, "At an edge: lanes whose windows lie outside, or that are no columns, do not count.");

    return m_packing != nullptr ? packed_columns(tile, edge) : columns_by_place(tile, edge);
  }

  // Every vector is like any other; the last ones may stick out over the last column.
  ProgramBlock packed_columns(const WindowFunction& tile, const WindowFunction& edge) const
  {
    const std::string& x = m_code.column;
    const std::string lanes = m_code.lanes();
    ProgramBlock last;
    for (int vectors = 1; vectors < k_most_vectors; ++vectors) {
      const std::string fits =
        fmt::format("VECTORS > {0} && {1} + {0} * {2} >= {3}", vectors, x, lanes, m_code.columns);
      last.push_back(braced(fmt::format("{} ({})", vectors == 1 ? "if" : "else if", fits),
                            {edge.call_with(fmt::format("{}, {}", m_channels, vectors))}));
    }
    last.push_back(braced("else", {edge.call_with(m_channels + ", VECTORS")}));
    ProgramBlock body = {guard(fmt::format("{} + VECTORS * {} <= {}", x, lanes, m_code.columns),
                               {tile.call_with(m_channels + ", VECTORS")}),
                         braced("else", std::move(last))};
    const bool joined = !m_code.joined_row.empty();
    return {loop(m_code.counter(), x, joined ? m_code.rows_begin : "0", joined ? m_code.rows_end : m_code.columns,
                 "VECTORS * " + lanes, std::move(body))};
  }

  // Tiles whose windows all count, and vector by vector what is left of them at the edges.
  ProgramBlock columns_by_place(const WindowFunction& tile, const WindowFunction& edge) const
  {
    const std::string begin = m_code.local("inside_begin");
    const std::string end = m_code.local("inside_end");
    const std::string block_at = m_code.local("block");
    const std::string block_end = m_code.local("block_end");
    const std::string step = fmt::format("VECTORS * {}", m_code.lanes());
    const std::string& x = m_code.column;
    const auto fits = [&](const std::string& at, const std::string& width) {
      const std::string columns_fit = fmt::format("{} >= {} && {} + {} <= {}", at, begin, at, width, end);
      return m_channel_condition.empty() ? columns_fit : columns_fit + " && " + m_channel_condition;
    };
    ProgramBlock singles = {guard(fits(x, m_code.lanes()), {tile.call_with(m_channels + ", 1")}),
                            braced("else", {edge.call_with(m_channels + ", 1")})};
    ProgramBlock out = {m_code.constant(begin, inside(m_view.column.name, true, "0")),
                        m_code.constant(end, inside(m_view.column.name, false, m_code.columns))};
    if (!m_channel_condition.empty()) {
      out.push_back(m_code.constant(m_code.local("channels_begin"), inside(m_view.channel.front().name, true, "0")));
      out.push_back(
        m_code.constant(m_code.local("channels_end"), inside(m_view.channel.front().name, false, m_code.channels_end)));
    }
    ProgramBlock whole = {
      guard(fits(block_at, step),
            {m_code.constant(x, block_at), tile.call_with(m_channels + ", VECTORS"), statement("continue;")}),
      m_code.constant(block_end, fmt::format("hone_min({} + {}, {})", block_at, step, m_code.columns)),
      loop(m_code.counter(), x, block_at, block_end, m_code.lanes(), std::move(singles))};
    out.push_back(loop(m_code.counter(), block_at, "0", m_code.columns, step, std::move(whole)));
    return out;
  }

  // Blocks of channels; the last one begins early enough to be whole, where there are enough.
  Result<ProgramBlock> channels()
  {
    const std::string& most = m_code.most_channels;
    if (!m_view.channel.empty() && has_conditions(m_view.channel.front().name)) {
      m_channel_condition = fmt::format("{0} >= {1} && {0} + {3} <= {2}", m_code.channel,
                                        m_code.local("channels_begin"), m_code.local("channels_end"), m_channels);
    }
    HONE_TRY(ProgramBlock row, columns());
    const WindowFunction row_function =
      window_function(m_code, "compute_row", "int " + m_channels, {m_code.column}, std::move(row));
    define(row_function.definition, "The columns of a row, for some channels at a time.");
    if (m_view.channel.empty()) {
      return ProgramBlock{row_function.call_with("1")};
    }
    const std::string& o = m_code.channel;
    const std::string& end = m_code.channels_end;
    const ProgramNode one_by_one = loop(m_code.counter(), o, "0", end, "1", {row_function.call_with("1")});
    if (most == "1") {
      return ProgramBlock{one_by_one};
    }
    const std::string block = m_code.local("channel_block");
    return ProgramBlock{guard(fmt::format("{} >= {}", end, most),
                              {comment("The last block begins early enough to be whole."),
                               loop(m_code.counter(), block, "0", end, most,
                                    {m_code.constant(o, fmt::format("hone_min({}, {} - {})", block, end, most)),
                                     row_function.call_with(most)})}),
                        braced("else", {one_by_one})};
  }

  std::string product(std::size_t from, std::size_t to) const
  {
    std::vector<std::string> parts;
    for (std::size_t d = from; d < to; ++d) {
      parts.push_back(m_code.integer(m_view.outer[d].upper));
    }
    return parts.empty() ? "1" : join(parts, " * ");
  }

  // The first outer indices, from the number of the group in the grid's third dimension.
  ProgramBlock planes(std::size_t count) const
  {
    ProgramBlock block;
    for (std::size_t d = 0; d < count; ++d) {
      const std::string below = product(d + 1, count);
      std::string value = below == "1" ? "group->id[2]" : fmt::format("group->id[2] / ({})", below);
      value += d > 0 ? " % " + m_code.integer(m_view.outer[d].upper) : "";
      block.push_back(m_code.constant(m_code.variables.at(m_view.outer[d].name), value));
    }
    return block;
  }

  // Blocks of numbered pixels are the grid's first dimension.
  Result<ProgramBlock> pixels(ProgramBlock body, LaunchText& launch)
  {
    launch.grid = {fmt::format("ceil_div({}, {})", m_code.columns, m_code.rows)};
    if (!m_view.outer.empty()) {
      launch.grid.insert(launch.grid.end(), {"1", product(0, m_view.outer.size())});
    }
    ProgramBlock block = planes(m_view.outer.size());
    block.push_back(m_code.constant(m_code.rows_begin, "group->id[0] * " + m_code.rows));
    block.push_back(m_code.constant(
      m_code.rows_end, fmt::format("hone_min({} + {}, {})", m_code.rows_begin, m_code.rows, m_code.columns)));
    HONE_TRY(ProgramBlock copied, copy(launch));
    append(block, std::move(copied));
    append(block, std::move(body));
    return block;
  }

  // The last of the outer indices is the grid's first dimension, in blocks; all others are its third.
  Result<ProgramBlock> rows(ProgramBlock body, LaunchText& launch)
  {
    if (!m_code.joined_row.empty()) {
      return pixels(std::move(body), launch);
    }
    launch.grid = {"1"};
    HONE_TRY(ProgramBlock copied, copy(launch));
    if (m_view.outer.empty()) {
      append(copied, std::move(body));
      return copied;
    }
    const std::size_t last = m_view.outer.size() - 1;
    ProgramBlock block;
    append(block, planes(last));
    const std::string& y = m_code.variables.at(m_view.outer[last].name);
    const std::string extent = m_code.integer(m_view.outer[last].upper);
    launch.grid = {m_code.rows.empty() ? extent : fmt::format("ceil_div({}, {})", extent, m_code.rows)};
    if (last > 0) {
      launch.grid.insert(launch.grid.end(), {"1", product(0, last)});
    }
    if (m_code.rows.empty()) {
      block.push_back(m_code.constant(y, "group->id[0]"));
      append(block, copied);
      append(block, std::move(body));
      return block;
    }
    block.push_back(m_code.constant(m_code.rows_begin, "group->id[0] * " + m_code.rows));
    block.push_back(
      m_code.constant(m_code.rows_end, fmt::format("hone_min({} + {}, {})", m_code.rows_begin, m_code.rows, extent)));
    append(block, copied);
    block.push_back(loop(m_code.counter(), y, m_code.rows_begin, m_code.rows_end, "1", std::move(body)));
    return block;
  }

  // What the group reads of the tensor, copied ahead of its rows.
  Result<ProgramBlock> copy(LaunchText& launch)
  {
    if (m_packing == nullptr) {
      return ProgramBlock{};
    }
    HONE_TRY(const WindowFunction function, m_packing->copy());
    define(function.definition, "The part of the input that the group's windows cover, with its border.");
    launch.shared = m_packing->shared_bytes();
    return ProgramBlock{m_packing->declaration(), m_code.constant(m_code.length, m_packing->length()),
                        function.call_with(m_packing->name)};
  }

  const WindowCode& m_code;
  const WindowView& m_view;
  const PackedWindows* m_packing;
  std::string m_channels, m_vectors; // parameters: how many a tile has
  std::string m_channel_condition;
};

// The copy that the schedule asks for; null for none.
Result<std::unique_ptr<PackedWindows>> packed_windows(const WindowCode& code, const WindowView& by_rows)
{
  if (code.schedule.is_packed(Dimension::k)) {
    HONE_TRY(WindowMatrix matrix, WindowMatrix::create(code, by_rows));
    return std::make_unique<WindowMatrix>(std::move(matrix));
  }
  if (code.schedule.is_packed(Dimension::n)) {
    HONE_TRY(WindowPacking packing, WindowPacking::create(code));
    return std::make_unique<WindowPacking>(std::move(packing));
  }
  return nullptr;
}

} // namespace

Result<LoweredProgram> lower_windows(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect)
{
  HONE_TRY(const WindowView by_rows, window_view(kernel));
  const bool joined = schedule.is_packed(Dimension::k);
  WindowView view = by_rows;
  if (joined) {
    HONE_TRY(view, joined_rows(kernel, by_rows));
  }
  WindowCode code(kernel, schedule, dialect, std::move(view), joined);
  HONE_TRY(const std::unique_ptr<PackedWindows> packing, packed_windows(code, by_rows));
  if (packing) {
    code.extras.push_back({packing->name, fmt::format("const {}* {}", code.number(), packing->name)});
  }
  LoweredProgram out;
  LaunchText launch;
  launch.kernel = c_name(kernel.name);
  WindowNest nest(code, packing.get());
  HONE_TRY(ProgramBlock body, nest.group(launch));
  const std::vector<ParameterText> parameters = parameters_for(kernel, dialect, print(body));
  launch.args = names(parameters);
  out.device = {statement("#include \"hone_window.h\"")};
  append(out.device, std::move(nest.functions));
  out.device.push_back(blank_line());
  out.device.push_back(comment(joined              ? "One work-group per block of pixels of the output."
                               : code.rows.empty() ? "One work-group per row of the output."
                                                   : "One work-group per block of rows of the output."));
  out.device.push_back(function(entry_head(dialect, launch.kernel, parameters), std::move(body)));
  out.macros = tuning_macros(schedule);
  out.plan.tuning = schedule.tuning;
  out.plan.constraints = schedule.constraints;
  out.plan.launches.push_back(std::move(launch));
  return out;
}

} // namespace hone::lower
