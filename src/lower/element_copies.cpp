#include "lower/element_copies.h"

#include "lower/candidate_text.h"

#include <algorithm>

namespace hone::lower {

namespace {

class Renaming {
public:
  Renaming(const kernel::Statement& statement, std::string copy) : m_statement(statement), m_copy(std::move(copy)) {}

  kernel::ExprPtr of(const kernel::ExprPtr& expression, bool in_reduction = false)
  {
    const bool inside = in_reduction || expression->kind == kernel::ExprKind::reduce;
    auto out = std::make_shared<kernel::Expr>(*expression);
    const bool reads = expression->kind == kernel::ExprKind::load && expression->name == m_statement.target;
    if (reads && (inside || !is_own_element(*expression, m_statement))) {
      out->name = m_copy;
      renamed = true;
    }
    for (kernel::ExprPtr& argument : out->args) {
      argument = argument ? of(argument, inside) : argument;
    }
    return out;
  }

  bool renamed = false;

private:
  const kernel::Statement& m_statement;
  std::string m_copy;
};

} // namespace

kernel::Kernel with_copies(kernel::Kernel kernel)
{
  std::vector<kernel::Statement>& statements = kernel.program.statements;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (kernel::is_ordered(statements[i]) || statements[i].indices.empty()) {
      continue;
    }
    const std::string name = free_tensor_name(kernel, "old_" + statements[i].target);
    Renaming renaming(statements[i], name);
    kernel::ExprPtr value = renaming.of(statements[i].value);
    if (!renaming.renamed) {
      continue;
    }
    kernel::Statement copy;
    copy.target = name;
    copy.indices = statements[i].indices;
    copy.intermediate = true;
    copy.type = statements[i].type;
    copy.place = statements[i].place;
    copy.value = own_element(copy, statements[i].target);
    statements[i].value = std::move(value);
    statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(i), std::move(copy));
    ++i;
  }
  return kernel;
}

} // namespace hone::lower
