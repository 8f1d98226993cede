#include "app/check_kernel.h"

#include "app/kernel_path.h"
#include "app/result_json.h"
#include "kernel/function_library.h"

#include <fmt/format.h>

#include <cmath>

namespace hone::app {

namespace {

std::string signature(const kernel::LibraryFunction& function)
{
  return fmt::format("{}({})", function.name, fmt::join(function.parameters, ", "));
}

std::string domain_text(const kernel::Argument& argument)
{
  const auto end = [](const kernel::ExprPtr& expression, double number) {
    return expression                   ? kernel::to_text(*expression)
           : std::fabs(number) >= 1e300 ? (number < 0 ? "-inf" : "inf")
                                        : fmt::format("{}", number);
  };
  const std::string form =
    argument.matrix == kernel::MatrixForm::any ? "" : fmt::format(", {}", kernel::name_of(argument.matrix));
  if (argument.domain.is_unbounded() && !argument.lowest && !argument.highest) {
    return "all finite values" + form;
  }
  return fmt::format("[{}, {}]{}{}", end(argument.lowest, argument.domain.low),
                     end(argument.highest, argument.domain.high), argument.rising ? ", rising" : "", form);
}

Json summary_json(const kernel::Kernel& kernel, const kernel::Work& work)
{
  Json arguments = Json::array();
  for (const kernel::Argument& argument : kernel.arguments) {
    arguments.push_back({{"name", argument.name},
                         {"type", kernel::name_of(argument.type)},
                         {"role", kernel::name_of(argument.role)},
                         {"shape", shape_text(argument)}});
  }
  return {{"kernel", kernel.name},
          {"hash", kernel.hash},
          {"class", kernel::name_of(kernel::classify(kernel))},
          {"expression", kernel.expression_text},
          {"reference", kernel::name_of(kernel.reference)},
          {"accuracy", kernel::accuracy_text(kernel)},
          {"arguments", arguments},
          {"flops", work.flops},
          {"compulsory_bytes", work.compulsory_bytes},
          {"mistakes", Json::array()}};
}

InferredSemantics explanation_of(const kernel::Kernel& kernel)
{
  InferredSemantics explanation;
  for (const kernel::Statement& statement : kernel.program.statements) {
    std::string ranges;
    for (const kernel::IndexRange& range : statement.indices) {
      ranges += fmt::format("{}{} < {}", ranges.empty() ? "" : ", ", range.name, kernel::to_text(*range.upper));
    }
    explanation.statements.push_back(
      {statement.target, std::string(kernel::name_of(statement.type)), ranges, statement.intermediate});
  }
  for (const kernel::Argument& argument : kernel.arguments) {
    if (argument.role != kernel::Role::output) {
      explanation.domains.push_back({argument.name, domain_text(argument), argument.domain_given});
    }
  }
  for (const kernel::LibraryFunction* function : kernel::library_functions_in(kernel)) {
    explanation.functions.push_back({signature(*function), std::string(function->definition)});
  }
  return explanation;
}

Json explanation_json(const InferredSemantics& explanation)
{
  Json statements = Json::array();
  for (const ExplainedStatement& statement : explanation.statements) {
    statements.push_back({{"target", statement.target},
                          {"type", statement.type},
                          {"ranges", statement.ranges},
                          {"intermediate", statement.intermediate}});
  }
  Json domains = Json::object();
  for (const ExplainedDomain& domain : explanation.domains) {
    domains[domain.argument] = domain.values;
  }
  Json functions = Json::object();
  for (const ExplainedFunction& function : explanation.functions) {
    functions[function.signature] = function.definition;
  }
  return {{"statements", statements}, {"domains", domains}, {"functions", functions}};
}

} // namespace

std::string shape_text(const kernel::Argument& argument)
{
  std::vector<std::string> extents;
  for (const kernel::ExprPtr& extent : argument.shape) {
    extents.push_back(kernel::to_text(*extent));
  }
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

Result<CheckedKernel> check_kernel_files(const std::string& given, bool explained)
{
  const fs::path path = kernel_path(given);
  CheckedKernel checked;
  checked.mistakes = kernel::check_kernel(path);
  if (!checked.mistakes.empty()) {
    return checked;
  }
  HONE_TRY(checked.kernel, kernel::load_kernel(path));
  HONE_TRY(checked.work, kernel::work_of(*checked.kernel, checked.kernel->timed.front()));
  if (explained) {
    checked.explanation = explanation_of(*checked.kernel);
  }
  return checked;
}

Json to_json(const CheckedKernel& checked)
{
  if (checked.kernel) {
    Json summary = summary_json(*checked.kernel, checked.work);
    if (checked.explanation) {
      summary["explanation"] = explanation_json(*checked.explanation);
    }
    return summary;
  }
  Json list = Json::array();
  for (const Error& mistake : checked.mistakes) {
    list.push_back(mistake_json(mistake));
  }
  return {{"mistakes", list}};
}

} // namespace hone::app
