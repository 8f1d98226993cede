#include "lower/dot_lowering.h"

#include "lower/dot_code.h"
#include "lower/lanes.h"
#include "lower/products.h"
#include "lower/separate_epilogues.h"
#include "lower/tuning_macros.h"
#include "lower/words.h"
#include "util/util.h"

#include <fmt/format.h>

namespace hone::lower {

namespace {

// A group of the widest vector; plans are written for it, whatever the machine has.

class DotNest {
public:
  explicit DotNest(const DotCode& dots) : m_dots(dots), m_code(dots.code) {}

  // The body of the entry function.
  Result<ProgramBlock> write()
  {
    const std::string m = m_code.extent(m_code.view.m);
    const std::string n = m_code.extent(m_code.view.n);
    const std::string k = m_code.extent(m_code.view.k);
    const std::string& i_block = m_dots.i_block();
    ProgramBlock block = batch();
    append(block, {comment("This group's block of the output."), constant(i_block, "group->id[1] * TILE_M"),
                   constant(m_code.i_end, fmt::format("hone_min({} + TILE_M, {})", i_block, m)),
                   constant(m_code.j_begin, "group->id[0] * TILE_N"),
                   constant(m_code.j_end, fmt::format("hone_min({} + TILE_N, {})", m_code.j_begin, n))});
    append(block, memory());
    HONE_TRY(ProgramBlock strip, strip_of_columns());
    ProgramBlock depth = {constant(m_code.p_end, fmt::format("hone_min({} + TILE_K, {})", m_code.p_begin, k))};
    HONE_CHECK(pack_a(depth));
    depth.push_back(loop(m_code.counter(), m_code.j, m_code.j_begin, m_code.j_end, m_dots.columns(), std::move(strip)));
    block.push_back(loop(m_code.counter(), m_code.p_begin, "0", k, "TILE_K", std::move(depth)));
    return block;
  }

  LaunchText launch(const std::string& name) const
  {
    LaunchText launch;
    launch.kernel = name;
    launch.grid = {fmt::format("ceil_div({}, TILE_N)", m_code.extent(m_code.view.n)),
                   fmt::format("ceil_div({}, TILE_M)", m_code.extent(m_code.view.m))};
    std::vector<std::string> extents;
    for (const kernel::IndexRange& range : m_code.view.batch) {
      extents.push_back(m_code.extent(range));
    }
    if (!extents.empty()) {
      launch.grid.push_back(join(extents, " * "));
    }
    launch.shared =
      panel_bytes() + (m_dots.packs_a ? std::string(" + TILE_K * TILE_M") + (m_dots.bytes ? "" : " * 2") : "");
    launch.shared += !m_dots.shifted  ? ""
                     : m_dots.flips_a ? fmt::format(" + VECTORS * {}", k_widest_vector)
                                      : " + TILE_M * 4";
    launch.shared += m_dots.sums_aside ? " + TILE_M * TILE_N * 4" : "";
    return launch;
  }

  ProgramBlock functions; // that the nest calls

private:
  ProgramNode constant(const std::string& name, const std::string& value) const
  {
    return statement(fmt::format("const {} {} = {};", m_code.counter(), name, value));
  }
  // One strip's, also where vectors are narrower: packing may write a few columns beyond a strip.
  std::string strip_elements() const { return fmt::format("TILE_K * VECTORS * {}", k_widest_vector / 4); }
  std::string panel_elements() const { return strip_elements() + (m_dots.joined_strips ? " * STRIPS" : ""); }
  std::string panel_bytes() const { return panel_elements() + (m_dots.bytes ? "" : " * 2"); }

  // The last index fastest.
  ProgramBlock batch() const
  {
    ProgramBlock block;
    std::string divisor;
    const std::vector<kernel::IndexRange>& ranges = m_code.view.batch;
    for (auto range = ranges.rbegin(); range != ranges.rend(); ++range) {
      const std::string value = divisor.empty() ? "group->id[2]" : "group->id[2] / " + divisor;
      const std::string wrapped = range + 1 == ranges.rend() ? value : value + " % " + m_code.extent(*range);
      block.insert(block.begin(), constant(m_code.variables.at(range->name), wrapped));
      divisor = divisor.empty() ? m_code.extent(*range) : fmt::format("({} * {})", m_code.extent(*range), divisor);
    }
    return block;
  }

  // The panel comes first: it alone is read in whole vectors all the time.
  ProgramBlock memory() const
  {
    const std::string type = m_code.type_of(m_code.view.contraction.b->type);
    ProgramBlock block = {statement(fmt::format("{0}* {1} = ({0}*)group->shared;", type, m_dots.strips))};
    std::string behind = fmt::format("({} + {})", m_dots.strips, panel_elements());
    if (m_dots.packs_a) {
      const std::string a_type = m_code.type_of(m_code.view.contraction.a->type);
      block.push_back(statement(fmt::format("{0}* {1} = ({0}*){2};", a_type, m_code.panel_a, behind)));
      behind = fmt::format("({} + TILE_K * TILE_M)", m_code.panel_a);
    }
    if (m_dots.shifted) {
      block.push_back(statement(fmt::format("int32_t* {} = (int32_t*){};", m_dots.sums, behind)));
    }
    if (m_dots.sums_aside) {
      block.push_back(statement(fmt::format("float* {} = (float*){};", m_dots.partial, behind)));
    }
    return block;
  }

  void define(Outlined& outlined, const std::string& purpose)
  {
    functions.push_back(blank_line());
    functions.push_back(comment(purpose));
    functions.push_back(std::move(outlined.definition));
  }

  bool flips_b() const { return m_dots.shifted && !m_dots.flips_a; }
  static std::string flip(bool flips) { return flips ? "128" : "0"; }

  // One group's step along the sum. `left`: steps of the sum, width of the strip, columns that are there.
  ProgramNode pack_strip(const std::string& to, const std::string& name, const std::string& at,
                         const std::string& stride, const std::string& left, const std::string& flip) const
  {
    return statement(
      m_dots.bytes ? fmt::format("hone_pack_strip_fours(&{}, &{}[{}], {}, {}, {});", to, name, at, stride, left, flip)
                   : fmt::format("hone_pack_strip_pairs(&{}, &{}[{}], {} * 2, {});", to, name, at, stride, left));
  }

  // The block's rows, in groups of neighbours along the sum: what B's strips are, as wide as the block.
  Result<void> pack_a(ProgramBlock& block)
  {
    if (!m_dots.packs_a) {
      return {};
    }
    const kernel::Expr& a = *m_code.view.contraction.a;
    HONE_TRY(const std::string at, m_code.position(a, m_dots.i_block(), "0", m_code.p));
    HONE_TRY(const std::string stride, m_code.stride(a, m_code.view.k.name));
    const std::string to = fmt::format("{}[({} - {}) * TILE_M]", m_code.panel_a, m_code.p, m_code.p_begin);
    const std::string left =
      fmt::format("{} - {}, TILE_M, {} - {}", m_code.p_end, m_code.p, m_code.i_end, m_dots.i_block());
    Outlined pack =
      outline(m_code, m_code.local("pack_" + a.name),
              {loop(m_code.counter(), m_code.p, m_code.p_begin, m_code.p_end, std::to_string(m_dots.members()),
                    {pack_strip(to, a.name, at, stride, left, flip(m_dots.flips_a))})},
              true);
    define(pack, fmt::format("Copies this block of {} in the same way, row beside row.", a.name));
    block.push_back(pack.call());
    return {};
  }

  // The text of a row's correction, whose elements lie in memory or in the panel.
  Result<std::string> row_sum(const std::string& row) const
  {
    const kernel::Expr& a = *m_code.view.contraction.a;
    const char* type = m_dots.a_signed ? "i8" : "u8";
    const char* factor = m_dots.a_signed ? "-128" : "128";
    if (m_dots.packs_a) {
      return fmt::format("{} * hone_sum_groups(&{}[({} - {}) * 4], TILE_M * 4, {} - {}, {})", factor, m_code.panel_a,
                         row, m_dots.i_block(), m_code.p_end, m_code.p_begin, m_dots.a_signed ? 1 : 0);
    }
    HONE_TRY(const std::string at, m_code.position(a, row, "0", m_code.p_begin));
    return fmt::format("{} * hone_sum_{}(&{}[{}], {} - {})", factor, type, a.name, at, m_code.p_end, m_code.p_begin);
  }

  // B off by 128 makes every product off by 128 times A's element. The rows of a tile are summed right before it needs
  // them, so that they are read from afar once.
  Result<void> sum_rows(ProgramBlock& block)
  {
    if (!flips_b()) {
      return {};
    }
    const std::string row = m_code.local("row");
    HONE_TRY(const std::string sum, row_sum(row));
    Outlined sums =
      outline(m_code, m_code.local("sum_rows"),
              {loop(m_code.counter(), row, m_code.i, fmt::format("hone_min({} + REG_M, {})", m_code.i, m_code.i_end),
                    "1", {statement(fmt::format("{}[{} - {}] = {};", m_dots.sums, row, m_dots.i_block(), sum))})},
              true);
    define(sums, fmt::format("{} is packed with its other signedness; these sums make up for it.",
                             m_code.view.contraction.b->name));
    block.push_back(guard(fmt::format("{} == {}", m_code.j, m_code.j_begin), {sums.call()}));
    return {};
  }

  // A off by 128 makes every product off by 128 times B's element. A strip's columns are summed once it is packed.
  ProgramBlock sum_columns()
  {
    if (!m_dots.flips_a) {
      return {};
    }
    const std::string sum = m_code.local("sum"), c = m_code.local("c"), ones = m_code.local("ones");
    const std::string group =
      fmt::format("hone_load_groups(&{}[({} - {}) * ({}) + {} * {} * {}])", m_code.panel_b, m_code.p, m_code.p_begin,
                  m_dots.columns(), c, m_code.lanes, m_dots.members());
    const std::string operands = m_dots.a_signed ? ones + ", " + group : group + ", " + ones;
    const std::string factor = m_dots.a_signed ? "-128" : "128";
    const auto over_vectors = [&](const std::string& text) {
      return ProgramBlock{pragma(k_unroll_registers), loop("int", c, "0", "VECTORS", "1", {statement(text)})};
    };
    ProgramBlock body = {
      statement(fmt::format("{} {}[VECTORS] = {{}};", m_code.vector_type, sum)),
      statement(fmt::format("const {} {} = hone_broadcast_i32(0x01010101);", m_code.vector_type, ones)),
      loop(m_code.counter(), m_code.p, m_code.p_begin, m_code.p_end, std::to_string(m_dots.members()),
           over_vectors(fmt::format("{0}[{1}] = hone_dot_fours({0}[{1}], {2});", sum, c, operands)))};
    append(body, over_vectors(fmt::format("hone_store_i32(&{}[{} * {}], {}[{}] * {});", m_dots.sums, c, m_code.lanes,
                                          sum, c, factor)));
    Outlined sums = outline(m_code, m_code.local("sum_columns"), std::move(body));
    define(sums, fmt::format("{} is used with its other signedness; these sums make up for it.",
                             m_code.view.contraction.a->name));
    return {sums.call()};
  }

  Result<ProgramBlock> strip_of_columns()
  {
    HONE_TRY(Outlined pack, m_code.view.b_strided ? pack_columns() : pack_rows());
    define(pack,
           fmt::format("Copies {}{} columns of {}: {} neighbours along the sum lie together; zero beyond the edge.",
                       m_dots.joined_strips ? "STRIPS times " : "", m_dots.columns(), m_code.view.contraction.b->name,
                       m_dots.bytes ? "four" : "two"));
    HONE_TRY(ProgramBlock whole, lower_dot_tile(m_dots, Lanes::whole));
    Outlined tile = outline(m_code, "compute_tile", std::move(whole));
    define(tile, "REG_M rows by VECTORS vectors: the sums stay in registers.");
    HONE_TRY(ProgramBlock part, lower_dot_tile(m_dots, Lanes::part));
    Outlined edge = outline(m_code, "compute_edge_tile", std::move(part));
    define(edge, "The same for the last columns, some of which are beyond the edge.");
    ProgramBlock body;
    HONE_CHECK(sum_rows(body));
    append(body, {guard(fmt::format("{} + {} <= {}", m_code.j, m_dots.columns(), m_code.j_end), {tile.call()}),
                  braced("else", {edge.call()})});
    ProgramBlock block = packed(pack);
    append(block, sum_columns());
    block.push_back(loop(m_code.counter(), m_code.i, m_dots.i_block(), m_code.i_end, "REG_M", std::move(body)));
    return block;
  }

  // Where several strips are packed at once, the first of them is what they are packed for.
  ProgramBlock packed(const Outlined& pack) const
  {
    if (!m_dots.joined_strips) {
      return {pack.call()};
    }
    const std::string place = m_code.local("place");
    return {constant(place, fmt::format("({} - {}) / ({}) % STRIPS", m_code.j, m_code.j_begin, m_dots.columns())),
            guard(place + " == 0", {pack.call()}),
            statement(fmt::format("const {}* {} = {} + {} * ({});", m_code.type_of(m_code.view.contraction.b->type),
                                  m_code.panel_b, m_dots.strips, place, strip_elements()))};
  }

  // The strip that is being packed, and its first column.
  std::string strip() const { return m_dots.joined_strips ? m_code.local("strip") : m_dots.strips; }
  std::string strip_column() const { return m_dots.joined_strips ? m_code.local("column") : m_code.j; }

  // Strip beside strip, so that what lies side by side in B is read one after the other. `one` packs a group of the
  // sum.
  ProgramBlock over_strips(ProgramNode one) const
  {
    ProgramBlock body = {std::move(one)}, block;
    if (m_dots.joined_strips) {
      const std::string last = m_code.local(m_code.j + "_last");
      block.push_back(
        constant(last, fmt::format("hone_min({} + {}, {})", m_code.j, m_dots.joined_columns(), m_code.j_end)));
      body.insert(
        body.begin(),
        statement(fmt::format("{}* {} = {} + ({} - {}) / ({}) * ({});", m_code.type_of(m_code.view.contraction.b->type),
                              strip(), m_dots.strips, strip_column(), m_code.j, m_dots.columns(), strip_elements())));
      body = {loop(m_code.counter(), strip_column(), m_code.j, last, m_dots.columns(), std::move(body))};
    }
    block.push_back(loop(m_code.counter(), m_code.p, m_code.p_begin, m_code.p_end, std::to_string(m_dots.members()),
                         std::move(body)));
    return block;
  }

  // Rows of B follow each other along the sum. What is written beyond a strip is written again, or not read.
  Result<Outlined> pack_rows()
  {
    const kernel::Expr& b = *m_code.view.contraction.b;
    HONE_TRY(const std::string at, m_code.position(b, "0", strip_column(), m_code.p));
    HONE_TRY(const std::string stride, m_code.stride(b, m_code.view.k.name));
    const std::string left =
      fmt::format("{} - {}, {}, {} - {}", m_code.p_end, m_code.p, m_dots.columns(), m_code.j_end, strip_column());
    const std::string to = fmt::format("{}[({} - {}) * ({})]", strip(), m_code.p, m_code.p_begin, m_dots.columns());
    ProgramNode one = pack_strip(to, b.name, at, stride, left, flip(flips_b()));
    return outline(m_code, m_code.local("pack_" + name_of_b(m_code.view)), over_strips(std::move(one)), true);
  }

  // Neighbours along the sum are neighbours in memory.
  Result<Outlined> pack_columns()
  {
    const kernel::Expr& b = *m_code.view.contraction.b;
    HONE_TRY(const std::string at, m_code.position(b, "0", m_code.j, m_code.p));
    HONE_TRY(const std::string stride, m_code.stride(b, m_code.view.n.name));
    const std::string scale = m_dots.bytes ? "" : " * 2";
    const std::string call =
      fmt::format("hone_pack_columns(&{}[({} - {}) * ({})], &{}[{}], {}{}, ({} - {}){}, {} - {}, {}, {});",
                  m_code.panel_b, m_code.p, m_code.p_begin, m_dots.columns(), b.name, at, stride, scale, m_code.p_end,
                  m_code.p, scale, m_code.j_end, m_code.j, m_dots.columns(), flips_b() ? "0x80808080u" : "0");
    ProgramBlock body = {loop(m_code.counter(), m_code.p, m_code.p_begin, m_code.p_end,
                              std::to_string(m_dots.members()), {statement(call)})};
    return outline(m_code, m_code.local("pack_" + name_of_b(m_code.view)), std::move(body), true);
  }

  const DotCode& m_dots;
  const ContractionCode& m_code;
};

} // namespace

Result<LoweredProgram> lower_dots(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect)
{
  if (kernel.program.statements.size() > 1 || with_separate_epilogues(kernel).program.statements.size() > 1) {
    return lower_products(kernel, schedule, dialect);
  }
  HONE_TRY(const DotCode dots, DotCode::create(kernel, schedule, dialect));
  DotNest nest(dots);
  HONE_TRY(ProgramBlock body, nest.write());
  const std::string name = c_name(kernel.name);
  LaunchText launch = nest.launch(name);
  const std::vector<ParameterText> parameters = entry_parameters(dots.code, body, launch);
  LoweredProgram out;
  if (schedule.fixed_sizes) {
    out.device = constant_sizes(kernel, dialect);
  }
  append(out.device, std::move(nest.functions));
  out.device.push_back(blank_line());
  out.device.push_back(comment("One work-group per block of the output."));
  out.device.push_back(function(entry_head(dialect, name, parameters), std::move(body)));
  out.macros = tuning_macros(schedule);
  out.plan.tuning = schedule.tuning;
  out.plan.constraints = schedule.constraints;
  out.plan.launches.push_back(std::move(launch));
  return out;
}

} // namespace hone::lower
