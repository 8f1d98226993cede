#include "lower/tile_lowering.h"

#include "lower/words.h"

#include <fmt/format.h>

namespace hone::lower {

namespace {

const std::string k_broadcast_rows = "BROADCAST_ROWS";
constexpr int k_line_bytes = 64; // what a prefetch fetches

std::string index_plus(const std::string& base, const std::string& offset)
{
  if (offset == "0") {
    return base;
  }
  return base == "0" ? offset : base + " + " + offset;
}

// The sums of a tile, and how its rows and columns are named.
class TileWriter {
public:
  // `width`: how many of the columns there are, where not all of them.
  TileWriter(const ContractionCode& code, Lanes lanes, std::string rows, std::string columns, std::string width)
    : m_code(code), m_lanes(lanes), m_rows(std::move(rows)), m_columns(std::move(columns)), m_width(std::move(width)),
      m_sum(code.local("sum")), m_r(code.local("r")), m_c(code.local("c")), m_a(code.local("a")), m_b(code.local("b")),
      m_row(code.local("row")), m_past(code.local("past_caches")), m_pieces(code.local("pieces"))
  {
    m_row_text = {code.i, code.nest.m_loop ? code.i + " - " + code.local(code.i + "_block") : "0"};
    m_column_text = {code.j, code.nest.n_outside_m ? "0"
                             : code.j_begin == "0" ? code.j
                                                   : code.j + " - " + code.j_begin};
  }

  void start_at(RowText row, ColumnText column)
  {
    m_row_text = std::move(row);
    m_column_text = std::move(column);
  }

  Result<ProgramBlock> write()
  {
    ProgramBlock block;
    if (clips_rows()) {
      block.push_back(comment("Rows below the edge repeat the last one; what they add up is not stored."));
      block.push_back(statement(fmt::format("{} {}[{}];", m_code.counter(), m_row, m_rows)));
      block.push_back(pragma(k_unroll_registers));
      block.push_back(over_rows(
        {statement(fmt::format("{}[{}] = hone_min({} + {}, {} - 1);", m_row, m_r, m_code.i, m_r, m_code.i_end))}));
    }
    choose_stores(block);
    HONE_CHECK(prefetch_rows(block));
    HONE_CHECK(prefetch_output(block));
    HONE_CHECK(start(block));
    HONE_CHECK(accumulate(block));
    HONE_CHECK(store(block));
    return block;
  }

private:
  bool many_rows() const { return m_rows != "1"; }
  bool many_columns() const { return m_columns != "1"; }
  // A whole tile's rows are all there; they lie a constant stride apart, which saves an address each.
  bool clips_rows() const
  {
    return many_rows() && m_code.schedule.edges == EdgeTreatment::masked && m_lanes != Lanes::whole;
  }
  std::string type() const { return m_lanes == Lanes::scalar ? m_code.sum_type : m_code.vector_type; }

  std::string sum() const
  {
    return m_sum + (many_rows() ? "[" + m_r + "]" : "") + (many_columns() ? "[" + m_c + "]" : "");
  }
  RowText row() const
  {
    if (!many_rows()) {
      return m_row_text;
    }
    const std::string index = clips_rows() ? m_row + "[" + m_r + "]" : index_plus(m_row_text.index, m_r);
    return {index, index_plus(m_row_text.in_panel, m_r)};
  }
  ColumnText column() const
  {
    if (!many_columns()) {
      return m_column_text;
    }
    const std::string offset = m_lanes == Lanes::scalar ? m_c : m_c + " * " + m_code.lanes;
    return {index_plus(m_column_text.index, offset), index_plus(m_column_text.in_panel, offset)};
  }
  ProgramNode over_rows(ProgramBlock body) const { return loop("int", m_r, "0", m_rows, "1", std::move(body)); }
  ProgramBlock over_columns(ProgramBlock body) const
  {
    if (!many_columns()) {
      return body;
    }
    return {pragma(k_unroll_registers), loop("int", m_c, "0", m_width, "1", std::move(body))};
  }
  ProgramBlock over_tile(ProgramBlock body) const
  {
    ProgramBlock columns = over_columns(std::move(body));
    if (!many_rows()) {
      return columns;
    }
    return {pragma(k_unroll_registers), over_rows(std::move(columns))};
  }

  // Zero, or what the blocks of k so far came to.
  Result<void> start(ProgramBlock& block)
  {
    const std::string zero = m_lanes == Lanes::scalar ? "0" : "{}";
    const std::string extents = (many_rows() ? "[" + m_rows + "]" : "") + (many_columns() ? "[" + m_columns + "]" : "");
    HONE_TRY(const std::string so_far, m_code.load_output(row().index, column().index, m_lanes));
    if (extents.empty()) {
      const std::string value = !m_code.blocked_k() ? zero
                                                    : fmt::format("{} ? {} : {}", m_code.later_block(), so_far,
                                                                  m_lanes == Lanes::scalar ? zero : type() + zero);
      block.push_back(statement(fmt::format("{} {} = {};", type(), m_sum, value)));
      return {};
    }
    block.push_back(statement(fmt::format("{} {}{} = {{}};", type(), m_sum, extents)));
    if (m_code.blocked_k()) {
      block.push_back(guard(m_code.later_block(), over_tile({statement(fmt::format("{} = {};", sum(), so_far))})));
    }
    return {};
  }

  bool streams() const { return m_code.schedule.streaming && m_lanes == Lanes::whole && many_rows(); }

  // Sums that waited in the output between blocks of k have brought its lines into the caches already.
  void choose_stores(ProgramBlock& block) const
  {
    if (!streams()) {
      return;
    }
    const std::string in_one_block =
      m_code.blocked_k() ? fmt::format(" && {} - {} == {}", m_code.p_end, m_code.p_begin, m_code.extent(m_code.view.k))
                         : "";
    block.push_back(statement(fmt::format("const int {} = STREAM == 1{};", m_past, in_one_block)));
  }

  // Two lines of each row of A that the next tile reads: once they are asked for, hardware prefetchers go on by
  // themselves. Before a row's first misses they know nothing of it.
  Result<void> prefetch_rows(ProgramBlock& block) const
  {
    const bool in_place = !m_code.view.a_strided && !m_code.schedule.is_packed(Dimension::m);
    if (!m_code.schedule.prefetch_rows || m_lanes != Lanes::whole || !many_rows() || !in_place) {
      return {};
    }
    const std::string next = m_code.local("next_" + m_code.i), second = m_code.local("second_line");
    const std::string row = next + " + " + m_r;
    const kernel::Expr& a = *m_code.view.contraction.a;
    HONE_TRY(const std::string first_at, m_code.position(a, row, "0", m_code.p_begin));
    HONE_TRY(const std::string second_at, m_code.position(a, row, "0", second));
    block.push_back(comment("The next tile's rows of A, two lines of each: they begin where nothing was read before."));
    block.push_back(statement(fmt::format("const {0} {1} = hone_min({2} + {3}, {4} - {3});", m_code.counter(), next,
                                          m_code.i, m_rows, m_code.extent(m_code.view.m))));
    block.push_back(
      statement(fmt::format("const {} {} = hone_min({} + {}, {} - 1);", m_code.counter(), second, m_code.p_begin,
                            k_line_bytes / static_cast<int>(kernel::size_of(a.type)), m_code.p_end)));
    block.push_back(pragma(k_unroll_registers));
    block.push_back(over_rows({statement(fmt::format("__builtin_prefetch(&{}[{}]);", a.name, first_at)),
                               statement(fmt::format("__builtin_prefetch(&{}[{}]);", a.name, second_at))}));
    return {};
  }

  // The sums take their time: what they are added to, or stored over, is there when they are finished.
  Result<void> prefetch_output(ProgramBlock& block) const
  {
    if (!m_code.schedule.prefetch_output || m_lanes != Lanes::whole || !many_rows()) {
      return {};
    }
    HONE_TRY(const std::string at, m_code.output_position(row().index, column().index));
    const std::string& read =
      m_code.view.updates && !m_code.schedule.split ? m_code.view.statement->target : m_code.sums;
    ProgramBlock body = over_tile({statement(fmt::format("__builtin_prefetch(&{}[{}], 1);", read, at))});
    append(block, streams() ? ProgramBlock{guard("!" + m_past, std::move(body))} : std::move(body));
    return {};
  }

  // One line of the next columns per step of the sum; the tiles of a strip take turns at its vectors.
  bool prefetches() const { return m_code.schedule.prefetch && m_lanes == Lanes::whole && many_rows(); }
  std::string next() const { return m_code.local("next"); }
  void choose_prefetch(ProgramBlock& block) const
  {
    if (!prefetches()) {
      return;
    }
    const std::string turn =
      many_columns() ? fmt::format(" + ({} / {}) % {} * {}", m_code.i, m_rows, m_columns, m_code.lanes) : "";
    block.push_back(comment(fmt::format("Each tile fetches {} vector of the next strip, a row of it per step.",
                                        many_columns() ? "another" : "the")));
    block.push_back(
      statement(fmt::format("const {} {} = hone_min({} + {}{}, {} - 1);", m_code.counter(), next(), m_code.j,
                            m_code.spell(m_code.nest.n_step), turn, m_code.extent(m_code.view.n))));
  }

  bool spreads() const { return m_code.schedule.register_broadcast && m_lanes == Lanes::whole && many_rows(); }

  // Rows whose elements of A have been read, several steps' at a time.
  Result<ProgramNode> read_pieces() const
  {
    HONE_TRY(const std::string a, m_code.load_a(row(), m_code.p));
    return loop("int", m_r, "0", k_broadcast_rows, "1",
                {statement(fmt::format("{}[{}] = hone_pieces(&{});", m_pieces, m_r, a))});
  }

  // The sums grow by the products of one step; with `at`, the first rows have their elements in pieces.
  Result<ProgramBlock> step(const std::string& depth, const std::string& at = "") const
  {
    HONE_TRY(const std::string a, m_code.load_a(row(), depth));
    HONE_TRY(const std::string b, m_code.load_b(column(), depth, m_lanes));
    ProgramBlock body;
    if (prefetches()) {
      HONE_TRY(std::string text, m_code.prefetch_b(next(), depth));
      body.push_back(statement(std::move(text)));
    }
    if (!many_rows() && !many_columns()) {
      body.push_back(statement(fmt::format("{} += {} * {};", sum(), a, b)));
      return body;
    }
    if (!many_rows()) {
      body.push_back(statement(fmt::format("const {} {} = {};", m_code.sum_type, m_a, a)));
      append(body, over_columns({statement(fmt::format("{} += {} * {};", sum(), m_a, b))}));
      return body;
    }
    body.push_back(statement(fmt::format("{} {}[{}];", type(), m_b, m_columns)));
    append(body, over_columns({statement(fmt::format("{}[{}] = {};", m_b, m_c, b))}));
    if (m_code.schedule.in_passing) {
      const std::string to = fmt::format("&{}[{}]", m_code.panel_b, m_code.panel_position(column(), depth));
      body.push_back(guard(fmt::format("{} == {}", m_code.from, m_code.copying),
                           over_columns({statement(fmt::format("hone_store({}, {}[{}]);", to, m_b, m_c))})));
    }
    const ProgramBlock products = over_columns({statement(fmt::format("{} += {} * {}[{}];", sum(), m_a, m_b, m_c))});
    if (!at.empty()) {
      ProgramBlock spread = {
        statement(fmt::format("const {} {} = hone_spread({}[{}], {});", type(), m_a, m_pieces, m_r, at))};
      append(spread, products);
      append(body, {pragma(k_unroll_registers), loop("int", m_r, "0", k_broadcast_rows, "1", std::move(spread))});
    }
    ProgramBlock row_body = {statement(fmt::format("const {} {} = {};", m_code.sum_type, m_a, a))};
    append(row_body, products);
    append(body, {pragma(k_unroll_registers),
                  loop("int", m_r, at.empty() ? "0" : k_broadcast_rows, m_rows, "1", std::move(row_body))});
    return body;
  }

  Result<void> accumulate(ProgramBlock& block) const
  {
    const std::string& p = m_code.p;
    choose_prefetch(block);
    HONE_TRY(ProgramBlock body, step(p));
    const ProgramBlock unrolled = m_code.nest.unroll.empty()
                                    ? ProgramBlock{}
                                    : ProgramBlock{statement(fmt::format("HONE_UNROLL({})", m_code.nest.unroll))};
    if (!spreads()) {
      append(block, unrolled);
      block.push_back(loop(m_code.counter(), p, m_code.p_begin, m_code.p_end, "1", std::move(body)));
      return {};
    }
    const std::string u = m_code.local("u");
    const int piece = 16 / static_cast<int>(kernel::size_of(m_code.compute));
    HONE_TRY(ProgramNode pieces, read_pieces());
    HONE_TRY(ProgramBlock spread, step(p + " + " + u, u));
    ProgramBlock several = {statement(fmt::format("{} {}[{}];", type(), m_pieces, k_broadcast_rows)),
                            pragma(k_unroll_registers), std::move(pieces), pragma(k_unroll_registers),
                            loop("int", u, "0", std::to_string(piece), "1", std::move(spread))};
    block.push_back(statement(fmt::format("{} {} = {};", m_code.counter(), p, m_code.p_begin)));
    block.push_back(comment("The first rows read 16 bytes of A at a time."));
    append(block, unrolled);
    append(block,
           {braced(fmt::format("for (; {0} + {1} <= {2}; {0} += {1})", p, piece, m_code.p_end), std::move(several)),
            comment("What is left of k."),
            braced(fmt::format("for (; {0} < {1}; ++{0})", p, m_code.p_end), std::move(body))});
    return {};
  }

  // What is done to the sums once they are complete.
  Result<void> finish(ProgramBlock& block)
  {
    if (!m_code.has_epilogue()) {
      return {};
    }
    ProgramBlock body;
    HONE_TRY(const std::string value, m_code.finish(sum(), row().index, column().index, m_lanes, body));
    body.push_back(statement(fmt::format("{} = {};", sum(), value)));
    body = over_tile(std::move(body));
    append(block, m_code.blocked_k() ? ProgramBlock{guard(m_code.last_block(), std::move(body))} : std::move(body));
    return {};
  }

  Result<void> store(ProgramBlock& block)
  {
    HONE_CHECK(finish(block));
    HONE_TRY(const std::string text, m_code.store_output(row().index, column().index, m_lanes, sum()));
    ProgramBlock stores = over_rows_there({statement(text)});
    if (m_code.sums_wait_aside()) { // in blocks of k: else rows of sums lie in memory, and there are no tiles
      HONE_TRY(const std::string last, m_code.store_finished(row().index, column().index, m_lanes, sum()));
      stores = {guard(m_code.last_block(), over_rows_there({statement(last)})), braced("else", std::move(stores))};
    }
    if (streams()) {
      HONE_TRY(const std::string past, m_code.stream_output(row().index, column().index, sum()));
      stores = {guard(m_past, over_tile({statement(past)})), braced("else", std::move(stores))};
    }
    append(block, std::move(stores));
    return {};
  }

  // The tile without rows below the edge.
  ProgramBlock over_rows_there(ProgramBlock body) const
  {
    if (!clips_rows()) {
      return over_tile(std::move(body));
    }
    return {pragma(k_unroll_registers), over_rows({guard(fmt::format("{} + {} < {}", m_code.i, m_r, m_code.i_end),
                                                         over_columns(std::move(body)))})};
  }

  const ContractionCode& m_code;
  Lanes m_lanes;
  std::string m_rows, m_columns, m_width;
  std::string m_sum, m_r, m_c, m_a, m_b, m_row;
  std::string m_past;   // says whether the tile is stored past the caches
  std::string m_pieces; // elements of A that are spread, a vector per row
  RowText m_row_text;
  ColumnText m_column_text;
};

} // namespace

Result<ProgramBlock> lower_tile(const ContractionCode& code, Lanes lanes)
{
  return lower_tile(code, lanes, code.nest.tile_columns);
}

Result<ProgramBlock> lower_tile(const ContractionCode& code, Lanes lanes, const std::string& width)
{
  return TileWriter(code, lanes, code.nest.m_step, code.nest.tile_columns, width).write();
}

Result<ProgramBlock> lower_element(const ContractionCode& code)
{
  return TileWriter(code, Lanes::scalar, "1", "1", "1").write();
}

Result<ProgramBlock> lower_partial_tile(const ContractionCode& code)
{
  const std::string row = code.local("row");
  const std::string column = code.local("column");
  const std::string row_start = code.nest.m_loop ? code.local(code.i + "_block") : code.i;
  const std::string column_start = code.nest.n_outside_m ? code.j : code.j_begin;
  TileWriter writer(code, Lanes::scalar, "1", "1", "1");
  writer.start_at({row, row + " - " + row_start},
                  {column, column_start == "0" ? column : column + " - " + column_start});
  HONE_TRY(ProgramBlock element, writer.write());
  const std::string row_end = fmt::format("hone_min({} + {}, {})", code.i, code.nest.m_step, code.i_end);
  const std::string column_end = fmt::format("hone_min({} + {}, {})", code.j, code.spell(code.nest.n_step), code.j_end);
  ProgramBlock columns = {loop(code.counter(), column, code.j, column_end, "1", std::move(element))};
  return ProgramBlock{loop(code.counter(), row, code.i, row_end, "1", std::move(columns))};
}

} // namespace hone::lower
