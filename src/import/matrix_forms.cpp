#include "import/matrix_forms.h"

#include <algorithm>

namespace hone::import {

namespace {

// A[..., i, i] of a square argument of floats.
bool is_diagonal(const std::string& array, const std::vector<kernel::ExprPtr>& subscripts, const Survey& survey)
{
  const auto found = survey.arrays.find(array);
  if (found == survey.arrays.end() || !found->second.argument || subscripts.size() < 2) {
    return false;
  }
  const std::vector<kernel::ExprPtr>& shape = found->second.shape;
  const std::size_t last = subscripts.size() - 1;
  return kernel::is_float(*found->second.type.data) && shape.size() == subscripts.size()
         && same(normal(subscripts[last]), normal(subscripts[last - 1]))
         && same(normal(shape[last]), normal(shape[last - 1]));
}

bool is_diagonal(const kernel::Expr& node, const Survey& survey)
{
  return node.kind == kernel::ExprKind::load && is_diagonal(node.name, node.args, survey);
}

// The diagonal is computed from other data: what the array holds before does not matter.
bool is_made(const std::string& array, const Semantics& semantics, const Survey& survey)
{
  return std::ranges::any_of(semantics.statements, [&](const DraftStatement& one) {
    return one.target == array && is_diagonal(array, one.subscripts, survey)
           && !any_node(*one.value, [&](const kernel::Expr& node) {
                return node.kind == kernel::ExprKind::load && node.name == array;
              });
  });
}

} // namespace

std::map<std::string, std::string> matrix_forms_of(const Semantics& semantics, const Survey& survey)
{
  std::map<std::string, std::string> out;
  const auto note = [&](const kernel::Expr& value, const std::string& form) {
    any_node(value, [&](const kernel::Expr& node) {
      if (is_diagonal(node, survey) && !is_made(node.name, semantics, survey)) {
        std::string& known = out[node.name];
        known = known.empty() || form == "positive definite" ? form : known;
      }
      return false;
    });
  };
  for (const DraftStatement& statement : semantics.statements) {
    any_node(*statement.value, [&](const kernel::Expr& node) {
      const bool divides = node.kind == kernel::ExprKind::binary && node.name == "/";
      const bool root = node.kind == kernel::ExprKind::call && (node.name == "sqrt" || node.name == "rsqrt");
      if (!statement.loops.empty() && (divides || root)) {
        note(*node.args[divides ? 1 : 0], divides ? "dominant" : "positive definite");
      }
      return false;
    });
  }
  return out;
}

} // namespace hone::import
