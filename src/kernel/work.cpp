// Operation and byte counts from the expression alone.
#include "kernel/definition.h"

#include <algorithm>

namespace hone {

namespace {

class WorkCounter {
public:
  explicit WorkCounter(const Sizes& sizes)
  {
    for (const auto& [name, value] : sizes) {
      m_values.push_back({name, value});
    }
  }

  Result<double> statement(const Statement& statement)
  {
    HONE_TRY(const double elements, enter(statement.indices));
    HONE_TRY(const double operations, count(*statement.value));
    m_values.resize(m_values.size() - statement.indices.size());
    return elements * operations;
  }

private:
  // Number of points of a nest of ranges. Where a range depends on an outer index, that index stands in the middle of
  // its own: exact for ranges that grow or shrink evenly.
  Result<double> enter(const std::vector<IndexRange>& ranges)
  {
    double out = 1;
    for (const IndexRange& range : ranges) {
      HONE_TRY(const std::int64_t upper, evaluate_integer(*range.upper, m_values));
      std::int64_t lower = 0;
      if (range.lower) {
        HONE_TRY(lower, evaluate_integer(*range.lower, m_values));
      }
      out *= static_cast<double>(std::max<std::int64_t>(upper - lower, 0));
      m_values.push_back({range.name, (lower + upper - 1) / 2});
    }
    return out;
  }

  // Floating-point operations of one evaluation. Index arithmetic and conditions are not counted.
  Result<double> count(const Expr& expression)
  {
    if (expression.kind == ExprKind::reduce) {
      HONE_TRY(const double points, enter(expression.ranges));
      HONE_TRY(const double body, count(*expression.args[0]));
      m_values.resize(m_values.size() - expression.ranges.size());
      return points * (body + 1);
    }
    if (expression.kind == ExprKind::load || !is_float(expression.type)) {
      return 0.0;
    }
    double out = expression.kind == ExprKind::binary || expression.kind == ExprKind::call ? 1 : 0;
    for (const ExprPtr& arg : expression.args) {
      HONE_TRY(const double operations, count(*arg));
      out += operations;
    }
    return out;
  }

  std::vector<NamedValue> m_values;
};

} // namespace

Result<Work> work_of(const Kernel& kernel, const Sizes& sizes)
{
  Work out;
  WorkCounter counter(sizes);
  for (const Statement& statement : kernel.program.statements) {
    HONE_TRY(const double flops, counter.statement(statement));
    out.flops += flops;
  }
  for (const Argument& argument : kernel.arguments) {
    HONE_TRY(const std::int64_t elements, elements_of(argument, sizes));
    const double bytes = static_cast<double>(elements) * static_cast<double>(size_of(argument.type));
    out.compulsory_bytes += argument.role == Role::inout ? 2 * bytes : bytes;
  }
  return out;
}

} // namespace hone
