#include "kernel/range_check.h"

#include "kernel/affine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

namespace hone {

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
      declare(argument.name, shape_of(argument, sizes));
    }
    for (const Statement& statement : program.statements) {
      declare(statement.target, shape_of(statement, sizes));
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
      enter(statement.indices);
      if (statement.guard) {
        visit(*statement.guard);
        assume(*statement.guard, true);
      }
      visit(*statement.value);
    }
    return std::move(m_errors);
  }

private:
  void declare(const std::string& name, Result<std::vector<std::int64_t>> shape)
  {
    if (shape) {
      m_shapes[name] = std::move(*shape);
    } else {
      m_errors.push_back(std::move(shape.error()));
    }
  }

  void enter(const std::vector<IndexRange>& ranges)
  {
    for (const IndexRange& range : ranges) {
      const Span upper = span_of(*range.upper);
      const Span lower = range.lower ? span_of(*range.lower) : Span{};
      m_spans[range.name] = {lower.low, upper.high - 1};
      if (const auto high = affine_of(*range.upper, m_sizes)) {
        m_facts.push_back(*high - Affine{1, {{range.name, 1}}});
      }
      if (const auto low = range.lower ? affine_of(*range.lower, m_sizes) : Affine{}) {
        m_facts.push_back(Affine{0, {{range.name, 1}}} - *low);
      }
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
    const auto left = affine_of(*condition.args[0], m_sizes);
    const auto right = affine_of(*condition.args[1], m_sizes);
    if (left && right) {
      assume_comparison(condition.name, *left, *right, holds);
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
  Span span_of(const Expr& expression) const
  {
    if (const auto affine = affine_of(expression, m_sizes)) {
      return span_of(*affine);
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

  void check_subscript(const Expr& load, std::size_t dimension)
  {
    const Expr& subscript = *load.args[dimension];
    const std::int64_t extent = m_shapes[load.name][dimension];
    const Span span = span_of(subscript);
    if (span.low >= 0 && span.high < extent) {
      return;
    }
    const auto affine = affine_of(subscript, m_sizes);
    const bool low = affine ? never_negative(*affine) : span.low >= 0;
    const bool high = affine ? never_negative(Affine{extent - 1, {}} - *affine) : span.high < extent;
    if (low && high) {
      return;
    }
    std::string reach = affine || (span.low > -k_far && span.high < k_far)
                          ? fmt::format("from {} to {}", span.low, span.high)
                          : "over a range that is not known";
    m_errors.push_back(
      {fmt::format("subscript {} of {} may leave the tensor: '{}' runs {}, expected 0 to {} ({})", dimension + 1,
                   load.name, to_text(subscript), reach, extent - 1, to_text(m_sizes)),
       fmt::format("guard the read: `where {}`, or select(...)", guard_text(subscript, low, high, extent)),
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
      if (expression.kind == ExprKind::load) {
        for (std::size_t i = 0; i < expression.args.size(); ++i) {
          check_subscript(expression, i);
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
  std::map<std::string, Span> m_spans; // per index
  std::vector<Affine> m_facts;         // each known to be >= 0 here
  std::vector<Error> m_errors;
};

} // namespace

std::vector<Error> check_ranges(std::span<const Argument> arguments, const Program& program, const Sizes& sizes)
{
  return RangeChecker(arguments, program, sizes).run(program);
}

} // namespace hone
