#include "lower/rowwise_code.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::lower {

RowCode::RowCode(const kernel::Kernel& the_kernel, const Dialect& the_dialect, const RowProgram& the_program)
  : kernel(the_kernel), dialect(the_dialect), program(the_program)
{
  m_used.insert(kernel.symbols.begin(), kernel.symbols.end());
  for (const kernel::Argument& argument : kernel.arguments) {
    m_used.insert(argument.name);
  }
  for (const kernel::Statement& source : kernel.program.statements) {
    const bool here = std::ranges::find(program.statements, &source) != program.statements.end();
    if (!here || program.stored.contains(source.target)) {
      m_used.insert(source.target);
    }
  }
  for (const RowLevel& level : program.levels) {
    for (const RowValue& value : level.before) {
      names[local_name(value.local)] = value.local;
    }
    for (const RowPass& pass : level.passes) {
      for (const RowTask& task : pass.tasks) {
        names[local_name(task.local)] = task.local;
        if (task.running) {
          names[running_name(task.local)] = task.local;
        }
      }
    }
  }
  for (const auto& [node, variable] : names) {
    m_used.insert(variable);
  }
  name_indices();
  lane_vector = fresh("v");
  lane_column = fresh("at");
}

// As the first statement that has such an index would be printed by itself.
void RowCode::name_indices()
{
  const auto variable_of = [&](const kernel::Statement& source, const std::string& index) {
    return fresh(index_variables(kernel, source).at(index));
  };
  const kernel::Statement& first = *program.statements.front();
  for (std::size_t d = 0; d < program.prefix; ++d) {
    names[row_index(d)] = variable_of(first, first.indices[d].name);
  }
  std::size_t outer = 0;
  for (const kernel::Statement* source : program.statements) {
    if (column.empty() && source->indices.size() > program.prefix) {
      column = variable_of(*source, source->indices.back().name);
    }
  }
  for (const RowLevel& level : program.levels) {
    for (const RowPass& pass : level.passes) {
      outer = std::max(outer, pass.outer.size());
    }
  }
  for (std::size_t r = 0; r < outer; ++r) {
    names[outer_index(r)] = fresh("outer");
  }
  if (column.empty()) {
    column = fresh("j");
  }
  names[k_column] = column;
}

ExpressionText RowCode::text() const
{
  ExpressionText out(kernel, dialect, program.compute);
  for (const auto& [node, variable] : names) {
    out.indices[node] = variable;
  }
  return out;
}

std::string RowCode::fresh(const std::string& wanted, std::set<std::string>& used)
{
  std::string name = wanted;
  for (int number = 2; !used.insert(name).second; ++number) {
    name = fmt::format("{}_{}", wanted, number);
  }
  return name;
}

} // namespace hone::lower
