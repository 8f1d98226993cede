// Comparisons into predicates or numbers, choices, copies between registers.
#include "emulate/execute/lanes.h"
#include "emulate/execute/numbers.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace hone::emulate::execute {

namespace {

enum Comparison : std::uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan_ };

int comparison_of(std::string_view word)
{
  static constexpr std::array<std::pair<std::string_view, Comparison>, 18> k_words = {{{"eq", eq},
                                                                                       {"ne", ne},
                                                                                       {"lt", lt},
                                                                                       {"le", le},
                                                                                       {"gt", gt},
                                                                                       {"ge", ge},
                                                                                       {"lo", lt},
                                                                                       {"ls", le},
                                                                                       {"hi", gt},
                                                                                       {"hs", ge},
                                                                                       {"equ", equ},
                                                                                       {"neu", neu},
                                                                                       {"ltu", ltu},
                                                                                       {"leu", leu},
                                                                                       {"gtu", gtu},
                                                                                       {"geu", geu},
                                                                                       {"num", num},
                                                                                       {"nan", nan_}}};
  for (const auto& [text, comparison] : k_words) {
    if (text == word) {
      return comparison;
    }
  }
  return -1;
}

template <Comparison comparison, class T> bool holds(T a, T b)
{
  const bool unordered = a != a || b != b;
  switch (comparison) {
  case eq:
    return a == b;
  case ne:
    return !unordered && a != b;
  case lt:
    return a < b;
  case le:
    return a <= b;
  case gt:
    return a > b;
  case ge:
    return a >= b;
  case equ:
    return unordered || a == b;
  case neu:
    return a != b;
  case ltu:
    return !(a >= b);
  case leu:
    return !(a > b);
  case gtu:
    return !(a <= b);
  case geu:
    return !(a < b);
  case num:
    return !unordered;
  default:
    return unordered;
  }
}

// Floats that are compared by way of f32: narrow ones, and those that are flushed first.
enum class Form { half, flushed_half, bfloat, flushed_single };
template <Form form> struct AsFloat {
  std::conditional_t<form == Form::flushed_single, float, std::uint16_t> bits;
  float value() const
  {
    if constexpr (form == Form::flushed_single) {
      return flushed(bits);
    } else {
      return form == Form::bfloat ? bfloat_to_float(bits)
             : form == Form::half ? half_to_float(bits)
                                  : half_to_float(flushed_half(bits));
    }
  }
  friend bool operator==(AsFloat a, AsFloat b) { return a.value() == b.value(); }
  friend bool operator!=(AsFloat a, AsFloat b) { return a.value() != b.value(); }
  friend bool operator<(AsFloat a, AsFloat b) { return a.value() < b.value(); }
  friend bool operator<=(AsFloat a, AsFloat b) { return a.value() <= b.value(); }
  friend bool operator>(AsFloat a, AsFloat b) { return a.value() > b.value(); }
  friend bool operator>=(AsFloat a, AsFloat b) { return a.value() >= b.value(); }
};

// Of the lanes' numbers, or of the first or second of their pairs.
template <Comparison comparison, class T> Mask compared(const Warp& warp, const Op& op, int stride = 1, int index = 0)
{
  const T* const a = warp.at<T>(op.a);
  const T* const b = warp.at<T>(op.b);
  Mask out = 0;
  for (int lane = 0; lane < k_lanes; ++lane) {
    out |= Mask{holds<comparison>(a[stride * lane + index], b[stride * lane + index])} << lane;
  }
  return out;
}

// kind: 1 and, 2 or, 3 xor with the predicate c (count: it is negated).
Mask with_predicate(const Warp& warp, const Op& op, Mask result)
{
  if (op.kind == 0) {
    return result;
  }
  const Mask given = op.count != 0 ? ~*warp.at<Mask>(op.c) : *warp.at<Mask>(op.c);
  return op.kind == 1 ? result & given : op.kind == 2 ? result | given : result ^ given;
}

// d2: the predicate with the negated comparison, or of the second ones of pairs (bytes: 1).
template <Comparison comparison, class T> void set_predicate(Warp& warp, const Op& op)
{
  const bool pairs = op.bytes != 0;
  const Mask first = pairs ? compared<comparison, T>(warp, op, 2) : compared<comparison, T>(warp, op);
  const Mask second = op.d2 != 0 && pairs ? compared<comparison, T>(warp, op, 2, 1) : ~first;
  const Mask d_result = with_predicate(warp, op, first), d2_result = with_predicate(warp, op, second);
  Mask& d = *warp.at<Mask>(op.d);
  d = (d & ~warp.exec) | (d_result & warp.exec);
  if (op.d2 != 0) {
    Mask& d2 = *warp.at<Mask>(op.d2);
    d2 = (d2 & ~warp.exec) | (d2_result & warp.exec);
  }
}

// set: imm: what stands for true, in registers of `target` bytes; for each of pairs (bytes: 1).
template <Comparison comparison, class T> void set_number(Warp& warp, const Op& op)
{
  const auto yes = static_cast<std::uint32_t>(op.imm);
  if (op.bytes != 0) {
    const Mask first = with_predicate(warp, op, compared<comparison, T>(warp, op, 2)),
               second = with_predicate(warp, op, compared<comparison, T>(warp, op, 2, 1));
    std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
    each_lane(warp, [=](int lane) {
      d[lane] = (((first >> lane) & 1) != 0 ? yes : 0) | (((second >> lane) & 1) != 0 ? yes << 16 : 0);
    });
    return;
  }
  const Mask result = with_predicate(warp, op, compared<comparison, T>(warp, op));
  const auto store = [&]<class D>(D* d) {
    each_lane(warp, [=](int lane) { d[lane] = ((result >> lane) & 1) != 0 ? static_cast<D>(yes) : D{0}; });
  };
  op.target == 2 ? store(warp.at<std::uint16_t>(op.d)) : store(warp.at<std::uint32_t>(op.d));
}

template <class T, bool number> Handler of_comparison(int comparison)
{
#define HONE_COMPARISON(which)                                                                                         \
  case which:                                                                                                          \
    return number ? set_number<which, T> : set_predicate<which, T>;
  switch (comparison) {
    HONE_COMPARISON(eq)
    HONE_COMPARISON(ne)
    HONE_COMPARISON(lt)
    HONE_COMPARISON(le)
    HONE_COMPARISON(gt)
    HONE_COMPARISON(ge)
    HONE_COMPARISON(equ)
    HONE_COMPARISON(neu)
    HONE_COMPARISON(ltu)
    HONE_COMPARISON(leu)
    HONE_COMPARISON(gtu)
    HONE_COMPARISON(geu)
    HONE_COMPARISON(num)
    HONE_COMPARISON(nan_)
  default:
    return nullptr;
  }
}

template <bool number> Handler comparing(std::string_view type, int comparison, bool flushes)
{
  if (flushes) {
    return type == "f32"   ? of_comparison<AsFloat<Form::flushed_single>, number>(comparison)
           : type == "f16" ? of_comparison<AsFloat<Form::flushed_half>, number>(comparison)
                           : nullptr;
  }
  return type == "f32"                    ? of_comparison<float, number>(comparison)
         : type == "f64"                  ? of_comparison<double, number>(comparison)
         : type == "f16"                  ? of_comparison<AsFloat<Form::half>, number>(comparison)
         : type == "bf16"                 ? of_comparison<AsFloat<Form::bfloat>, number>(comparison)
         : type == "s32"                  ? of_comparison<std::int32_t, number>(comparison)
         : type == "u32" || type == "b32" ? of_comparison<std::uint32_t, number>(comparison)
         : type == "s64"                  ? of_comparison<std::int64_t, number>(comparison)
         : type == "u64" || type == "b64" ? of_comparison<std::uint64_t, number>(comparison)
         : type == "s16"                  ? of_comparison<std::int16_t, number>(comparison)
         : type == "u16" || type == "b16" ? of_comparison<std::uint16_t, number>(comparison)
                                          : nullptr;
}

template <class T> void test_property(Warp& warp, const Op& op)
{
  const T* const a = warp.at<T>(op.a);
  Mask out = 0;
  for (int lane = 0; lane < k_lanes; ++lane) {
    const int kind = std::fpclassify(a[lane]);
    const bool finite = kind != FP_NAN && kind != FP_INFINITE;
    const bool yes = op.kind == 0   ? finite
                     : op.kind == 1 ? kind == FP_INFINITE
                     : op.kind == 2 ? kind != FP_NAN
                     : op.kind == 3 ? kind == FP_NAN
                     : op.kind == 4 ? kind == FP_NORMAL || kind == FP_ZERO
                                    : kind == FP_SUBNORMAL;
    out |= Mask{yes} << lane;
  }
  Mask& d = *warp.at<Mask>(op.d);
  d = (d & ~warp.exec) | (out & warp.exec);
}

bool decode_test(Decoder& decoder)
{
  static constexpr std::array<std::string_view, 6> k_properties = {"finite",     "infinite", "number",
                                                                   "notanumber", "normal",   "subnormal"};
  const auto found = std::ranges::find(k_properties, decoder.part(1));
  const int bytes = ptx::bytes_of_type(decoder.type());
  if (found == k_properties.end() || bytes < 4) {
    return false;
  }
  Op op;
  op.kind = static_cast<std::uint8_t>(found - k_properties.begin());
  op.d = decoder.predicate_destination(decoder.operand(0).text);
  op.a = decoder.source(1, bytes);
  op.run = bytes == 8 ? test_property<double> : test_property<float>;
  decoder.emit(op);
  return true;
}

template <class T> void choose(Warp& warp, const Op& op)
{
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  const T* const b = warp.at<T>(op.b);
  const Mask yes = op.kind != 0 ? ~*warp.at<Mask>(op.c) : *warp.at<Mask>(op.c);
  each_lane(warp, [=](int lane) { d[lane] = ((yes >> lane) & 1) != 0 ? a[lane] : b[lane]; });
}
// slct: by the sign of c, an s32 or f32. kind: .ftz.
template <class T, class C> void choose_by_sign(Warp& warp, const Op& op)
{
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  const T* const b = warp.at<T>(op.b);
  const C* const c = warp.at<C>(op.c);
  each_lane(warp, [=](int lane) {
    C by = c[lane];
    if constexpr (std::is_same_v<C, float>) {
      by = op.kind != 0 ? flushed(by) : by;
    }
    d[lane] = by >= C{0} ? a[lane] : b[lane];
  });
}

template <class T> void copy(Warp& warp, const Op& op)
{
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  each_lane(warp, [=](int lane) { d[lane] = a[lane]; });
}
void copy_predicate(Warp& warp, const Op& op)
{
  const Mask a = op.kind != 0 ? ~*warp.at<Mask>(op.a) : *warp.at<Mask>(op.a);
  Mask& d = *warp.at<Mask>(op.d);
  d = (d & ~warp.exec) | (a & warp.exec);
}
// A part of a wider register, and back: bytes of the part, imm: which one.
template <class Wide, class Part> void take_part(Warp& warp, const Op& op)
{
  Part* const d = warp.at<Part>(op.d);
  const Wide* const a = warp.at<Wide>(op.a);
  const auto shift = static_cast<unsigned>(op.imm) * 8 * sizeof(Part);
  each_lane(warp, [=](int lane) { d[lane] = static_cast<Part>(a[lane] >> shift); });
}
template <class Wide, class Part> void put_part(Warp& warp, const Op& op)
{
  Wide* const d = warp.at<Wide>(op.d);
  const Part* const a = warp.at<Part>(op.a);
  const auto shift = static_cast<unsigned>(op.imm) * 8 * sizeof(Part);
  const Wide keep = static_cast<Wide>(~(static_cast<Wide>(static_cast<Part>(~Part{0})) << shift));
  each_lane(warp,
            [=](int lane) { d[lane] = static_cast<Wide>((d[lane] & keep) | (static_cast<Wide>(a[lane]) << shift)); });
}

template <template <class> class F> Handler by_bytes(int bytes)
{
  return bytes == 2   ? F<std::uint16_t>::handler
         : bytes == 4 ? F<std::uint32_t>::handler
         : bytes == 8 ? F<std::uint64_t>::handler
                      : nullptr;
}
template <class T> struct Copying {
  static constexpr Handler handler = copy<T>;
};
template <class T> struct Choosing {
  static constexpr Handler handler = choose<T>;
};

// mov.b64 %rd, {%r1, %r2} and mov.b64 {%r1, %r2}, %rd.
bool decode_parts(Decoder& decoder, int bytes)
{
  const bool unpacks = decoder.operand(0).kind == ptx::Operand::Kind::list;
  const std::vector<ptx::Operand>& items = decoder.operand(unpacks ? 0 : 1).items;
  const int part = bytes / static_cast<int>(std::max<std::size_t>(items.size(), 1));
  const bool wide = bytes == 8;
  const Handler handler = unpacks ? (wide && part == 4    ? take_part<std::uint64_t, std::uint32_t>
                                     : wide && part == 2  ? take_part<std::uint64_t, std::uint16_t>
                                     : !wide && part == 2 ? take_part<std::uint32_t, std::uint16_t>
                                                          : nullptr)
                                  : (wide && part == 4    ? put_part<std::uint64_t, std::uint32_t>
                                     : wide && part == 2  ? put_part<std::uint64_t, std::uint16_t>
                                     : !wide && part == 2 ? put_part<std::uint32_t, std::uint16_t>
                                                          : nullptr);
  if (handler == nullptr) {
    return false;
  }
  // By way of lanes of its own: a register may be a source and the destination.
  const std::uint32_t whole = unpacks ? decoder.source(1, bytes) : decoder.scratch(bytes);
  for (std::size_t i = 0; i < items.size(); ++i) {
    Op op;
    op.run = handler;
    op.imm = static_cast<std::int64_t>(i);
    if (unpacks) {
      op.d = decoder.destination(items[i], part);
      op.a = whole;
      if (op.d == whole) {
        return false;
      }
    } else {
      op.d = whole;
      op.a = decoder.source(items[i], part);
    }
    decoder.emit(op);
  }
  if (!unpacks) {
    Op op;
    op.run = by_bytes<Copying>(bytes);
    op.d = decoder.destination(bytes);
    op.a = whole;
    decoder.emit(op);
  }
  return true;
}

} // namespace

// setp.lt.and.f32 %p1|%p2, %f1, %f2, %p3
void decode_compare(Decoder& decoder)
{
  if (decoder.name() == "testp") {
    if (!decode_test(decoder)) {
      decoder.unsupported("");
    }
    return;
  }
  const bool number = decoder.name() == "set";
  const std::string_view type = decoder.type();
  const bool pairs = type.ends_with("x2");
  const std::string_view each = pairs ? type.substr(0, type.size() - 2) : type;
  const int comparison = comparison_of(decoder.part(1));
  Op op;
  op.run = number ? comparing<true>(each, comparison, decoder.has("ftz"))
                  : comparing<false>(each, comparison, decoder.has("ftz"));
  if (op.run == nullptr) {
    decoder.unsupported("");
    return;
  }
  op.kind = decoder.has("and") ? 1 : decoder.has("or") ? 2 : decoder.has("xor") ? 3 : 0;
  op.bytes = pairs ? 1 : 0;
  const int bytes = ptx::bytes_of_type(type);
  op.a = decoder.source(1, bytes);
  op.b = decoder.source(2, bytes);
  if (number) {
    const std::string_view result = decoder.part(decoder.statement().opcode.size() - 2);
    const int result_bytes = ptx::bytes_of_type(result);
    if (result_bytes != 2 && result_bytes != 4) {
      decoder.unsupported("");
      return;
    }
    op.imm = result == "f32"              ? 0x3f80'0000
             : result.starts_with("f16")  ? 0x3c00
             : result.starts_with("bf16") ? 0x3f80
             : pairs                      ? 0xffff
                                          : 0xffff'ffff;
    op.target = static_cast<std::uint32_t>(result_bytes);
    op.d = decoder.destination(result_bytes);
  } else {
    const std::string& second = decoder.operand(0).second;
    op.d = decoder.predicate_destination(decoder.operand(0).text);
    op.d2 = second.empty() || second == "_" ? 0 : decoder.predicate_destination(second);
  }
  if (op.kind != 0) {
    bool negated = false;
    op.c = decoder.predicate(decoder.operand(3), negated);
    op.count = negated ? 1 : 0;
  }
  decoder.emit(op);
}

void decode_select(Decoder& decoder)
{
  Op op;
  if (decoder.name() == "slct") {
    const std::string_view type = decoder.part(decoder.statement().opcode.size() - 2);
    const int bytes = ptx::bytes_of_type(type);
    const bool by_float = decoder.type() == "f32";
    op.run =
      bytes == 4   ? (by_float ? choose_by_sign<std::uint32_t, float> : choose_by_sign<std::uint32_t, std::int32_t>)
      : bytes == 8 ? (by_float ? choose_by_sign<std::uint64_t, float> : choose_by_sign<std::uint64_t, std::int32_t>)
      : bytes == 2 ? (by_float ? choose_by_sign<std::uint16_t, float> : choose_by_sign<std::uint16_t, std::int32_t>)
                   : nullptr;
    if (op.run == nullptr) {
      decoder.unsupported("");
      return;
    }
    op.d = decoder.destination(bytes);
    op.a = decoder.source(1, bytes);
    op.b = decoder.source(2, bytes);
    op.c = decoder.source(3, 4);
    op.kind = decoder.has("ftz") ? 1 : 0;
    decoder.emit(op);
    return;
  }
  const int bytes = ptx::bytes_of_type(decoder.type());
  op.run = by_bytes<Choosing>(bytes);
  if (op.run == nullptr) {
    decoder.unsupported("");
    return;
  }
  bool negated = false;
  op.d = decoder.destination(bytes);
  op.a = decoder.source(1, bytes);
  op.b = decoder.source(2, bytes);
  op.c = decoder.predicate(decoder.operand(3), negated);
  op.kind = negated ? 1 : 0;
  decoder.emit(op);
}

void decode_move(Decoder& decoder)
{
  Op op;
  if (decoder.type() == "pred") {
    bool negated = false;
    op.run = copy_predicate;
    op.d = decoder.predicate_destination(decoder.operand(0).text);
    op.a = decoder.predicate(decoder.operand(1), negated);
    op.kind = negated ? 1 : 0;
    decoder.emit(op);
    return;
  }
  const int bytes = ptx::bytes_of_type(decoder.type());
  if (decoder.operand(0).kind == ptx::Operand::Kind::list || decoder.operand(1).kind == ptx::Operand::Kind::list) {
    if (!decode_parts(decoder, bytes)) {
      decoder.unsupported("");
    }
    return;
  }
  op.run = by_bytes<Copying>(bytes);
  if (op.run == nullptr) {
    decoder.unsupported("");
    return;
  }
  op.d = decoder.destination(bytes);
  op.a = decoder.source(1, bytes);
  decoder.emit(op);
}

} // namespace hone::emulate::execute
