// Add, mul, fma, div, min, and their like. Floats round to the nearest unless the instruction
// says otherwise, NaNs come out as the one that NVIDIA documents (PTX ISA, floating point).
#include "emulate/execute/integers.h"
#include "emulate/execute/lanes.h"
#include "emulate/execute/numbers.h"

#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>

namespace hone::emulate::execute {

namespace {

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

// Kinds: .ftz, .sat, .NaN, .relu, .xorsign.abs.
constexpr std::uint8_t k_flush = 1, k_saturate = 2, k_nan = 4, k_relu = 8, k_signs = 16;

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

template <class F, class T> T as_kind_says(T a, T b, std::uint8_t kind)
{
  if ((kind & k_nan) != 0 && (a != a || b != b)) {
    return canonical_nan<T>();
  }
  if ((kind & k_signs) == 0) {
    return F::run(a, b);
  }
  const T size = F::run(std::abs(a), std::abs(b));
  return std::signbit(a) != std::signbit(b) ? -size : size;
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
    volatile T x = taken(a[lane], op.kind), y = taken(b[lane], op.kind); // the rounding is not moved across
    volatile T r = as_kind_says<F>(T(x), T(y), op.kind);
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
    Bits value = a[lane];
    if ((op.kind & k_flush) != 0) {
      value = sizeof(T) == 4   ? Bits(std::bit_cast<std::uint32_t>(flushed(std::bit_cast<float>(std::uint32_t(value)))))
              : sizeof(T) == 2 ? Bits(flushed_half(std::uint16_t(value)))
                               : value;
    }
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

// --- halves: in f64, which holds products and sums of two halves well enough to round once more ---

struct Narrow {
  float (*widened)(std::uint16_t);
  std::uint16_t (*narrowed)(double);

  // Only halves are flushed.
  double taken(std::uint16_t bits, std::uint8_t kind) const
  {
    return widened((kind & k_flush) != 0 ? flushed_half(bits) : bits);
  }
  std::uint16_t given(double value, std::uint8_t kind) const
  {
    if ((kind & k_saturate) != 0) {
      value = value > 0 ? std::min(value, 1.0) : 0.0;
    }
    if ((kind & k_relu) != 0) {
      value = value < 0 ? 0.0 : value;
    }
    const std::uint16_t bits = narrowed(value);
    return (kind & k_flush) != 0 ? flushed_half(bits) : bits;
  }
};
constexpr Narrow k_half{half_to_float, double_to_half}, k_bfloat{bfloat_to_float, double_to_bfloat};

template <class F, const Narrow& narrow>
std::uint16_t narrow_result(std::uint16_t a, std::uint16_t b, std::uint8_t kind)
{
  return narrow.given(as_kind_says<F>(narrow.taken(a, kind), narrow.taken(b, kind), kind), kind);
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
      d[at] = narrow.given(
        fused_for_rounding(narrow.taken(a[at], op.kind), narrow.taken(b[at], op.kind), narrow.taken(c[at], op.kind)),
        op.kind);
    }
  }
}
template <bool absolute> void pair_sign(Warp& warp, const Op& op)
{
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  const std::uint32_t* const a = warp.at<std::uint32_t>(op.a);
  each_lane(warp, [=](int lane) {
    std::uint32_t value = a[lane];
    if ((op.kind & k_flush) != 0) {
      value = flushed_half(static_cast<std::uint16_t>(value))
              | std::uint32_t{flushed_half(static_cast<std::uint16_t>(value >> 16))} << 16;
    }
    d[lane] = absolute ? value & 0x7fff7fffu : value ^ 0x80008000u;
  });
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

// A modifier that is not looked at would be a wrong result.
bool knows_modifiers(const Decoder& decoder)
{
  static constexpr std::array<std::string_view, 18> k_known = {"rn",   "rz",      "rm",   "rp", "ftz", "sat",
                                                               "NaN",  "xorsign", "abs",  "lo", "hi",  "relu",
                                                               "wide", "approx",  "full", "cc", "u32", "s32"};
  const std::size_t type = decoder.statement().opcode.size() - 1;
  for (std::size_t i = 1; i < type; ++i) {
    if (std::ranges::find(k_known, decoder.part(i)) == k_known.end()) {
      return false;
    }
  }
  return true;
}

} // namespace

void decode_arithmetic(Decoder& decoder)
{
  const std::string& name = decoder.name();
  const std::string_view type = decoder.type();
  if (!knows_modifiers(decoder)) {
    decoder.unsupported("");
    return;
  }
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
                              | (decoder.has("NaN") ? k_nan : 0) | (decoder.has("relu") && half ? k_relu : 0)
                              | (decoder.has("xorsign") ? k_signs : 0));
  op.count = decoder.rounding();
  if (half) {
    const bool bfloat = type.starts_with("bf16");
    op.run = name == "neg" || name == "abs"
               ? (pair ? (name == "abs" ? pair_sign<true> : pair_sign<false>)
                       : (name == "abs" ? float_sign<std::uint16_t, true> : float_sign<std::uint16_t, false>))
               : half_handler(name, bfloat);
  } else if (is_float) {
    const bool plain = op.kind == 0 && op.count == 0;
    op.run = type == "f32" ? float_handler<float>(name, plain) : float_handler<double>(name, plain);
  } else {
    op.run = integer_handler(decoder);
    op.kind = integer_kind(decoder);
    op.bytes = type.ends_with("16x2") ? 4 : op.bytes;
  }
  if (op.run == nullptr) {
    decoder.unsupported("");
    return;
  }
  op.d = decoder.destination(op.bytes);
  op.a = decoder.source(1, op.bytes);
  op.b = decoder.operands() > 2 ? decoder.source(2, op.bytes) : 0;
  op.c = decoder.operands() > 3 ? decoder.source(3, op.bytes) : 0;
  decoder.emit(op);
}

} // namespace hone::emulate::execute
