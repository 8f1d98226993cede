#include "lower/device/launches.h"

#include "lower/device/print.h"
#include "util/text.h"

#include <algorithm>

namespace hone::lower::device {

namespace {

std::vector<Parameter> parameters_of(const kernel::Kernel& kernel, const Block& body,
                                     const std::vector<ExtraBuffer>& extras, const std::vector<std::string>& maps)
{
  std::vector<Parameter> out;
  for (const kernel::Argument& argument : kernel.arguments) {
    if (mentions(body, argument.name)) {
      out.push_back({argument.name, true, false, argument.type, kernel::is_written(argument.role)});
    }
  }
  for (std::size_t i = 0; i < kernel.program.statements.size(); ++i) {
    const kernel::Statement& statement = kernel.program.statements[i];
    const bool home = kernel::home_of(kernel.program, statement.target) == i;
    if (home && statement.intermediate && mentions(body, statement.target)) {
      out.push_back({statement.target, true, false, statement.type, true});
    }
  }
  for (const ExtraBuffer& extra : extras) {
    out.push_back({extra.name, true, false, extra.type, true});
  }
  for (const std::string& map : maps) {
    out.push_back({map, false, true, kernel::DataType::u8, false});
  }
  for (const std::string& symbol : kernel.symbols) {
    if (mentions(body, symbol)) {
      out.push_back({symbol, false, false, kernel::DataType::i64, false});
    }
  }
  return out;
}

} // namespace

void add_launch(const kernel::Kernel& kernel, const Dialect& dialect, Function function, std::vector<std::string> grid,
                std::vector<std::string> block, const std::vector<ExtraBuffer>& extras, LoweredProgram& out)
{
  for (std::size_t axis = 0; axis < block.size(); ++axis) {
    function.items[axis] = block[axis];
  }
  function.parameters = parameters_of(kernel, function.body, extras, function.maps);
  LaunchText launch{function.name, std::move(grid), std::move(block), "", {}};
  for (const Parameter& parameter : function.parameters) {
    launch.args.push_back(parameter.name);
  }
  append(out.device, print(function, spelling_of(dialect)));
  out.plan.launches.push_back(std::move(launch));
}

ProgramBlock prelude_for(const Dialect& dialect, const ProgramBlock& functions)
{
  const std::string code = lower::print(functions);
  ProgramBlock out;
  for (const Prelude& part : spelling_of(dialect).preludes) {
    if (std::ranges::any_of(part.names, [&](std::string_view name) { return code.contains(name); })) {
      for (const std::string& line : split(std::string(part.text), '\n')) {
        if (!line.empty()) {
          out.push_back(statement(line));
        }
      }
    }
  }
  return out;
}

} // namespace hone::lower::device
