#include "lower/row_lowering.h"

#include "lower/words.h"

#include <fmt/format.h>

namespace hone::lower {

namespace {

// How much of k each of the rows that are unrolled together walks, where they are far apart.
std::string part_of_k(const ContractionCode& code)
{
  return code.local(code.p + "_part");
}

// One pass over the row for one value of k, or for UNROLL_K of them at once.
class RowWalk {
public:
  explicit RowWalk(const ContractionCode& code)
    : m_code(code), m_a(code.local("a")), m_c(code.local("c")), m_u(code.local("u")),
      m_sum(code.local("sum")), m_row{code.i, code.nest.m_loop ? code.i + " - " + code.local(code.i + "_block") : "0"}
  {
  }

  Result<ProgramBlock> write(bool unrolled)
  {
    m_unrolled = unrolled;
    HONE_TRY(const std::string a, m_code.load_a(m_row, depth()));
    ProgramBlock block;
    if (m_unrolled) {
      block.push_back(statement(fmt::format("{} {}[{}];", m_code.sum_type, m_a, m_code.nest.unroll)));
      append(block, over_depth({statement(fmt::format("{}[{}] = {};", m_a, m_u, a))}));
    } else {
      block.push_back(statement(fmt::format("const {} {} = {};", m_code.sum_type, m_a, a)));
    }
    HONE_TRY(ProgramBlock columns, sweep_columns(m_code, [&](Lanes lanes) { return update(lanes); }));
    append(block, std::move(columns));
    return block;
  }

private:
  std::string depth() const
  {
    return !m_unrolled              ? m_code.p
           : m_code.schedule.spread ? fmt::format("{} + {} * {}", m_code.p, m_u, part_of_k(m_code))
                                    : m_code.p + " + " + m_u;
  }
  ProgramBlock over_depth(ProgramBlock body) const
  {
    return {pragma(k_unroll_registers), loop("int", m_u, "0", m_code.nest.unroll, "1", std::move(body))};
  }

  // output += a * B at column j (a vector, or several, from there on).
  Result<ProgramBlock> update(Lanes lanes)
  {
    const bool several = lanes != Lanes::scalar && m_code.nest.tile_columns != "1";
    const std::string offset = several ? " + " + m_c + " * " + m_code.lanes : "";
    const ColumnText column = {m_code.j + offset,
                               (m_code.j_begin == "0" ? m_code.j : m_code.j + " - " + m_code.j_begin) + offset};
    HONE_TRY(const std::string so_far, m_code.load_output(m_row.index, column.index, lanes));
    HONE_TRY(const std::string b, m_code.load_b(column, depth(), lanes));
    ProgramBlock body;
    std::string value = fmt::format("{} + {} * {}", so_far, m_a, b);
    if (m_unrolled) {
      const std::string type = lanes == Lanes::scalar ? m_code.sum_type : m_code.vector_type;
      body.push_back(statement(fmt::format("{} {} = {};", type, m_sum, so_far)));
      append(body, over_depth({statement(fmt::format("{} += {}[{}] * {};", m_sum, m_a, m_u, b))}));
      value = m_sum;
    }
    if (lanes == Lanes::scalar && !m_unrolled) {
      body.push_back(statement(fmt::format("{} += {} * {};", so_far, m_a, b)));
    } else {
      HONE_TRY(const std::string store, m_code.store_output(m_row.index, column.index, lanes, value));
      body.push_back(statement(store));
    }
    if (several) {
      body = {pragma(k_unroll_registers), loop("int", m_c, "0", m_code.nest.tile_columns, "1", std::move(body))};
    }
    return body;
  }

  const ContractionCode& m_code;
  std::string m_a, m_c, m_u, m_sum;
  RowText m_row;
  bool m_unrolled = false;
};

// A plain loop over the row's columns inside the block, done only when `condition` holds ("" for always).
ProgramBlock each_column(const ContractionCode& code, const std::string& condition, ProgramBlock body)
{
  ProgramBlock columns = {loop(code.counter(), code.j, code.j_begin, code.j_end, "1", std::move(body))};
  return condition.empty() ? columns : ProgramBlock{guard(condition, std::move(columns))};
}

} // namespace

Result<ProgramBlock> sweep_columns(const ContractionCode& code, const ColumnBody& body)
{
  const std::string& j = code.j;
  const std::string step = code.spell(code.nest.n_step);
  if (!code.nest.vector) {
    HONE_TRY(ProgramBlock element, body(Lanes::scalar));
    return ProgramBlock{loop(code.counter(), j, code.j_begin, code.j_end, "1", std::move(element))};
  }
  if (code.schedule.edges == EdgeTreatment::masked) {
    HONE_TRY(ProgramBlock vectors, body(Lanes::part));
    return ProgramBlock{loop(code.counter(), j, code.j_begin, code.j_end, step, std::move(vectors))};
  }
  HONE_TRY(ProgramBlock vectors, body(Lanes::whole));
  HONE_TRY(ProgramBlock element, body(Lanes::scalar));
  return ProgramBlock{
    statement(fmt::format("{} {} = {};", code.counter(), j, code.j_begin)),
    braced(fmt::format("for (; {0} + {1} <= {2}; {0} += {1})", j, step, code.j_end), std::move(vectors)),
    comment("Columns that do not fill the vectors."),
    braced(fmt::format("for (; {0} < {1}; ++{0})", j, code.j_end), std::move(element)),
  };
}

Result<ProgramBlock> lower_row_in_memory(const ContractionCode& code)
{
  const std::string& p = code.p;
  ProgramBlock block;
  HONE_TRY(const std::string clear, code.store_output(code.i, code.j, Lanes::scalar, "0"));
  append(block, each_column(code, code.blocked_k() ? code.p_begin + " == " + code.p_from : "", {statement(clear)}));

  RowWalk pass(code);
  HONE_TRY(ProgramBlock single, pass.write(false));
  const bool along_rows = !code.view.b_strided || code.schedule.is_packed(Dimension::n);
  block.push_back(
    comment(along_rows ? fmt::format("{} outside, {} inside: {} and {} are walked along their rows.", p, code.j,
                                     code.view.contraction.b->name, code.sums)
                       : fmt::format("{} outside, {} inside: {} is walked along its rows.", p, code.j, code.sums)));
  if (code.nest.unroll.empty()) {
    block.push_back(loop(code.counter(), p, code.p_begin, code.p_end, "1", std::move(single)));
  } else if (code.schedule.spread) {
    HONE_TRY(ProgramBlock several, pass.write(true));
    const std::string part = part_of_k(code);
    block.push_back(statement(
      fmt::format("const {} {} = ({} - {}) / {};", code.counter(), part, code.p_end, code.p_begin, code.nest.unroll)));
    const std::string start = code.p_begin == "0" ? "" : code.p_begin + " + ";
    block.push_back(loop(code.counter(), p, code.p_begin, start + part, "1", std::move(several)));
    block.push_back(comment("What is left of k."));
    block.push_back(loop(code.counter(), p, fmt::format("{}{} * {}", start, part, code.nest.unroll), code.p_end, "1",
                         std::move(single)));
  } else {
    HONE_TRY(ProgramBlock several, pass.write(true));
    block.push_back(statement(fmt::format("{} {} = {};", code.counter(), p, code.p_begin)));
    block.push_back(
      braced(fmt::format("for (; {0} + {1} <= {2}; {0} += {1})", p, code.nest.unroll, code.p_end), std::move(several)));
    block.push_back(comment("What is left of k."));
    block.push_back(braced(fmt::format("for (; {0} < {1}; ++{0})", p, code.p_end), std::move(single)));
  }
  if (code.has_epilogue()) {
    HONE_TRY(const std::string sum, code.load_output(code.i, code.j, Lanes::scalar));
    ProgramBlock body;
    HONE_TRY(const std::string value, code.finish(sum, code.i, code.j, Lanes::scalar, body));
    HONE_TRY(const std::string store, code.store_finished(code.i, code.j, Lanes::scalar, value));
    body.push_back(statement(store));
    append(block, each_column(code, code.blocked_k() ? code.last_block() : "", std::move(body)));
  }
  return block;
}

} // namespace hone::lower
