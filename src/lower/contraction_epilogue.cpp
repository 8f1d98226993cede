#include "lower/contraction_epilogue.h"

#include "lower/candidate_text.h"
#include "lower/rowwise_program.h"
#include "lower/vector_text.h"

#include <algorithm>
#include <array>

namespace hone {

namespace {

const std::string k_sum = "sum";

// As a formula over columns, in the words that vector code is written from: its columns are index n, and the sum is a
// value at the column.
ExprPtr over_columns(const ExprPtr& expression, const std::string& n)
{
  const bool column = expression->kind == ExprKind::index && expression->name == n;
  auto copy = std::make_shared<Expr>(*expression);
  if (column || expression->kind == ExprKind::hole) {
    copy->kind = ExprKind::index;
    copy->name = column ? std::string(k_column) : value_name(k_sum);
    return copy;
  }
  for (ExprPtr& argument : copy->args) {
    argument = argument ? over_columns(argument, n) : argument;
  }
  return copy;
}

} // namespace

Result<std::string> vector_epilogue(const Kernel& kernel, const ContractionView& view, DataType compute,
                                    ExpressionText scalar, const EpilogueNames& names, ProgramBlock& before)
{
  const ExprPtr formula = over_columns(view.contraction.epilogue, view.n.name);
  scalar.indices[k_column] = names.column;
  scalar.indices[value_name(k_sum)] = names.sum;
  VectorText vectors(kernel, scalar, compute, names.count);
  vectors.fresh = names.fresh;
  vectors.hoist = [](const std::string& text) { return "(" + text + ")"; };
  return vectors.value(*formula, before);
}

bool calls_vector_math(const std::string& code)
{
  static constexpr std::array k_functions = {"hone_exp",  "hone_log",        "hone_log1p",     "hone_tanh",
                                             "hone_erf",  "hone_sqrt",       "hone_abs",       "hone_floor",
                                             "hone_sign", "hone_number_max", "hone_number_min"};
  return std::ranges::any_of(k_functions, [&](const char* name) { return mentions(code, name); });
}

Result<void> check_vector_epilogue(const Kernel& kernel, const ContractionView& view, const Dialect& dialect)
{
  const DataType compute = compute_type(kernel, *view.statement);
  ExpressionText scalar(kernel, dialect, compute);
  scalar.indices = index_variables(kernel, *view.statement);
  ProgramBlock before;
  const EpilogueNames names{"sum", "column", "", [](const std::string& name) { return name; }};
  HONE_TRY(const std::string text, vector_epilogue(kernel, view, compute, scalar, names, before));
  return {};
}

} // namespace hone
