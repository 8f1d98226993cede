#include "lower/window_packing.h"

#include "lower/lanes.h"
#include "lower/words.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hone::lower {

namespace {

kernel::ExprPtr integer(std::int64_t value)
{
  return kernel::make_number(static_cast<double>(value), true);
}

kernel::ExprPtr times(std::int64_t factor, const kernel::ExprPtr& expression)
{
  return kernel::make_binary("*", integer(factor), expression);
}

kernel::ExprPtr plus(const kernel::ExprPtr& left, const kernel::ExprPtr& right)
{
  return kernel::make_binary("+", left, right);
}

kernel::ExprPtr minus(const kernel::ExprPtr& left, const kernel::ExprPtr& right)
{
  return kernel::make_binary("-", left, right);
}

void collect_names(const kernel::Expr& expression, std::vector<std::string>& names)
{
  kernel::any_part(expression, [&](const kernel::Expr& part) {
    const bool named = part.kind == kernel::ExprKind::index || part.kind == kernel::ExprKind::extent;
    if (named && std::ranges::find(names, part.name) == names.end()) {
      names.push_back(part.name);
    }
    return false;
  });
}

// True when two integer expressions have the same value wherever they are tried.
bool agree(const kernel::Expr& left, const kernel::Expr& right)
{
  std::vector<std::string> names;
  collect_names(left, names);
  collect_names(right, names);
  for (std::int64_t round = 1; round <= 8; ++round) {
    std::vector<kernel::NamedValue> values;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto number = static_cast<std::int64_t>(i);
      values.push_back({names[i], (round * 7919 + number * 104729 + round * number * 31) % 1009 + 1});
    }
    const Result<std::int64_t> a = kernel::evaluate_integer(left, values);
    const Result<std::int64_t> b = kernel::evaluate_integer(right, values);
    if (!a || !b || *a != *b) {
      return false;
    }
  }
  return true;
}

bool names_output(const WindowView& view, const kernel::Expr& subscript)
{
  return names_index(subscript, view.column.name)
         || (!view.outer.empty() && names_index(subscript, view.outer.back().name));
}

bool is_window(const WindowView& view, const kernel::Expr& subscript)
{
  return names_output(view, subscript) && std::ranges::any_of(view.ranges, [&](const kernel::IndexRange& range) {
           return names_index(subscript, range.name);
         });
}

} // namespace

Result<WindowPacking::Span> WindowPacking::span_of(const kernel::Expr& subscript) const
{
  const WindowView& view = m_code->view;
  Span out{std::make_shared<kernel::Expr>(subscript), integer(0), integer(1), integer(1), false};
  for (const kernel::IndexRange& range : view.ranges) {
    const std::optional<std::int64_t> by = coefficient_of(subscript, range.name);
    if (!by) {
      return fail(fmt::format("a subscript does not grow evenly with {}", range.name), k_leave_out, subscript.place);
    }
    if (*by == 0) {
      continue;
    }
    const kernel::ExprPtr lower = range.lower ? range.lower : integer(0);
    const kernel::ExprPtr last = minus(range.upper, integer(1));
    const kernel::ExprPtr smallest = *by > 0 ? lower : last;
    out.first = with_index(out.first, range.name, smallest);
    out.offset = plus(out.offset, times(*by, minus(kernel::make_index(range.name), smallest)));
    const kernel::ExprPtr steps = times(*by > 0 ? *by : -*by, minus(last, lower));
    out.extent = plus(out.extent, steps);
    out.most = plus(out.most, steps);
    out.moves = true;
  }
  if (view.outer.empty() || m_code->rows.empty()) {
    return out;
  }
  const std::string& row = view.outer.back().name;
  const std::optional<std::int64_t> by = coefficient_of(subscript, row);
  if (!by || *by < 0) {
    return fail(fmt::format("a subscript does not grow evenly with {}", row), k_leave_out, subscript.place);
  }
  if (*by > 0) {
    const kernel::ExprPtr begin = kernel::make_index(m_code->rows_begin);
    out.first = with_index(out.first, row, begin);
    out.offset = plus(times(*by, minus(kernel::make_index(row), begin)), out.offset);
    const kernel::ExprPtr rows = minus(minus(kernel::make_index(m_code->rows_end), integer(1)), begin);
    out.extent = plus(times(*by, rows), out.extent);
    out.most = plus(times(*by, minus(kernel::make_index(m_code->rows), integer(1))), out.most);
    out.moves = true;
  }
  return out;
}

bool WindowPacking::covers(const WindowCondition& condition) const
{
  const kernel::ExprPtr slack = slack_of(*condition.text);
  for (std::size_t d = 0; slack && d < m_extents.size(); ++d) {
    const kernel::ExprPtr& subscript = m_load->load->args[d];
    if (agree(*slack, *subscript) || agree(*slack, *minus(minus(m_extents[d], integer(1)), subscript))) {
      return true;
    }
  }
  return false;
}

Result<void> WindowPacking::check_conditions()
{
  for (const WindowCondition& condition : m_code->view.conditions) {
    if (!condition.index.empty() && !covers(condition)) {
      return fail(
        fmt::format("the condition {} is not the border of {}", kernel::to_text(*condition.text), m_load->load->name),
        k_leave_out, condition.text->place);
    }
  }
  return {};
}

Result<WindowPacking> WindowPacking::create(const WindowCode& code)
{
  const WindowView& view = code.view;
  WindowPacking out(code);
  HONE_TRY(out.m_load, load_to_pack(view));
  const kernel::Expr& load = *out.m_load->load;
  if (std::ranges::none_of(load.args, [&](const kernel::ExprPtr& subscript) { return is_window(view, *subscript); })) {
    return fail(fmt::format("what lies along the columns, {}, is read without windows", load.name), k_leave_out,
                load.place);
  }
  out.m_outside = neutral_element(view, out.m_load->node);
  out.m_extents = kernel::shape_of_tensor(code.kernel, load.name);
  for (const kernel::ExprPtr& subscript : load.args) {
    HONE_TRY(Span span, out.span_of(*subscript));
    out.m_spans.push_back(std::move(span));
  }
  const kernel::Expr& along = *load.args.back();
  if (!view.outer.empty() && names_index(along, view.outer.back().name)) {
    return fail(fmt::format("rows and columns of the output share a subscript of {}", load.name), k_leave_out,
                load.place);
  }
  out.m_spans.back().first = with_index(out.m_spans.back().first, view.column.name, integer(0));
  HONE_CHECK(out.check_conditions());
  return out;
}

Result<std::string> WindowPacking::address() const
{
  std::string position;
  const auto add = [&](const kernel::ExprPtr& extent, const std::string& offset) {
    position = position.empty() ? offset : fmt::format("({}) * {} + {}", position, m_code->integer(extent), offset);
  };
  for (std::size_t d = 0; d + 1 < m_spans.size(); ++d) {
    if (m_spans[d].moves) {
      add(m_spans[d].extent, m_code->integer(m_spans[d].offset));
    }
  }
  const std::string along = m_code->integer(m_spans.back().offset);
  const std::int64_t stride = m_load->stride;
  if (stride > 1) {
    add(integer(stride), fmt::format("{} % {}", along, stride));
  }
  const std::string column =
    fmt::format("{}{} + {}", along, stride > 1 ? fmt::format(" / {}", stride) : "", m_code->column);
  return fmt::format("{} + {}", name,
                     position.empty() ? column : fmt::format("({}) * {} + {}", position, m_code->length, column));
}

Result<ProgramBlock> WindowPacking::copy_columns(const std::string& to,
                                                 const std::vector<std::string>& subscripts) const
{
  ExpressionText text = m_code->text();
  const std::string first = m_code->local("first");
  const std::string last = m_code->local("last");
  const std::string from = m_code->local("from");
  const std::string phase = m_code->local("phase");
  const std::string j = m_code->local("j");
  const std::string there = m_code->local("there");
  const std::int64_t stride = m_load->stride;
  HONE_TRY(const std::string at, text.position(m_load->load->name, subscripts));
  const kernel::ExprPtr start =
    stride > 1 ? plus(m_spans.back().first, kernel::make_index(phase)) : m_spans.back().first;
  const kernel::ExprPtr below = kernel::make_binary("/", minus(integer(stride - 1), start), integer(stride));
  const kernel::ExprPtr above =
    kernel::make_binary("/", minus(plus(m_extents.back(), integer(stride - 1)), start), integer(stride));
  const std::string apart = stride > 1 ? fmt::format(" * {}", stride) : "";
  std::string part =
    fmt::format("hone_load_between({0} + {1}{2}, {3}, {4} - {1}, {5} - {1})", from, j, apart, stride, first, last);
  if (m_outside != "0") {
    part = fmt::format("hone_keep_between({0}, {1} - {2}, {3} - {2}, {4})", part, first, j, last, m_outside);
  }
  const std::string lanes = m_code->lanes();
  ProgramBlock body = {
    statement(fmt::format("const {}* const {} = {} + {}{};", m_code->number(), from, m_load->load->name, at,
                          stride > 1 ? " + " + phase : "")),
    m_code->constant(first, m_code->integer(below)),
    m_code->constant(last, fmt::format("{} ? {} : 0", there, m_code->integer(above))),
    loop(m_code->counter(), j, "0", m_code->length, lanes,
         {guard(fmt::format("{0} <= {1} && {1} + {2} <= {3}", first, j, lanes, last),
                {statement(fmt::format("hone_store({0} + {1}, hone_load_every({2} + {1}{3}, {4}));", to, j, from, apart,
                                       stride))}),
          braced("else", {statement(fmt::format("hone_store({} + {}, {});", to, j, part))})}),
    statement(fmt::format("{} += {};", to, m_code->length)),
  };
  if (stride == 1) {
    return body;
  }
  return ProgramBlock{loop(m_code->counter(), phase, "0", std::to_string(stride), "1", std::move(body))};
}

Result<WindowFunction> WindowPacking::copy() const
{
  const std::string to = m_code->local("to");
  std::vector<std::string> subscripts;
  std::vector<std::string> inside;
  std::vector<std::pair<std::string, std::string>> loops;
  for (std::size_t d = 0; d < m_spans.size(); ++d) {
    const Span& span = m_spans[d];
    std::string subscript = m_code->integer(span.first);
    if (span.moves && d + 1 < m_spans.size()) {
      const std::string variable = m_code->local(fmt::format("at_{}", d));
      loops.emplace_back(variable, m_code->integer(span.extent));
      subscript = subscript == "0" ? variable : fmt::format("{} + {}", subscript, variable);
    }
    const bool plain = m_load->load->args[d]->kind == kernel::ExprKind::index;
    if (d + 1 < m_spans.size() && !plain) {
      inside.push_back(fmt::format("0 <= {0} && {0} < {1}", subscript, m_code->integer(m_extents[d])));
    }
    subscripts.push_back(std::move(subscript));
  }
  HONE_TRY(ProgramBlock body, copy_columns(to, subscripts));
  body.insert(body.begin(), statement(fmt::format("const bool {} = {};", m_code->local("there"),
                                                  inside.empty() ? "true" : join(inside, " && "))));
  for (auto entry = loops.rbegin(); entry != loops.rend(); ++entry) {
    body = {loop(m_code->counter(), entry->first, "0", entry->second, "1", std::move(body))};
  }
  return window_function(*m_code, m_code->local("copy_windows"), fmt::format("{}* {}", m_code->number(), to), {},
                         std::move(body));
}

// Of a line of the copy: whole vectors of a tile, and how far windows reach beyond their first element.
std::string WindowPacking::length() const
{
  const std::string lanes = m_code->lanes();
  const std::string reach =
    m_code->integer(kernel::make_binary("/", minus(m_spans.back().extent, integer(1)), integer(m_load->stride)));
  return fmt::format("(({0} + VECTORS * {1} - 1) / (VECTORS * {1}) * VECTORS * {1} + {2} + {1} - 1) / {1} * {1}",
                     m_code->columns, lanes, reach);
}

std::string WindowPacking::shared_bytes() const
{
  const std::size_t size = kernel::size_of(m_code->view.type);
  const std::string lanes = std::to_string(k_widest_vector / size);
  std::string out = fmt::format("round_up(round_up({}, VECTORS * {}) + {} / {}, {})", m_code->columns, lanes,
                                m_code->integer(minus(m_spans.back().most, integer(1))), m_load->stride, lanes);
  for (std::size_t d = 0; d + 1 < m_spans.size(); ++d) {
    out += m_spans[d].moves ? " * " + m_code->integer(m_spans[d].most) : "";
  }
  return fmt::format("{} * {}", out, m_load->stride * static_cast<std::int64_t>(size));
}

} // namespace hone::lower
