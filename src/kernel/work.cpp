// Operation and byte counts from the expression alone.
#include "kernel/affine.h"
#include "kernel/carried_reduction.h"
#include "kernel/definition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <span>

namespace hone::kernel {

namespace {

bool holds_data(const Expr& expression)
{
  return any_part(expression,
                  [](const Expr& part) { return part.kind == ExprKind::load || part.kind == ExprKind::reduce; });
}

// The index in `i` or `i + 1`; null for other bounds.
const Expr* index_of_bound(const Expr& bound)
{
  const bool one_more = bound.kind == ExprKind::binary && bound.name == "+" && bound.args[1]->kind == ExprKind::number;
  const Expr& index = one_more ? *bound.args[0] : bound;
  return index.kind == ExprKind::index ? &index : nullptr;
}

// A reduction up to an outer index, or from it on, that its body does not name: carried along from one index to the
// next it costs one term each, and what an implementation must do at least is what counts.
bool can_be_carried_along(const Expr& reduce)
{
  if (reduce.ranges.size() != 1) {
    return false;
  }
  const IndexRange& range = reduce.ranges.front();
  const Expr* along = range.lower ? index_of_bound(*range.lower) : nullptr;
  along = along != nullptr ? along : index_of_bound(*range.upper);
  return along != nullptr && carried_along(reduce, IndexRange{along->name, nullptr, nullptr, {}}) != Carried::no;
}

// The factors of a product, in order: `alpha * A * B` has three.
void add_factors(const Expr& expression, std::vector<const Expr*>& out)
{
  if (expression.kind != ExprKind::binary || expression.name != "*") {
    out.push_back(&expression);
    return;
  }
  add_factors(*expression.args[0], out);
  add_factors(*expression.args[1], out);
}

bool names_one_of(const Expr& expression, const std::vector<IndexRange>& ranges)
{
  return std::ranges::any_of(ranges, [&](const IndexRange& range) { return names_anywhere(expression, range.name); });
}

// How many factors of a sum's term can be multiplied once, after the sum: those that name no summed index.
std::size_t factors_outside(const Expr& reduce)
{
  if (reduce.op != ReduceOp::sum) {
    return 0;
  }
  std::vector<const Expr*> factors;
  add_factors(*reduce.args[0], factors);
  const auto outside = static_cast<std::size_t>(
    std::ranges::count_if(factors, [&](const Expr* factor) { return !names_one_of(*factor, reduce.ranges); }));
  return outside < factors.size() ? outside : 0;
}

class WorkCounter {
public:
  // least: what an implementation must do at least; otherwise what loops do that follow the expression.
  WorkCounter(const Kernel& kernel, const Sizes& sizes, bool least) : m_kernel(kernel), m_sizes(sizes), m_least(least)
  {
    for (const auto& [name, value] : sizes) {
      m_values.push_back({name, value});
    }
  }

  struct Operations {
    double all = 0, per_element = 0;
  };
  Result<Operations> statement(const Statement& statement)
  {
    m_counted.clear();
    if (!statement.loops.empty()) { // from round to round, tensors change
      m_parts.clear();
    }
    m_loops = statement.loops.size();
    double rounds = 1;
    for (const SerialLoop& loop : statement.loops) {
      HONE_TRY(const double here, enter(std::span(&loop.range, 1)));
      rounds *= here;
    }
    HONE_TRY(const double elements, enter(statement.indices));
    HONE_TRY(const double operations, count(*statement.value));
    const double computed = statement.guard ? share_where(*statement.guard) : 1;
    leave(statement.indices.size() + statement.loops.size());
    return Operations{rounds * elements * computed * operations, operations};
  }

private:
  // Number of points of a nest of ranges. Where a range depends on an outer index, that index stands in the middle of
  // its own: exact for ranges that grow or shrink evenly.
  Result<double> enter(std::span<const IndexRange> ranges)
  {
    double out = 1;
    for (const IndexRange& range : ranges) {
      HONE_TRY(const std::int64_t upper, expected(range.upper));
      std::int64_t lower = 0;
      if (range.lower) {
        HONE_TRY(lower, expected(range.lower));
      }
      HONE_TRY(const std::optional<double> part, part_of_rising(range));
      const double points = part ? *part : static_cast<double>(std::max<std::int64_t>(upper - lower, 0));
      out *= points;
      m_values.push_back({range.name, (lower + upper - 1) / 2});
      m_ranges.push_back(&range);
      m_points.push_back(points);
    }
    return out;
  }
  void leave(std::size_t ranges)
  {
    m_values.resize(m_values.size() - ranges);
    m_ranges.resize(m_ranges.size() - ranges);
    m_points.resize(m_points.size() - ranges);
  }

  // How many points of the ranges around it have one value of the reduction in common: sum(k, X[i,k]) is the same for
  // all j.
  double points_in_common(const Expr& reduce) const
  {
    double out = 1;
    for (std::size_t i = m_loops; i < m_ranges.size(); ++i) { // from round to round, tensors change
      const std::string& index = m_ranges[i]->name;
      const bool inside = std::any_of(m_ranges.begin() + static_cast<std::ptrdiff_t>(i) + 1, m_ranges.end(),
                                      [&](const IndexRange* range) {
                                        return (range->upper && names_anywhere(*range->upper, index))
                                               || (range->lower && names_anywhere(*range->lower, index));
                                      });
      out *= names_anywhere(reduce, index) || inside ? 1 : std::max(m_points[i], 1.0);
    }
    return out;
  }

  // For which part of the points of all ranges around it a condition on indices holds, from a few points spread evenly.
  // What depends on data counts as if it always held, and so does all in plain loops.
  double share_where(const Expr& condition)
  {
    if (!m_least || holds_data(condition)) {
      return 1;
    }
    constexpr int k_points = 64;                                  // this is asked for thousands of sizes
    constexpr std::array k_primes = {2, 3, 5, 7, 11, 13, 17, 19}; // multiples of their roots, modulo 1, spread evenly
    const std::size_t first = m_values.size() - m_ranges.size();
    std::vector<NamedValue> values = m_values;
    double all = 0, inside = 0;
    for (int point = 0; point < k_points; ++point) {
      double weight = 1;
      for (std::size_t i = 0; i < m_ranges.size(); ++i) {
        const auto upper = bound_at(m_ranges[i]->upper, values), lower = bound_at(m_ranges[i]->lower, values);
        const double length = upper && lower ? static_cast<double>(*upper - *lower) : 0;
        weight *= std::max(length, 0.0);
        const double place = std::fmod((point + 1) * std::sqrt(k_primes[i % k_primes.size()]), 1);
        values[first + i].value = lower.value_or(0) + static_cast<std::int64_t>(length * place);
      }
      const auto holds = weight > 0 ? evaluate_integer(condition, values) : Result<std::int64_t>(0);
      all += weight;
      inside += !holds || *holds != 0 ? weight : 0;
    }
    return all > 0 ? inside / all : 1;
  }
  Result<std::int64_t> bound_at(const ExprPtr& bound, const std::vector<NamedValue>& values)
  {
    HONE_TRY(const ExprPtr plain, bound ? without_loads(bound) : make_number(0, true));
    return evaluate_integer(*plain, values);
  }

  // ptr[i] <= j < ptr[i + 1] of a tensor in rising order: over all i each position of its domain is met once.
  Result<std::optional<double>> part_of_rising(const IndexRange& range)
  {
    const Argument* argument =
      range.lower && range.lower->kind == ExprKind::load ? m_kernel.find_argument(range.lower->name) : nullptr;
    const Expr& upper = *range.upper;
    if (argument == nullptr || !argument->rising || upper.kind != ExprKind::load || upper.name != argument->name) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i + 1 < upper.args.size(); ++i) {
      if (to_text(*upper.args[i]) != to_text(*range.lower->args[i])) {
        return std::nullopt;
      }
    }
    const auto first = affine_of(*range.lower->args.back(), m_sizes), last = affine_of(*upper.args.back(), m_sizes);
    if (!first || !last) {
      return std::nullopt;
    }
    const Affine apart = *last - *first;
    HONE_TRY(const Domain domain, domain_of(*argument, m_sizes));
    HONE_TRY(const std::vector<std::int64_t> shape, shape_of(*argument, m_sizes));
    if (!apart.coefficients.empty() || apart.constant < 1 || shape.back() < 2) {
      return std::nullopt;
    }
    const double gap = (domain.high - domain.low) / static_cast<double>(shape.back() - 1);
    return gap * static_cast<double>(apart.constant);
  }

  // A bound; where it is read from a tensor, the middle of the values that the tensor may take.
  Result<std::int64_t> expected(const ExprPtr& bound)
  {
    HONE_TRY(const ExprPtr plain, without_loads(bound));
    return evaluate_integer(*plain, m_values);
  }

  Result<ExprPtr> without_loads(const ExprPtr& expression)
  {
    if (expression->kind == ExprKind::load) {
      const Argument* argument = m_kernel.find_argument(expression->name);
      HONE_TRY(const Domain domain, argument != nullptr ? domain_of(*argument, m_sizes) : Domain{});
      return make_number(domain.is_finite() ? std::floor((domain.low + domain.high) / 2) : 0, true);
    }
    auto copy = std::make_shared<Expr>(*expression);
    for (ExprPtr& arg : copy->args) {
      HONE_TRY(arg, without_loads(arg));
    }
    return ExprPtr(std::move(copy));
  }

  // Arithmetic on data of one evaluation, floating-point or integer. Index arithmetic and conditions are not counted.
  Result<double> count(const Expr& expression)
  {
    if (expression.kind == ExprKind::reduce) {
      if (!m_counted.insert(to_text(expression)).second) {
        return 0.0; // a formula names it twice (gelu of a sum): computed once
      }
      const double alike = m_least ? points_in_common(expression) : 1;
      HONE_TRY(double points, enter(expression.ranges));
      points = m_least && can_be_carried_along(expression) ? 1 : points;
      HONE_TRY(const double body, count(*expression.args[0]));
      points *= expression.args.size() > 1 && expression.args[1] ? share_where(*expression.args[1]) : 1;
      leave(expression.ranges.size());
      const auto outside = m_least ? static_cast<double>(factors_outside(expression)) : 0.0;
      return (points * (body + 1 - outside) + outside) / alike;
    }
    if (expression.kind == ExprKind::load || expression.type == DataType::boolean || !holds_data(expression)) {
      return 0.0;
    }
    if (expression.kind == ExprKind::select) {
      const double share = share_where(*expression.args[0]);
      HONE_TRY(const double yes, count(*expression.args[1]));
      HONE_TRY(const double no, count(*expression.args[2]));
      return share * yes + (1 - share) * no;
    }
    if (m_least && !m_parts.insert(around() + to_text(expression)).second) {
      return 0.0; // the same at the same point: computed once
    }
    double out = expression.kind == ExprKind::binary || expression.kind == ExprKind::call ? 1 : 0;
    for (const ExprPtr& arg : expression.args) {
      HONE_TRY(const double operations, count(*arg));
      out += operations;
    }
    return out;
  }

  // The ranges around what is counted, as text: statements over the same ranges may share what they compute.
  std::string around() const
  {
    std::string out;
    for (std::size_t i = 0; i < m_ranges.size(); ++i) {
      out += m_ranges[i]->name + ' ' + std::to_string(m_points[i]) + ' ';
    }
    return out;
  }

  const Kernel& m_kernel;
  const Sizes& m_sizes;
  bool m_least;
  std::vector<NamedValue> m_values;        // sizes, then the indices of m_ranges
  std::vector<const IndexRange*> m_ranges; // around what is counted, outermost first
  std::vector<double> m_points;            // of each of them
  std::size_t m_loops = 0;                 // that run in order, of m_ranges
  std::set<std::string> m_counted;         // reductions of the statement so far
  std::set<std::string> m_parts;           // other parts so far, each with the ranges around it
};

} // namespace

Result<Work> work_of(const Kernel& kernel, const Sizes& sizes)
{
  Work out;
  WorkCounter counter(kernel, sizes, true), plain(kernel, sizes, false);
  for (const Statement& statement : kernel.program.statements) {
    HONE_TRY(const WorkCounter::Operations least, counter.statement(statement));
    HONE_TRY(const WorkCounter::Operations loops, plain.statement(statement));
    out.flops += least.all;
    out.plain_flops += loops.all;
    out.per_element = std::max(out.per_element, loops.per_element);
  }
  for (const Argument& argument : kernel.arguments) {
    HONE_TRY(const std::int64_t elements, elements_of(argument, sizes));
    const double bytes = static_cast<double>(elements) * static_cast<double>(size_of(argument.type));
    out.compulsory_bytes += argument.role == Role::inout ? 2 * bytes : bytes;
    out.updated_bytes += argument.role == Role::inout ? bytes : 0;
  }
  return out;
}

} // namespace hone::kernel
