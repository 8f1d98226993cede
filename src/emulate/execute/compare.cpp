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

template <Comparison comparison, class T> Mask compared(const Warp& warp, const Op& op)
{
  const T* const a = warp.at<T>(op.a);
  const T* const b = warp.at<T>(op.b);
  Mask out = 0;
  for (int lane = 0; lane < k_lanes; ++lane) {
    out |= Mask{holds<comparison>(a[lane], b[lane])} << lane;
  }
  return out;
}

template <bool bfloat> struct AsHalf {
  std::uint16_t bits;
  float value() const { return bfloat ? bfloat_to_float(bits) : half_to_float(bits); }
  friend bool operator==(AsHalf a, AsHalf b) { return a.value() == b.value(); }
  friend bool operator!=(AsHalf a, AsHalf b) { return a.value() != b.value(); }
  friend bool operator<(AsHalf a, AsHalf b) { return a.value() < b.value(); }
  friend bool operator<=(AsHalf a, AsHalf b) { return a.value() <= b.value(); }
  friend bool operator>(AsHalf a, AsHalf b) { return a.value() > b.value(); }
  friend bool operator>=(AsHalf a, AsHalf b) { return a.value() >= b.value(); }
};

// kind: 1 and, 2 or, 3 xor with the predicate c (count: it is negated). d2: the predicate with the negated comparison.
template <Comparison comparison, class T> void set_predicate(Warp& warp, const Op& op)
{
  Mask first = compared<comparison, T>(warp, op), second = ~first;
  if (op.kind != 0) {
    const Mask given = op.count != 0 ? ~*warp.at<Mask>(op.c) : *warp.at<Mask>(op.c);
    first = op.kind == 1 ? first & given : op.kind == 2 ? first | given : first ^ given;
    second = op.kind == 1 ? second & given : op.kind == 2 ? second | given : second ^ given;
  }
  Mask& d = *warp.at<Mask>(op.d);
  d = (d & ~warp.exec) | (first & warp.exec);
  if (op.d2 != 0) {
    Mask& d2 = *warp.at<Mask>(op.d2);
    d2 = (d2 & ~warp.exec) | (second & warp.exec);
  }
}

// set: all ones, or 1.0 (bytes: 1).
template <Comparison comparison, class T> void set_number(Warp& warp, const Op& op)
{
  const Mask result = compared<comparison, T>(warp, op);
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  const std::uint32_t yes = op.bytes != 0 ? 0x3f800000u : ~0u;
  each_lane(warp, [=](int lane) { d[lane] = ((result >> lane) & 1) != 0 ? yes : 0; });
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

template <bool number> Handler comparing(std::string_view type, int comparison)
{
  return type == "f32"                    ? of_comparison<float, number>(comparison)
         : type == "f64"                  ? of_comparison<double, number>(comparison)
         : type == "f16"                  ? of_comparison<AsHalf<false>, number>(comparison)
         : type == "bf16"                 ? of_comparison<AsHalf<true>, number>(comparison)
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
                     : op.kind == 4 ? kind == FP_NORMAL
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
// slct: by the sign of c, an s32 or f32.
template <class T, class C> void choose_by_sign(Warp& warp, const Op& op)
{
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  const T* const b = warp.at<T>(op.b);
  const C* const c = warp.at<C>(op.c);
  each_lane(warp, [=](int lane) { d[lane] = c[lane] >= C{0} ? a[lane] : b[lane]; });
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
  const int comparison = comparison_of(decoder.part(1));
  Op op;
  op.run = number ? comparing<true>(type, comparison) : comparing<false>(type, comparison);
  op.kind = decoder.has("and") ? 1 : decoder.has("or") ? 2 : decoder.has("xor") ? 3 : 0;
  if (op.run == nullptr || (number && op.kind != 0)) {
    decoder.unsupported("");
    return;
  }
  const int bytes = ptx::bytes_of_type(type);
  op.a = decoder.source(1, bytes);
  op.b = decoder.source(2, bytes);
  if (number) {
    op.bytes = decoder.has("f32") && decoder.statement().opcode.size() > 3
                   && decoder.part(decoder.statement().opcode.size() - 2) == "f32"
                 ? 1
                 : 0;
    op.d = decoder.destination(4);
  } else {
    op.d = decoder.predicate_destination(decoder.operand(0).text);
    op.d2 = decoder.operand(0).second.empty() || decoder.operand(0).second == "_"
              ? 0
              : decoder.predicate_destination(decoder.operand(0).second);
    if (op.kind != 0) {
      bool negated = false;
      op.c = decoder.predicate(decoder.operand(3), negated);
      op.count = negated ? 1 : 0;
    } else {
      op.count = 0;
    }
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
                   : nullptr;
    if (op.run == nullptr) {
      decoder.unsupported("");
      return;
    }
    op.d = decoder.destination(bytes);
    op.a = decoder.source(1, bytes);
    op.b = decoder.source(2, bytes);
    op.c = decoder.source(3, 4);
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
