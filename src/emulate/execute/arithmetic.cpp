// Whole numbers and floats: add, mul, fma, div, min, and their like. Floats round to the nearest unless the instruction
// says otherwise, NaNs come out as the one that NVIDIA documents (PTX ISA, floating point).
#include "emulate/execute/lanes.h"
#include "emulate/execute/numbers.h"

#include <algorithm>
#include <cfenv>
#include <cmath>

namespace hone::emulate::execute {

namespace {

// --- whole numbers ---

template <class T> using Unsigned = std::make_unsigned_t<T>;

struct IntAdd {
  template <class T> static T run(T a, T b) { return static_cast<T>(Unsigned<T>(a) + Unsigned<T>(b)); }
};
struct IntSub {
  template <class T> static T run(T a, T b) { return static_cast<T>(Unsigned<T>(a) - Unsigned<T>(b)); }
};
struct IntMul {
  template <class T> static T run(T a, T b)
  {
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
};
template <class T> T high_half(T a, T b)
{
  if constexpr (sizeof(T) == 8) {
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>((static_cast<__int128>(a) * b) >> 64);
    } else {
      return static_cast<T>((static_cast<unsigned __int128>(a) * b) >> 64);
    }
  } else {
    return static_cast<T>((static_cast<std::int64_t>(a) * static_cast<std::int64_t>(b)) >> (8 * sizeof(T)));
  }
}
template <> std::uint32_t high_half(std::uint32_t a, std::uint32_t b)
{
  return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32);
}
struct IntMulHigh {
  template <class T> static T run(T a, T b) { return high_half(a, b); }
};
struct IntMad {
  template <class T> static T run(T a, T b, T c) { return IntAdd::run(IntMul::run(a, b), c); }
};
struct IntMadHigh {
  template <class T> static T run(T a, T b, T c) { return IntAdd::run(high_half(a, b), c); }
};
// Division by 0 gives all ones; the one quotient that does not fit wraps.
struct IntDiv {
  template <class T> static T run(T a, T b)
  {
    if (b == 0) {
      return static_cast<T>(~T{0});
    }
    if constexpr (std::is_signed_v<T>) {
      return b == T{-1} ? IntSub::run(T{0}, a) : static_cast<T>(a / b);
    } else {
      return static_cast<T>(a / b);
    }
  }
};
struct IntRem {
  template <class T> static T run(T a, T b)
  {
    if (b == 0) {
      return a;
    }
    if constexpr (std::is_signed_v<T>) {
      return b == T{-1} ? T{0} : static_cast<T>(a % b);
    } else {
      return static_cast<T>(a % b);
    }
  }
};
struct IntMin {
  template <class T> static T run(T a, T b) { return std::min(a, b); }
};
struct IntMax {
  template <class T> static T run(T a, T b) { return std::max(a, b); }
};
struct IntAbs {
  template <class T> static T run(T a) { return a < 0 ? IntSub::run(T{0}, a) : a; }
};
struct IntNeg {
  template <class T> static T run(T a) { return IntSub::run(T{0}, a); }
};
struct IntSad {
  template <class T> static T run(T a, T b, T c)
  {
    return IntAdd::run(c, a < b ? IntSub::run(b, a) : IntSub::run(a, b));
  }
};

#define HONE_BINARY(Name)                                                                                              \
  template <class T> struct Make##Name {                                                                               \
    static constexpr Handler handler = binary<T, Name>;                                                                \
  };
#define HONE_TERNARY(Name)                                                                                             \
  template <class T> struct Make##Name {                                                                               \
    static constexpr Handler handler = ternary<T, Name>;                                                               \
  };
#define HONE_UNARY(Name)                                                                                               \
  template <class T> struct Make##Name {                                                                               \
    static constexpr Handler handler = unary<T, Name>;                                                                 \
  };
HONE_BINARY(IntAdd)
HONE_BINARY(IntSub)
HONE_BINARY(IntMul)
HONE_BINARY(IntMulHigh)
HONE_BINARY(IntDiv)
HONE_BINARY(IntRem)
HONE_BINARY(IntMin)
HONE_BINARY(IntMax)
HONE_UNARY(IntAbs)
HONE_UNARY(IntNeg)
HONE_TERNARY(IntMad)
HONE_TERNARY(IntMadHigh)
HONE_TERNARY(IntSad)

// Twice as wide as its factors.
template <class T, class Wide> void wide_product(Warp& warp, const Op& op)
{
  Wide* const d = warp.at<Wide>(op.d);
  const T* const a = warp.at<T>(op.a);
  const T* const b = warp.at<T>(op.b);
  each_lane(warp,
            [=](int lane) { d[lane] = static_cast<Wide>(static_cast<Wide>(a[lane]) * static_cast<Wide>(b[lane])); });
}
template <class T, class Wide> void wide_product_and_sum(Warp& warp, const Op& op)
{
  Wide* const d = warp.at<Wide>(op.d);
  const T* const a = warp.at<T>(op.a);
  const T* const b = warp.at<T>(op.b);
  const Wide* const c = warp.at<Wide>(op.c);
  each_lane(warp, [=](int lane) {
    d[lane] = IntAdd::run(static_cast<Wide>(static_cast<Wide>(a[lane]) * static_cast<Wide>(b[lane])), c[lane]);
  });
}

// --- carries: of all lanes, in the warp's own mask ---

template <class T, bool minus, bool takes, bool gives> void with_carry(Warp& warp, const Op& op)
{
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  const T* const b = warp.at<T>(op.b);
  Mask carry = warp.carry;
  each_lane(warp, [&](int lane) {
    const Mask bit = Mask{1} << lane;
    const unsigned in = takes && (carry & bit) != 0 ? 1 : 0;
    const T first = minus ? static_cast<T>(a[lane] - b[lane]) : static_cast<T>(a[lane] + b[lane]);
    const T whole = minus ? static_cast<T>(first - in) : static_cast<T>(first + in);
    const bool out = minus ? (a[lane] < b[lane] || (in != 0 && first == 0)) : (first < a[lane] || whole < first);
    carry = out ? carry | bit : carry & ~bit;
    d[lane] = whole;
  });
  if (gives) {
    warp.carry = carry;
  }
}

Handler carrying(const Decoder& decoder)
{
  const std::string& name = decoder.name();
  const bool wide = decoder.type().ends_with("64"), gives = decoder.has("cc");
  const auto choose = [&]<bool minus, bool takes>() -> Handler {
    return wide
             ? (gives ? with_carry<std::uint64_t, minus, takes, true> : with_carry<std::uint64_t, minus, takes, false>)
             : (gives ? with_carry<std::uint32_t, minus, takes, true> : with_carry<std::uint32_t, minus, takes, false>);
  };
  return name == "add"    ? choose.operator()<false, false>()
         : name == "sub"  ? choose.operator()<true, false>()
         : name == "addc" ? choose.operator()<false, true>()
                          : choose.operator()<true, true>();
}

// --- floats ---

struct FloatAdd {
  template <class T> static T run(T a, T b) { return a + b; }
};
struct FloatSub {
  template <class T> static T run(T a, T b) { return a - b; }
};
struct FloatMul {
  template <class T> static T run(T a, T b) { return a * b; }
};
struct FloatDiv {
  template <class T> static T run(T a, T b) { return a / b; }
};
struct FloatFma {
  template <class T> static T run(T a, T b, T c) { return std::fma(a, b, c); }
};
// A number rather than a NaN; -0 is below 0.
struct FloatMin {
  template <class T> static T run(T a, T b)
  {
    return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
  }
};
struct FloatMax {
  template <class T> static T run(T a, T b)
  {
    return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
  }
};

constexpr std::uint8_t k_flush = 1, k_saturate = 2, k_nan = 4; // kinds: .ftz, .sat, .NaN

template <class T> T taken(T value, std::uint8_t kind)
{
  return (kind & k_flush) != 0 ? flushed(value) : value;
}

template <class T> T given(T value, std::uint8_t kind)
{
  value = (kind & k_flush) != 0 ? flushed(value) : value;
  if ((kind & k_saturate) != 0) {
    value = value > T{0} ? std::min(value, T{1}) : T{0}; // a NaN becomes 0
  }
  return value != value ? canonical_nan<T>() : value;
}

// The plain form vectorises; the others go by `kind` and the rounding in `count`.
template <class T, class F> void float_binary(Warp& warp, const Op& op)
{
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  const T* const b = warp.at<T>(op.b);
  each_lane(warp, [=](int lane) {
    const T r = F::run(a[lane], b[lane]);
    d[lane] = r == r ? r : canonical_nan<T>();
  });
}
template <class T, class F> void float_ternary(Warp& warp, const Op& op)
{
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  const T* const b = warp.at<T>(op.b);
  const T* const c = warp.at<T>(op.c);
  each_lane(warp, [=](int lane) {
    const T r = F::run(a[lane], b[lane], c[lane]);
    d[lane] = r == r ? r : canonical_nan<T>();
  });
}
template <class T, class F> void float_binary_as_said(Warp& warp, const Op& op)
{
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  const T* const b = warp.at<T>(op.b);
  const RoundingScope rounding(op.count);
  each_lane(warp, [=](int lane) {
    if ((op.kind & k_nan) != 0 && (a[lane] != a[lane] || b[lane] != b[lane])) {
      d[lane] = canonical_nan<T>();
      return;
    }
    volatile T x = taken(a[lane], op.kind), y = taken(b[lane], op.kind); // the rounding is not moved across
    volatile T r = F::run(T(x), T(y));
    d[lane] = given(T(r), op.kind);
  });
}
template <class T> void fma_as_said(Warp& warp, const Op& op)
{
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  const T* const b = warp.at<T>(op.b);
  const T* const c = warp.at<T>(op.c);
  const RoundingScope rounding(op.count);
  each_lane(warp, [=](int lane) {
    volatile T x = taken(a[lane], op.kind), y = taken(b[lane], op.kind), z = taken(c[lane], op.kind);
    volatile T r = std::fma(T(x), T(y), T(z));
    d[lane] = given(T(r), op.kind);
  });
}

template <class T, bool absolute> void float_sign(Warp& warp, const Op& op)
{
  using Bits =
    std::conditional_t<sizeof(T) == 8, std::uint64_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
  Bits* const d = warp.at<Bits>(op.d);
  const Bits* const a = warp.at<Bits>(op.a);
  constexpr Bits sign = Bits(Bits{1} << (8 * sizeof(Bits) - 1));
  each_lane(warp, [=](int lane) {
    const Bits value = sizeof(T) == 4 && (op.kind & k_flush) != 0
                         ? Bits(std::bit_cast<std::uint32_t>(flushed(std::bit_cast<float>(std::uint32_t(a[lane])))))
                         : a[lane];
    d[lane] = absolute ? Bits(value & ~sign) : Bits(value ^ sign);
  });
}

template <class Bits> void copy_sign(Warp& warp, const Op& op)
{
  Bits* const d = warp.at<Bits>(op.d);
  const Bits* const a = warp.at<Bits>(op.a);
  const Bits* const b = warp.at<Bits>(op.b);
  constexpr Bits sign = Bits(Bits{1} << (8 * sizeof(Bits) - 1));
  each_lane(warp, [=](int lane) { d[lane] = Bits((b[lane] & ~sign) | (a[lane] & sign)); });
}

// --- halves: in f32, which holds products and sums of two halves well enough to round once more; a product and sum in
// f64 ---

struct Narrow {
  float (*widened)(std::uint16_t);
  std::uint16_t (*narrowed)(double);
};
constexpr Narrow k_half{half_to_float, double_to_half}, k_bfloat{bfloat_to_float, double_to_bfloat};

template <class F, const Narrow& narrow>
std::uint16_t narrow_result(std::uint16_t a, std::uint16_t b, std::uint8_t kind)
{
  const double r = F::run(double(narrow.widened(a)), double(narrow.widened(b)));
  return narrow.narrowed((kind & k_saturate) != 0 ? (r > 0 ? std::min(r, 1.0) : 0.0) : r);
}

template <class F, const Narrow& narrow> void half_binary(Warp& warp, const Op& op)
{
  std::uint16_t* const d = warp.at<std::uint16_t>(op.d);
  const std::uint16_t* const a = warp.at<std::uint16_t>(op.a);
  const std::uint16_t* const b = warp.at<std::uint16_t>(op.b);
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    for (int i = 0; i < op.bytes / 2; ++i) { // two of a pair
      const int at = lane * (op.bytes / 2) + i;
      d[at] = narrow_result<F, narrow>(a[at], b[at], op.kind);
    }
  }
}
template <const Narrow& narrow> void half_fma(Warp& warp, const Op& op)
{
  std::uint16_t* const d = warp.at<std::uint16_t>(op.d);
  const std::uint16_t* const a = warp.at<std::uint16_t>(op.a);
  const std::uint16_t* const b = warp.at<std::uint16_t>(op.b);
  const std::uint16_t* const c = warp.at<std::uint16_t>(op.c);
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    for (int i = 0; i < op.bytes / 2; ++i) {
      const int at = lane * (op.bytes / 2) + i;
      const double r =
        std::fma(double(narrow.widened(a[at])), double(narrow.widened(b[at])), double(narrow.widened(c[at])));
      d[at] = narrow.narrowed((op.kind & k_saturate) != 0 ? (r > 0 ? std::min(r, 1.0) : 0.0) : r);
    }
  }
}
template <bool absolute> void pair_sign(Warp& warp, const Op& op)
{
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  const std::uint32_t* const a = warp.at<std::uint32_t>(op.a);
  each_lane(warp, [=](int lane) { d[lane] = absolute ? a[lane] & 0x7fff7fffu : a[lane] ^ 0x80008000u; });
}

Handler half_handler(const std::string& name, bool bfloat)
{
#define HONE_HALF(Operation) (bfloat ? half_binary<Operation, k_bfloat> : half_binary<Operation, k_half>)
  return name == "add"   ? HONE_HALF(FloatAdd)
         : name == "sub" ? HONE_HALF(FloatSub)
         : name == "mul" ? HONE_HALF(FloatMul)
         : name == "min" ? HONE_HALF(FloatMin)
         : name == "max" ? HONE_HALF(FloatMax)
         : name == "fma" ? (bfloat ? half_fma<k_bfloat> : half_fma<k_half>)
                         : nullptr;
}

std::uint8_t rounding_of(const Decoder& decoder)
{
  return decoder.has("rz")   ? FE_TOWARDZERO / 0x400
         : decoder.has("rm") ? FE_DOWNWARD / 0x400
         : decoder.has("rp") ? FE_UPWARD / 0x400
                             : 0;
}

template <class T> Handler float_handler(const std::string& name, bool plain)
{
  if (name == "fma" || name == "mad") {
    return plain ? float_ternary<T, FloatFma> : fma_as_said<T>;
  }
  if (name == "abs") {
    return float_sign<T, true>;
  }
  if (name == "neg") {
    return float_sign<T, false>;
  }
  if (name == "copysign") {
    return copy_sign<std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>;
  }
#define HONE_FLOAT(Operation) (plain ? float_binary<T, Operation> : float_binary_as_said<T, Operation>)
  return name == "add"   ? HONE_FLOAT(FloatAdd)
         : name == "sub" ? HONE_FLOAT(FloatSub)
         : name == "mul" ? HONE_FLOAT(FloatMul)
         : name == "div" ? HONE_FLOAT(FloatDiv)
         : name == "min" ? HONE_FLOAT(FloatMin)
         : name == "max" ? HONE_FLOAT(FloatMax)
                         : nullptr;
}

Handler integer_handler(const Decoder& decoder)
{
  const std::string& name = decoder.name();
  const std::string_view type = decoder.type();
  const bool high = decoder.has("hi");
  if ((name == "add" || name == "sub") && decoder.has("cc")) {
    return carrying(decoder);
  }
  return name == "add"                      ? of_integer<MakeIntAdd>(type)
         : name == "sub"                    ? of_integer<MakeIntSub>(type)
         : name == "mul"                    ? (high ? of_integer<MakeIntMulHigh>(type) : of_integer<MakeIntMul>(type))
         : name == "mad"                    ? (high ? of_integer<MakeIntMadHigh>(type) : of_integer<MakeIntMad>(type))
         : name == "div"                    ? of_integer<MakeIntDiv>(type)
         : name == "rem"                    ? of_integer<MakeIntRem>(type)
         : name == "min"                    ? of_integer<MakeIntMin>(type)
         : name == "max"                    ? of_integer<MakeIntMax>(type)
         : name == "abs"                    ? of_integer<MakeIntAbs>(type)
         : name == "neg"                    ? of_integer<MakeIntNeg>(type)
         : name == "sad"                    ? of_integer<MakeIntSad>(type)
         : name == "addc" || name == "subc" ? carrying(decoder)
                                            : nullptr;
}

bool decode_wide(Decoder& decoder)
{
  const std::string_view type = decoder.type();
  const bool sum = decoder.name() == "mad";
  const Handler handler =
    type == "u32"
      ? (sum ? wide_product_and_sum<std::uint32_t, std::uint64_t> : wide_product<std::uint32_t, std::uint64_t>)
    : type == "s32"
      ? (sum ? wide_product_and_sum<std::int32_t, std::int64_t> : wide_product<std::int32_t, std::int64_t>)
    : type == "u16"
      ? (sum ? wide_product_and_sum<std::uint16_t, std::uint32_t> : wide_product<std::uint16_t, std::uint32_t>)
    : type == "s16"
      ? (sum ? wide_product_and_sum<std::int16_t, std::int32_t> : wide_product<std::int16_t, std::int32_t>)
      : nullptr;
  if (handler == nullptr) {
    return false;
  }
  const int bytes = ptx::bytes_of_type(type);
  Op op;
  op.a = decoder.source(1, bytes);
  op.b = decoder.source(2, bytes);
  op.c = sum ? decoder.source(3, 2 * bytes) : 0;
  op.d = decoder.destination(2 * bytes);
  Op& out = decoder.emit(handler);
  op.run = handler;
  op.place = out.place;
  out = op;
  return true;
}

} // namespace

void decode_arithmetic(Decoder& decoder)
{
  const std::string& name = decoder.name();
  const std::string_view type = decoder.type();
  if (decoder.has("wide")) {
    if (!decode_wide(decoder)) {
      decoder.unsupported("");
    }
    return;
  }
  const bool pair = type == "f16x2" || type == "bf16x2";
  const bool half = pair || type == "f16" || type == "bf16";
  const bool is_float = half || type == "f32" || type == "f64";
  Op op;
  op.bytes = static_cast<std::uint8_t>(ptx::bytes_of_type(type));
  op.kind =
    static_cast<std::uint8_t>((decoder.has("ftz") ? k_flush : 0) | (decoder.has("sat") && is_float ? k_saturate : 0)
                              | (decoder.has("NaN") ? k_nan : 0));
  op.count = rounding_of(decoder);
  if (half) {
    const bool bfloat = type.starts_with("bf16");
    op.run = name == "neg" || name == "abs"
               ? (pair ? (name == "abs" ? pair_sign<true> : pair_sign<false>)
                       : (name == "abs" ? float_sign<std::uint16_t, true> : float_sign<std::uint16_t, false>))
               : half_handler(name, bfloat);
    op.run = decoder.has("relu") ? nullptr : op.run;
  } else if (is_float) {
    const bool plain = op.kind == 0 && op.count == 0;
    op.run = type == "f32" ? float_handler<float>(name, plain) : float_handler<double>(name, plain);
  } else if (!decoder.has("sat") && name != "mul24" && name != "mad24") {
    op.run = integer_handler(decoder);
  }
  if (op.run == nullptr) {
    decoder.unsupported("");
    return;
  }
  op.d = decoder.destination(op.bytes);
  op.a = decoder.source(1);
  op.b = decoder.operands() > 2 ? decoder.source(2) : 0;
  op.c = decoder.operands() > 3 ? decoder.source(3) : 0;
  Op& out = decoder.emit(op.run);
  op.place = out.place;
  out = op;
}

} // namespace hone::emulate::execute
