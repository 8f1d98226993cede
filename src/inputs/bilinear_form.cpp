#include "inputs/bilinear_form.h"

#include <set>
#include <utility>

namespace hone::inputs {
namespace {

// The index variables of a load, where each subscript is one of them and none comes twice.
std::optional<std::vector<std::string>> plain_indices(const kernel::Expr& load)
{
  const auto names = kernel::plain_subscripts(load);
  const bool has_diagonal = names && std::set<std::string>(names->begin(), names->end()).size() < names->size();
  return has_diagonal ? std::nullopt : names; // which would be scaled twice
}

std::vector<std::string> names_of(const std::vector<kernel::IndexRange>& ranges)
{
  std::vector<std::string> names;
  for (const kernel::IndexRange& range : ranges) {
    names.push_back(range.name);
  }
  return names;
}

} // namespace

std::optional<BilinearForm> bilinear_form(const kernel::Kernel& kernel)
{
  const auto contraction = kernel::as_contraction(kernel);
  if (!contraction || !contraction->linear || kernel.program.statements.size() != 1) {
    return std::nullopt;
  }
  const auto position = [&](const std::string& name) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
      const kernel::Argument& argument = kernel.arguments[i];
      const bool scalable = argument.type == kernel::DataType::f32 || argument.type == kernel::DataType::f64;
      if (argument.name == name && argument.domain.is_unbounded() && scalable) {
        return i;
      }
    }
    return std::nullopt;
  };
  const kernel::Statement& statement = kernel.program.statements.front();
  const auto a = position(contraction->a->name);
  const auto b = position(contraction->b->name);
  const auto out = position(statement.target);
  const auto a_indices = plain_indices(*contraction->a);
  const auto b_indices = plain_indices(*contraction->b);
  if (!a || !b || !out || *a == *b || !a_indices || !b_indices || statement.indices.empty()
      || kernel.arguments[*out].role != kernel::Role::output || kernel.outputs().size() != 1) {
    return std::nullopt;
  }
  BilinearForm form;
  form.a = {*a, *a_indices};
  form.b = {*b, *b_indices};
  form.out = {*out, names_of(statement.indices)};
  form.free_a = names_of(contraction->m);
  form.free_b = names_of(contraction->n);
  form.summed = names_of(contraction->k);
  return form;
}

} // namespace hone::inputs
