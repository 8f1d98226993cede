#include "exact_number.h"

#include <algorithm>
#include <stdexcept>

namespace hone::oracle {

using boost::multiprecision::cpp_int;

namespace {

// More bits than any format has, and than half of them for a root.
constexpr int k_enough_bits = 160;

int top_bit(const cpp_int& value)
{
  return static_cast<int>(msb(value));
}

std::uint64_t without_sign(const Format& format, std::uint64_t bits)
{
  return bits & (format.sign_bit() - 1);
}

Number of_kind(Number::Kind kind, bool negative)
{
  Number out;
  out.kind = kind;
  out.negative = negative;
  return out;
}

// The number in units of 2 to the `unit`, rounded.
cpp_int rounded(const Number& number, int unit, Rounding rounding)
{
  const int shift = unit - number.exponent;
  if (shift <= 0) {
    if (number.more) {
      throw std::logic_error("too few bits to round");
    }
    return number.magnitude << -shift;
  }
  cpp_int whole = number.magnitude >> shift;
  const cpp_int rest = number.magnitude - (whole << shift), half = cpp_int{1} << (shift - 1);
  const bool something = rest != 0 || number.more;
  const bool above_half = rest > half || (rest == half && number.more), is_half = rest == half && !number.more;
  bool away = false;
  switch (rounding) {
  case Rounding::nearest_even:
    away = above_half || (is_half && (whole & 1) != 0);
    break;
  case Rounding::nearest_away:
    away = above_half || is_half;
    break;
  case Rounding::to_zero:
    break;
  case Rounding::down:
    away = something && number.negative;
    break;
  case Rounding::up:
    away = something && !number.negative;
    break;
  }
  return away ? cpp_int{whole + 1} : whole;
}

} // namespace

bool is_nan(const Format& format, std::uint64_t bits)
{
  // Where there is no infinity, the NaN stands in its place.
  const std::uint64_t value = without_sign(format, bits);
  return format.infinity == format.nan ? value == format.nan : value > format.infinity;
}

bool is_infinite(const Format& format, std::uint64_t bits)
{
  return format.infinity != format.nan && without_sign(format, bits) == format.infinity;
}

bool is_subnormal(const Format& format, std::uint64_t bits)
{
  const std::uint64_t value = without_sign(format, bits);
  return value != 0 && value >> format.fraction_bits == 0;
}

Number number_of(const Format& format, std::uint64_t bits)
{
  const bool negative = (bits & format.sign_bit()) != 0;
  if (is_nan(format, bits)) {
    return of_kind(Number::Kind::nan, false);
  }
  if (is_infinite(format, bits)) {
    return of_kind(Number::Kind::infinite, negative);
  }
  const std::uint64_t value = without_sign(format, bits), one = std::uint64_t{1} << format.fraction_bits;
  const auto field = static_cast<int>(value >> format.fraction_bits);
  Number out;
  out.negative = negative;
  out.magnitude = field == 0 ? value : (value & (one - 1)) | one;
  out.exponent = std::max(field, 1) - format.bias - format.fraction_bits;
  return out;
}

Number number_of_integer(__int128 value)
{
  Number out;
  out.negative = value < 0;
  out.magnitude = value < 0 ? -cpp_int{value} : cpp_int{value};
  return out;
}

std::uint64_t round_to(const Format& format, Rounding rounding, const Number& number)
{
  const std::uint64_t sign = number.negative ? format.sign_bit() : 0;
  if (number.is_nan()) {
    return format.nan;
  }
  if (number.is_infinite()) {
    return sign | format.infinity;
  }
  if (number.is_zero()) {
    return sign;
  }
  if (number.magnitude == 0) {
    throw std::logic_error("too few bits to round");
  }
  const int least_unit = 1 - format.bias - format.fraction_bits;
  const int unit = std::max(top_bit(number.magnitude) + number.exponent - format.fraction_bits, least_unit);
  // The leading one of a normal number counts as one more of the exponent, and so does a carry.
  const cpp_int bits = (cpp_int{unit - least_unit} << format.fraction_bits) + rounded(number, unit, rounding);
  if (bits > format.most) {
    const bool stays = rounding == Rounding::to_zero || (rounding == Rounding::down && !number.negative)
                       || (rounding == Rounding::up && number.negative);
    return sign | (stays ? format.most : format.infinity);
  }
  return sign | static_cast<std::uint64_t>(bits);
}

Number round_to_integer(Rounding rounding, const Number& number)
{
  Number out = number;
  if (number.kind == Number::Kind::finite && number.exponent < 0) {
    out.magnitude = rounded(number, 0, rounding);
    out.exponent = 0;
  }
  return out;
}

Number negated(Number number)
{
  number.negative = !number.negative;
  return number;
}

Number sum(const Number& a, const Number& b, Rounding rounding)
{
  if (a.is_nan() || b.is_nan() || (a.is_infinite() && b.is_infinite() && a.negative != b.negative)) {
    return of_kind(Number::Kind::nan, false);
  }
  if (a.is_infinite() || b.is_infinite()) {
    return a.is_infinite() ? a : b;
  }
  if (a.is_zero() && b.is_zero() && a.negative == b.negative) {
    return a;
  }
  Number out;
  out.exponent = std::min(a.exponent, b.exponent);
  const cpp_int left = a.magnitude << (a.exponent - out.exponent), right = b.magnitude << (b.exponent - out.exponent);
  const cpp_int both = (a.negative ? cpp_int{-left} : left) + (b.negative ? cpp_int{-right} : right);
  out.negative = both == 0 ? rounding == Rounding::down : both < 0;
  out.magnitude = abs(both);
  return out;
}

Number product(const Number& a, const Number& b)
{
  const bool negative = a.negative != b.negative;
  if (a.is_nan() || b.is_nan() || (a.is_infinite() && b.is_zero()) || (a.is_zero() && b.is_infinite())) {
    return of_kind(Number::Kind::nan, false);
  }
  if (a.is_infinite() || b.is_infinite()) {
    return of_kind(Number::Kind::infinite, negative);
  }
  Number out;
  out.negative = negative;
  out.magnitude = a.magnitude * b.magnitude;
  out.exponent = a.exponent + b.exponent;
  return out;
}

Number quotient(const Number& a, const Number& b)
{
  const bool negative = a.negative != b.negative;
  if (a.is_nan() || b.is_nan() || (a.is_zero() && b.is_zero()) || (a.is_infinite() && b.is_infinite())) {
    return of_kind(Number::Kind::nan, false);
  }
  if (a.is_infinite() || b.is_zero()) {
    return of_kind(Number::Kind::infinite, negative);
  }
  Number out;
  out.negative = negative;
  if (a.is_zero() || b.is_infinite()) {
    return out;
  }
  cpp_int rest;
  divide_qr(cpp_int{a.magnitude << k_enough_bits}, b.magnitude, out.magnitude, rest);
  out.exponent = a.exponent - b.exponent - k_enough_bits;
  out.more = rest != 0;
  return out;
}

Number square_root(const Number& a)
{
  if (a.is_nan() || (a.negative && !a.is_zero())) {
    return of_kind(Number::Kind::nan, false);
  }
  if (a.is_infinite() || a.is_zero()) {
    return a;
  }
  const int shift = 2 * k_enough_bits + (a.exponent % 2 == 0 ? 0 : 1);
  Number out;
  cpp_int rest;
  out.magnitude = sqrt(cpp_int{a.magnitude << shift}, rest);
  out.exponent = (a.exponent - shift) / 2;
  out.more = rest != 0;
  return out;
}

std::partial_ordering order(const Number& a, const Number& b)
{
  if (a.is_nan() || b.is_nan()) {
    return std::partial_ordering::unordered;
  }
  const auto signed_infinity = [](const Number& x) { return x.is_infinite() ? (x.negative ? -1 : 1) : 0; };
  if (a.is_infinite() || b.is_infinite()) {
    return signed_infinity(a) <=> signed_infinity(b);
  }
  const Number difference = sum(a, negated(b), Rounding::nearest_even);
  if (difference.is_zero()) {
    return std::partial_ordering::equivalent;
  }
  return difference.negative ? std::partial_ordering::less : std::partial_ordering::greater;
}

} // namespace hone::oracle
