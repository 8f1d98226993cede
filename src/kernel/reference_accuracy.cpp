#include "kernel/reference_accuracy.h"

#include <fmt/format.h>

namespace hone::kernel {

namespace {

// Rows that an algorithm may add up before it multiplies, and results after that: one level of Strassen's algorithm
// adds two and three, and the sums are up to four times as large.
constexpr int k_normwise_additions = 16;

constexpr std::string_view k_all_compared = R"cpp(
// Every element is compared.
inline void meet(double) {}
inline bool take_met() { return false; }
struct MetBefore {
  void keep(bool&) {}
};
)cpp";

constexpr std::string_view k_some_left = R"cpp(
// Set by a number that leaves the element that is computed from it out of the comparison; see judged().
thread_local bool was_met = false;
inline bool take_met()
{
  const bool met = was_met;
  was_met = false;
  return met;
}
// Of terms that are carried from element to element.
struct MetBefore {
  bool before = take_met();
  void keep(bool& met)
  {
    met = met || was_met;
    was_met = before || met;
  }
};
)cpp";

constexpr std::string_view k_judged = R"cpp(
// An element, without a bound where a number on the way to it leaves it out of the comparison.
template <class F> Number judged(F&& element)
{
  const bool before = take_met();
  const Number x = element();
  const bool left = take_met() || std::isinf(x.e);
  was_met = before;
  return left ? Number{std::isfinite(x.v) ? x.v : 0.0, HUGE_VAL} : x;
}
inline Number stored(double v, double e)
{
  was_met = was_met || std::isinf(e);
  return {v, e};
}
)cpp";

// A normwise algorithm mixes rows: what overflows in one is in all of them.
constexpr std::string_view k_spread = R"cpp(
// Every element gets the largest bound of all.
inline void spread_largest(double* values, double* errors, i64 count)
{
  double most = 0;
  bool left = false;
  for (i64 at = 0; at < count; ++at) {
    left = left || (k_some_left && std::isinf(errors[at]));
    most = std::isfinite(errors[at]) ? larger_of(most, errors[at]) : most;
  }
  for (i64 at = 0; at < count; ++at) {
    if (left) {
      values[at] = std::isfinite(values[at]) ? values[at] : 0.0;
      errors[at] = HUGE_VAL;
    } else if (std::isfinite(values[at]) && std::isfinite(errors[at])) {
      errors[at] = most;
    }
  }
}
)cpp";

constexpr std::string_view k_settle = R"cpp(
// Rows of one operand: the largest of their Euclidean norms, and which of them leave their sums out of the comparison.
struct Side {
  double norm = 0;
  std::vector<unsigned char> left;
};
template <class T> Side side_of(const T* x, const i64* rows, i64 count, const i64* terms, i64 depth)
{
  Side out;
  out.left.resize(static_cast<std::size_t>(count));
  take_met();
  for (i64 row = 0; row < count; ++row) {
    double most = 0, squares = 0;
    for (i64 k = 0; k < depth; ++k) {
      const double v = static_cast<double>(x[rows[row] + terms[k]]);
      meet(v);
      most = std::isfinite(v) ? larger_of(most, std::fabs(v)) : most;
    }
    for (i64 k = 0; k < depth && most > 0; ++k) {
      const double v = static_cast<double>(x[rows[row] + terms[k]]) / most;
      squares += std::isfinite(v) ? v * v : 0.0;
    }
    out.norm = larger_of(out.norm, most * std::sqrt(squares));
    out.left[static_cast<std::size_t>(row)] = take_met();
  }
  return out;
}

// Before sums get their bounds: those that are not compared are marked, and normwise the sum of magnitudes becomes the
// largest norm of a row of the first operand times that of a column of the second.
template <class A, class B>
void settle_sums(const Contraction& c, const A* a, const B* b, double* values, double* magnitudes)
{
  double norm = 0;
  bool left = false;
  const auto for_all = [&](auto&& visit) {
    for (i64 batch = 0; batch < c.batches; ++batch) {
      for (i64 row = 0; row < c.rows; ++row) {
        for (i64 column = 0; column < c.columns; ++column) {
          visit(c.out_batch[batch] + c.out_m[row] + c.out_n[column]);
        }
      }
    }
  };
  for (i64 batch = 0; batch < c.batches; ++batch) {
    const Side rows = side_of(a + c.a_batch[batch], c.a_m, c.rows, c.a_k, c.terms);
    const Side columns = side_of(b + c.b_batch[batch], c.b_n, c.columns, c.b_k, c.terms);
    // What is added up before it is multiplied may overflow, or lose what is below the normal numbers.
    const double lost = k_tiny / k_u * (rows.norm + columns.norm);
    norm = larger_of(norm, rows.norm * columns.norm + lost);
    left = left || (k_normwise && beyond(k_added * larger_of(larger_of(rows.norm, columns.norm), norm)));
    for (i64 row = 0; k_some_left && row < c.rows; ++row) {
      for (i64 column = 0; column < c.columns; ++column) {
        if (rows.left[static_cast<std::size_t>(row)] || columns.left[static_cast<std::size_t>(column)]) {
          const i64 at = c.out_batch[batch] + c.out_m[row] + c.out_n[column];
          values[at] = 0;
          magnitudes[at] = HUGE_VAL;
          left = true;
        }
      }
    }
  }
  if (k_normwise) {
    for_all([&](i64 at) {
      values[at] = left ? 0.0 : values[at];
      magnitudes[at] = left ? HUGE_VAL : larger_of(magnitudes[at], norm);
    });
  }
}
)cpp";

// A tolerance that somebody gave, where it is wider than what follows from the expression.
constexpr std::string_view k_accept = R"cpp(
inline void accept_one(double v, double& e, double absolute, double relative)
{
  e = std::isfinite(v) ? larger_of(e, absolute + relative * std::fabs(v)) : e;
}
// Whatever follows from the expression.
inline void accept_only(const double* values, double* errors, i64 count, double absolute, double relative)
{
  for (i64 at = 0; at < count; ++at) {
    errors[at] = std::isfinite(values[at]) ? absolute + relative * std::fabs(values[at]) : 0.0;
  }
}
inline void accept(const double* values, double* errors, i64 count, double absolute, double relative)
{
  double most = 0;
  for (i64 at = 0; k_normwise && at < count; ++at) {
    most = std::isfinite(values[at]) ? larger_of(most, std::fabs(values[at])) : most;
  }
  for (i64 at = 0; at < count; ++at) {
    if (std::isfinite(values[at])) {
      accept_one(k_normwise ? most : values[at], errors[at], absolute, relative);
    }
  }
}
)cpp";

std::string meeting(const Accuracy& accuracy, double near_overflow, double largest)
{
  const double limit = accuracy.checks_overflow ? largest : near_overflow;
  const char* nan = accuracy.checks_nonfinite ? " && !std::isnan(v)" : "";
  return fmt::format("inline void meet(double v) {{ was_met = was_met || (!(std::fabs(v) <= {:a}){}); }}\n", limit,
                     nan);
}

} // namespace

bool settles_sums(const Accuracy& accuracy)
{
  return accuracy.bounds == BoundClass::normwise || accuracy.may_leave_elements();
}

std::string reference_accuracy_head(const Accuracy& accuracy, double near_overflow, double largest)
{
  const bool normwise = accuracy.bounds == BoundClass::normwise;
  return fmt::format("\nconstexpr double k_added = {}; // roundings of a term before and after its sum\n",
                     normwise ? k_normwise_additions : 0)
         + (accuracy.may_leave_elements() ? std::string(k_some_left) + meeting(accuracy, near_overflow, largest)
                                          : std::string(k_all_compared));
}

std::string reference_accuracy_tail(const Accuracy& accuracy, bool has_contraction)
{
  const bool normwise = accuracy.bounds == BoundClass::normwise;
  std::string out;
  if (settles_sums(accuracy) || accuracy.tolerance.is_given()) {
    out +=
      fmt::format("\nconstexpr bool k_normwise = {}, k_some_left = {};\n", normwise, accuracy.may_leave_elements());
  }
  out += accuracy.may_leave_elements() ? k_judged : "";
  out += normwise ? k_spread : "";
  out += settles_sums(accuracy) && has_contraction ? k_settle : "";
  out += accuracy.tolerance.is_given() ? k_accept : "";
  return out;
}

} // namespace hone::kernel
