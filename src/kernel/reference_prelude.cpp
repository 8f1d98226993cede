// Long because it holds two texts of generated C++, each in one piece.
#include "kernel/reference_prelude.h"

namespace hone::kernel {

// The text below expects reference_accuracy_head() and three constants before it: k_u, the unit roundoff of one
// operation (the accumulation type's and, for what the reference itself does, fp64's), k_tiny and k_largest, the
// smallest normal and the largest number of the accumulation type.
std::string_view reference_prelude()
{
  return R"cpp(
using i64 = std::int64_t;

struct Environment {
  const i64* sizes;
  const void* const* arguments;
  double* const* values;
  double* const* errors;
  unsigned char* const* computed;
  i64 part = 0, parts = 1;
};

// Where a part of the first extent begins.
inline i64 part_of(i64 extent, i64 part, i64 parts) { return extent * part / parts; }

// Not 0 once the process is asked to stop: results are of no use then.
const unsigned char* stop_flag = nullptr;
inline bool is_stopped() { return stop_flag != nullptr && __atomic_load_n(stop_flag, __ATOMIC_RELAXED) != 0; }

// A value and a bound on how far an honest implementation may be from it. Of a sum, or a sum times a number: how many
// roundings of another number come in where an implementation begins with that number, as with a bias, and how far from
// 0 the partial sums may go; else 0.
struct Number {
  double v;
  double e;
  double chain = 0;
  double peak = 0;
};

// A truth that an honest implementation must share (sure), or may see otherwise because of rounding.
struct Truth {
  bool v;
  bool sure;
};

// std::fmax and std::fmin, which the compiler calls where it may not forget about NaN.
inline double larger_of(double a, double b) { return a >= b || std::isnan(b) ? a : b; }
inline double smaller_of(double a, double b) { return a <= b || std::isnan(b) ? a : b; }

// Infinities and NaN have no distance: there the class of the result decides, and the bound is 0. A finite value with
// an infinite bound is one that the accumulation type cannot tell: it overflows on the way.
inline Number number(double v, double e)
{
  meet(v);
  return {v, std::isfinite(v) ? (std::isnan(e) ? HUGE_VAL : e) : 0.0};
}
inline bool beyond(double v) { return std::fabs(v) > k_largest; }

// In f64 what overflows is an infinity in the reference, too. An infinity that finite numbers gave has the bound HUGE_VAL.
// What is computed from it has no bound: with a fused multiply-add, or in another order, it may not overflow.
constexpr bool k_is_f64 = k_largest >= __DBL_MAX__;
inline bool is_unbounded(Number x) { return k_is_f64 && std::isinf(x.e); }
inline Number without_overflow(Number x) { return is_unbounded(x) && std::isinf(x.v) ? Number{0.0, HUGE_VAL} : x; }
// The sum or product v of x and y, where it is infinite or NaN.
inline Number nonfinite(Number x, Number y, double v)
{
  if (k_is_f64 && !std::isnan(x.v) && !std::isnan(y.v)) {
    if (is_unbounded(x) || is_unbounded(y)) {
      return {0.0, HUGE_VAL};
    }
    if (std::isfinite(x.v) && std::isfinite(y.v)) {
      return {v, HUGE_VAL};
    }
  }
  return {v, 0.0};
}
inline Number exact(double v)
{
  meet(v);
  return {v, 0.0};
}
inline double round_error(double v) { return k_u * std::fabs(v) + k_tiny; }

inline Number neg(Number x) { return {-x.v, x.e, x.chain, x.peak}; }
inline double rounding_of_chain(Number sum, Number first)
{
  return sum.chain > 0 ? sum.chain * k_u * std::fabs(first.v) : 0.0;
}
// Where a sum begins with the other number, a partial sum may be beyond the range although the result is not, or beyond
// it on the other side.
inline bool overflows_on_the_way(Number x, Number y, double v)
{
  if (x.chain == 0 && y.chain == 0) {
    return false;
  }
  const double all = larger_of(x.peak, std::fabs(x.v)) + larger_of(y.peak, std::fabs(y.v));
  return beyond(all) && std::isfinite(v) && (!beyond(v) || beyond(0.5 * (all - std::fabs(v)) + 0x1p-50 * all));
}
inline Number add(Number x, Number y)
{
  const double v = x.v + y.v;
  if (k_is_f64 && !std::isfinite(v)) {
    meet(v);
    return nonfinite(x, y, v);
  }
  if (beyond(x.v) && beyond(y.v) && (x.v < 0) != (y.v < 0) && (std::isfinite(x.v) || std::isfinite(y.v))) {
    return {std::isfinite(v) ? v : 0.0, HUGE_VAL}; // inf - inf in the accumulation type
  }
  const bool lost = ((beyond(x.v) || beyond(y.v)) && !beyond(v)) || overflows_on_the_way(x, y, v);
  const double rounding = k_u * std::fabs(v) + rounding_of_chain(x, y) + rounding_of_chain(y, x);
  Number out = number(v, lost ? HUGE_VAL : x.e + y.e + rounding);
  out.chain = x.chain + y.chain;
  out.peak = x.peak + y.peak;
  return out;
}
inline Number sub(Number x, Number y) { return add(x, neg(y)); }
// Of the products whose sums are being finished: the smallest factor that is not 0, and the largest one times their
// number. Who multiplies a factor with each operand may lose an operand to underflow that the sum would have kept.
thread_local double smallest_operand = HUGE_VAL, operand_reach = 0;
inline Number mul(Number x, Number y)
{
  const double v = x.v * y.v;
  if (k_is_f64 && !std::isfinite(v)) {
    meet(v);
    return nonfinite(x, y, v);
  }
  if ((beyond(x.v) || beyond(y.v)) && !beyond(v)) {
    return number(v, HUGE_VAL);
  }
  Number out = number(v, std::fabs(x.v) * y.e + std::fabs(y.v) * x.e + x.e * y.e + round_error(v));
  if (x.chain > 0 || y.chain > 0) { // its terms may be multiplied one by one
    out.chain = larger_of(x.chain, y.chain);
    out.peak = larger_of(x.peak * std::fabs(y.v), std::fabs(x.v) * y.peak);
    if (std::fabs(x.chain > 0 ? y.v : x.v) * smallest_operand < k_tiny) {
      out.e += k_tiny * operand_reach;
    }
  }
  return out;
}
inline Number div(Number x, Number y)
{
  if (is_unbounded(x) || is_unbounded(y)) {
    const double v = x.v / y.v;
    return {std::isfinite(v) ? v : 0.0, HUGE_VAL};
  }
  const double v = x.v / y.v;
  if (beyond(x.v) && !beyond(v)) {
    return number(v, HUGE_VAL);
  }
  if (beyond(y.v) && std::isinf(x.e)) {
    return {std::isfinite(v) ? v : 0.0, HUGE_VAL}; // both may overflow: inf / inf
  }
  if (beyond(y.v) && std::isfinite(y.v)) {
    return number(v, std::fabs(v) + k_tiny); // a divisor that overflows makes it 0
  }
  const double least = std::fabs(y.v) - y.e; // the smallest the divisor may be
  if (y.e > 0 && least <= 0) {
    return {std::isfinite(v) ? v : 0.0, HUGE_VAL}; // it may be 0 of either sign
  }
  const double e = least > 0 ? (x.e + std::fabs(v) * y.e) / least : HUGE_VAL;
  return number(v, std::isinf(y.v) && y.e == 0 ? round_error(v) : e + 2 * round_error(v));
}

// Library functions are good to a few units in the last place; k_ulps covers the usual fast ones.
constexpr double k_ulps = 4;
inline Number fn_exp(Number x)
{
  x = without_overflow(x);
  const double v = std::exp(x.v);
  // Who takes 2^(x log2(e)) rounds the product, and log2(e) itself, to a quarter of a unit.
  const double e = x.e + (std::isfinite(x.v) ? 1.25 * k_u * std::fabs(x.v) : 0.0);
  if (e == 0) {
    return number(v, k_ulps * round_error(v));
  }
  const double reach = e < 1 ? v * e * (1 + e) : std::exp(x.v + e) - v; // far below 0 both are 0, whatever e
  return number(v, (std::isnan(reach) ? HUGE_VAL : reach) + k_ulps * round_error(v));
}
inline Number fn_log(Number x)
{
  x = without_overflow(x);
  if (x.e > 0 && std::fabs(x.v) <= x.e) {
    return {0.0, HUGE_VAL}; // from -inf to a number, or NaN
  }
  const double v = std::log(x.v);
  const double reach = x.v > x.e ? x.e / (x.v - x.e) : x.e > 0 ? HUGE_VAL : 0.0;
  return number(v, beyond(x.v) ? HUGE_VAL : reach + k_ulps * round_error(v) + k_u);
}
inline Number fn_log1p(Number x)
{
  x = without_overflow(x);
  const double v = std::log1p(x.v);
  const double least = 1 + x.v - x.e;
  const double reach = least > 0 ? x.e / least : x.e > 0 ? HUGE_VAL : 0.0;
  return number(v, beyond(x.v) ? HUGE_VAL : reach + k_ulps * round_error(v));
}
inline Number fn_sqrt(Number x)
{
  x = without_overflow(x);
  if (x.v < 0 && x.v + x.e >= 0) {
    return {0.0, HUGE_VAL}; // a NaN here, a small number there
  }
  const double v = std::sqrt(x.v);
  const double reach = larger_of(v - std::sqrt(larger_of(0.0, x.v - x.e)), std::sqrt(x.v + x.e) - v);
  return number(v, beyond(x.v) ? HUGE_VAL : reach + k_ulps * round_error(v));
}
inline Number fn_rsqrt(Number x)
{
  x = without_overflow(x);
  if (x.e > 0 && std::fabs(x.v) <= x.e) {
    return {0.0, HUGE_VAL};
  }
  const double v = 1 / std::sqrt(x.v);
  const double e = beyond(x.v) ? v : x.v > x.e ? 1 / std::sqrt(x.v - x.e) - v : HUGE_VAL;
  return number(v, e + k_ulps * round_error(v));
}
// Of a function that never falls: far out it is the same wherever x may be.
inline double reach_of_rising(double (*f)(double), Number x, double v)
{
  return x.e > 0 ? larger_of(v - f(x.v - x.e), f(x.v + x.e) - v) : 0.0;
}
inline Number fn_tanh(Number x)
{
  x = without_overflow(x);
  const double v = std::tanh(x.v);
  return number(v, reach_of_rising(std::tanh, x, v) + k_ulps * round_error(v));
}
inline Number fn_erf(Number x)
{
  x = without_overflow(x);
  const double v = std::erf(x.v);
  return number(v, reach_of_rising(std::erf, x, v) + k_ulps * round_error(v));
}
// Fast implementations of sin and cos are good to a few units of 1, not of the result; none leaves -1 to 1.
inline Number fn_sin(Number x) { return number(std::sin(without_overflow(x).v), smaller_of(x.e, 2.0) + k_ulps * k_u); }
inline Number fn_cos(Number x) { return number(std::cos(without_overflow(x).v), smaller_of(x.e, 2.0) + k_ulps * k_u); }
inline Number fn_pow(Number x, Number y)
{
  if (is_unbounded(x) || is_unbounded(y)) {
    const double v = std::pow(x.v, y.v);
    return {std::isfinite(v) ? v : 0.0, HUGE_VAL};
  }
  const double v = std::pow(x.v, y.v);
  if (beyond(x.v) && !beyond(v)) {
    return number(v, HUGE_VAL);
  }
  if (std::fabs(x.v) <= x.e && y.v >= 0 && y.e == 0) { // around 0: between 0 and the farthest point's power
    return number(v, std::pow(std::fabs(x.v) + x.e, y.v) * (1 + (k_ulps + y.v) * k_u) + k_tiny);
  }
  const double scale = std::fabs(x.v) > x.e ? std::fabs(y.v) * x.e / (std::fabs(x.v) - x.e) : x.e > 0 ? HUGE_VAL : 0.0;
  const double logarithm = x.v > 0 ? std::fabs(std::log(x.v)) : 0.0;
  const double relative = scale + logarithm * y.e + (k_ulps + std::fabs(y.v) * logarithm) * k_u;
  return number(v, v == 0 ? k_tiny : std::fabs(v) * relative + k_tiny);
}
inline Number fn_abs(Number x) { return {std::fabs(x.v), x.e}; }
inline Number fn_floor(Number x)
{
  x = without_overflow(x);
  const double v = std::floor(x.v);
  const double reach = larger_of(v - std::floor(x.v - x.e), std::floor(x.v + x.e) - v);
  return number(v, x.e > 0 ? reach : 0.0);
}
inline Number fn_sign(Number x)
{
  const double v = (x.v > 0) - (x.v < 0);
  return {v, x.e > 0 && std::fabs(x.v) <= x.e ? 2.0 : 0.0};
}
// Of a NaN and a number, max and min take the number; of two zeros either, whatever their signs. What is smaller moves
// the larger as far as its error reaches beyond that: of what is far below nothing is left.
inline Number fn_max(Number x, Number y)
{
  const bool first = x.v >= y.v || std::isnan(y.v);
  const Number& top = first ? x : y;
  const Number& other = first ? y : x;
  const double reach = other.e - (top.v - other.v);
  const bool zeros = x.v == 0 && y.v == 0 && std::signbit(x.v) != std::signbit(y.v);
  return {top.v, larger_of(larger_of(top.e, reach), zeros ? k_tiny : 0.0)};
}
inline Number fn_min(Number x, Number y) { return neg(fn_max(neg(x), neg(y))); }

// A cast to an integer, towards zero.
inline Number truncated(Number x)
{
  x = without_overflow(x);
  const double v = std::trunc(x.v);
  const double reach = larger_of(v - std::trunc(x.v - x.e), std::trunc(x.v + x.e) - v);
  return number(v, std::fabs(v) < 0x1p63 ? reach : HUGE_VAL);
}
inline i64 to_integer(double v) { return std::fabs(v) < 0x1p63 ? static_cast<i64>(v) : 0; }
inline Number whole_quotient(Number x, Number y)
{
  return x.e + y.e == 0 && y.v != 0 ? exact(std::trunc(x.v / y.v)) : truncated(div(x, y));
}
inline Number whole_remainder(Number x, Number y)
{
  return x.e + y.e == 0 && y.v != 0 ? exact(std::fmod(x.v, y.v)) : number(std::fmod(x.v, y.v), std::fabs(y.v) + y.e);
}
// Storing an integer wraps to the type. Beyond 2^53 a double no longer tells integers apart.
template <class T> Number kept_in(Number x)
{
  return std::fabs(x.v) <= 0x1p53 ? Number{static_cast<double>(static_cast<T>(static_cast<i64>(x.v))), x.e}
                                 : Number{x.v, HUGE_VAL};
}

// Rounding to a storage type; from `limit` on it gives an infinity.
// What is known exactly and fits, such as the largest of some inputs, is stored as it is.
inline bool fits(double v, double u)
{
  int exponent = 0;
  const double scaled = std::frexp(v, &exponent) / u;
  return scaled == std::trunc(scaled);
}
inline Number rounded(Number x, double u, double tiny)
{
  const bool kept = x.e == 0 && fits(x.v, u);
  return number(x.v, x.e + (kept ? 0.0 : u * std::fabs(x.v)) + tiny);
}
inline Number rounded(Number x, double u, double tiny, double limit)
{
  if (std::fabs(x.v) - x.e >= limit) {
    return exact(std::copysign(HUGE_VAL, x.v));
  }
  return std::fabs(x.v) + x.e >= limit ? number(x.v, HUGE_VAL) : rounded(x, u, tiny);
}

// Between statements: an infinity that is none of the arguments' stays what it is.
inline Number rounded_intermediate(Number x, double u, double tiny)
{
  return is_unbounded(x) && std::isinf(x.v) ? x : rounded(x, u, tiny);
}

// An integer in arithmetic of the accumulation type: exact while it fits the significand.
inline Number from_integer(i64 x)
{
  const double v = static_cast<double>(x);
  return {v, std::fabs(v) * k_u > 0.5 ? round_error(v) : 0.0};
}
// A subscript that rounding may move: what is read there cannot be told, and the read stays inside.
inline i64 inside(i64 at, i64 extent) { return at < 0 ? 0 : at >= extent ? extent - 1 : at; }
inline Number unless_moved(double reach, Number x) { return reach >= 0.5 ? Number{std::isfinite(x.v) ? x.v : 0.0, HUGE_VAL} : x; }

inline Truth sure(bool v) { return {v, true}; }
inline Truth truth_of(Number stored) { return {stored.v != 0, stored.e == 0}; }
inline Number number_of(Truth x) { return {x.v ? 1.0 : 0.0, x.sure ? 0.0 : 1.0}; }
inline Truth operator!(Truth x) { return {!x.v, x.sure}; }
inline bool apart(Number x, Number y) { return !(std::fabs(x.v - y.v) <= x.e + y.e) || x.e + y.e == 0; }
inline Truth less(Number x, Number y) { return {x.v < y.v, apart(x, y)}; }
inline Truth less_equal(Number x, Number y) { return {x.v <= y.v, apart(x, y)}; }
inline Truth equal(Number x, Number y) { return {x.v == y.v, apart(x, y)}; }
template <class F> Truth both(Truth x, F&& second)
{
  if (x.sure && !x.v) {
    return x;
  }
  const Truth y = second();
  return {x.v && y.v, (x.sure && y.sure) || (y.sure && !y.v)};
}
template <class F> Truth either(Truth x, F&& second) { return !both(!x, [&] { return !second(); }); }

template <class F, class G> Number choose(Truth condition, F&& yes, G&& no)
{
  if (condition.sure) {
    return condition.v ? yes() : no();
  }
  const Number a = yes();
  const Number b = no();
  const Number& taken = condition.v ? a : b;
  const Number& other = condition.v ? b : a;
  return number(taken.v, larger_of(taken.e, other.e + std::fabs(other.v - taken.v)));
}

// How many terms a sum has, and what follows from that alone: roots take longer than the rest of an element.
struct Terms {
  double n, walk, lost;
  explicit Terms(double count) : n(count), walk(4 * std::sqrt(n)), lost(0.25 * n * k_u * std::sqrt(n * k_u)) {}
};
// How much a sum of n terms may be off: n roundings of the sum of magnitudes at the worst. For many terms, four times
// the growth of a random walk; but where terms repeat, roundings go the same way, and the walk is a march. And in a very
// long sum of one sign the terms below half a unit in the sum's last place are lost, all of them downwards.
inline double rounding_of_sum(double sum, double magnitudes, const Terms& terms, double repeats)
{
  return smaller_of(k_u * terms.n * magnitudes, terms.walk * k_u * magnitudes
                                                 + (0.5 * repeats * k_u + terms.lost) * std::fabs(sum));
}
inline Number summed(double sum, double magnitudes, double errors, const Terms& terms, double repeats = 0)
{
  // Where the terms of the other sign overflow, too, the sum may be an infinity of either sign, or none. Beside very
  // large ones their sum cannot be told.
  meet(magnitudes);
  const bool lost = beyond(magnitudes) && (!beyond(sum) || beyond(0.5 * (magnitudes - std::fabs(sum)) + 0x1p-50 * magnitudes));
  Number out = number(sum, lost ? HUGE_VAL : errors + rounding_of_sum(sum, magnitudes, terms, repeats) + k_tiny);
  out.chain = smaller_of(terms.n, terms.walk + repeats);
  out.peak = magnitudes;
  return out;
}

// What a sum's value and the sum of its magnitudes lie in becomes the value and its bound, stored in a type of roundoff
// `u`. Where no number comes near the largest, summed() and rounded() have nothing to decide: the compiler makes vectors
// of what is left of them.
inline void finish_sums(double* __restrict values, double* __restrict errors, i64 count, const Terms terms, double u,
                        double tiny)
{
  constexpr i64 k_together = 512;
  for (i64 first = 0; first < count; first += k_together) {
    const i64 end = count - first < k_together ? count : first + k_together;
    bool plain = true;
    for (i64 at = first; at < end; ++at) {
      plain &= errors[at] <= 0.25 * k_largest; // false for NaN
    }
    if (!plain) {
      for (i64 at = first; at < end; ++at) {
        const Number sum = summed(values[at], errors[at], k_u * errors[at] + terms.n * k_tiny, terms);
        const Number element = rounded(sum, u, tiny);
        values[at] = element.v;
        errors[at] = element.e;
      }
      continue;
    }
    for (i64 at = first; at < end; ++at) {
      const double magnitudes = errors[at], size = std::fabs(values[at]);
      const double at_worst = k_u * terms.n * magnitudes, usual = terms.walk * k_u * magnitudes + terms.lost * size;
      errors[at] = k_u * magnitudes + terms.n * k_tiny + (at_worst <= usual ? at_worst : usual) + k_tiny + u * size
                   + tiny;
    }
  }
}

// How many terms equal one of the last few that differed, or nearly; zeros round nothing. Where the last four differed
// from all before them, so do the next ones that are not near one of their four neighbours: a check without branches,
// which is all that most sums take.
inline bool are_apart(const double* terms, unsigned begin, unsigned end, double near)
{
  i64 close = 0;
  for (unsigned i = begin; i < end; ++i) {
    const double x = terms[i];
    close |= (std::fabs(x - terms[i - 1]) <= near) | (std::fabs(x - terms[i - 2]) <= near)
             | (std::fabs(x - terms[i - 3]) <= near) | (std::fabs(x - terms[i - 4]) <= near);
  }
  return close == 0;
}
inline double repeats_among(const double* terms, unsigned count, double near)
{
  constexpr unsigned k_apart = 32;
  double recent[4] = {}, repeats = 0;
  unsigned oldest = 0, differed = 0;
  for (unsigned i = 0; i < count;) {
    const unsigned end = i + k_apart < count ? i + k_apart : count;
    if (differed >= 4 && are_apart(terms, i, end, near)) {
      i = end;
      for (unsigned k = 0; k < 4; ++k) {
        recent[k] = terms[end - 4 + k];
      }
      oldest = 0;
      continue;
    }
    for (; i < end; ++i) {
      const double x = terms[i];
      const bool known = std::fabs(x - recent[0]) <= near || std::fabs(x - recent[1]) <= near
                         || std::fabs(x - recent[2]) <= near || std::fabs(x - recent[3]) <= near;
      repeats += known && x != 0 ? 1 : 0;
      differed = known ? 0 : differed + 1;
      if (!known) {
        recent[oldest++ % 4] = x;
      }
    }
  }
  return repeats;
}

// An implementation may add the terms in any order, so that for repeats the largest partial sum counts, not the one that
// each term meets here: terms wait until it is known, as many as there is room for. A sum that is carried from element to
// element has no room, and counts at once.
struct SumRoom {
  static constexpr unsigned k_terms = 4096;
  double terms[k_terms];
};
struct Sum {
  using Room = SumRoom;
  static constexpr double k_few = 16; // terms, of which each may round at the worst
  double sum = 0, magnitudes = 0, errors = 0, n = 0, largest = 0, repeats = 0;
  double infinite = 0; // the sum of the terms that are infinite or NaN for everybody
  unsigned waiting = 0;
  double* terms = nullptr;
  double recent[4] = {}; // terms that differed; without room only
  unsigned oldest = 0;
  void use(Room& room) { terms = room.terms; }
  void count_now(double x)
  {
    const double near = 0.5 * k_u * largest;
    const bool known = std::fabs(x - recent[0]) <= near || std::fabs(x - recent[1]) <= near
                       || std::fabs(x - recent[2]) <= near || std::fabs(x - recent[3]) <= near;
    repeats += known && x != 0 ? 1 : 0;
    if (!known) {
      recent[oldest++ % 4] = x;
    }
  }
  void take(Number x)
  {
    sum += x.v;
    largest = std::fabs(sum) > largest ? std::fabs(sum) : largest;
    magnitudes += std::fabs(x.v);
    errors += x.e;
    n += 1;
    if (k_is_f64 && !std::isfinite(x.v) && !std::isinf(x.e)) {
      infinite += x.v;
    }
    if (terms == nullptr) {
      count_now(x.v);
      return;
    }
    terms[waiting] = x.v;
    if (++waiting == Room::k_terms) {
      repeats += repeats_among(terms, waiting, 0.5 * k_u * largest);
      waiting = 0;
    }
  }
  // Many at a time, with room.
  void take_all(const double* values, const double* their_errors, unsigned count)
  {
    double so_far = sum, most = largest, sizes = magnitudes, all_errors = errors;
    for (unsigned i = 0; i < count; ++i) {
      so_far += values[i];
      most = std::fabs(so_far) > most ? std::fabs(so_far) : most;
      sizes += std::fabs(values[i]);
      all_errors += their_errors[i];
    }
    sum = so_far, largest = most, magnitudes = sizes, errors = all_errors;
    n += count;
    for (unsigned done = 0; done < count;) {
      const unsigned more = count - done < Room::k_terms - waiting ? count - done : Room::k_terms - waiting;
      std::memcpy(terms + waiting, values + done, more * sizeof *terms);
      done += more;
      waiting += more;
      if (waiting == Room::k_terms) {
        repeats += repeats_among(terms, waiting, 0.5 * k_u * largest);
        waiting = 0;
      }
    }
  }
  void take_maybe(Truth t, Number x)
  {
    if (t.v) {
      take(x);
    }
    errors += t.sure ? 0.0 : std::fabs(x.v) + x.e;
  }
  Number result()
  {
    if (k_is_f64 && !std::isfinite(sum)) {
      meet(sum);
      const bool certain = std::isnan(infinite) || (infinite != 0 && !std::isnan(sum) && !std::isinf(errors));
      return certain ? Number{infinite, 0.0} : Number{0.0, HUGE_VAL};
    }
    if (n > k_few && terms != nullptr) {
      repeats += repeats_among(terms, waiting, 0.5 * k_u * largest);
    }
    return summed(sum, magnitudes, errors, Terms(n + k_added), repeats);
  }
};
// Any order of multiplication passes through products of some of the factors: where those of neighbours leave the
// range of the type, nothing can be told.
struct Product {
  Number product{1, 0};
  double smallest = 1, largest = 1;
  bool is_zero = false; // for good
  void take(Number x)
  {
    product = mul(product, x);
    const double magnitude = std::fabs(product.v);
    is_zero = is_zero || (x.v == 0 && x.e == 0);
    if (!is_zero) {
      smallest = smaller_of(smallest, magnitude);
      largest = larger_of(largest, magnitude);
    }
  }
  void take_maybe(Truth t, Number x)
  {
    const Number without = product;
    const bool was_zero = is_zero;
    take(x);
    is_zero = t.sure ? is_zero : was_zero;
    if (!t.sure) {
      const Number with = product;
      const Number& taken = t.v ? with : without;
      const Number& other = t.v ? without : with;
      product = number(taken.v, larger_of(taken.e, other.e + std::fabs(other.v - taken.v)));
    }
  }
  Number result() const
  {
    if (is_unbounded(product)) {
      return product;
    }
    return largest / smallest > k_largest || smallest == 0 ? number(product.v, HUGE_VAL) : product;
  }
};
struct Max {
  Number best{-HUGE_VAL, 0};
  void take(Number x) { best = fn_max(best, x); }
  void take_maybe(Truth t, Number x)
  {
    const Number before = best;
    if (t.v) {
      take(x);
      if (!t.sure && x.v > before.v) { // or it stays what it was
        best.e = larger_of(best.e, x.v - before.v + before.e);
      }
    } else if (!t.sure && x.v > best.v) {
      best.e = larger_of(best.e, x.v - best.v + x.e);
    }
  }
  Number result() const { return number(best.v, best.e); }
};
struct Min {
  Max max;
  void take(Number x) { max.take(neg(x)); }
  void take_maybe(Truth t, Number x) { max.take_maybe(t, neg(x)); }
  Number result() const { return neg(max.result()); }
};
// Of integers: with nothing to compare, the smallest or largest there is.
struct WholeMax : Max {
  WholeMax() { best.v = -0x1p63; }
};
struct WholeMin : Min {
  WholeMin() { max.best.v = -0x1p63; }
};
// The first position of the largest value; -1 where nothing is compared. Values that rounding may turn around leave the
// distance to the farthest of them as the bound.
struct ArgMax {
  struct Contender {
    double most;
    i64 at;
  };
  double best = -HUGE_VAL, certain = -HUGE_VAL;
  i64 at = -1;
  bool all_exact = true;
  std::vector<Contender> close;
  void take(Number x, i64 k)
  {
    if (x.v > best || (at < 0 && x.v == best)) {
      best = x.v;
      at = k;
    }
    certain = larger_of(certain, x.v - x.e);
    note(x, k);
  }
  void take_maybe(Truth t, Number x, i64 k)
  {
    if (t.v && t.sure) {
      take(x, k);
      return;
    }
    all_exact = false;
    if (t.v && (x.v > best || at < 0)) {
      best = x.v;
      at = k;
    }
    note(x, k);
  }
  void note(Number x, i64 k)
  {
    all_exact = all_exact && x.e == 0;
    if (x.v + x.e >= certain) {
      close.push_back({x.v + x.e, k});
    }
  }
  Number result() const
  {
    double reach = 0;
    for (const Contender& contender : close) {
      if (!all_exact && contender.most >= certain) {
        reach = larger_of(reach, std::fabs(static_cast<double>(contender.at - at)));
      }
    }
    return {static_cast<double>(at), reach};
  }
};
struct ArgMin {
  ArgMax max;
  void take(Number x, i64 k) { max.take(neg(x), k); }
  void take_maybe(Truth t, Number x, i64 k) { max.take_maybe(t, neg(x), k); }
  Number result() const { return max.result(); }
};
struct IntegerProduct {
  i64 value = 1;
  void take(i64 x) { value = static_cast<i64>(static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(x)); }
  i64 result() const { return value; }
};
struct IntegerSum {
  i64 value = 0;
  void take(i64 x) { value = static_cast<i64>(static_cast<std::uint64_t>(value) + static_cast<std::uint64_t>(x)); }
  i64 result() const { return value; }
};
struct IntegerMax {
  i64 value = INT64_MIN;
  void take(i64 x) { value = x > value ? x : value; }
  i64 result() const { return value; }
};
struct IntegerMin {
  i64 value = INT64_MAX;
  void take(i64 x) { value = x < value ? x : value; }
  i64 result() const { return value; }
};
// A reduction that a formula names more than once.
struct Memo {
  Number known{0, 0};
  bool is_known = false;
  template <class F> Number get(F&& compute)
  {
    if (!is_known) {
      known = compute();
      is_known = true;
    }
    return known;
  }
};

// Apart from the reduction, so that what is given away is not all of it.
struct NoRoom {};
template <class Kind, class = void> struct RoomOf {
  using Type = NoRoom;
  static void give(Kind&, NoRoom&) {}
};
template <class Kind> struct RoomOf<Kind, decltype(void(sizeof(typename Kind::Room)))> {
  using Type = typename Kind::Room;
  static void give(Kind& to, Type& room) { to.use(room); }
};
template <class Kind, class F> auto reduce(F&& loops)
{
  typename RoomOf<Kind>::Type room;
  Kind out;
  RoomOf<Kind>::give(out, room);
  loops(out);
  return out.result();
}

// Terms of a sum among which nothing comes near the largest number, and nothing is infinite or NaN: what is left of their
// arithmetic has no branches, so that the compiler makes vectors of it. A term for which that does not hold has NaN for
// its error, and the sum is computed anew with Numbers.
struct Quick {
  double v, e;
};
inline Quick quick(double v, double e)
{
  return {v, std::fabs(v) <= k_largest ? e : __builtin_nan("")};
}
inline Quick quick_exact(double v) { return quick(v, 0.0); }
inline Quick quick_of(Number x) { return quick(x.v, x.e); }
inline Quick quick_neg(Quick x) { return {-x.v, x.e}; }
inline Quick quick_abs(Quick x) { return {std::fabs(x.v), x.e}; }
inline Quick quick_add(Quick x, Quick y)
{
  const double v = x.v + y.v;
  return quick(v, x.e + y.e + k_u * std::fabs(v));
}
inline Quick quick_sub(Quick x, Quick y) { return quick_add(x, quick_neg(y)); }
inline Quick quick_mul(Quick x, Quick y)
{
  const double v = x.v * y.v;
  return quick(v, std::fabs(x.v) * y.e + std::fabs(y.v) * x.e + x.e * y.e + round_error(v));
}
inline Quick quick_div(Quick x, Quick y)
{
  const double v = x.v / y.v;
  const double least = std::fabs(y.v) - y.e;
  const double e = (x.e + std::fabs(v) * y.e) / least + 2 * round_error(v);
  return quick(v, least > 0 ? e : __builtin_nan(""));
}
inline Quick quick_sqrt(Quick x)
{
  const double v = std::sqrt(x.v), below = x.v - x.e;
  const double down = v - std::sqrt(below > 0 ? below : 0.0), up = std::sqrt(x.v + x.e) - v;
  return quick(v, (down >= up ? down : up) + k_ulps * round_error(v));
}

struct QuickSum {
  static constexpr unsigned k_together = 256;
  Sum out;
  bool plain = true;
  template <class F> void take(i64 begin, i64 end, F&& term)
  {
    double values[k_together], errors[k_together];
    for (i64 first = begin; first < end && plain; first += k_together) {
      const unsigned count = end - first < k_together ? static_cast<unsigned>(end - first) : k_together;
      for (unsigned i = 0; i < count; ++i) {
        const Quick x = term(first + i);
        values[i] = x.v;
        errors[i] = x.e;
      }
      for (unsigned i = 0; i < count; ++i) {
        plain &= errors[i] < HUGE_VAL; // false for NaN
      }
      if (plain) {
        out.take_all(values, errors, count);
      }
    }
  }
};
template <class Q, class F> Number reduce_quickly(Q&& terms, F&& loops)
{
  {
    SumRoom room;
    QuickSum all;
    all.out.use(room);
    terms(all);
    if (all.plain) {
      return all.out.result();
    }
  }
  return reduce<Sum>(loops);
}

// A reduction whose terms are taken once for all elements of a row: each element takes what is new. The terms of an
// element are those of the one before and more of them, and they are taken in the same order as anew.
template <class Kind> struct Carried {
  Kind out;
  i64 next = 0;
  bool begun = false, met = false;
};
template <class Kind, class F> auto carry_upwards(Carried<Kind>& carried, i64 lower, i64 upper, F&& take)
{
  carried.next = carried.begun ? carried.next : lower;
  carried.begun = true;
  MetBefore before;
  for (; carried.next < upper; ++carried.next) {
    take(carried.out, carried.next);
  }
  before.keep(carried.met);
  return carried.out.result();
}
template <class Kind, class F> auto carry_downwards(Carried<Kind>& carried, i64 lower, i64 upper, F&& take)
{
  carried.next = carried.begun ? carried.next : upper;
  carried.begun = true;
  MetBefore before;
  for (; carried.next > lower; --carried.next) {
    take(carried.out, carried.next - 1);
  }
  before.keep(carried.met);
  return carried.out.result();
}

inline i64 idiv(i64 a, i64 b) { return b == 0 || b == -1 ? (b == 0 ? 0 : -a) : a / b; }
inline i64 imod(i64 a, i64 b) { return b == 0 || b == -1 ? 0 : a % b; }
inline i64 imax(i64 a, i64 b) { return a > b ? a : b; }
inline i64 imin(i64 a, i64 b) { return a < b ? a : b; }
inline i64 iabs(i64 a) { return a < 0 ? -a : a; }
inline i64 isign(i64 a) { return (a > 0) - (a < 0); }

struct bf16 {
  std::uint16_t bits;
  explicit operator double() const
  {
    const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
    float out;
    std::memcpy(&out, &wide, sizeof(out));
    return out;
  }
};
struct f16 {
  std::uint16_t bits;
  explicit operator double() const
  {
    const int exponent = (bits >> 10) & 31;
    const double significand = bits & 1023;
    const double magnitude = exponent == 0    ? std::ldexp(significand, -24)
                             : exponent == 31 ? (significand == 0 ? HUGE_VAL : std::nan(""))
                                              : std::ldexp(significand + 1024, exponent - 25);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
  }
};
)cpp";
}

// Both sums in one pass over packed tiles: fp64 throughout, blocks of k_depth terms, so that the inner loops run from
// the caches and vectorise without any licence to reorder.
std::string_view reference_contraction()
{
  return R"cpp(
struct Contraction {
  const i64 *a_batch, *a_m, *a_k;
  const i64 *b_batch, *b_n, *b_k;
  const i64 *out_batch, *out_m, *out_n;
  i64 batches, rows, columns, terms;
};

#if defined(__AVX512F__)
constexpr int k_lanes = 8, k_tile_rows = 4;
#else
constexpr int k_lanes = 4, k_tile_rows = 3;
#endif
constexpr int k_vectors = 2, k_tile_columns = k_lanes * k_vectors;
constexpr i64 k_depth = 256, k_block_rows = 96, k_block_columns = 2048;
constexpr i64 k_shallow = 16384; // values of packed columns, which a cache holds beside the rest
typedef double Vector __attribute__((vector_size(k_lanes * 8)));
typedef double PackedVector __attribute__((vector_size(k_lanes * 8), aligned(8), may_alias)); // anywhere in memory
typedef i64 Bits __attribute__((vector_size(k_lanes * 8)));
inline Vector absolute(Vector x) { return (Vector)((Bits)x & INT64_MAX); }

// sum += A * B and magnitudes += |A| * |B| for one tile; a holds k_tile_rows values per term, b k_tile_columns. One sum
// after the other, so that what is alive at a time fits the registers.
inline void multiply_tile(i64 depth, const double* a, const double* a_magnitude, const double* b,
                          Vector (&sum)[k_tile_rows][k_vectors], Vector (&magnitudes)[k_tile_rows][k_vectors])
{
  for (i64 k = 0; k < depth; ++k) {
    Vector columns[k_vectors];
    for (int v = 0; v < k_vectors; ++v) {
      // As one load: copied in halves, it would have to wait until both are stored.
      columns[v] = *reinterpret_cast<const PackedVector*>(b + k * k_tile_columns + v * k_lanes);
    }
    for (int r = 0; r < k_tile_rows; ++r) {
      for (int v = 0; v < k_vectors; ++v) {
        sum[r][v] += a[k * k_tile_rows + r] * columns[v];
      }
    }
    for (int v = 0; v < k_vectors; ++v) {
      columns[v] = absolute(columns[v]);
    }
    for (int r = 0; r < k_tile_rows; ++r) {
      for (int v = 0; v < k_vectors; ++v) {
        magnitudes[r][v] += a_magnitude[k * k_tile_rows + r] * columns[v];
      }
    }
  }
}

template <class B>
void pack_columns(const Contraction& c, const B* b, bool adjacent, i64 first_column, i64 columns, i64 first, i64 depth,
                  std::vector<double>& packed)
{
  const i64 tiles = (columns + k_tile_columns - 1) / k_tile_columns;
  packed.resize(static_cast<std::size_t>(tiles * depth * k_tile_columns));
  for (i64 tile = 0; tile < tiles; ++tile) {
    const i64 width = imin(k_tile_columns, columns - tile * k_tile_columns);
    const i64* places = c.b_n + first_column + tile * k_tile_columns;
    double* out = packed.data() + tile * depth * k_tile_columns;
    for (i64 k = 0; k < depth; ++k, out += k_tile_columns) {
      const B* row = b + c.b_k[first + k];
      if (adjacent && width == k_tile_columns) {
        for (i64 j = 0; j < k_tile_columns; ++j) {
          out[j] = static_cast<double>(row[places[0] + j]);
        }
        continue;
      }
      for (i64 j = 0; j < width; ++j) {
        out[j] = static_cast<double>(row[places[j]]);
      }
      for (i64 j = width; j < k_tile_columns; ++j) {
        out[j] = 0;
      }
    }
  }
}

template <class A>
void pack_rows(const Contraction& c, const A* a, i64 first_row, i64 rows, i64 first, i64 depth,
               std::vector<double>& packed, std::vector<double>& magnitudes)
{
  const i64 tiles = (rows + k_tile_rows - 1) / k_tile_rows;
  packed.assign(static_cast<std::size_t>(tiles * depth * k_tile_rows), 0.0);
  for (i64 row = 0; row < rows; ++row) {
    double* out = packed.data() + row / k_tile_rows * depth * k_tile_rows + row % k_tile_rows;
    const A* from = a + c.a_m[first_row + row];
    for (i64 k = 0; k < depth; ++k) {
      out[k * k_tile_rows] = static_cast<double>(from[c.a_k[first + k]]);
    }
  }
  magnitudes.resize(packed.size());
  for (std::size_t i = 0; i < packed.size(); ++i) {
    magnitudes[i] = std::fabs(packed[i]);
  }
}

// Asks for the results that a tile is added to before its product is computed: the next rows are far away, and what is
// asked for where it is needed is waited for.
inline void fetch_tile(const Contraction& c, i64 base, i64 row, i64 rows, i64 column, i64 columns, const double* out)
{
  for (i64 r = 0; r < imin(k_tile_rows, rows); ++r) {
    const double* const begin = out + base + c.out_m[row + r];
    __builtin_prefetch(begin + c.out_n[column], 1);
    __builtin_prefetch(begin + c.out_n[column + imin(k_tile_columns, columns) - 1], 1);
  }
}

// Whether places in a table lie side by side.
inline bool are_adjacent(const i64* places, i64 count)
{
  for (i64 i = 1; i < count; ++i) {
    if (places[i] != places[0] + i) {
      return false;
    }
  }
  return true;
}

// Adds a tile to the results, or stores it where it is `first`.
inline void add_tile(const Contraction& c, i64 base, i64 row, i64 rows, i64 column, i64 columns, bool first,
                     bool adjacent, const Vector (&tile)[k_tile_rows][k_vectors], double* out)
{
  if (adjacent && columns >= k_tile_columns) {
    for (i64 r = 0; r < imin(k_tile_rows, rows); ++r) {
      // The type spelt out, as `auto` forgets how it is aligned.
      PackedVector* to = reinterpret_cast<PackedVector*>(out + base + c.out_m[row + r] + c.out_n[column]);
      for (int v = 0; v < k_vectors; ++v) {
        to[v] = first ? tile[r][v] : to[v] + tile[r][v];
      }
    }
    return;
  }
  for (i64 r = 0; r < imin(k_tile_rows, rows); ++r) {
    for (i64 j = 0; j < imin(k_tile_columns, columns); ++j) {
      double& to = out[base + c.out_m[row + r] + c.out_n[column + j]];
      to = (first ? 0.0 : to) + tile[r][j / k_lanes][j % k_lanes];
    }
  }
}

// Of one row, whose values are used once: nothing is packed. Sums are of k_depth terms each, as those of tiles.
template <class A, class B>
void contract_row(const Contraction& c, const A* a, const B* b, double* sums, double* magnitudes)
{
  constexpr i64 k_strip = 512, k_together = 4; // columns: whose sums stay in the nearest cache, or in registers
  const bool b_adjacent = are_adjacent(c.b_n, c.columns);
  for (i64 batch = 0; batch < c.batches; ++batch) {
    const A* const row = a + c.a_batch[batch] + c.a_m[0];
    const i64 base = c.out_batch[batch] + c.out_m[0];
    for (i64 left = 0; left < c.columns; left += k_strip) {
      const i64 columns = imin(k_strip, c.columns - left);
      const i64* const places = c.b_n + left;
      for (i64 first = 0; first < c.terms && !is_stopped(); first += k_depth) {
        const i64 end = imin(first + k_depth, c.terms);
        double sum[k_strip], magnitude[k_strip];
        for (i64 j = 0; j < columns; ++j) {
          sum[j] = 0;
          magnitude[j] = 0;
        }
        if (b_adjacent) {
          for (i64 k = first; k < end; ++k) {
            const double x = static_cast<double>(row[c.a_k[k]]), size = std::fabs(x);
            const B* const from = b + c.b_batch[batch] + c.b_k[k] + places[0];
            for (i64 j = 0; j < columns; ++j) {
              const double y = static_cast<double>(from[j]);
              sum[j] += x * y;
              magnitude[j] += size * std::fabs(y);
            }
          }
        } else {
          for (i64 column = 0; column < columns; column += k_together) {
            const i64 few = imin(k_together, columns - column);
            double few_sums[k_together] = {}, few_magnitudes[k_together] = {};
            for (i64 k = first; k < end; ++k) {
              const double x = static_cast<double>(row[c.a_k[k]]), size = std::fabs(x);
              const B* const from = b + c.b_batch[batch] + c.b_k[k];
              for (i64 j = 0; j < k_together; ++j) {
                const double y = static_cast<double>(from[places[column + imin(j, few - 1)]]);
                few_sums[j] += x * y;
                few_magnitudes[j] += size * std::fabs(y);
              }
            }
            for (i64 j = 0; j < few; ++j) {
              sum[column + j] = few_sums[j];
              magnitude[column + j] = few_magnitudes[j];
            }
          }
        }
        for (i64 j = 0; j < columns; ++j) {
          const i64 at = base + c.out_n[left + j];
          sums[at] = (first == 0 ? 0.0 : sums[at]) + sum[j];
          magnitudes[at] = (first == 0 ? 0.0 : magnitudes[at]) + magnitude[j];
        }
      }
    }
  }
}

// Sums that are not finite in a type as wide as this arithmetic: taken again term by term, which tells what overflowed
// from the infinities of the arguments.
template <class A, class B>
void recompute_overflowed(const Contraction& c, const A* a, const B* b, double* sums, double* magnitudes)
{
  for (i64 batch = 0; batch < c.batches; ++batch) {
    for (i64 row = 0; row < c.rows && !is_stopped(); ++row) {
      for (i64 column = 0; column < c.columns; ++column) {
        const i64 at = c.out_batch[batch] + c.out_m[row] + c.out_n[column];
        if (std::isfinite(sums[at])) {
          continue;
        }
        Sum sum;
        for (i64 k = 0; k < c.terms; ++k) {
          sum.take(mul(exact(static_cast<double>(a[c.a_batch[batch] + c.a_m[row] + c.a_k[k]])),
                       exact(static_cast<double>(b[c.b_batch[batch] + c.b_n[column] + c.b_k[k]]))));
        }
        sums[at] = sum.result().v;
        magnitudes[at] = HUGE_VAL;
      }
    }
  }
}

// See smallest_operand.
template <class T>
void note_operand(const T* values, const i64* batch, i64 batches, const i64* outer, i64 count, const i64* inner, i64 terms)
{
  for (i64 b = 0; b < batches; ++b) {
    for (i64 o = 0; o < count; ++o) {
      for (i64 k = 0; k < terms; ++k) {
        const double size = std::fabs(static_cast<double>(values[batch[b] + outer[o] + inner[k]]));
        smallest_operand = size > 0 ? smaller_of(smallest_operand, size) : smallest_operand;
        operand_reach = larger_of(operand_reach, size * static_cast<double>(terms));
      }
    }
  }
}
template <class A, class B> void note_operands(const Contraction& c, const A* a, const B* b)
{
  note_operand(a, c.a_batch, c.batches, c.a_m, c.rows, c.a_k, c.terms);
  note_operand(b, c.b_batch, c.batches, c.b_n, c.columns, c.b_k, c.terms);
}

// Sums of products, and the sums of their magnitudes; where there are no terms, nothing is written.
template <class A, class B>
void contract(const Contraction& c, const A* a, const B* b, double* sums, double* magnitudes)
{
  if (c.columns < k_tile_columns && c.rows > c.columns) { // vectors along the longer side: the same sums
    return contract({c.b_batch, c.b_n, c.b_k, c.a_batch, c.a_m, c.a_k, c.out_batch, c.out_n, c.out_m,
                     c.batches, c.columns, c.rows, c.terms}, b, a, sums, magnitudes);
  }
  if (c.rows == 1) {
    return contract_row(c, a, b, sums, magnitudes);
  }
  const bool adjacent = are_adjacent(c.out_n, c.columns), b_adjacent = are_adjacent(c.b_n, c.columns);
  std::vector<double> packed_b, packed_a, packed_a_magnitude;
  for (i64 batch = 0; batch < c.batches; ++batch) {
    const i64 base = c.out_batch[batch];
    for (i64 left = 0; left < c.columns; left += k_block_columns) {
      const i64 columns = imin(k_block_columns, c.columns - left);
      for (i64 first = 0; first < c.terms; first += k_depth) {
        const i64 depth = imin(k_depth, c.terms - first);
        pack_columns(c, b + c.b_batch[batch], b_adjacent, left, columns, first, depth, packed_b);
        for (i64 block = 0; block < c.rows && !is_stopped(); block += k_block_rows) {
          const i64 rows = imin(k_block_rows, c.rows - block);
          pack_rows(c, a + c.a_batch[batch], block, rows, first, depth, packed_a, packed_a_magnitude);
          const auto add_product = [&](i64 row, i64 column) {
            Vector sum[k_tile_rows][k_vectors] = {};
            Vector magnitude[k_tile_rows][k_vectors] = {};
            multiply_tile(depth, packed_a.data() + row * depth, packed_a_magnitude.data() + row * depth,
                          packed_b.data() + column * depth, sum, magnitude);
            const auto add = [&](const auto& tile, double* out) {
              add_tile(c, base, block + row, rows - row, left + column, columns - column, first == 0, adjacent, tile, out);
            };
            add(sum, sums);
            add(magnitude, magnitudes);
          };
          if (columns * depth <= k_shallow) { // the results are most of the memory: one row after the other
            for (i64 row = 0; row < rows; row += k_tile_rows) {
              for (i64 column = 0; column < columns; column += k_tile_columns) {
                add_product(row, column);
              }
            }
            continue;
          }
          for (i64 column = 0; column < columns; column += k_tile_columns) {
            for (i64 row = 0; row < rows; row += k_tile_rows) {
              fetch_tile(c, base, block + row, rows - row, left + column, columns - column, sums);
              fetch_tile(c, base, block + row, rows - row, left + column, columns - column, magnitudes);
              add_product(row, column);
            }
          }
        }
      }
    }
  }
}
)cpp";
}

} // namespace hone::kernel
