#include "lower/candidate_text.h"

#include "lower/expression_text.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace hone::lower {

namespace {

std::string quoted_list(const std::vector<std::string>& items)
{
  std::vector<std::string> quoted;
  for (const std::string& item : items) {
    const bool number =
      !item.empty() && std::all_of(item.begin(), item.end(), [](char c) { return c >= '0' && c <= '9'; });
    quoted.push_back(number ? item : "\"" + item + "\"");
  }
  return "[" + join(quoted, ", ") + "]";
}

std::string print_tuning(const PlanText& plan)
{
  if (plan.tuning.empty()) {
    return "";
  }
  std::string out = "[tuning]\n";
  for (const kernel::TuningParameter& parameter : plan.tuning) {
    std::vector<std::string> values;
    for (const std::int64_t value : parameter.values) {
      values.push_back(std::to_string(value));
    }
    out += fmt::format("{} = {{ values = [{}], default = {} }}\n", parameter.name, join(values, ", "),
                       parameter.default_value);
  }
  if (!plan.constraints.empty()) {
    out += "constraints = [\n";
    for (const std::string& constraint : plan.constraints) {
      out += fmt::format("  \"{}\",\n", constraint);
    }
    out += "]\n";
  }
  return out + "\n";
}

} // namespace

std::string print_plan(const PlanText& plan)
{
  std::string out = print_tuning(plan);
  for (const ScratchText& scratch : plan.scratch) {
    out += fmt::format("[[scratch]]\nname = \"{}\"\ntype = \"{}\"\nsize = \"{}\"\n\n", scratch.name,
                       kernel::name_of(scratch.type), scratch.size);
  }
  for (const MapText& map : plan.maps) {
    out += fmt::format("[[tensor_map]]\nname = \"{}\"\ntensor = \"{}\"\nsizes = {}\nbox = {}\nswizzle = {}\n\n",
                       map.name, map.tensor, quoted_list(map.sizes), quoted_list(map.box), map.swizzle);
  }
  for (const LaunchText& launch : plan.launches) {
    out += fmt::format("[[launch]]\nkernel = \"{}\"\ngrid = {}\n", launch.kernel, quoted_list(launch.grid));
    if (!launch.block.empty()) {
      out += fmt::format("block = {}\n", quoted_list(launch.block));
    }
    if (!launch.cluster.empty()) {
      out += fmt::format("cluster = {}\n", quoted_list(launch.cluster));
    }
    if (!launch.shared.empty()) {
      out += fmt::format("shared = \"{}\"\n", launch.shared);
    }
    out += fmt::format("args = {}\n\n", quoted_list(launch.args));
  }
  out.pop_back();
  return out;
}

std::vector<ParameterText> parameters_for(const kernel::Kernel& kernel, const Dialect& dialect, const std::string& body,
                                          const std::vector<ExtraBuffer>& extras,
                                          const std::function<bool(const kernel::Statement&)>& in_memory)
{
  const std::string space = dialect.work_items ? "__global " : "";
  std::vector<ParameterText> parameters;
  const auto add_tensor = [&](const std::string& name, kernel::DataType type, bool writable) {
    const std::string qualifier = writable ? "" : "const ";
    parameters.push_back({name, fmt::format("{}{}{}* {}", space, qualifier, type_text(type, dialect), name)});
  };
  for (const kernel::Argument& argument : kernel.arguments) {
    if (mentions(body, argument.name)) {
      add_tensor(argument.name, argument.type, kernel::is_written(argument.role));
    }
  }
  for (std::size_t i = 0; i < kernel.program.statements.size(); ++i) {
    const kernel::Statement& statement = kernel.program.statements[i];
    const bool is_home = kernel::home_of(kernel.program, statement.target) == i;
    const bool buffer = is_home && statement.intermediate && (!in_memory || in_memory(statement));
    if (buffer && mentions(body, statement.target)) {
      add_tensor(statement.target, statement.type, true);
    }
  }
  for (const ExtraBuffer& extra : extras) {
    add_tensor(extra.name, extra.type, true);
  }
  for (const std::string& symbol : kernel.symbols) {
    if (mentions(body, symbol)) {
      parameters.push_back({symbol, index_type(dialect) + " " + symbol});
    }
  }
  return parameters;
}

bool is_own_element(const kernel::Expr& load, const kernel::Statement& statement)
{
  return std::ranges::equal(load.args, statement.indices,
                            [](const kernel::ExprPtr& subscript, const kernel::IndexRange& index) {
                              return subscript->kind == kernel::ExprKind::index && subscript->name == index.name;
                            });
}

bool reads_target_elsewhere(const kernel::Statement& statement, const kernel::Expr& expression)
{
  return kernel::any_part(expression, [&](const kernel::Expr& part) {
    return part.kind == kernel::ExprKind::load && part.name == statement.target && !is_own_element(part, statement);
  });
}

bool keeps_elements(const kernel::Statement& statement, const kernel::Expr& value)
{
  const bool old =
    value.kind == kernel::ExprKind::load && value.name == statement.target && is_own_element(value, statement);
  return old
         || (value.kind == kernel::ExprKind::select
             && (keeps_elements(statement, *value.args[1]) || keeps_elements(statement, *value.args[2])));
}

kernel::ExprPtr own_element(const kernel::Statement& statement, const std::string& tensor)
{
  auto load = std::make_shared<kernel::Expr>();
  load->kind = kernel::ExprKind::load;
  load->name = tensor;
  load->args = kernel::subscripts_of(statement);
  load->type = statement.type;
  load->place = statement.place;
  return load;
}

std::string free_tensor_name(const kernel::Kernel& kernel, std::string name)
{
  const auto is_index = [&](const kernel::Statement& one) {
    return std::ranges::find(one.indices, name, &kernel::IndexRange::name) != one.indices.end();
  };
  while (kernel.find_argument(name) != nullptr || std::ranges::find(kernel.symbols, name) != kernel.symbols.end()
         || kernel::home_of(kernel.program, name) < kernel.program.statements.size()
         || std::ranges::any_of(kernel.program.statements, is_index)) {
    name += "_";
  }
  return name;
}

std::string declarations(const std::vector<ParameterText>& parameters)
{
  std::vector<std::string> texts;
  for (const ParameterText& parameter : parameters) {
    texts.push_back(parameter.declaration);
  }
  return join(texts, ", ");
}

std::vector<std::string> names(const std::vector<ParameterText>& parameters)
{
  std::vector<std::string> texts;
  for (const ParameterText& parameter : parameters) {
    texts.push_back(parameter.name);
  }
  return texts;
}

std::string entry_head(const Dialect& dialect, const std::string& name, const std::vector<ParameterText>& parameters)
{
  if (dialect.work_items) {
    return fmt::format("__kernel void {}({})", name, declarations(parameters));
  }
  return fmt::format("extern \"C\" void {}(const hone_group* group, {})", name, declarations(parameters));
}

ProgramBlock device_preamble(const kernel::Kernel& kernel, const Dialect& dialect)
{
  ProgramBlock block;
  block.push_back(comment(kernel.summary.empty() ? kernel.name : kernel.name + ": " + kernel.summary));
  for (const std::string& line : split(kernel.expression_text, '\n')) {
    if (!trim(line).empty()) {
      block.push_back(comment("  " + std::string(trim(line))));
    }
  }
  if (dialect.name == "opencl") {
    const bool wide =
      std::any_of(kernel.arguments.begin(), kernel.arguments.end(),
                  [](const kernel::Argument& argument) { return argument.type == kernel::DataType::f64; });
    if (wide || kernel.accumulate == kernel::DataType::f64) {
      block.push_back(statement("#pragma OPENCL EXTENSION cl_khr_fp64 : enable"));
    }
  } else if (!dialect.work_items) {
    block.push_back(statement("#include \"hone.h\""));
  }
  block.push_back(statement("#include \"macros.h\""));
  return block;
}

std::string c_name(std::string_view name)
{
  std::string out;
  for (const char c : name) {
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  static const std::set<std::string> k_taken = {"abs",  "cos", "erf", "exp", "floor", "fmax", "fmin", "log",  "log1p",
                                                "main", "max", "min", "pow", "rsqrt", "sign", "sin",  "sqrt", "tanh"};
  const bool starts_right = !out.empty() && std::isdigit(static_cast<unsigned char>(out[0])) == 0;
  return starts_right && !k_taken.contains(out) ? out : "kernel_" + out;
}

} // namespace hone::lower
