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

// Held to the ends of the type.
std::int32_t held(std::int64_t value)
{
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, INT32_MIN, INT32_MAX));
}
struct IntAddHeld {
  static std::int32_t run(std::int32_t a, std::int32_t b) { return held(std::int64_t{a} + b); }
};
struct IntSubHeld {
  static std::int32_t run(std::int32_t a, std::int32_t b) { return held(std::int64_t{a} - b); }
};
struct IntMadHighHeld {
  static std::int32_t run(std::int32_t a, std::int32_t b, std::int32_t c)
  {
    return held(std::int64_t{high_half(a, b)} + c);
  }
};
struct IntMinAboveZero {
  template <class T> static T run(T a, T b) { return std::max(std::min(a, b), T{0}); }
};
struct IntMaxAboveZero {
  template <class T> static T run(T a, T b) { return std::max(std::max(a, b), T{0}); }
};

// mul24 and mad24: of the lower 24 bits of each, the lower 32 bits of the product, or those above its lower 16.
template <class T> std::int64_t product_of_24(T a, T b)
{
  const auto part = [](T x) -> std::int64_t {
    return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(x) << 8) >> 8); // keeps the sign
  };
  return part(a) * part(b);
}
template <bool high> struct IntMul24 {
  template <class T> static T run(T a, T b) { return static_cast<T>(product_of_24(a, b) >> (high ? 16 : 0)); }
};
template <bool high> struct IntMad24 {
  template <class T> static T run(T a, T b, T c) { return IntAdd::run(IntMul24<high>::run(a, b), c); }
};
struct IntMad24Held {
  static std::int32_t run(std::int32_t a, std::int32_t b, std::int32_t c)
  {
    return held((product_of_24(a, b) >> 16) + c);
  }
};

// Two numbers of 16 bits in each lane.
template <class T, class F> void pairwise(Warp& warp, const Op& op)
{
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  const T* const b = warp.at<T>(op.b);
  each_lane(warp, [=](int lane) {
    d[2 * lane] = F::run(a[2 * lane], b[2 * lane]);
    d[2 * lane + 1] = F::run(a[2 * lane + 1], b[2 * lane + 1]);
  });
}

// dp4a, and dp2a on the lower or upper bytes of b: kind: 1: a is signed, 2: b is, 4: the upper bytes.
template <int count> void dot_product(Warp& warp, const Op& op)
{
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  const std::uint32_t* const a = warp.at<std::uint32_t>(op.a);
  const std::uint32_t* const b = warp.at<std::uint32_t>(op.b);
  const std::uint32_t* const c = warp.at<std::uint32_t>(op.c);
  const auto part = [](std::uint32_t word, int bits, int index, bool is_signed) {
    const std::uint32_t upper = word << (32 - bits * (index + 1));
    return is_signed ? static_cast<std::int32_t>(upper) >> (32 - bits)
                     : static_cast<std::int32_t>(upper >> (32 - bits));
  };
  const bool a_signed = (op.kind & 1) != 0, b_signed = (op.kind & 2) != 0, upper_bytes = (op.kind & 4) != 0;
  each_lane(warp, [=](int lane) {
    std::int64_t sum = 0;
    for (int i = 0; i < count; ++i) {
      sum +=
        std::int64_t{part(a[lane], 32 / count, i, a_signed)} * part(b[lane], 8, i + (upper_bytes ? 2 : 0), b_signed);
    }
    d[lane] = static_cast<std::uint32_t>(sum) + c[lane];
  });
}

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

// mad and madc: a half of the product, added with the carry.
template <class T, bool takes, bool gives> void product_with_carry(Warp& warp, const Op& op)
{
  using U = Unsigned<T>;
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  const T* const b = warp.at<T>(op.b);
  const T* const c = warp.at<T>(op.c);
  Mask carry = warp.carry;
  each_lane(warp, [&](int lane) {
    const Mask bit = Mask{1} << lane;
    const U in = takes && (carry & bit) != 0 ? 1 : 0;
    const auto part = static_cast<U>(op.kind != 0 ? high_half(a[lane], b[lane]) : IntMul::run(a[lane], b[lane]));
    const auto first = static_cast<U>(part + static_cast<U>(c[lane])), whole = static_cast<U>(first + in);
    carry = first < part || whole < first ? carry | bit : carry & ~bit;
    d[lane] = static_cast<T>(whole);
  });
  if (gives) {
    warp.carry = carry;
  }
}

template <class T> Handler product_carrying(bool takes, bool gives)
{
  return takes ? (gives ? product_with_carry<T, true, true> : product_with_carry<T, true, false>)
               : product_with_carry<T, false, true>;
}

Handler of_pairs(const std::string& name, bool is_signed, bool above_zero)
{
#define HONE_PAIRS(F) (is_signed ? pairwise<std::int16_t, F> : pairwise<std::uint16_t, F>)
  return name == "add"   ? HONE_PAIRS(IntAdd)
         : name == "min" ? (above_zero ? HONE_PAIRS(IntMinAboveZero) : HONE_PAIRS(IntMin))
         : name == "max" ? (above_zero ? HONE_PAIRS(IntMaxAboveZero) : HONE_PAIRS(IntMax))
                         : nullptr;
}

// The forms that few programs have; nullptr: not known.
Handler rare_handler(const Decoder& decoder)
{
  const std::string& name = decoder.name();
  const std::string_view type = decoder.type();
  const bool high = decoder.has("hi"), held_to_ends = decoder.has("sat"), above_zero = decoder.has("relu");
  if (type.ends_with("16x2")) {
    return held_to_ends ? nullptr : of_pairs(name, type == "s16x2", above_zero);
  }
  if (name == "mul24" || name == "mad24") {
    if (held_to_ends) {
      return name == "mad24" && high && type == "s32" ? ternary<std::int32_t, IntMad24Held> : nullptr;
    }
    const bool sum = name == "mad24";
#define HONE_24(T)                                                                                                     \
  (sum ? (high ? ternary<T, IntMad24<true>> : ternary<T, IntMad24<false>>)                                             \
       : (high ? binary<T, IntMul24<true>> : binary<T, IntMul24<false>>))
    return type == "s32" ? HONE_24(std::int32_t) : type == "u32" ? HONE_24(std::uint32_t) : nullptr;
  }
  if (name == "madc" || (name == "mad" && decoder.has("cc"))) {
    const bool takes = name == "madc", gives = decoder.has("cc");
    return type == "s32"   ? product_carrying<std::int32_t>(takes, gives)
           : type == "u32" ? product_carrying<std::uint32_t>(takes, gives)
           : type == "s64" ? product_carrying<std::int64_t>(takes, gives)
           : type == "u64" ? product_carrying<std::uint64_t>(takes, gives)
                           : nullptr;
  }
  if (name == "dp4a" || name == "dp2a") {
    return name == "dp4a" ? dot_product<4> : dot_product<2>;
  }
  if (type != "s32" || held_to_ends == above_zero) {
    return nullptr;
  }
  return name == "min"           ? (above_zero ? binary<std::int32_t, IntMinAboveZero> : nullptr)
         : name == "max"         ? (above_zero ? binary<std::int32_t, IntMaxAboveZero> : nullptr)
         : above_zero            ? nullptr
         : name == "add"         ? binary<std::int32_t, IntAddHeld>
         : name == "sub"         ? binary<std::int32_t, IntSubHeld>
         : name == "mad" && high ? ternary<std::int32_t, IntMadHighHeld>
                                 : nullptr;
}

bool is_rare(const Decoder& decoder)
{
  const std::string& name = decoder.name();
  return name == "mul24" || name == "mad24" || name == "madc" || name == "dp4a" || name == "dp2a"
         || (name == "mad" && decoder.has("cc")) || decoder.has("sat") || decoder.has("relu")
         || decoder.type().ends_with("16x2");
}

} // namespace

std::uint8_t integer_kind(const Decoder& decoder)
{
  const std::string& name = decoder.name();
  if (name == "dp4a" || name == "dp2a") {
    const std::size_t types = decoder.statement().opcode.size() - 2;
    return static_cast<std::uint8_t>((decoder.part(types) == "s32" ? 1 : 0) | (decoder.type() == "s32" ? 2 : 0)
                                     | (decoder.has("hi") ? 4 : 0));
  }
  return decoder.has("hi") ? 1 : 0;
}

Handler integer_handler(const Decoder& decoder)
{
  if (is_rare(decoder)) {
    return rare_handler(decoder);
  }
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
