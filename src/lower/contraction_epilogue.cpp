#include "lower/contraction_epilogue.h"

#include "lower/candidate_text.h"
#include "lower/rowwise_program.h"
#include "lower/vector_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace hone::lower {

namespace {

const std::string k_sum = "sum";

// A formula over columns, in the words that vector code is written from: its columns are index n, and the sum is a
// value at the column. Parts that stand in several places become one node, so that they are computed once.
class Formula {
public:
  explicit Formula(std::string n) : m_n(std::move(n)) {}

  kernel::ExprPtr over_columns(const kernel::ExprPtr& expression)
  {
    const bool column = expression->kind == kernel::ExprKind::index && expression->name == m_n;
    auto copy = std::make_shared<kernel::Expr>(*expression);
    if (column || expression->kind == kernel::ExprKind::hole) {
      copy->kind = kernel::ExprKind::index;
      copy->name = column ? std::string(k_column) : value_name(k_sum);
    }
    std::string key =
      fmt::format("{} {} {} {}", static_cast<int>(copy->kind), copy->name, copy->number, static_cast<int>(copy->type));
    for (kernel::ExprPtr& argument : copy->args) {
      if (argument) {
        argument = over_columns(argument);
        key += fmt::format(" {}", static_cast<const void*>(argument.get()));
      }
    }
    return m_nodes.try_emplace(key, std::move(copy)).first->second;
  }

private:
  std::string m_n;
  std::map<std::string, kernel::ExprPtr> m_nodes;
};

} // namespace

Result<std::string> vector_epilogue(const kernel::Kernel& kernel, const ContractionView& view, kernel::DataType compute,
                                    ExpressionText scalar, const EpilogueNames& names, ProgramBlock& before)
{
  const kernel::ExprPtr formula = Formula(view.n.name).over_columns(view.contraction.epilogue);
  scalar.indices[k_column] = names.column;
  scalar.indices[value_name(k_sum)] = names.sum;
  VectorText vectors(kernel, scalar, compute, names.count);
  vectors.fresh = names.fresh;
  vectors.hoist = [](const std::string& text) { return "(" + text + ")"; };
  return vectors.value(*formula, before);
}

bool calls_vector_math(const std::string& code)
{
  static constexpr std::array k_functions = {"hone_exp",  "hone_log",        "hone_log1p",      "hone_tanh",
                                             "hone_erf",  "hone_sqrt",       "hone_abs",        "hone_floor",
                                             "hone_sign", "hone_number_max", "hone_number_min", "hone_sums"};
  return std::ranges::any_of(k_functions, [&](const char* name) { return mentions(code, name); });
}

Result<void> check_vector_epilogue(const kernel::Kernel& kernel, const ContractionView& view, const Dialect& dialect)
{
  const kernel::DataType compute = compute_type(kernel, *view.statement);
  ExpressionText scalar(kernel, dialect, compute);
  scalar.indices = index_variables(kernel, *view.statement);
  ProgramBlock before;
  const EpilogueNames names{"sum", "column", "", [](const std::string& name) { return name; }};
  HONE_TRY(const std::string text, vector_epilogue(kernel, view, compute, scalar, names, before));
  return {};
}

} // namespace hone::lower
