#include "lower/window_matrix.h"

#include "lower/words.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::lower {

namespace {

// Elements of neighbouring rows are neighbours: "[..., y, x]" in a tensor whose last dimensions are the output's.
bool is_plane(const kernel::Kernel& kernel, const kernel::Expr& load, const kernel::IndexRange& row,
              const kernel::IndexRange& column)
{
  const std::vector<kernel::ExprPtr> shape = kernel::shape_of_tensor(kernel, load.name);
  const std::size_t rank = load.args.size();
  const auto is = [&](std::size_t d, const kernel::IndexRange& range) {
    const bool index = load.args[d]->kind == kernel::ExprKind::index;
    return index && (load.args[d]->name == range.name || (&range == &column && load.args[d]->name == "column"))
           && kernel::to_text(*shape[d]) == kernel::to_text(*range.upper);
  };
  return rank >= 2 && is(rank - 2, row) && is(rank - 1, column);
}

} // namespace

Result<WindowView> joined_rows(const kernel::Kernel& kernel, const WindowView& view)
{
  HONE_TRY(const WindowLoad* packed, load_to_pack(view));
  const std::vector<kernel::IndexRange>& indices = view.statement->indices;
  if (view.outer.empty() || indices.size() < 2 || indices[indices.size() - 2].name != view.outer.back().name) {
    return fail("there are no rows of columns that could be joined", k_leave_out);
  }
  const kernel::IndexRange row = view.outer.back();
  const bool windows = std::ranges::any_of(packed->load->args, [&](const kernel::ExprPtr& subscript) {
    return names_index(*subscript, row.name) || names_index(*subscript, view.column.name);
  });
  if (!windows || names_index(*packed->load->args.back(), row.name)) {
    return fail(fmt::format("the rows of {} are no rows of the output", packed->load->name), k_leave_out);
  }
  bool alone = names_index(*view.body, row.name); // besides in the load that is copied
  kernel::any_part(*view.epilogue, [&](const kernel::Expr& part) {
    const bool moved = names_index(part, row.name) || names_index(part, "column");
    alone = alone || (part.kind == kernel::ExprKind::load && moved && !is_plane(kernel, part, row, view.column));
    return false;
  });
  for (const WindowCondition& condition : view.conditions) {
    alone = alone || (!condition.index.empty() && condition.index != view.column.name);
  }
  if (alone) {
    return fail("something besides the windows depends on the row, or on the column alone", k_leave_out);
  }
  WindowView out = view;
  out.outer.pop_back();
  out.column.upper = kernel::make_binary("*", row.upper, view.column.upper);
  return out;
}

Result<WindowMatrix> WindowMatrix::create(const WindowCode& code, const WindowView& by_rows)
{
  return WindowMatrix(code, by_rows);
}

std::string WindowMatrix::extent_of(const kernel::IndexRange& range) const
{
  return m_code->integer(range.lower ? kernel::make_binary("-", range.upper, range.lower) : range.upper);
}

std::string WindowMatrix::terms() const
{
  std::vector<std::string> extents;
  for (const kernel::IndexRange& range : m_code->view.ranges) {
    extents.push_back(extent_of(range));
  }
  return extents.size() == 1 ? extents[0] : "(" + join(extents, " * ") + ")";
}

std::string WindowMatrix::length() const
{
  return "VECTORS * " + m_code->lanes();
}

Result<std::string> WindowMatrix::address() const
{
  std::string line;
  for (const kernel::IndexRange& range : m_code->view.ranges) {
    const kernel::ExprPtr index = kernel::make_index(range.name);
    const std::string at = m_code->integer(range.lower ? kernel::make_binary("-", index, range.lower) : index);
    line = line.empty() ? at : fmt::format("({}) * {} + {}", line, extent_of(range), at);
  }
  return fmt::format("{} + ({} - {}) * {} + ({}) * {}", name, m_code->column, m_code->rows_begin, terms(), line,
                     m_code->length);
}

// Neighbouring pixels of one row, `count` of them.
Result<ProgramBlock> WindowMatrix::copy_run(const std::string& to, const std::string& from_column,
                                            const std::string& count) const
{
  const WindowView& view = *m_by_rows;
  const WindowLoad& load = view.loads.front();
  const std::string from = m_code->local("from");
  const std::string first = m_code->local("first");
  const std::string last = m_code->local("last");
  const std::string j = m_code->local("j");
  ExpressionText text = m_code->text();
  text.indices[view.outer.back().name] = m_code->local("row");
  text.indices[view.column.name] = from_column;
  HONE_TRY(const std::string at, text.position(*load.load));
  std::string begin = "0";
  std::string end = count;
  std::string counts; // conditions on the row and on the reduction's indices
  for (const WindowCondition& condition : view.conditions) {
    if (condition.index.empty()) {
      HONE_TRY(const std::string one, text.integer_text(*condition.text));
      counts += (counts.empty() ? "" : " && ") + (condition.text->name == "||" ? "(" + one + ")" : one);
      continue;
    }
    HONE_TRY(const std::string bound, text.integer_text(*condition.bound()));
    std::string& side = condition.is_lower() ? begin : end;
    side =
      fmt::format("hone_{}({}, {} - {})", condition.is_lower() ? "max" : "min", m_code->wide(side), bound, from_column);
  }
  end = counts.empty() ? end : fmt::format("{} ? {} : 0", counts, end);
  const std::string neutral = neutral_element(m_code->view, load.node);
  const std::string apart = load.stride > 1 ? fmt::format(" * {}", load.stride) : "";
  std::string part =
    fmt::format("hone_load_between({0} + {1}{2}, {3}, {4} - {1}, {5} - {1})", from, j, apart, load.stride, first, last);
  if (neutral != "0") {
    part = fmt::format("hone_keep_between({0}, {1} - {2}, {3} - {2}, {4})", part, first, j, last, neutral);
  }
  return ProgramBlock{
    statement(fmt::format("const {}* const {} = {} + {};", m_code->number(), from, load.load->name, at)),
    m_code->constant(first, begin), m_code->constant(last, end),
    loop(m_code->counter(), j, "0", count, m_code->lanes(),
         {statement(fmt::format("hone_store_part({0} + {1}, {2}, {3} - {1});", to, j, part, count))})};
}

// One term's line of a strip, a run of pixels for each row that it touches. Behind the last pixel of the plane lie
// zeros, since whole vectors are read there.
Result<ProgramBlock> WindowMatrix::copy_line(const std::string& to, const std::string& strip) const
{
  const std::string pixel = m_code->local("pixel");
  const std::string strip_end = m_code->local("strip_end");
  const std::string from_column = m_code->local("from_column");
  const std::string count = m_code->local("count");
  const std::string rest = m_code->local("j");
  const std::string columns = m_code->integer(m_by_rows->column.upper);
  HONE_TRY(ProgramBlock run, copy_run(fmt::format("{} + ({} - {})", to, pixel, strip), from_column, count));
  ProgramBlock body = {
    m_code->constant(m_code->local("row"), fmt::format("{} / {}", pixel, columns)),
    m_code->constant(from_column, fmt::format("{} % {}", pixel, columns)),
    m_code->constant(count, fmt::format("hone_min({} - {}, {} - {})", columns, from_column, strip_end, pixel)),
  };
  append(body, std::move(run));
  body.push_back(statement(fmt::format("{} += {};", pixel, count)));
  return ProgramBlock{
    braced(fmt::format("for ({} {} = {}; {} < {};)", m_code->counter(), pixel, strip, pixel, strip_end),
           std::move(body)),
    loop(m_code->counter(), rest, fmt::format("{} - {}", strip_end, strip), m_code->length, m_code->lanes(),
         {statement(fmt::format("hone_store_part({0} + {1}, {2}{{}}, {3} - {1});", to, rest, m_code->vector(),
                                m_code->length))}),
    statement(fmt::format("{} += {};", to, m_code->length))};
}

Result<WindowFunction> WindowMatrix::copy() const
{
  const std::string to = m_code->local("to");
  const std::string strip = m_code->local("strip");
  HONE_TRY(ProgramBlock body, copy_line(to, strip));
  for (auto range = m_code->view.ranges.rbegin(); range != m_code->view.ranges.rend(); ++range) {
    body = {loop(m_code->counter(), m_code->variables.at(range->name),
                 range->lower ? m_code->integer(range->lower) : "0", m_code->integer(range->upper), "1",
                 std::move(body))};
  }
  body.insert(body.begin(),
              m_code->constant(m_code->local("strip_end"),
                               fmt::format("hone_min({} + {}, {})", strip, m_code->length, m_code->rows_end)));
  body = {loop(m_code->counter(), strip, m_code->rows_begin, m_code->rows_end, m_code->length, std::move(body))};
  return window_function(*m_code, m_code->local("copy_windows"), fmt::format("{}* {}", m_code->number(), to), {},
                         std::move(body));
}

std::string WindowMatrix::shared_bytes() const
{
  return fmt::format("{} * PIXELS * {}", terms(), kernel::size_of(m_code->view.type));
}

} // namespace hone::lower
