// Reciprocals, roots, exponentials: correctly rounded where the instruction is (.rn); else as near as f64 gives, where
// a device may differ in the last bits.
#include "emulate/execute/lanes.h"
#include "emulate/execute/numbers.h"

#include <cmath>

namespace hone::emulate::execute {

namespace {

struct Reciprocal {
  template <class T> static T run(T a) { return T{1} / a; }
};
struct Root {
  template <class T> static T run(T a) { return std::sqrt(a); }
};
struct ReciprocalRoot {
  template <class T> static T run(T a) { return static_cast<T>(1.0 / std::sqrt(static_cast<double>(a))); }
};
struct PowerOfTwo {
  template <class T> static T run(T a) { return static_cast<T>(std::exp2(static_cast<double>(a))); }
};
struct Logarithm {
  template <class T> static T run(T a) { return static_cast<T>(std::log2(static_cast<double>(a))); }
};
struct Sine {
  template <class T> static T run(T a) { return static_cast<T>(std::sin(static_cast<double>(a))); }
};
struct Cosine {
  template <class T> static T run(T a) { return static_cast<T>(std::cos(static_cast<double>(a))); }
};
struct HyperbolicTangent {
  template <class T> static T run(T a) { return static_cast<T>(std::tanh(static_cast<double>(a))); }
};

// kind: .ftz
template <class T, class F> void function_of(Warp& warp, const Op& op)
{
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  const RoundingScope rounding(op.count);
  each_lane(warp, [=](int lane) {
    volatile T x = op.kind != 0 ? flushed(a[lane]) : a[lane];
    volatile T y = F::run(T(x));
    const T r = op.kind != 0 ? flushed(T(y)) : T(y);
    d[lane] = r == r ? r : canonical_nan<T>();
  });
}

template <class F> void half_function(Warp& warp, const Op& op)
{
  std::uint16_t* const d = warp.at<std::uint16_t>(op.d);
  const std::uint16_t* const a = warp.at<std::uint16_t>(op.a);
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    for (int i = 0; i < op.bytes / 2; ++i) {
      const int at = lane * (op.bytes / 2) + i;
      d[at] = op.kind != 0 ? double_to_bfloat(F::run(double(bfloat_to_float(a[at]))))
                           : double_to_half(F::run(double(half_to_float(a[at]))));
    }
  }
}

} // namespace

void decode_float_function(Decoder& decoder)
{
  const std::string& name = decoder.name();
  const std::string_view type = decoder.type();
  Op op;
  op.bytes = static_cast<std::uint8_t>(ptx::bytes_of_type(type));
  op.kind = decoder.has("ftz") ? 1 : 0;
  op.count = decoder.rounding();
#define HONE_FUNCTION(F) (type == "f64" ? function_of<double, F> : function_of<float, F>)
  if (type == "f32" || type == "f64") {
    op.run = name == "rcp"     ? HONE_FUNCTION(Reciprocal)
             : name == "sqrt"  ? HONE_FUNCTION(Root)
             : name == "rsqrt" ? HONE_FUNCTION(ReciprocalRoot)
             : type == "f64"   ? nullptr
             : name == "ex2"   ? function_of<float, PowerOfTwo>
             : name == "lg2"   ? function_of<float, Logarithm>
             : name == "sin"   ? function_of<float, Sine>
             : name == "cos"   ? function_of<float, Cosine>
                               : function_of<float, HyperbolicTangent>;
  } else if (op.bytes != 0) {
    op.kind = type.starts_with("bf16") ? 1 : 0;
    op.run = name == "ex2" ? half_function<PowerOfTwo> : name == "tanh" ? half_function<HyperbolicTangent> : nullptr;
  }
  if (op.run == nullptr) {
    decoder.unsupported("");
    return;
  }
  op.d = decoder.destination(op.bytes);
  op.a = decoder.source(1, op.bytes);
  decoder.emit(op);
}

} // namespace hone::emulate::execute
