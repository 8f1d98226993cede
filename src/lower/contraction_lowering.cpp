#include "lower/contraction_lowering.h"

#include "lower/contraction_code.h"
#include "lower/contraction_epilogue.h"
#include "lower/contraction_groups.h"
#include "lower/dot_remainder_lowering.h"
#include "lower/lanes.h"
#include "lower/macros_lowering.h"
#include "lower/packing_lowering.h"
#include "lower/products.h"
#include "lower/row_lowering.h"
#include "lower/separate_epilogues.h"
#include "lower/split_lowering.h"
#include "lower/statement_lowering.h"
#include "lower/tile_lowering.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::lower {

namespace {

constexpr const char* k_pack_b = "PACK_B"; // that pack-in-passing adds

class NestWriter {
public:
  explicit NestWriter(const ContractionCode& code)
    : m_code(code), m_nest(code.nest), m_i_block(code.local(code.i + "_block"))
  {
  }

  // The loop at `position` of the schedule and all that is inside it.
  Result<ProgramBlock> write(std::size_t position)
  {
    const ScheduledLoop& loop = m_code.schedule.loops[position];
    switch (loop.dimension) {
    case Dimension::batch:
      return batch(position);
    case Dimension::m:
      return loop.kind == LoopKind::group ? m_group(position) : m_serial(position);
    case Dimension::n:
      return is_tile_loop(position, Dimension::n) ? n_tile(position) : n_block(position);
    case Dimension::k:
      return is_tile_loop(position, Dimension::k) ? innermost() : k_block(position);
    }
    return ProgramBlock{};
  }

  // Functions that the nest calls, in the order of their calls.
  ProgramBlock functions;

private:
  bool is_tile_loop(std::size_t position, Dimension dimension) const
  {
    return static_cast<int>(position) == find_innermost(m_code.schedule, dimension, LoopKind::serial);
  }
  Result<ProgramBlock> batch(std::size_t position)
  {
    ProgramBlock block = batch_indices(m_code);
    HONE_TRY(ProgramBlock inner, write(position + 1));
    append(block, std::move(inner));
    return block;
  }

  Result<ProgramBlock> m_group(std::size_t position)
  {
    ProgramBlock block;
    const int axis = m_nest.n_grouped ? 1 : 0;
    const std::string id = fmt::format("group->id[{}]", axis);
    const std::string first = m_nest.m_loop ? m_i_block : m_code.i;
    if (m_nest.m_block == "1") {
      block.push_back(constant(m_code, first, id));
    } else if (m_code.schedule.balanced && m_nest.m_loop) {
      append(block, even_share(first, axis));
    } else {
      block.push_back(
        comment(m_nest.n_grouped ? "This group's block of the output." : "This group's rows of the output."));
      block.push_back(constant(m_code, first, fmt::format("{} * {}", id, m_nest.m_block)));
      block.push_back(
        constant(m_code, m_code.i_end,
                 fmt::format("hone_min({} + {}, {})", first, m_nest.m_block, m_code.extent(m_code.view.m))));
    }
    HONE_TRY(ProgramBlock inner, write(position + 1));
    append(block, std::move(inner));
    return block;
  }

  // As many whole tiles of rows for each group, give or take one. No group has more rows than a block of its own.
  ProgramBlock even_share(const std::string& first, int axis) const
  {
    const std::string groups = fmt::format("group->count[{}]", axis);
    const std::string id = fmt::format("group->id[{}]", axis);
    const std::string rows = m_code.extent(m_code.view.m), step = m_nest.m_step;
    const std::string tiles = m_code.local(m_code.i + "_tiles");
    const std::string factor = step == "1" ? "" : " * " + step;
    return {comment("Every group has as many tiles of rows, give or take one."),
            constant(m_code, tiles, step == "1" ? rows : fmt::format("({0} + {1} - 1) / {1}", rows, step)),
            constant(m_code, first, fmt::format("{} * {} / {}{}", tiles, id, groups, factor)),
            constant(m_code, m_code.i_end,
                     fmt::format("hone_min({} * ({} + 1) / {}{}, {})", tiles, id, groups, factor, rows))};
  }

  Result<ProgramBlock> m_serial(std::size_t position)
  {
    HONE_TRY(ProgramBlock body, write(position + 1));
    return ProgramBlock{loop(m_code.counter(), m_code.i, m_i_block, m_code.i_end, m_nest.m_step, std::move(body))};
  }

  Result<ProgramBlock> n_block(std::size_t position)
  {
    const bool dots = m_code.schedule.dot_remainders;
    const ProgramNode end = constant(m_code, m_code.j_end,
                                     fmt::format("hone_min({} + {}, {})", m_code.j_begin, m_nest.n_block,
                                                 dots ? m_code.j_whole : m_code.extent(m_code.view.n)));
    HONE_TRY(ProgramBlock inner, write(position + 1));
    if (m_nest.n_grouped) {
      ProgramBlock block = dots ? end_of_whole_vectors(m_code) : ProgramBlock{};
      append(block, {constant(m_code, m_code.j_begin, "group->id[0] * " + m_nest.n_block), end});
      append(block, panels());
      append(block, std::move(inner));
      return block;
    }
    ProgramBlock body = {end};
    append(body, std::move(inner));
    ProgramBlock block = panels();
    block.push_back(comment(fmt::format("Blocks of {} columns, whose part of {} is packed.", m_nest.n_block,
                                        m_code.view.contraction.b->name)));
    block.push_back(
      loop(m_code.counter(), m_code.j_begin, "0", m_code.extent(m_code.view.n), m_nest.n_block, std::move(body)));
    return block;
  }

  ProgramBlock panels() const { return declare_panels(m_code); }

  Result<ProgramBlock> k_block(std::size_t position)
  {
    ProgramBlock body = {constant(m_code, m_code.p_end,
                                  fmt::format("hone_min({} + {}, {})", m_code.p_begin, m_nest.k_block, m_code.p_to))};
    if (m_code.schedule.is_packed(Dimension::m)) {
      HONE_TRY(Outlined pack, lower_pack_a(m_code));
      define(std::move(pack.definition),
             fmt::format("Copies this block of {} so that the rows of a tile lie side by side.",
                         m_code.view.contraction.a->name));
      body.push_back(pack.call());
    }
    if (m_code.schedule.is_packed(Dimension::n) && !m_nest.n_outside_m) {
      HONE_CHECK(pack_b(body));
    }
    HONE_TRY(ProgramBlock inner, write(position + 1));
    append(body, std::move(inner));
    if (m_code.schedule.dot_remainders) {
      HONE_TRY(DotRemainder dots, lower_dot_remainder(m_code));
      append(functions, std::move(dots.functions));
      append(body, std::move(dots.body));
    }
    return ProgramBlock{
      comment(fmt::format("Blocks of {}, so that what is read stays in cache; between them {} holds the sums so far.",
                          m_code.extent(m_code.view.k), m_code.sums)),
      loop(m_code.counter(), m_code.p_begin, m_code.p_from, m_code.p_to, m_nest.k_block, std::move(body))};
  }

  Result<void> pack_b(ProgramBlock& body)
  {
    HONE_TRY(Outlined pack, lower_pack_b(m_code));
    define(std::move(pack.definition),
           fmt::format("Copies the part of {} that the columns from {} on need, row after row; zero beyond the edge.",
                       m_code.view.contraction.b->name, m_nest.n_outside_m ? m_code.j : m_code.j_begin));
    if (m_code.schedule.in_passing) {
      body.push_back(guard(fmt::format("{} == 1", k_pack_b), {pack.call()}));
      return {};
    }
    body.push_back(pack.call());
    return {};
  }

  // Columns in steps of a tile. Where k comes next the sums are local; where k is outside, the row is in memory and
  // this loop is inside it.
  Result<ProgramBlock> n_tile(std::size_t position)
  {
    if (!m_nest.register_tile()) {
      return sweep_columns(m_code, [&](Lanes lanes) -> Result<ProgramBlock> {
        return lanes == Lanes::scalar ? lower_element(m_code) : lower_tile(m_code, lanes);
      });
    }
    ProgramBlock body;
    if (m_code.schedule.is_packed(Dimension::n) && m_nest.n_outside_m) {
      HONE_CHECK(pack_b(body));
    }
    HONE_TRY(ProgramBlock inner, write(position + 1));
    append(body, std::move(inner));
    return ProgramBlock{
      loop(m_code.counter(), m_code.j, m_code.j_begin, m_code.j_end, m_code.spell(m_nest.n_step), std::move(body))};
  }

  Result<ProgramBlock> innermost() { return m_nest.k_outside_n ? lower_row_in_memory(m_code) : register_tile(); }

  // The tile is a function of its own: the compiler then sees nothing but its sums.
  Result<ProgramBlock> register_tile()
  {
    const bool masked = m_code.schedule.edges == EdgeTreatment::masked;
    const Lanes lanes = m_nest.vector ? Lanes::whole : Lanes::scalar;
    const std::string shape =
      fmt::format("{} rows by {} {}", m_nest.m_step, m_nest.tile_columns, m_nest.vector ? "vectors" : "columns");
    HONE_TRY(ProgramBlock tile_body, lower_tile(m_code, lanes));
    const Outlined tile = m_code.schedule.in_passing
                            ? outline_by({m_code.from}, m_code, "compute_tile", std::move(tile_body))
                            : outline(m_code, "compute_tile", std::move(tile_body));
    define(tile.definition, fmt::format("{}: the sums stay in registers while {} runs.", shape, m_code.p));
    const std::string columns_fit = fmt::format("{} + {} <= {}", m_code.j, m_code.spell(m_nest.n_step), m_code.j_end);
    const std::string rows_fit = fmt::format("{} + {} <= {}", m_code.i, m_nest.m_step, m_code.i_end);
    const std::string both_fit = rows_fit + " && " + columns_fit;
    if (masked && m_nest.vector) {
      HONE_TRY(const Outlined edge, edge_tile());
      return by_source(both_fit, tile, edge);
    }
    HONE_TRY(ProgramBlock rest_body, lower_partial_tile(m_code));
    const Outlined rest = outline(m_code, "compute_partial_tile", std::move(rest_body));
    define(rest.definition, "What is left of a tile at the edge of the output, element by element.");
    return ProgramBlock{guard(masked ? columns_fit : both_fit, {tile.call()}), braced("else", {rest.call()})};
  }

  // A tile or the one at the edge; where that is a choice, with what it finds B in.
  ProgramBlock by_source(const std::string& fits, const Outlined& tile, const Outlined& edge) const
  {
    const auto either = [&](const std::vector<std::string>& source) {
      return ProgramBlock{guard(fits, {tile.call(source)}), braced("else", {edge.call(source)})};
    };
    if (!m_code.schedule.in_passing) {
      return either({});
    }
    const std::string first = fmt::format("{} == 2 && {} == {}", k_pack_b, m_code.i, m_i_block);
    return {guard(first, either({m_code.copying})),
            braced("else", either({fmt::format("{} == 0 ? {} : {}", k_pack_b, m_code.in_place, m_code.copy)}))};
  }

  // The last rows and columns, of which what is beyond the edge is left out. Whole vectors beyond it would be work for
  // nothing, so that there is code for each number of vectors.
  Result<Outlined> edge_tile()
  {
    const std::string width = m_code.local("width");
    const std::string vectors = m_code.local("vectors");
    const std::string& most = m_nest.tile_columns;
    const bool in_passing = m_code.schedule.in_passing;
    const std::vector<std::string> source = in_passing ? std::vector{m_code.from} : std::vector<std::string>{};
    std::vector<std::string> constants = source;
    constants.push_back(width);
    HONE_TRY(ProgramBlock body, lower_tile(m_code, Lanes::part, width));
    const Outlined tile = outline_by(constants, m_code, "compute_some_vectors", std::move(body));
    define(tile.definition, fmt::format("The same at the edges: {} vectors, of which the last may stick out.", width));
    const auto call = [&](const std::string& value) {
      constants.back() = value;
      return ProgramBlock{tile.call(constants)};
    };
    ProgramBlock block = {
      constant(m_code, vectors,
               fmt::format("({} - {} + {} - 1) / {}", m_code.j_end, m_code.j, m_code.lanes, m_code.lanes)),
      guard(vectors + " == 1", call("1"))};
    for (int value = 2; value < k_most_vectors; ++value) {
      block.push_back(
        braced(fmt::format("else if ({1} > {0} && {2} == {0})", value, most, vectors), call(std::to_string(value))));
    }
    block.push_back(braced("else", call(most)));
    Outlined edge = outline_by(source, m_code, "compute_edge_tile", most == "1" ? call(most) : std::move(block));
    define(edge.definition, "As many vectors as the columns that are left fill.");
    return edge;
  }

  void define(ProgramNode definition, const std::string& purpose)
  {
    append(functions, explained(std::move(definition), purpose));
  }

  const ContractionCode& m_code;
  const NestShape& m_nest;
  std::string m_i_block;
};

ProgramBlock sources_of_b(const ContractionCode& code)
{
  const std::string& b = code.view.contraction.b->name;
  return {blank_line(),
          comment(fmt::format("Where a tile finds {}: in place; in the copy; in place, making the copy for the tiles "
                              "below it, as far as it has columns.",
                              b)),
          statement(fmt::format("enum {{ {}, {}, {} }};", code.in_place, code.copy, code.copying))};
}

// What hone.h does not bring along.
void include_lanes(const ContractionCode& code, ProgramBlock& device)
{
  if (code.nest.vector && calls_vector_math(print(device))) {
    device.insert(device.begin(), statement("#include \"hone_math.h\""));
  } else if (code.schedule.streaming || code.schedule.register_broadcast) {
    device.insert(device.begin(), statement("#include \"hone_lanes.h\""));
  }
}

} // namespace

Result<LoweredProgram> lower_contraction(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect)
{
  if (kernel.program.statements.size() > 1 || with_separate_epilogues(kernel).program.statements.size() > 1) {
    return lower_products(kernel, schedule, dialect);
  }
  HONE_TRY(const ContractionCode code, ContractionCode::create(kernel, schedule, dialect));
  if (schedule.done.empty() && code.view.k_parts.size() > 1) {
    return lower_statements(kernel, dialect); // the first candidate has a loop for each index
  }
  NestWriter nest(code);
  ProgramBlock body = schedule.split ? part_of_group(code) : ProgramBlock{};
  HONE_TRY(ProgramBlock loops, nest.write(0));
  append(body, std::move(loops));

  LoweredProgram out;
  const std::string name = c_name(kernel.name);
  LaunchText launch;
  launch.kernel = name;
  launch.grid = grid_of(code);
  launch.shared = shared_bytes(code);
  const std::vector<ParameterText> parameters = entry_parameters(code, body, launch);
  const bool rows_only = code.nest.m_block == "1" && !code.nest.n_grouped;
  if (schedule.fixed_sizes) {
    out.device = constant_sizes(kernel, dialect);
  }
  if (schedule.in_passing) {
    append(out.device, sources_of_b(code));
  }
  append(out.device, std::move(nest.functions));
  out.device.push_back(blank_line());
  const std::string group = rows_only             ? "per row of the output"
                            : code.nest.n_grouped ? "per block of the output"
                                                  : "per tile of rows of the output";
  out.device.push_back(
    comment(fmt::format("One work-group {}{}.", group, schedule.split ? " and part of the sum" : "")));
  out.device.push_back(function(entry_head(dialect, name, parameters), std::move(body)));
  out.macros = lower_macros(code);
  out.plan.tuning = schedule.tuning;
  out.plan.constraints = schedule.constraints;
  out.plan.launches.push_back(std::move(launch));
  if (code.sums_wait_aside()) {
    out.plan.scratch.push_back({code.sums, code.compute, output_elements(code)});
  }
  if (schedule.split) {
    HONE_CHECK(lower_adding(kernel, schedule, dialect, out));
  }
  include_lanes(code, out.device);
  return out;
}

} // namespace hone::lower
