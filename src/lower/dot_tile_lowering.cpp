#include "lower/dot_code.h"
#include "lower/words.h"

#include <fmt/format.h>

namespace hone::lower {

namespace {

class DotTileWriter {
public:
  DotTileWriter(const DotCode& dots, Lanes lanes)
    : m_dots(dots), m_code(dots.code), m_lanes(lanes), m_sum(m_code.local("sum")), m_r(m_code.local("r")),
      m_c(m_code.local("c")), m_a(m_code.local("a")), m_b(m_code.local("b")), m_row(m_code.local("row")),
      m_whole(m_code.local(m_code.p + "_whole"))
  {
  }

  Result<ProgramBlock> write()
  {
    ProgramBlock block = {comment("Rows below the edge repeat the last one; what they add up is not stored."),
                          statement(fmt::format("{} {}[REG_M];", m_code.counter(), m_row)), pragma(k_unroll_registers),
                          over_rows({statement(fmt::format("{}[{}] = hone_min({} + {}, {} - 1);", m_row, m_r, m_code.i,
                                                           m_r, m_code.i_end))}),
                          statement(fmt::format("{} {}[REG_M][VECTORS] = {{}};", m_code.vector_type, m_sum))};
    HONE_CHECK(start(block));
    HONE_CHECK(accumulate(block));
    HONE_CHECK(store(block));
    return block;
  }

private:
  std::string sum() const { return fmt::format("{}[{}][{}]", m_sum, m_r, m_c); }
  std::string row() const { return fmt::format("{}[{}]", m_row, m_r); }
  std::string column() const { return fmt::format("{} + {} * {}", m_code.j, m_c, m_code.lanes); }
  std::string left() const { return fmt::format("{} - ({})", m_code.j_end, column()); }
  ProgramNode over_rows(ProgramBlock body) const { return loop("int", m_r, "0", "REG_M", "1", std::move(body)); }
  ProgramBlock over_columns(ProgramBlock body) const
  {
    return {pragma(k_unroll_registers), loop("int", m_c, "0", "VECTORS", "1", std::move(body))};
  }
  ProgramBlock over_tile(ProgramBlock body) const
  {
    return {pragma(k_unroll_registers), over_rows(over_columns(std::move(body)))};
  }
  std::string partial_at() const
  {
    return fmt::format("&{}[({} - {}) * TILE_N + {} - {}]", m_dots.partial, row(), m_dots.i_block(), column(),
                       m_code.j_begin);
  }
  // "hone_load_i32(&C[at])" and the like, by the type of the output.
  std::string access(const std::string& verb, const std::string& at, const std::string& value) const
  {
    const kernel::DataType type = m_code.view.statement->type;
    const std::string suffix = type == kernel::DataType::i32 ? "_i32" : type == kernel::DataType::bf16 ? "_bf16" : "";
    const bool part = m_lanes == Lanes::part;
    return fmt::format("hone_{}{}{}(&{}[{}]{}{}{})", verb, part ? "_part" : "", suffix, m_code.view.statement->target,
                       at, value.empty() ? "" : ", ", value, part ? ", " + left() : "");
  }

  // What the blocks of k so far came to; and what an operand of the other signedness takes away.
  Result<void> start(ProgramBlock& block)
  {
    HONE_TRY(const std::string at, m_code.output_position(row(), column()));
    const std::string so_far = m_dots.sums_aside ? fmt::format("hone_load({})", partial_at()) : access("load", at, "");
    std::string value = so_far;
    if (m_dots.shifted) {
      const std::string first =
        m_dots.flips_a ? fmt::format("hone_load_i32(&{}[{} * {}])", m_dots.sums, m_c, m_code.lanes)
                       : fmt::format("hone_broadcast_i32({}[{} - {}])", m_dots.sums, row(), m_dots.i_block());
      append(block, over_tile({statement(fmt::format("{} = {};", sum(), first))}));
      value = fmt::format("hone_add_i32({}, {})", sum(), so_far);
    }
    block.push_back(guard(m_code.later_block(), over_tile({statement(fmt::format("{} = {};", sum(), value))})));
    return {};
  }

  std::string read_a(const std::string& group) const
  {
    return m_dots.flips_a ? fmt::format("hone_flip_signs({})", group) : group;
  }

  // One group of the sum: `a` is the text that loads it for a row.
  ProgramBlock step(const std::string& p, const std::string& a) const
  {
    const std::string group = fmt::format("({} - {}) * ({}) + {} * {} * {}", p, m_code.p_begin, m_dots.columns(), m_c,
                                          m_code.lanes, m_dots.members());
    ProgramBlock body = {statement(fmt::format("hone_i32v {}[VECTORS];", m_b))};
    append(body, over_columns(
                   {statement(fmt::format("{}[{}] = hone_load_groups(&{}[{}]);", m_b, m_c, m_code.panel_b, group))}));
    const std::string b = fmt::format("{}[{}]", m_b, m_c);
    const bool b_first = m_dots.bytes && m_dots.a_signed != m_dots.flips_a; // the unsigned one comes first
    const std::string dot =
      fmt::format("{0} = {1}({0}, {2}, {3});", sum(), m_dots.bytes ? "hone_dot_fours" : "hone_dot_pairs",
                  b_first ? b : m_a, b_first ? m_a : b);
    ProgramBlock row_body = {statement(fmt::format("const hone_i32v {} = {};", m_a, a))};
    append(row_body, over_columns({statement(dot)}));
    append(body, {pragma(k_unroll_registers), over_rows(std::move(row_body))});
    return body;
  }

  Result<void> accumulate(ProgramBlock& block)
  {
    const kernel::Expr& a = *m_code.view.contraction.a;
    const std::string& p = m_code.p;
    if (m_dots.packs_a) { // filled up with zeros: every group is whole
      const std::string group = fmt::format("&{}[({} - {}) * TILE_M + ({} - {}) * {}]", m_code.panel_a, p,
                                            m_code.p_begin, row(), m_dots.i_block(), m_dots.members());
      block.push_back(statement("HONE_UNROLL(UNROLL_K)"));
      block.push_back(loop(m_code.counter(), p, m_code.p_begin, m_code.p_end, std::to_string(m_dots.members()),
                           step(p, fmt::format("hone_broadcast_group({})", group))));
      return {};
    }
    HONE_TRY(const std::string at, m_code.position(a, row(), "0", p));
    HONE_TRY(const std::string last, m_code.position(a, row(), "0", m_whole));
    block.push_back(statement(fmt::format("const {0} {1} = {2} - ({2} - {3}) % {4};", m_code.counter(), m_whole,
                                          m_code.p_end, m_code.p_begin, m_dots.members())));
    block.push_back(statement("HONE_UNROLL(UNROLL_K)"));
    block.push_back(loop(m_code.counter(), p, m_code.p_begin, m_whole, std::to_string(m_dots.members()),
                         step(p, read_a(fmt::format("hone_broadcast_group(&{}[{}])", a.name, at)))));
    const std::string left = m_code.p_end + " - " + m_whole;
    const std::string bytes = m_dots.bytes ? left : "(" + left + ") * 2";
    block.push_back(guard(m_whole + " < " + m_code.p_end,
                          step(m_whole, read_a(fmt::format("hone_broadcast_part(&{}[{}], {})", a.name, last, bytes)))));
    return {};
  }

  Result<void> store(ProgramBlock& block)
  {
    HONE_TRY(const std::string at, m_code.output_position(row(), column()));
    ProgramBlock finished;
    if (m_code.has_epilogue()) {
      HONE_TRY(const std::string value, m_code.finish(sum(), row(), column(), m_lanes, finished));
      finished.push_back(statement(fmt::format("{} = {};", sum(), value)));
    }
    const ProgramNode stored = statement(access("store", at, sum()) + ";");
    ProgramBlock body;
    if (m_dots.sums_aside) {
      finished.push_back(stored);
      body = {guard(m_code.last_block(), std::move(finished)),
              braced("else", {statement(fmt::format("hone_store({}, {});", partial_at(), sum()))})};
    } else {
      if (m_code.has_epilogue()) {
        body.push_back(guard(m_code.last_block(), std::move(finished)));
      }
      body.push_back(stored);
    }
    append(block,
           {pragma(k_unroll_registers), over_rows({guard(fmt::format("{} + {} < {}", m_code.i, m_r, m_code.i_end),
                                                         over_columns(std::move(body)))})});
    return {};
  }

  const DotCode& m_dots;
  const ContractionCode& m_code;
  Lanes m_lanes;
  std::string m_sum, m_r, m_c, m_a, m_b, m_row, m_whole;
};

} // namespace

Result<ProgramBlock> lower_dot_tile(const DotCode& dots, Lanes lanes)
{
  return DotTileWriter(dots, lanes).write();
}

} // namespace hone::lower
