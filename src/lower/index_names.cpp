#include "kernel/reserved_names.h"
#include "lower/expression_text.h"

#include <algorithm>
#include <set>

namespace hone::lower {

namespace {

void collect_reduction_indices(const kernel::Expr& expression, std::vector<std::string>& names)
{
  for (const kernel::IndexRange& range : expression.ranges) {
    names.push_back(range.name);
  }
  for (const kernel::ExprPtr& argument : expression.args) {
    if (argument) {
      collect_reduction_indices(*argument, names);
    }
  }
}

// What a person would call the index of an extent of the same name.
std::string preferred_name(const std::string& index)
{
  static const std::map<std::string, std::string> k_customary = {
    {"m", "i"}, {"n", "j"}, {"k", "p"}, {"b", "batch"}, {"h", "head"}, {"d", "p"}, {"c", "channel"}};
  const auto found = k_customary.find(index);
  return found == k_customary.end() ? index + "_index" : found->second;
}

// Words of the target languages, functions, and what generated code calls its own variables.
bool is_reserved(const std::string& name)
{
  static const std::set<std::string> k_own = {
    "sum",   "row",     "column",  "columns", "rows",    "lane",     "vec",  "first", "last",
    "in",    "exp",     "log",     "pow",     "sin",     "cos",      "tanh", "erf",   "sqrt",
    "floor", "element", "event_t", "product", "largest", "smallest", "value"};
  return kernel::is_reserved_word(name) || k_own.contains(name);
}

} // namespace

std::string name_of_result(kernel::ReduceOp op)
{
  switch (op) {
  case kernel::ReduceOp::sum:
    return "sum";
  case kernel::ReduceOp::prod:
    return "product";
  case kernel::ReduceOp::max:
  case kernel::ReduceOp::argmax:
    return "largest";
  default:
    return "smallest";
  }
}

std::map<std::string, std::string> index_variables(const kernel::Kernel& kernel, const kernel::Statement& statement)
{
  return index_variables(kernel, std::span(&statement, 1));
}

std::map<std::string, std::string> index_variables(const kernel::Kernel& kernel,
                                                   std::span<const kernel::Statement> statements)
{
  std::vector<std::string> indices;
  for (const kernel::Statement& statement : statements) {
    for (const kernel::SerialLoop& loop : statement.loops) {
      indices.push_back(loop.range.name);
    }
    for (const kernel::IndexRange& range : statement.indices) {
      indices.push_back(range.name);
    }
    collect_reduction_indices(*statement.value, indices);
    if (statement.guard) {
      collect_reduction_indices(*statement.guard, indices);
    }
  }

  std::set<std::string> taken(kernel.symbols.begin(), kernel.symbols.end());
  for (const kernel::Argument& argument : kernel.arguments) {
    taken.insert(argument.name);
  }
  for (const kernel::Statement& other : kernel.program.statements) {
    taken.insert(other.target);
  }
  std::map<std::string, std::string> variables;
  for (const std::string& index : indices) {
    if (!taken.contains(index) && !is_reserved(index)) {
      variables[index] = index;
    }
  }
  for (const auto& [index, variable] : variables) {
    taken.insert(variable);
  }
  for (const std::string& index : indices) {
    if (variables.contains(index)) {
      continue;
    }
    std::string name = preferred_name(index);
    while (taken.contains(name) || is_reserved(name)) {
      name += "_index";
    }
    variables[index] = name;
    taken.insert(name);
  }
  return variables;
}

} // namespace hone::lower
