#include "kernel/range_check.h"

#include "kernel/affine.h"
#include "kernel/expression_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace hone::kernel {

namespace {

struct Span {
  std::int64_t low = 0;
  std::int64_t high = 0; // inclusive
};

constexpr std::int64_t k_far = std::int64_t{1} << 60;
constexpr Span k_anything{-k_far, k_far};

std::int64_t clamped(__int128 value)
{
  return static_cast<std::int64_t>(std::clamp<__int128>(value, -k_far, k_far));
}

class RangeChecker {
public:
  RangeChecker(std::span<const Argument> arguments, const Program& program, const Sizes& sizes) : m_sizes(sizes)
  {
    for (const Argument& argument : arguments) {
      declare(argument.name, shape_of(argument, sizes), argument.place);
      m_values[argument.name] = values_of(argument);
    }
    for (const Statement& statement : program.statements) {
      declare(statement.target, shape_of(statement, sizes), statement.place);
    }
  }

  std::vector<Error> run(const Program& program)
  {
    if (!m_errors.empty()) {
      return std::move(m_errors);
    }
    for (const Statement& statement : program.statements) {
      m_spans.clear();
      m_facts.clear();
      for (const SerialLoop& loop : statement.loops) {
        enter({loop.range});
        visit_bounds(loop.range);
      }
      enter(statement.indices);
      if (statement.guard) {
        visit(*statement.guard);
        assume(*statement.guard, true);
      }
      visit(*statement.value);
      check_target(statement);
      note_target(statement);
    }
    return std::move(m_errors);
  }

private:
  // What an integer tensor holds, so that its elements may be subscripts.
  Span values_of(const Argument& argument)
  {
    if (!is_integer(argument.type) || argument.role == Role::output) {
      return k_anything;
    }
    const auto domain = domain_of(argument, m_sizes);
    if (!domain) {
      m_errors.push_back(domain.error());
      return k_anything;
    }
    return {whole(std::ceil(domain->low)), whole(std::floor(domain->high))};
  }

  // What is left after storing in a type: all of its values where some do not fit.
  static Span kept_in(DataType type, const Span& span)
  {
    const auto bits = static_cast<int>(8 * size_of(type));
    const bool no_sign = is_unsigned(type);
    const std::int64_t high = bits == 64 ? k_far : (std::int64_t{1} << (no_sign ? bits : bits - 1)) - 1;
    const std::int64_t low = no_sign ? 0 : bits == 64 ? -k_far : -high - 1;
    return span.low >= low && span.high <= high ? span : Span{low, high};
  }

  static std::int64_t whole(double value)
  {
    return static_cast<std::int64_t>(std::clamp(value, static_cast<double>(-k_far), static_cast<double>(k_far)));
  }

  void note_target(const Statement& statement)
  {
    Span span = is_integer(statement.type) ? kept_in(statement.type, span_of(*statement.value)) : k_anything;
    if (statement.guard || is_ordered(statement)) { // elements that are not written are 0, or what they were
      span = {std::min<std::int64_t>(span.low, 0), std::max<std::int64_t>(span.high, 0)};
    }
    const auto before = m_values.find(statement.target);
    if (is_ordered(statement) && before != m_values.end()) {
      span = {std::min(span.low, before->second.low), std::max(span.high, before->second.high)};
    }
    m_values[statement.target] = span;
  }

  void declare(const std::string& name, Result<std::vector<std::int64_t>> shape, const Place& place)
  {
    if (shape) {
      m_shapes[name] = std::move(*shape);
    } else {
      shape.error().place = place;
      m_errors.push_back(std::move(shape.error()));
    }
  }

  void enter(const std::vector<IndexRange>& ranges)
  {
    for (const IndexRange& range : ranges) {
      const Span upper = span_of(*range.upper);
      const Span lower = range.lower ? span_of(*range.lower) : Span{};
      m_spans[range.name] = {lower.low, upper.high - 1};
      m_facts.push_back(linear(*range.upper) - Affine{1, {{range.name, 1}}});
      m_facts.push_back(Affine{0, {{range.name, 1}}} - (range.lower ? linear(*range.lower) : Affine{}));
    }
  }

  // Notes what a condition says about indices, so that reads under it may rely on it.
  void assume(const Expr& condition, bool holds)
  {
    if (condition.kind == ExprKind::unary && condition.name == "!") {
      assume(*condition.args[0], !holds);
      return;
    }
    if (condition.kind != ExprKind::binary) {
      return;
    }
    if (condition.name == (holds ? "&&" : "||")) {
      assume(*condition.args[0], holds);
      assume(*condition.args[1], holds);
      return;
    }
    if (is_integer(condition.args[0]->type) && is_integer(condition.args[1]->type)) {
      const Affine left = linear(*condition.args[0]);
      const Affine right = linear(*condition.args[1]);
      assume_comparison(condition.name, left, right, holds);
    }
  }

  // Any integer expression as an affine form. What is not affine (a quotient, an element of a tensor) takes part as a
  // variable of its own, named by its text, so that a condition on it and a subscript with it meet.
  Affine linear(const Expr& expression)
  {
    if (auto affine = affine_of(expression, m_sizes)) {
      return std::move(*affine);
    }
    if (expression.kind == ExprKind::unary && expression.name == "-") {
      return checked(scaled(linear(*expression.args[0]), -1), expression);
    }
    if (expression.kind == ExprKind::binary && (expression.name == "+" || expression.name == "-")) {
      const Affine left = linear(*expression.args[0]);
      const Affine right = linear(*expression.args[1]);
      return checked(expression.name == "+" ? left + right : left - right, expression);
    }
    if (expression.kind == ExprKind::binary && expression.name == "*") {
      const Affine left = linear(*expression.args[0]);
      const Affine right = linear(*expression.args[1]);
      if (left.coefficients.empty() || right.coefficients.empty()) {
        return checked(left.coefficients.empty() ? scaled(right, left.constant) : scaled(left, right.constant),
                       expression);
      }
    }
    return variable(expression);
  }

  // Forms with numbers so large that sums of them could overflow are no longer looked into.
  Affine checked(Affine affine, const Expr& expression)
  {
    auto small = within_limit(std::move(affine));
    return small ? std::move(*small) : variable(expression);
  }

  Affine variable(const Expr& expression)
  {
    const std::string name = "{" + to_text(expression) + "}";
    const Affine out{0, {{name, 1}}};
    m_spans[name] = structural_span(expression);
    if (expression.kind == ExprKind::binary && (expression.name == "/" || expression.name == "%")) {
      note_division(expression, out);
    }
    return out;
  }

  // Of a dividend that is known not to be negative, quotient and remainder are not either.
  void note_division(const Expr& division, const Affine& result)
  {
    const Affine dividend = linear(*division.args[0]);
    const Affine divisor = linear(*division.args[1]);
    if (!divisor.coefficients.empty() || divisor.constant <= 0 || !never_negative(dividend)) {
      return;
    }
    note(result);
    note(division.name == "/" ? dividend - scaled(result, divisor.constant) : dividend - result);
  }

  void note(Affine fact)
  {
    if (std::ranges::find(m_facts, fact) == m_facts.end()) {
      m_facts.push_back(std::move(fact));
    }
  }

  void assume_comparison(const std::string& op, const Affine& left, const Affine& right, bool holds)
  {
    const Affine one{1, {}};
    if (op == (holds ? "<" : ">=")) {
      m_facts.push_back(right - left - one);
    } else if (op == (holds ? "<=" : ">")) {
      m_facts.push_back(right - left);
    } else if (op == (holds ? ">" : "<=")) {
      m_facts.push_back(left - right - one);
    } else if (op == (holds ? ">=" : "<")) {
      m_facts.push_back(left - right);
    } else if (op == (holds ? "==" : "!=")) {
      m_facts.push_back(left - right);
      m_facts.push_back(right - left);
    }
  }

  Span span_of(const Affine& affine) const
  {
    __int128 low = affine.constant;
    __int128 high = affine.constant;
    for (const auto& [name, coefficient] : affine.coefficients) {
      const auto found = m_spans.find(name);
      const Span span = found == m_spans.end() ? k_anything : found->second;
      const __int128 a = static_cast<__int128>(coefficient) * span.low;
      const __int128 b = static_cast<__int128>(coefficient) * span.high;
      low += std::min(a, b);
      high += std::max(a, b);
    }
    return {clamped(low), clamped(high)};
  }

  // Interval arithmetic for what is not affine: division, remainder, max, min, products of indices.
  Span span_of(const Expr& expression) { return span_of(linear(expression)); }

  Span structural_span(const Expr& expression)
  {
    if (expression.kind == ExprKind::load) {
      const auto found = m_values.find(expression.name);
      return found == m_values.end() ? k_anything : found->second;
    }
    if (expression.kind == ExprKind::reduce && is_position(expression.op)) {
      return span_of_position(expression);
    }
    if (expression.kind == ExprKind::call && expression.name == "abs") {
      const Span of = span_of(*expression.args[0]);
      const std::int64_t far = std::max(of.high, -of.low);
      return {of.low > 0 ? of.low : of.high < 0 ? -of.high : 0, far};
    }
    if (expression.kind == ExprKind::cast) {
      return kept_in(expression.type, is_integer(expression.args[0]->type) ? span_of(*expression.args[0]) : k_anything);
    }
    if (expression.kind == ExprKind::binary) {
      return span_of_binary(expression.name, span_of(*expression.args[0]), span_of(*expression.args[1]));
    }
    if (expression.kind == ExprKind::call && (expression.name == "max" || expression.name == "min")) {
      Span out = span_of(*expression.args[0]);
      for (const ExprPtr& arg : expression.args) {
        const Span next = span_of(*arg);
        const bool greater = expression.name == "max";
        out = {greater ? std::max(out.low, next.low) : std::min(out.low, next.low),
               greater ? std::max(out.high, next.high) : std::min(out.high, next.high)};
      }
      return out;
    }
    if (expression.kind == ExprKind::select) {
      const Span a = span_of(*expression.args[1]);
      const Span b = span_of(*expression.args[2]);
      return {std::min(a.low, b.low), std::max(a.high, b.high)};
    }
    return k_anything;
  }

  // -1 stands for "nothing was compared": possible where the range may be empty, a guard may exclude all of it, or all
  // may be NaN.
  Span span_of_position(const Expr& reduce)
  {
    const IndexRange& range = reduce.ranges.front();
    const Span upper = span_of(*range.upper);
    const Span lower = range.lower ? span_of(*range.lower) : Span{};
    const Expr& body = *reduce.args[0];
    const bool never_nan = is_integer(body.type) || body.kind == ExprKind::load; // inputs are no NaN
    const bool never_empty = reduce.args.size() == 1 && lower.high < upper.low && never_nan;
    return {never_empty ? lower.low : -1, upper.high - 1};
  }

  static Span span_of_binary(const std::string& op, const Span& a, const Span& b)
  {
    if (op == "+") {
      return {clamped(static_cast<__int128>(a.low) + b.low), clamped(static_cast<__int128>(a.high) + b.high)};
    }
    if (op == "-") {
      return {clamped(static_cast<__int128>(a.low) - b.high), clamped(static_cast<__int128>(a.high) - b.low)};
    }
    if (op == "*") {
      const auto product = [](std::int64_t x, std::int64_t y) { return clamped(static_cast<__int128>(x) * y); };
      const std::array<std::int64_t, 4> all{product(a.low, b.low), product(a.low, b.high), product(a.high, b.low),
                                            product(a.high, b.high)};
      return {*std::ranges::min_element(all), *std::ranges::max_element(all)};
    }
    if (op == "/" && b.low > 0) {
      const std::array<std::int64_t, 4> all{a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
      return {*std::ranges::min_element(all), *std::ranges::max_element(all)};
    }
    if (op == "%" && b.low > 0) {
      // C's remainder has the sign of the left side.
      return {a.low < 0 ? std::max(-(b.high - 1), a.low) : 0, a.high < 0 ? 0 : std::min(b.high - 1, a.high)};
    }
    return k_anything;
  }

  // True when affine >= 0 follows from the spans of the indices, alone or with one or two known facts.
  bool never_negative(const Affine& affine) const
  {
    if (span_of(affine).low >= 0) {
      return true;
    }
    for (std::size_t i = 0; i < m_facts.size(); ++i) {
      const Affine rest = affine - m_facts[i];
      if (span_of(rest).low >= 0) {
        return true;
      }
      for (std::size_t j = i + 1; j < m_facts.size(); ++j) {
        if (span_of(rest - m_facts[j]).low >= 0) {
          return true;
        }
      }
    }
    return false;
  }

  void check_divisor(const Expr& expression)
  {
    const bool divides = expression.kind == ExprKind::binary && (expression.name == "/" || expression.name == "%");
    if (!divides || !is_integer(expression.args[0]->type) || !is_integer(expression.args[1]->type)) {
      return;
    }
    const Affine divisor = linear(*expression.args[1]);
    if (!never_negative(divisor - Affine{1, {}}) && !never_negative(Affine{-1, {}} - divisor)) {
      m_errors.push_back({fmt::format("'{}' may divide by 0 ({})", to_text(expression), to_text(m_sizes)),
                          fmt::format("guard it: select({} != 0, ..., 0), or give the divisor a domain without 0",
                                      to_text(*expression.args[1])),
                          expression.place});
    }
  }

  // Bounds of a loop may read tensors.
  void visit_bounds(const IndexRange& range)
  {
    visit(*range.upper);
    if (range.lower) {
      visit(*range.lower);
    }
  }

  void check_target(const Statement& statement)
  {
    if (!is_ordered(statement)) {
      return; // its indices run over all of it
    }
    for (std::size_t i = 0; i < statement.subscripts.size(); ++i) {
      visit(*statement.subscripts[i]);
      check_subscript(statement.target, *statement.subscripts[i], i, "write");
    }
  }

  void check_subscript(const std::string& tensor, const Expr& subscript, std::size_t dimension, std::string_view what)
  {
    const std::int64_t extent = m_shapes[tensor][dimension];
    const Span span = span_of(subscript);
    if (span.low >= 0 && span.high < extent) {
      return;
    }
    const Affine affine = linear(subscript);
    const bool low = never_negative(affine);
    const bool high = never_negative(Affine{extent - 1, {}} - affine);
    if (low && high) {
      return;
    }
    std::string reach = span.low > -k_far && span.high < k_far ? fmt::format("from {} to {}", span.low, span.high)
                                                               : "over a range that is not known";
    m_errors.push_back({fmt::format("subscript {} of {} may leave the tensor: '{}' runs {}, expected 0 to {} ({})",
                                    dimension + 1, tensor, to_text(subscript), reach, extent - 1, to_text(m_sizes)),
                        fmt::format("guard the {}: `where {}`{}", what, guard_text(subscript, low, high, extent),
                                    what == "read" ? ", or select(...)" : ""),
                        subscript.place});
  }

  static std::string guard_text(const Expr& subscript, bool low, bool high, std::int64_t extent)
  {
    const std::string text = to_text(subscript);
    if (low) {
      return fmt::format("{} < {}", text, extent);
    }
    return high ? fmt::format("0 <= {}", text) : fmt::format("0 <= {} < {}", text, extent);
  }

  void visit(const Expr& expression)
  {
    const std::size_t facts = m_facts.size();
    if (expression.kind == ExprKind::select) {
      visit(*expression.args[0]);
      visit_under(*expression.args[0], true, *expression.args[1]);
      visit_under(*expression.args[0], false, *expression.args[2]);
    } else if (expression.kind == ExprKind::binary && (expression.name == "&&" || expression.name == "||")) {
      visit(*expression.args[0]);
      visit_under(*expression.args[0], expression.name == "&&", *expression.args[1]);
    } else if (expression.kind == ExprKind::reduce) {
      enter(expression.ranges);
      if (expression.args.size() > 1) {
        visit(*expression.args[1]);
        assume(*expression.args[1], true);
      }
      visit(*expression.args[0]);
    } else {
      for (const ExprPtr& arg : expression.args) {
        visit(*arg);
      }
      check_divisor(expression);
      if (expression.kind == ExprKind::load) {
        for (std::size_t i = 0; i < expression.args.size(); ++i) {
          check_subscript(expression.name, *expression.args[i], i, "read");
        }
      }
    }
    m_facts.resize(facts);
  }

  void visit_under(const Expr& condition, bool holds, const Expr& expression)
  {
    const std::size_t facts = m_facts.size();
    assume(condition, holds);
    visit(expression);
    m_facts.resize(facts);
  }

  const Sizes& m_sizes;
  std::map<std::string, std::vector<std::int64_t>> m_shapes;
  std::map<std::string, Span> m_values; // per tensor: what its elements may be
  std::map<std::string, Span> m_spans;  // per index, and per variable that stands for a subexpression
  std::vector<Affine> m_facts;          // each known to be >= 0 here
  std::vector<Error> m_errors;
};

} // namespace

std::vector<Error> check_ranges(std::span<const Argument> arguments, const Program& program, const Sizes& sizes)
{
  return RangeChecker(arguments, program, sizes).run(program);
}

} // namespace hone::kernel
