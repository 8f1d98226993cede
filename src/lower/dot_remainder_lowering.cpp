#include "lower/dot_remainder_lowering.h"

#include "lower/words.h"
#include "util/util.h"

#include <fmt/format.h>

namespace hone::lower {

namespace {

constexpr const char* k_columns = "DOT_COLUMNS"; // that dot-remainders adds
constexpr int k_most_columns = 4;                // at a time: as many as hone_sums takes

// The nest's names, but for the columns: these walk those behind the whole vectors.
ContractionCode of_last_columns(const ContractionCode& nest)
{
  ContractionCode code = nest;
  code.j_begin = nest.j_whole;
  code.j = nest.local(nest.j + "_dot");
  code.j_end = nest.local(nest.j + "_dot_end");
  code.group_buffers.emplace_back(nest.last_columns, nest.type_of(nest.view.contraction.b->type));
  return code;
}

class DotRemainderWriter {
public:
  explicit DotRemainderWriter(const ContractionCode& nest)
    : m_nest(nest), m_code(of_last_columns(nest)), m_b_name(nest.view.contraction.b->name),
      m_rows(nest.dialect.vector_bytes >= 64 ? 4 : 2), m_sum(nest.local("sum")), m_total(nest.local("total")),
      m_r(nest.local("r")), m_c(nest.local("c")), m_a(nest.local("a")), m_b(nest.local("b")), m_row(nest.local("row")),
      m_width(nest.local("width"))
  {
  }

  Result<DotRemainder> write()
  {
    DotRemainder out;
    HONE_TRY(const Outlined copy, copy_columns());
    append(out.functions,
           explained(copy.definition, fmt::format("Copies the last columns of {} so that a vector of each lies beside "
                                                  "one of the next; zero beyond {}.",
                                                  m_b_name, m_code.p_end)));
    HONE_TRY(const Outlined dots, dots_of_width());
    append(out.functions,
           explained(dots.definition, fmt::format("{} rows by {} of the last columns: a vector of products along {} is "
                                                  "summed for each.",
                                                  m_rows, m_width, m_code.p)));
    const Outlined chosen = outline(m_code, "compute_dots", by_width(dots));
    append(out.functions, explained(chosen.definition, "As many columns as are left."));
    out.body = sweep(copy, chosen);
    return out;
  }

private:
  std::string sum() const { return fmt::format("{}[{}][{}]", m_sum, m_r, m_c); }
  std::string total() const { return fmt::format("{}[{}]", m_total, m_r); }
  std::string row() const { return fmt::format("{}[{}]", m_row, m_r); }
  ProgramNode over_rows(ProgramBlock body) const
  {
    return loop("int", m_r, "0", std::to_string(m_rows), "1", std::move(body));
  }
  ProgramBlock over_columns(ProgramBlock body) const
  {
    return {pragma(k_unroll_registers), loop("int", m_c, "0", m_width, "1", std::move(body))};
  }
  // In the copy: the column's vector of the products at depth p, a whole number of vectors into the block.
  std::string copied(const std::string& column) const
  {
    return fmt::format("&{}[({} - {}) * {} + ({}) * {}]", m_code.last_columns, m_code.p, m_code.p_begin, k_columns,
                       column, m_code.lanes);
  }

  Result<Outlined> copy_columns() const
  {
    const kernel::Expr& load = *m_code.view.contraction.b;
    const std::string column = m_nest.local("column");
    HONE_TRY(const std::string at, m_code.position(load, "0", column, m_code.p));
    HONE_TRY(const std::string apart, m_code.stride(load, m_code.view.k.name));
    const std::string left = m_code.p_end + " - " + m_code.p;
    const std::string vector = apart == "1"
                                 ? fmt::format("hone_load_part(&{}[{}], {})", load.name, at, left)
                                 : fmt::format("hone_load_strided_part(&{}[{}], {}, {})", load.name, at, apart, left);
    const std::string to = copied(column + " - " + m_code.j_begin);
    ProgramBlock body = {loop(m_code.counter(), column, m_code.j_begin, m_code.extent(m_code.view.n), "1",
                              {statement(fmt::format("hone_store({}, {});", to, vector))})};
    return outline(m_code, "copy_last_columns",
                   {loop(m_code.counter(), m_code.p, m_code.p_begin, m_code.p_end, m_code.lanes, std::move(body))});
  }

  Result<Outlined> dots_of_width()
  {
    ProgramBlock block = {
      comment("Rows below the edge repeat the last one; what they add up is not stored."),
      statement(fmt::format("{} {}[{}];", m_code.counter(), m_row, m_rows)), pragma(k_unroll_registers),
      over_rows({statement(fmt::format("{} = hone_min({} + {}, {} - 1);", row(), m_code.i, m_r, m_code.i_end))}),
      statement(fmt::format("{} {}[{}][{}] = {{}};", m_code.vector_type, m_sum, m_rows, k_most_columns))};
    HONE_CHECK(accumulate(block));
    HONE_CHECK(store(block));
    return outline_by({m_width}, m_code, "compute_dots_of_width", std::move(block));
  }

  // One vector of products for each row and column; `a` loads what a row brings to it.
  ProgramBlock step(const std::string& a) const
  {
    ProgramBlock body = {statement(fmt::format("{} {}[{}];", m_code.vector_type, m_b, k_most_columns))};
    const std::string column = fmt::format("{} - {} + {}", m_code.j, m_code.j_begin, m_c);
    append(body, over_columns({statement(fmt::format("{}[{}] = hone_load({});", m_b, m_c, copied(column)))}));
    ProgramBlock row_body = {statement(fmt::format("const {} {} = {};", m_code.vector_type, m_a, a))};
    append(row_body, over_columns({statement(fmt::format("{} += {} * {}[{}];", sum(), m_a, m_b, m_c))}));
    append(body, {pragma(k_unroll_registers), over_rows(std::move(row_body))});
    return body;
  }

  Result<void> accumulate(ProgramBlock& block) const
  {
    const std::string& p = m_code.p;
    HONE_TRY(const std::string at, m_code.position(*m_code.view.contraction.a, row(), "0", p));
    const std::string a = fmt::format("&{}[{}]", m_code.view.contraction.a->name, at);
    block.push_back(statement(fmt::format("{} {} = {};", m_code.counter(), p, m_code.p_begin)));
    block.push_back(braced(fmt::format("for (; {0} + {1} <= {2}; {0} += {1})", p, m_code.lanes, m_code.p_end),
                           step(fmt::format("hone_load({})", a))));
    block.push_back(guard(fmt::format("{} < {}", p, m_code.p_end),
                          step(fmt::format("hone_load_part({}, {} - {})", a, m_code.p_end, p))));
    return {};
  }

  // The sums of a row's vectors are neighbours in the output.
  Result<void> store(ProgramBlock& block) const
  {
    std::vector<std::string> sums;
    for (int column = 0; column < k_most_columns; ++column) {
      sums.push_back(fmt::format("{}[{}][{}]", m_sum, m_r, column));
    }
    append(block,
           {statement(fmt::format("{} {}[{}];", m_code.vector_type, m_total, m_rows)), pragma(k_unroll_registers),
            over_rows({statement(fmt::format("{} = hone_sums({});", total(), join(sums, ", ")))})});
    ProgramBlock body;
    HONE_TRY(const std::string so_far, m_code.load_output(row(), m_code.j, Lanes::part));
    body.push_back(guard(m_code.later_block(), {statement(fmt::format("{} += {};", total(), so_far))}));
    if (m_code.has_epilogue()) {
      ProgramBlock finished;
      HONE_TRY(const std::string value, m_code.finish(total(), row(), m_code.j, Lanes::part, finished));
      finished.push_back(statement(fmt::format("{} = {};", total(), value)));
      body.push_back(guard(m_code.last_block(), std::move(finished)));
    }
    HONE_TRY(const std::string text, m_code.store_output(row(), m_code.j, Lanes::part, total()));
    if (m_code.sums_wait_aside()) {
      HONE_TRY(const std::string last, m_code.store_finished(row(), m_code.j, Lanes::part, total()));
      append(body, {guard(m_code.last_block(), {statement(last)}), braced("else", {statement(text)})});
    } else {
      body.push_back(statement(text));
    }
    const std::string inside = fmt::format("{0} < {1} && {2} + {0} < {3}", m_r, m_rows, m_code.i, m_code.i_end);
    block.push_back(braced(fmt::format("for (int {0} = 0; {1}; ++{0})", m_r, inside), std::move(body)));
    return {};
  }

  // Code of its own for each number of columns.
  ProgramBlock by_width(const Outlined& dots) const
  {
    ProgramBlock block = {
      statement(fmt::format("const {} {} = {} - {};", m_code.counter(), m_width, m_code.j_end, m_code.j)),
      guard(m_width + " == 1", {dots.call({"1"})})};
    for (int width = 2; width < k_most_columns; ++width) {
      block.push_back(braced(fmt::format("else if ({} == {})", m_width, width), {dots.call({std::to_string(width)})}));
    }
    block.push_back(braced("else", {dots.call({std::to_string(k_most_columns)})}));
    return block;
  }

  // Whatever groups there are: those of the last block of columns have them.
  ProgramBlock sweep(const Outlined& copy, const Outlined& dots) const
  {
    const std::string n = m_code.extent(m_code.view.n);
    const std::string i_block = m_code.local(m_code.i + "_block");
    ProgramBlock columns = {
      statement(fmt::format("const {} {} = hone_min({} + {}, {});", m_code.counter(), m_code.j_end, m_code.j,
                            k_most_columns, n)),
      loop(m_code.counter(), m_code.i, i_block, m_code.i_end, std::to_string(m_rows), {dots.call()})};
    return {comment("The columns that do not fill a vector, where they are few."),
            guard(fmt::format("{} < {} && {} + {} >= {}", m_code.j_begin, n, m_nest.j_begin, m_nest.nest.n_block, n),
                  {copy.call(), loop(m_code.counter(), m_code.j, m_code.j_begin, n, std::to_string(k_most_columns),
                                     std::move(columns))})};
  }

  const ContractionCode& m_nest;
  ContractionCode m_code;
  std::string m_b_name;
  int m_rows;
  std::string m_sum, m_total, m_r, m_c, m_a, m_b, m_row, m_width;
};

} // namespace

ProgramBlock end_of_whole_vectors(const ContractionCode& code)
{
  const std::string n = code.extent(code.view.n);
  return {comment(fmt::format("Where whole vectors end; at most {} columns behind them are dot products.", k_columns)),
          statement(fmt::format("const {0} {1} = {2} % {3} > {4} ? {2} : {2} - {2} % {3};", code.counter(),
                                code.j_whole, n, code.lanes, k_columns))};
}

Result<DotRemainder> lower_dot_remainder(const ContractionCode& code)
{
  return DotRemainderWriter(code).write();
}

} // namespace hone::lower
