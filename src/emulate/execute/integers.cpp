// Whole numbers: they wrap, and PTX says what C++ leaves open.
#include "emulate/execute/integers.h"

#include "emulate/execute/lanes.h"

#include <algorithm>

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

} // namespace

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
  op.run = handler;
  decoder.emit(op);
  return true;
}

} // namespace hone::emulate::execute
