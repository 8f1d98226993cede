// Numbers without rounding, and one routine that rounds them to a format. It asks nothing of this machine's floating
// point.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include <compare>
#include <cstdint>

namespace hone::oracle {

enum class Rounding { nearest_even, nearest_away, to_zero, down, up };

struct Format {
  int bits, fraction_bits, bias;
  std::uint64_t most;     // finite
  std::uint64_t infinity; // where there is none: the NaN
  std::uint64_t nan;      // that results have

  std::uint64_t sign_bit() const { return std::uint64_t{1} << (bits - 1); }
  std::uint64_t one() const { return static_cast<std::uint64_t>(bias) << fraction_bits; }
};
inline constexpr Format k_f64{64, 52, 1023, 0x7fef'ffff'ffff'ffff, 0x7ff0'0000'0000'0000, 0x7fff'ffff'ffff'ffff},
  k_f32{32, 23, 127, 0x7f7f'ffff, 0x7f80'0000, 0x7fff'ffff}, k_f16{16, 10, 15, 0x7bff, 0x7c00, 0x7fff},
  k_bf16{16, 7, 127, 0x7f7f, 0x7f80, 0x7fff}, k_tf32{19, 10, 127, 0x3fbff, 0x3fc00, 0x3ffff},
  k_e4m3{8, 3, 7, 0x7e, 0x7f, 0x7f}, k_e5m2{8, 2, 15, 0x7b, 0x7c, 0x7f};

struct Number {
  enum class Kind { finite, infinite, nan };
  Kind kind = Kind::finite;
  bool negative = false;
  boost::multiprecision::cpp_int magnitude; // times 2 to the exponent
  int exponent = 0;
  bool more = false; // the magnitude is greater than it says, by less than 1

  bool is_nan() const { return kind == Kind::nan; }
  bool is_infinite() const { return kind == Kind::infinite; }
  bool is_zero() const { return kind == Kind::finite && magnitude == 0 && !more; }
};

bool is_nan(const Format& format, std::uint64_t bits);
bool is_infinite(const Format& format, std::uint64_t bits);
bool is_subnormal(const Format& format, std::uint64_t bits); // and no zero

Number number_of(const Format& format, std::uint64_t bits);
Number number_of_integer(__int128 value);

// Too great numbers become infinite or the greatest one, as the rounding says.
std::uint64_t round_to(const Format& format, Rounding rounding, const Number& number);
Number round_to_integer(Rounding rounding, const Number& number); // keeps the sign of what becomes zero

Number negated(Number number);
Number sum(const Number& a, const Number& b, Rounding rounding); // which says the sign of a zero
Number product(const Number& a, const Number& b);
Number quotient(const Number& a, const Number& b);
Number square_root(const Number& a);
std::partial_ordering order(const Number& a, const Number& b); // zeros are equal

} // namespace hone::oracle
