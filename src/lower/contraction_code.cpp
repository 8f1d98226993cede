#include "lower/contraction_code.h"

#include "lower/contraction_epilogue.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace hone::lower {

namespace {

// "a + b" stays apart when it is multiplied or subtracted.
std::string bracket(const std::string& text)
{
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

std::string plus(const std::string& product, const std::string& offset)
{
  return offset == "0" ? product : product + " + " + offset;
}

void collect_constants(const kernel::Expr& expression, std::vector<double>& numbers)
{
  const bool trivial = expression.number == 0 || expression.number == 1;
  if (expression.kind == kernel::ExprKind::number && !trivial
      && std::find(numbers.begin(), numbers.end(), expression.number) == numbers.end()) {
    numbers.push_back(expression.number);
  }
  for (const kernel::ExprPtr& argument : expression.args) {
    if (argument) {
      collect_constants(*argument, numbers);
    }
  }
}

void collect_loads(const kernel::Expr& expression, std::vector<const kernel::Expr*>& loads)
{
  if (expression.kind == kernel::ExprKind::load) {
    loads.push_back(&expression);
  }
  for (const kernel::ExprPtr& argument : expression.args) {
    if (argument) {
      collect_loads(*argument, loads);
    }
  }
}

} // namespace

NestShape nest_shape(const Schedule& schedule)
{
  NestShape shape;
  int n_tile = -1;
  int m_tile = -1;
  int k_point = -1;
  for (int position = 0; position < static_cast<int>(schedule.loops.size()); ++position) {
    const ScheduledLoop& loop = schedule.loops[static_cast<std::size_t>(position)];
    if (loop.dimension == Dimension::m && loop.kind == LoopKind::group) {
      shape.m_block = loop.step;
      shape.m_step = loop.step;
    } else if (loop.dimension == Dimension::m && loop.kind == LoopKind::serial) {
      shape.m_loop = true;
      shape.m_step = loop.step;
      m_tile = position;
    } else if (loop.dimension == Dimension::n && loop.kind != LoopKind::registers) {
      const bool innermost = position == find_innermost(schedule, Dimension::n, LoopKind::serial);
      if (innermost) {
        shape.n_step = loop.step;
        n_tile = position;
      } else {
        shape.n_block = loop.step;
        shape.n_grouped = loop.kind == LoopKind::group;
      }
    } else if (loop.dimension == Dimension::k) {
      if (position == find_innermost(schedule, Dimension::k, LoopKind::serial)) {
        shape.unroll = loop.unroll;
        k_point = position;
      } else {
        shape.k_block = loop.step;
      }
    } else if (loop.dimension == Dimension::n) {
      shape.vector = loop.vector;
      shape.tile_columns = loop.vector ? replace_all(shape.n_step, " * lanes", "") : shape.n_step;
    }
  }
  shape.k_outside_n = k_point < n_tile;
  shape.n_outside_m = m_tile > n_tile;
  return shape;
}

std::string name_of_b(const ContractionView& view)
{
  const std::string& name = view.contraction.b->name;
  return name == view.contraction.a->name ? name + "_columns" : name;
}

Result<ContractionCode> ContractionCode::create(const kernel::Kernel& kernel, const Schedule& schedule,
                                                const Dialect& dialect)
{
  HONE_TRY(ContractionView view, schedule.form == "dots" ? dot_view(kernel) : contraction_view(kernel));
  ContractionCode code(kernel, schedule, dialect);
  code.view = std::move(view);
  code.nest = nest_shape(schedule);
  const kernel::Statement& source = *code.view.statement;
  code.compute = compute_type(kernel, source);
  code.variables = index_variables(kernel, source);
  code.i = code.variables.at(code.view.m.name);
  code.j = code.variables.at(code.view.n.name);
  code.p = code.variables.at(code.view.k.name);

  code.i_end = code.local(code.i + "_end");
  const bool n_blocked = !code.nest.n_block.empty();
  code.j_begin = n_blocked ? code.local(code.j + "_block") : "0";
  code.j_end = n_blocked ? code.local(code.j + "_end") : code.extent(code.view.n);
  const bool k_blocked = !code.nest.k_block.empty();
  code.p_from = schedule.split ? code.local(code.p + "_from") : "0";
  code.p_to = schedule.split ? code.local(code.p + "_to") : code.extent(code.view.k);
  code.p_begin = k_blocked ? code.local(code.p + "_block") : code.p_from;
  code.p_end = k_blocked ? code.local(code.p + "_end") : code.p_to;
  code.sums = schedule.split           ? code.local("sums")
              : code.sums_wait_aside() ? code.local("sums_of_" + source.target)
                                       : source.target;
  code.parts = code.local("parts");
  code.panel_a = code.local("packed_" + code.view.contraction.a->name);
  code.panel_b = code.local("packed_" + name_of_b(code.view));
  code.from = code.local("from");
  code.in_place = code.local("IN_PLACE");
  code.copy = code.local("COPY");
  code.copying = code.local("COPYING");
  code.j_whole = code.local(code.j + "_whole");
  code.last_columns = code.local("last_" + code.view.contraction.b->name);

  code.element_type = schedule.macros ? "ELEMENT" : type_text(source.type, dialect);
  code.sum_type = schedule.macros ? "SUM" : type_text(code.compute, dialect);
  code.vector_type = schedule.macros ? "VECTOR" : hone::lower::vector_type(code.compute);
  code.lanes = schedule.macros ? "LANES" : vector_lanes(code.compute);
  if (schedule.split) {
    code.group_buffers = {{code.parts, code.sum_type}, {code.sums, code.sum_type}};
  } else if (code.sums_wait_aside()) {
    code.group_buffers = {{code.sums, code.sum_type}};
  }
  if (schedule.macros) {
    std::vector<double> numbers;
    collect_constants(*code.view.contraction.epilogue, numbers);
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      code.constants[numbers[at]] = numbers.size() == 1 ? "SCALE" : fmt::format("CONSTANT_{}", at + 1);
    }
    HONE_TRY(code.m_index_macros, code.index_macros());
  }
  return code;
}

std::string ContractionCode::spell(const std::string& step) const
{
  return replace_all(step, "lanes", lanes);
}

std::string ContractionCode::type_of(kernel::DataType type) const
{
  return type == view.statement->type ? element_type : type_text(type, dialect);
}

std::string ContractionCode::local(const std::string& name) const
{
  const auto taken = [&](const std::string& candidate) {
    return std::find(kernel.symbols.begin(), kernel.symbols.end(), candidate) != kernel.symbols.end()
           || kernel.find_argument(candidate) != nullptr || candidate == view.statement->target
           || std::any_of(variables.begin(), variables.end(),
                          [&](const auto& entry) { return entry.second == candidate; });
  };
  std::string free_name = name;
  while (taken(free_name)) {
    free_name += "_";
  }
  return free_name;
}

std::string ContractionCode::extent(const kernel::IndexRange& range) const
{
  const Result<std::string> text = expression_text().integer_text(*range.upper);
  return text ? *text : range.name;
}

ExpressionText ContractionCode::expression_text() const
{
  ExpressionText text(kernel, dialect, compute);
  text.indices = variables;
  text.index_macros = schedule.macros;
  text.constants = constants;
  return text;
}

Result<std::string> ContractionCode::position(const kernel::Expr& load, const std::string& row,
                                              const std::string& column, const std::string& depth) const
{
  ExpressionText text = expression_text();
  text.indices[view.m.name] = row;
  text.indices[view.n.name] = column;
  // The last of several indices varies fastest.
  std::string rest = depth;
  for (std::size_t part = view.k_parts.size(); part-- > 0;) {
    const std::string& name = view.k_parts[part].name;
    if (part == 0) {
      text.indices[name] = rest;
      break;
    }
    HONE_TRY(const std::string count, expression_text().integer_text(*view.k_parts[part].upper));
    text.indices[name] = fmt::format("{} % {}", bracket(rest), count);
    rest = fmt::format("{} / {}", bracket(rest), count);
  }
  return text.position(load);
}

Result<std::string> ContractionCode::output_position(const std::string& row, const std::string& column) const
{
  std::vector<std::string> subscripts;
  for (const kernel::IndexRange& range : view.statement->indices) {
    subscripts.push_back(range.name == view.m.name   ? row
                         : range.name == view.n.name ? column
                                                     : variables.at(range.name));
  }
  return expression_text().position(view.statement->target, subscripts);
}

Result<std::string> ContractionCode::load_a(const RowText& row, const std::string& depth) const
{
  const kernel::Expr& load = *view.contraction.a;
  std::string element;
  if (schedule.is_packed(Dimension::m)) {
    const std::string from_start = bracket(depth + " - " + p_begin);
    const std::string block = nest.m_block == "1" ? depth + " - " + p_begin : from_start + " * " + nest.m_block;
    element = fmt::format("{}[{}]", panel_a, plus(block, row.in_panel));
  } else {
    HONE_TRY(const std::string at, position(load, row.index, "0", depth));
    element = fmt::format("{}[{}]", load.name, at);
  }
  return compute == load.type ? element : fmt::format("({}){}", sum_type, element);
}

std::string ContractionCode::panel_position(const ColumnText& column, const std::string& depth) const
{
  const std::string width = spell(nest.n_outside_m ? nest.n_step : nest.n_block);
  return plus(fmt::format("({} - {}) * {}", depth, p_begin, bracket(width)), column.in_panel);
}

Result<std::string> ContractionCode::load_b(const ColumnText& column, const std::string& depth, Lanes run) const
{
  if (!schedule.is_packed(Dimension::n)) {
    return load_b_itself(column, depth, run);
  }
  const std::string at = panel_position(column, depth);
  // Panels are filled up with zeros, so that whole vectors can be read from them.
  const std::string packed =
    run == Lanes::scalar ? fmt::format("{}[{}]", panel_b, at) : fmt::format("hone_load(&{}[{}])", panel_b, at);
  if (!schedule.in_passing) {
    return packed;
  }
  HONE_TRY(const std::string itself, load_b_itself(column, depth, run));
  return fmt::format("{} == {} ? {} : {}", from, copy, packed, itself);
}

Result<std::string> ContractionCode::load_b_itself(const ColumnText& column, const std::string& depth, Lanes run) const
{
  const kernel::Expr& load = *view.contraction.b;
  HONE_TRY(const std::string at, position(load, "0", column.index, depth));
  const std::string left = fmt::format("{} - {}", j_end, bracket(column.index));
  if (run == Lanes::scalar) {
    const std::string element = fmt::format("{}[{}]", load.name, at);
    return compute == load.type ? element : fmt::format("({}){}", sum_type, element);
  }
  HONE_TRY(const std::string apart, stride(load, view.n.name));
  if (run == Lanes::whole) {
    return !view.b_strided ? fmt::format("hone_load(&{}[{}])", load.name, at)
                           : fmt::format("hone_load_strided(&{}[{}], {})", load.name, at, apart);
  }
  return !view.b_strided ? fmt::format("hone_load_part(&{}[{}], {})", load.name, at, left)
                         : fmt::format("hone_load_strided_part(&{}[{}], {}, {})", load.name, at, apart, left);
}

Result<std::string> ContractionCode::prefetch_b(const std::string& column, const std::string& depth) const
{
  HONE_TRY(const std::string at, position(*view.contraction.b, "0", column, depth));
  return fmt::format("__builtin_prefetch(&{}[{}]);", view.contraction.b->name, at);
}

// The product of the extents behind the index's subscript.
Result<std::string> ContractionCode::stride(const kernel::Expr& load, const std::string& index) const
{
  const kernel::Argument* argument = kernel.find_argument(load.name);
  std::string out;
  bool behind = false;
  for (std::size_t d = 0; d < load.args.size(); ++d) {
    if (behind) {
      HONE_TRY(const std::string extent_text, expression_text().integer_text(*argument->shape[d]));
      out += (out.empty() ? "" : " * ") + bracket(extent_text);
    }
    behind = behind || load.args[d]->name == index;
  }
  return out.empty() ? "1" : out;
}

Result<std::string> ContractionCode::load_output(const std::string& row, const std::string& column, Lanes run) const
{
  HONE_TRY(const std::string at, output_position(row, column));
  switch (run) {
  case Lanes::scalar:
    return fmt::format("{}[{}]", sums, at);
  case Lanes::whole:
    return fmt::format("hone_load(&{}[{}])", sums, at);
  case Lanes::part:
    break;
  }
  return fmt::format("hone_load_part(&{}[{}], {} - {})", sums, at, j_end, bracket(column));
}

Result<std::string> ContractionCode::store_output(const std::string& row, const std::string& column, Lanes run,
                                                  const std::string& value) const
{
  return store_in(sums, row, column, run, value);
}

Result<std::string> ContractionCode::store_finished(const std::string& row, const std::string& column, Lanes run,
                                                    const std::string& value) const
{
  return store_in(sums_wait_aside() ? view.statement->target : sums, row, column, run, value);
}

Result<std::string> ContractionCode::store_in(const std::string& buffer, const std::string& row,
                                              const std::string& column, Lanes run, const std::string& value) const
{
  HONE_TRY(const std::string at, output_position(row, column));
  switch (run) {
  case Lanes::scalar:
    return fmt::format("{}[{}] = {};", buffer, at, value);
  case Lanes::whole:
    return fmt::format("hone_store(&{}[{}], {});", buffer, at, value);
  case Lanes::part:
    break;
  }
  return fmt::format("hone_store_part(&{}[{}], {}, {} - {});", buffer, at, value, j_end, bracket(column));
}

Result<std::string> ContractionCode::stream_output(const std::string& row, const std::string& column,
                                                   const std::string& value) const
{
  HONE_TRY(const std::string at, output_position(row, column));
  return fmt::format("hone_stream(&{}[{}], {});", view.statement->target, at, value);
}

Result<std::string> ContractionCode::finish(const std::string& sum, const std::string& row, const std::string& column,
                                            Lanes run, ProgramBlock& before) const
{
  ExpressionText text = expression_text();
  text.indices[view.m.name] = row;
  text.indices[view.n.name] = column;
  text.hole = sum;
  if (run == Lanes::scalar) {
    return text.value(*view.contraction.epilogue, before);
  }
  const EpilogueNames names{sum, column, run == Lanes::part ? j_end + " - " + bracket(column) : "",
                            [this](const std::string& name) { return local(name); }};
  return vector_epilogue(kernel, view, compute, text, names, before);
}

Result<std::vector<std::pair<std::string, std::string>>> ContractionCode::index_macros() const
{
  std::vector<const kernel::Expr*> loads = {view.contraction.a.get(), view.contraction.b.get()};
  collect_loads(*view.contraction.epilogue, loads);
  ExpressionText plain(kernel, dialect, compute);
  std::vector<std::pair<std::string, std::string>> macros;
  const auto add = [&](const std::string& tensor, const std::vector<std::string>& parameters) -> Result<void> {
    const std::string head = fmt::format("{}_AT({})", tensor, join(parameters, ", "));
    const bool known = std::any_of(macros.begin(), macros.end(),
                                   [&](const auto& entry) { return entry.first.starts_with(tensor + "_AT("); });
    if (parameters.size() < 2 || known) {
      return {};
    }
    std::vector<std::string> bracketed;
    for (const std::string& parameter : parameters) {
      bracketed.push_back("(" + parameter + ")");
    }
    HONE_TRY(const std::string body, plain.position(tensor, bracketed));
    macros.emplace_back(head, body);
    return {};
  };
  for (const kernel::Expr* load : loads) {
    std::vector<std::string> parameters;
    for (const kernel::ExprPtr& subscript : load->args) {
      const bool plain_index = subscript->kind == kernel::ExprKind::index;
      parameters.push_back(plain_index ? variables.at(subscript->name) : fmt::format("x{}", parameters.size()));
    }
    HONE_CHECK(add(load->name, parameters));
  }
  std::vector<std::string> output;
  for (const kernel::IndexRange& range : view.statement->indices) {
    output.push_back(variables.at(range.name));
  }
  HONE_CHECK(add(view.statement->target, output));
  return macros;
}

std::string ContractionCode::expanded(const ProgramBlock& body) const
{
  std::string text = print(body);
  std::string out = text;
  for (const auto& [head, definition] : m_index_macros) {
    if (!mentions(text, head.substr(0, head.find('(')))) {
      continue;
    }
    for (const std::string& symbol : kernel.symbols) {
      out += mentions(definition, symbol) ? "\n" + symbol : "";
    }
  }
  return out;
}

std::vector<ParameterText> ContractionCode::parameters(const ProgramBlock& body, bool fills_panels) const
{
  const std::string text = expanded(body);
  std::vector<ParameterText> all;
  for (const kernel::Argument& argument : kernel.arguments) {
    const std::string qualifier = argument.name == view.statement->target ? "" : "const ";
    all.push_back({argument.name, fmt::format("{}{}* {}", qualifier, type_of(argument.type), argument.name)});
  }
  const std::string a_type = type_of(view.contraction.a->type);
  const std::string b_type = type_of(view.contraction.b->type);
  const std::string panel_qualifier = fills_panels ? "" : "const ";
  all.push_back({panel_a, fmt::format("{}{}* {}", panel_qualifier, a_type, panel_a)});
  all.push_back({panel_b, fmt::format("{}{}* {}", panel_qualifier, b_type, panel_b)});
  for (const auto& [name, type] : group_buffers) {
    all.push_back({name, fmt::format("{}* {}", type, name)});
  }
  for (const std::string& symbol : kernel.symbols) {
    if (!schedule.fixed_sizes) {
      all.push_back({symbol, counter() + " " + symbol});
    }
  }
  std::vector<std::string> walked;
  for (const kernel::IndexRange& range : view.batch) {
    walked.push_back(variables.at(range.name));
  }
  const std::string i_block = i + "_block";
  for (const std::string& name : {i_block, i, i_end, j_begin, j, j_end, p_from, p_to, p_begin, p_end}) {
    walked.push_back(name);
  }
  for (const std::string& name : walked) {
    const bool known =
      std::any_of(all.begin(), all.end(), [&](const ParameterText& entry) { return entry.name == name; });
    // Others are texts: a number, or the extent of several summed indices.
    const bool is_variable = std::isalpha(static_cast<unsigned char>(name.front())) != 0 && !name.contains(' ');
    const bool is_size = std::ranges::find(kernel.symbols, name) != kernel.symbols.end(); // perhaps a constant
    if (!known && !is_size && is_variable) {
      all.push_back({name, counter() + " " + name});
    }
  }
  std::vector<ParameterText> used;
  std::copy_if(all.begin(), all.end(), std::back_inserter(used),
               [&](const ParameterText& parameter) { return mentions(text, parameter.name); });
  return used;
}

std::vector<ParameterText> entry_parameters(const ContractionCode& code, const ProgramBlock& body, LaunchText& launch)
{
  std::vector<ParameterText> parameters;
  for (const ParameterText& parameter : code.parameters(body, false)) {
    const bool is_size = std::ranges::find(code.kernel.symbols, parameter.name) != code.kernel.symbols.end();
    const bool in_memory = code.kernel.find_argument(parameter.name) != nullptr || parameter.name == code.parts
                           || (code.sums_wait_aside() && parameter.name == code.sums);
    if (is_size || in_memory) {
      parameters.push_back(parameter);
      launch.args.push_back(parameter.name);
    }
  }
  return parameters;
}

ProgramNode constant(const ContractionCode& code, const std::string& name, const std::string& value)
{
  return statement(fmt::format("const {} {} = {};", code.counter(), name, value));
}

ProgramBlock explained(ProgramNode definition, const std::string& purpose)
{
  return {blank_line(), comment(purpose), std::move(definition)};
}

ProgramBlock constant_sizes(const kernel::Kernel& kernel, const Dialect& dialect)
{
  ProgramBlock block = {blank_line(), comment("The kernel is for these sizes alone.")};
  for (const std::string& symbol : kernel.symbols) {
    block.push_back(statement(fmt::format("static const {} {} = HONE_SIZE_{};", index_type(dialect), symbol, symbol)));
  }
  return block;
}

} // namespace hone::lower
