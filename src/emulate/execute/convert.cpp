// Conversions between types of numbers, and between addresses of windows.
#include "emulate/execute/lanes.h"
#include "emulate/execute/matrix_element.h"
#include "emulate/execute/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace hone::emulate::execute {

namespace {

enum class Number : std::uint8_t { none, unsigned_, signed_, f16, bf16, f32, f64, tf32 };
struct NumberType {
  Number number = Number::none;
  int bytes = 0;
};

NumberType number_type(std::string_view text)
{
  const int bytes = ptx::bytes_of_type(text);
  return text == "f16"                        ? NumberType{Number::f16, 2}
         : text == "bf16"                     ? NumberType{Number::bf16, 2}
         : text == "tf32"                     ? NumberType{Number::tf32, 4}
         : text == "f32"                      ? NumberType{Number::f32, 4}
         : text == "f64"                      ? NumberType{Number::f64, 8}
         : text.starts_with("u") && bytes > 0 ? NumberType{Number::unsigned_, bytes}
         : text.starts_with("s") && bytes > 0 ? NumberType{Number::signed_, bytes}
                                              : NumberType{};
}

bool is_float(Number number)
{
  return number != Number::unsigned_ && number != Number::signed_ && number != Number::none;
}

enum Rounding : std::uint8_t { as_it_is, rn, rz, rm, rp, rni, rzi, rmi, rpi, rna };

Rounding rounding_in(const Decoder& decoder)
{
  static constexpr std::pair<std::string_view, Rounding> k_words[] = {{"rn", rn},   {"rz", rz},   {"rm", rm},
                                                                      {"rp", rp},   {"rni", rni}, {"rzi", rzi},
                                                                      {"rmi", rmi}, {"rpi", rpi}, {"rna", rna}};
  for (const auto& [word, rounding] : k_words) {
    if (decoder.has(word)) {
      return rounding;
    }
  }
  return as_it_is;
}

struct Conversion {
  NumberType from, to;
  Rounding rounding = as_it_is;
  bool flush = false, saturate = false, relu = false;
};

std::uint64_t loaded(const std::byte* at, int bytes)
{
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<std::size_t>(bytes));
  return bits;
}

double float_value(std::uint64_t bits, Number number)
{
  switch (number) {
  case Number::f16:
    return half_to_float(static_cast<std::uint16_t>(bits));
  case Number::bf16:
    return bfloat_to_float(static_cast<std::uint16_t>(bits));
  case Number::f64:
    return std::bit_cast<double>(bits);
  default:
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  }
}

double to_whole(double value, Rounding rounding)
{
  switch (rounding) {
  case rni:
    return std::nearbyint(value);
  case rmi:
    return std::floor(value);
  case rpi:
    return std::ceil(value);
  default:
    return std::trunc(value);
  }
}

// The ends of a type's range; what is beyond comes out as the end.
std::uint64_t whole_from_float(double value, NumberType from, NumberType to)
{
  const int bits = 8 * to.bytes;
  if (value != value) {
    return to.bytes == 8 || from.bytes == 8 ? 1ull << (bits - 1) : 0;
  }
  if (to.number == Number::signed_) {
    const double end = std::ldexp(1.0, bits - 1);
    const std::int64_t most =
      to.bytes == 8 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << (bits - 1)) - 1;
    return static_cast<std::uint64_t>(value >= end   ? most
                                      : value < -end ? -most - 1
                                                     : static_cast<std::int64_t>(value));
  }
  const std::uint64_t most = to.bytes == 8 ? ~0ull : (1ull << bits) - 1;
  return value <= 0 ? 0 : value >= std::ldexp(1.0, bits) ? most : static_cast<std::uint64_t>(value);
}

std::uint8_t mode_of(Rounding rounding)
{
  return rounding == rz ? k_towards_zero : rounding == rm ? k_downwards : rounding == rp ? k_upwards : k_to_nearest;
}

// Of what the rounding of the thread is now.
std::uint64_t float_bits(long double exact, Number number)
{
  if (number == Number::f64) {
    volatile double out = static_cast<double>(exact);
    const double value = out;
    return std::bit_cast<std::uint64_t>(value == value ? value : canonical_nan<double>());
  }
  volatile float out = static_cast<float>(exact);
  const float value = out;
  return std::bit_cast<std::uint32_t>(value == value ? value : canonical_nan<float>());
}

bool is_narrow(Number number)
{
  return number == Number::f16 || number == Number::bf16 || number == Number::tf32;
}

const SmallFloat& format_of(Number number)
{
  return number == Number::f16 ? k_small_half : number == Number::bf16 ? k_small_bfloat : k_small_tf32;
}

// tf32 stands in the upper bits of a word; its NaN is that of f32.
std::uint64_t narrow_bits(std::uint32_t size, bool negative, Number number)
{
  if (number != Number::tf32) {
    return size | (negative ? 0x8000u : 0);
  }
  return size == k_small_tf32.nan ? 0x7fff'ffffu : size << 13 | (negative ? 0x8000'0000u : 0);
}

std::uint32_t to_tf32(float value)
{
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return value != value ? 0x7fffffffu : (bits + 0x1000u) & 0xffffe000u; // away from 0 where it is a tie
}

std::uint64_t converted(std::uint64_t bits, const Conversion& how)
{
  const int width = 8 * how.from.bytes;
  if (!is_float(how.from.number)) {
    const bool negative_too = how.from.number == Number::signed_;
    const auto value = negative_too ? static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width)
                                    : static_cast<std::int64_t>(width == 64 ? bits : bits & ((1ull << width) - 1));
    const bool negative = negative_too && value < 0;
    if (is_narrow(how.to.number)) {
      std::uint64_t size = negative ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
      size = how.saturate ? (negative ? 0 : std::min<std::uint64_t>(size, 1)) : size;
      return narrow_bits(small_float(format_of(how.to.number), mode_of(how.rounding), negative, size, 0),
                         negative && size != 0, how.to.number);
    }
    if (is_float(how.to.number)) {
      const long double exact =
        negative_too ? static_cast<long double>(value) : static_cast<long double>(static_cast<std::uint64_t>(value));
      return float_bits(how.saturate ? std::clamp(exact, 0.0L, 1.0L) : exact, how.to.number);
    }
    if (how.saturate) {
      const int to_width = 8 * how.to.bytes;
      if (how.to.number == Number::unsigned_) {
        const std::uint64_t most = to_width == 64 ? ~0ull : (1ull << to_width) - 1;
        return negative_too && value < 0 ? 0 : std::min(static_cast<std::uint64_t>(value), most);
      }
      const std::int64_t most =
        to_width == 64 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << (to_width - 1)) - 1;
      if (!negative_too) {
        return std::min(static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(most));
      }
      return static_cast<std::uint64_t>(std::clamp(value, -most - 1, most));
    }
    return static_cast<std::uint64_t>(value);
  }
  double value = float_value(bits, how.from.number);
  if (how.flush && how.from.number == Number::f32) {
    value = flushed(static_cast<float>(value));
  }
  if (!is_float(how.to.number)) {
    return whole_from_float(to_whole(value, how.rounding), how.from, how.to);
  }
  if (how.to.number == Number::tf32 && how.rounding == rna) {
    return to_tf32(static_cast<float>(value));
  }
  value = how.rounding >= rni && how.rounding <= rpi ? to_whole(value, how.rounding) : value;
  if (how.saturate) {
    value = value > 0 ? std::min(value, 1.0) : 0.0;
  }
  if (how.relu) {
    value = value > 0 ? value : value != value ? value : 0.0;
  }
  if (is_narrow(how.to.number)) {
    return narrow_bits(small_float(format_of(how.to.number), mode_of(how.rounding), value),
                       std::signbit(value) && value == value, how.to.number);
  }
  const std::uint64_t out = float_bits(value, how.to.number);
  return how.flush && how.to.number == Number::f32
           ? std::bit_cast<std::uint32_t>(flushed(std::bit_cast<float>(static_cast<std::uint32_t>(out))))
           : out;
}

// The conversion is spread over the operation's numbers: kind, count: types; e: rounding and flags; bytes: of a lane of
// the source; target: of the destination.
Conversion conversion_of(const Op& op)
{
  Conversion out;
  out.from = {static_cast<Number>(op.kind & 15), 1 << (op.kind >> 4)};
  out.to = {static_cast<Number>(op.count & 15), 1 << (op.count >> 4)};
  out.rounding = static_cast<Rounding>(op.e & 15);
  out.flush = (op.e & 16) != 0;
  out.saturate = (op.e & 32) != 0;
  out.relu = (op.e & 64) != 0;
  return out;
}

void convert(Warp& warp, const Op& op)
{
  const Conversion how = conversion_of(op);
  const RoundingScope rounding(mode_of(how.rounding));
  const auto stride = static_cast<std::size_t>(op.bytes), out_stride = static_cast<std::size_t>(op.target);
  const std::byte* const a = warp.registers + op.a;
  std::byte* const d = warp.registers + op.d;
  const bool extends = how.to.number == Number::signed_;
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    std::uint64_t out = converted(loaded(a + lane * stride, how.from.bytes), how);
    const int width = 8 * how.to.bytes;
    if (width < 64 && !is_float(how.to.number)) { // the register is wider than the type
      out = extends ? static_cast<std::uint64_t>(static_cast<std::int64_t>(out << (64 - width)) >> (64 - width))
                    : out & ((1ull << width) - 1);
    }
    std::memcpy(d + lane * out_stride, &out, out_stride);
  }
}

template <class From, class To> void convert_plainly(Warp& warp, const Op& op)
{
  To* const d = warp.at<To>(op.d);
  const From* const a = warp.at<From>(op.a);
  each_lane(warp, [=](int lane) { d[lane] = static_cast<To>(a[lane]); });
}

// d = {a, b}: a in the upper half. kind: bf16; count: .relu; e: towards zero.
void convert_pair(Warp& warp, const Op& op)
{
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  const float* const a = warp.at<float>(op.a);
  const float* const b = warp.at<float>(op.b);
  const bool relu = op.count != 0;
  const std::uint8_t mode = op.e != 0 ? k_towards_zero : k_to_nearest;
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto one = [&](float value) -> std::uint32_t {
      value = relu && value < 0 ? 0.0f : value;
      const std::uint32_t sign = std::signbit(value) && value == value ? 0x8000 : 0;
      return small_float(op.kind != 0 ? k_small_bfloat : k_small_half, mode, value) | sign;
    };
    d[lane] = (one(a[lane]) << 16) | one(b[lane]);
  }
}

// e4m3x2 and e5m2x2 (kind: which) from two f32, the first of them in the upper byte, or from f16x2 (bytes: 2). count:
// .relu. What is too great becomes the greatest finite number.
void convert_to_bytes(Warp& warp, const Op& op)
{
  std::uint16_t* const d = warp.at<std::uint16_t>(op.d);
  const SmallFloat& format = op.kind != 0 ? k_small_e5m2 : k_small_e4m3;
  const auto one = [&](float value) -> std::uint32_t {
    value = op.count != 0 && value < 0 ? 0.0f : value;
    if (value != value) {
      return format.nan;
    }
    const std::uint32_t size = std::min(small_float(format, k_to_nearest, value), format.infinity - 1);
    return size | (std::signbit(value) ? 0x80 : 0);
  };
  each_lane(warp, [&](int lane) {
    const std::uint16_t* const halves = warp.at<std::uint16_t>(op.a) + 2 * lane;
    const bool from_halves = op.bytes == 2;
    const float upper = from_halves ? half_to_float(halves[1]) : warp.at<float>(op.a)[lane],
                lower = from_halves ? half_to_float(halves[0]) : warp.at<float>(op.b)[lane];
    d[lane] = static_cast<std::uint16_t>(one(upper) << 8 | one(lower));
  });
}

// And back, which needs no rounding.
void convert_from_bytes(Warp& warp, const Op& op)
{
  std::uint16_t* const d = warp.at<std::uint16_t>(op.d);
  const std::uint16_t* const a = warp.at<std::uint16_t>(op.a);
  const MatrixElement element = op.kind != 0 ? MatrixElement::e5m2 : MatrixElement::e4m3;
  each_lane(warp, [&](int lane) {
    const std::uint16_t pair = a[lane];
    for (int i = 0; i < 2; ++i) {
      const double value = value_of((pair >> (8 * i)) & 0xff, element);
      d[2 * lane + i] = double_to_half(op.count != 0 && value < 0 ? 0.0 : value);
    }
  });
}

bool decode_bytes(Decoder& decoder, std::string_view to, std::string_view from)
{
  const bool gives = to == "e4m3x2" || to == "e5m2x2", takes = from == "e4m3x2" || from == "e5m2x2";
  if (gives ? !decoder.has("satfinite") || (from != "f32" && from != "f16x2") : !takes || to != "f16x2") {
    return false;
  }
  Op op;
  op.run = gives ? convert_to_bytes : convert_from_bytes;
  op.kind = (gives ? to : from) == "e5m2x2" ? 1 : 0;
  op.count = decoder.has("relu") ? 1 : 0;
  op.bytes = from == "f32" ? 4 : 2;
  op.d = decoder.destination(gives ? 2 : 4);
  op.a = decoder.source(1, gives ? 4 : 2);
  op.b = from == "f32" ? decoder.source(2, 4) : 0;
  decoder.emit(op);
  return true;
}

Handler plain_conversion(std::string_view to, std::string_view from)
{
  if (from == "u32" && (to == "u64" || to == "s64")) {
    return convert_plainly<std::uint32_t, std::uint64_t>;
  }
  if (from == "s32" && (to == "u64" || to == "s64")) {
    return convert_plainly<std::int32_t, std::int64_t>;
  }
  if ((from == "u64" || from == "s64") && (to == "u32" || to == "s32")) {
    return convert_plainly<std::uint64_t, std::uint32_t>;
  }
  if (from == "s32" && to == "f32") {
    return convert_plainly<std::int32_t, float>;
  }
  return nullptr;
}

int log_of(int bytes)
{
  return bytes == 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0;
}

// cvta: between a window's offsets and generic addresses.
template <bool to_window> void convert_window(Warp& warp, const Op& op)
{
  std::uint64_t* const d = warp.at<std::uint64_t>(op.d);
  const std::uint64_t* const a = warp.at<std::uint64_t>(op.a);
  const auto window = static_cast<std::uint64_t>(op.imm);
  each_lane(warp, [=](int lane) { d[lane] = to_window ? a[lane] & ~window : a[lane] | window; });
}

void is_in_space(Warp& warp, const Op& op)
{
  const std::uint64_t* const a = warp.at<std::uint64_t>(op.a);
  Mask out = 0;
  for (int lane = 0; lane < k_lanes; ++lane) {
    out |= Mask{(a[lane] & k_window_mask) == static_cast<std::uint64_t>(op.imm)} << lane;
  }
  Mask& d = *warp.at<Mask>(op.d);
  d = (d & ~warp.exec) | (out & warp.exec);
}

std::uint64_t window_of(const Decoder& decoder)
{
  return decoder.has("shared") || decoder.has("shared::cta") || decoder.has("shared::cluster") ? k_shared_window
         : decoder.has("local")                                                                ? k_local_window
         : decoder.has("const")                                                                ? k_constant_window
         : decoder.has("param")                                                                ? k_parameter_window
                                                                                               : 0;
}

} // namespace

void decode_convert(Decoder& decoder)
{
  const auto& opcode = decoder.statement().opcode;
  const std::string_view to = opcode[opcode.size() - 2], from = opcode.back();
  Op op;
  if ((to == "f16x2" || to == "bf16x2") && from == "f32" && (decoder.has("rn") || decoder.has("rz"))
      && !decoder.has("satfinite")) {
    op.run = convert_pair;
    op.kind = to == "bf16x2" ? 1 : 0;
    op.count = decoder.has("relu") ? 1 : 0;
    op.e = decoder.has("rz") ? 1 : 0;
    op.d = decoder.destination(4);
    op.a = decoder.source(1, 4);
    op.b = decoder.source(2, 4);
    decoder.emit(op);
    return;
  }
  if (decode_bytes(decoder, to, from)) {
    return;
  }
  const NumberType source = number_type(from), target = number_type(to);
  const Rounding rounding = rounding_in(decoder);
  if (source.number == Number::none || target.number == Number::none || decoder.has("satfinite")) {
    decoder.unsupported("");
    return;
  }
  const int register_bytes = decoder.register_bytes(decoder.operand(1));
  const int out_bytes = std::max(decoder.register_bytes(decoder.operand(0)), target.bytes);
  op.bytes = static_cast<std::uint8_t>(register_bytes > 0 ? register_bytes : source.bytes);
  op.target = static_cast<std::uint32_t>(out_bytes);
  op.kind = static_cast<std::uint8_t>(static_cast<int>(source.number) | (log_of(source.bytes) << 4));
  op.count = static_cast<std::uint8_t>(static_cast<int>(target.number) | (log_of(target.bytes) << 4));
  op.e = static_cast<std::uint32_t>(rounding) | (decoder.has("ftz") ? 16 : 0) | (decoder.has("sat") ? 32 : 0)
         | (decoder.has("relu") ? 64 : 0);
  op.d = decoder.destination(out_bytes);
  op.a = decoder.source(1, source.bytes);
  const bool natural = op.bytes == source.bytes && out_bytes == target.bytes && (op.e & ~15u) == 0
                       && (rounding == rn || rounding == as_it_is);
  op.run = natural && plain_conversion(to, from) != nullptr ? plain_conversion(to, from) : convert;
  decoder.emit(op);
}

void decode_convert_address(Decoder& decoder)
{
  Op op;
  op.imm = static_cast<std::int64_t>(window_of(decoder));
  if (decoder.name() == "isspacep") {
    op.run = is_in_space;
    op.d = decoder.predicate_destination(decoder.operand(0).text);
    op.a = decoder.source(1, 8);
    decoder.emit(op);
    return;
  }
  if (ptx::bytes_of_type(decoder.type()) != 8) {
    decoder.unsupported("");
    return;
  }
  op.run = decoder.has("to") ? convert_window<true> : convert_window<false>;
  op.d = decoder.destination(8);
  op.a = decoder.source(1, 8);
  decoder.emit(op);
}

} // namespace hone::emulate::execute
