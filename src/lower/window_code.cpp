#include "lower/window_code.h"

#include "lower/rowwise_program.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace hone::lower {

WindowCode::WindowCode(const kernel::Kernel& the_kernel, const Schedule& the_schedule, const Dialect& the_dialect,
                       WindowView the_view, bool joined)
  : kernel(the_kernel), schedule(the_schedule), dialect(the_dialect), view(std::move(the_view)),
    variables(index_variables(kernel, *view.statement))
{
  column = variables.at(view.column.name);
  columns = integer(view.column.upper);
  most_channels = "1";
  if (!view.channel.empty()) {
    channel = variables.at(view.channel.front().name);
    channels_end = integer(view.channel.front().upper);
    const std::string step = step_at(schedule, find_loop(schedule, Dimension::m, LoopKind::registers));
    most_channels = step.empty() ? "1" : step;
  }
  rows = step_at(schedule, find_loop(schedule, Dimension::batch, LoopKind::group));
  if (joined) {
    rows = "PIXELS";
    joined_row = (view.statement->indices.end() - 2)->name;
  }
  rows_begin = local(joined ? "pixels_begin" : "rows_begin");
  rows_end = local(joined ? "pixels_end" : "rows_end");
  length = local("length");
  for (const std::string& name : {rows_begin, rows_end, length}) {
    extras.push_back({name, counter() + " " + name});
  }
}

std::string WindowCode::local(const std::string& wanted) const
{
  const auto taken = [&](const std::string& name) {
    return std::ranges::find(kernel.symbols, name) != kernel.symbols.end() || kernel.find_argument(name) != nullptr
           || std::ranges::any_of(kernel.program.statements,
                                  [&](const kernel::Statement& other) { return other.target == name; })
           || std::ranges::any_of(variables, [&](const auto& entry) { return entry.second == name; })
           || std::ranges::any_of(schedule.tuning,
                                  [&](const kernel::TuningParameter& parameter) { return parameter.name == name; });
  };
  std::string name = wanted;
  while (taken(name)) {
    name += "_";
  }
  return name;
}

ExpressionText WindowCode::text() const
{
  ExpressionText out(kernel, dialect, view.type);
  for (const auto& [index, variable] : variables) {
    out.indices[index] = variable;
  }
  out.indices[k_column] = column;
  if (!joined_row.empty()) {
    out.indices[joined_row] = "0"; // all pixels lie in one long row
  }
  return out;
}

std::string WindowCode::integer(const kernel::ExprPtr& expression) const
{
  const std::string out = text().integer_text(*expression).value_or("0");
  return out.find(' ') == std::string::npos ? out : "(" + out + ")";
}

// Numbers alone would be ints, for which overloads are no better than others.
std::string WindowCode::wide(const std::string& text) const
{
  const bool named = std::ranges::any_of(text, [](unsigned char c) { return std::isalpha(c) != 0; });
  return named ? text : fmt::format("({}){}", counter(), text);
}

ProgramNode WindowCode::constant(const std::string& name, const std::string& value) const
{
  return statement(fmt::format("const {} {} = {};", counter(), name, value));
}

std::vector<ParameterText> WindowCode::parameters(const std::string& body) const
{
  std::vector<ParameterText> out = parameters_for(kernel, dialect, body);
  for (const kernel::IndexRange& range : view.statement->indices) {
    const std::string& variable = variables.at(range.name);
    if (mentions(body, variable)) {
      out.push_back({variable, counter() + " " + variable});
    }
  }
  std::ranges::copy_if(extras, std::back_inserter(out),
                       [&](const ParameterText& extra) { return mentions(body, extra.name); });
  return out;
}

ProgramNode WindowFunction::call_with(const std::string& arguments) const
{
  return statement(replace_all(call, "$", arguments));
}

WindowFunction window_function(const WindowCode& code, const std::string& name, const std::string& head,
                               const std::vector<std::string>& given, ProgramBlock body)
{
  std::vector<ParameterText> parameters = code.parameters(print(body));
  std::erase_if(parameters, [&](const ParameterText& parameter) {
    return std::ranges::find(given, parameter.name) != given.end();
  });
  return {function(fmt::format("static inline __attribute__((always_inline)) void {}({}, {})", name, head,
                               declarations(parameters)),
                   std::move(body)),
          fmt::format("{}($, {});", name, join(names(parameters), ", "))};
}

} // namespace hone::lower
