// Bits: logic, shifts, counting, fields, permutations.
#include "emulate/execute/lanes.h"

#include <algorithm>
#include <bit>

namespace hone::emulate::execute {

namespace {

struct And {
  template <class T> static T run(T a, T b) { return static_cast<T>(a & b); }
};
struct Or {
  template <class T> static T run(T a, T b) { return static_cast<T>(a | b); }
};
struct Xor {
  template <class T> static T run(T a, T b) { return static_cast<T>(a ^ b); }
};
struct Not {
  template <class T> static T run(T a) { return static_cast<T>(~a); }
};
struct LogicalNot {
  template <class T> static T run(T a) { return a == 0 ? 1 : 0; }
};
struct Reverse {
  template <class T> static T run(T a)
  {
    T out = 0;
    for (std::size_t i = 0; i < 8 * sizeof(T); ++i) {
      out = static_cast<T>(out | (((a >> i) & 1) << (8 * sizeof(T) - 1 - i)));
    }
    return out;
  }
};

#define HONE_BITS(Name, shape)                                                                                         \
  template <class T> struct MakeBits##Name {                                                                           \
    static constexpr Handler handler = shape<T, Name>;                                                                 \
  };
HONE_BITS(And, binary)
HONE_BITS(Or, binary)
HONE_BITS(Xor, binary)
HONE_BITS(Not, unary)
HONE_BITS(LogicalNot, unary)
HONE_BITS(Reverse, unary)

// Shifts take the distance in 32 bits and hold it to the width.
template <class T, bool left> void shift(Warp& warp, const Op& op)
{
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  const std::uint32_t* const b = warp.at<std::uint32_t>(op.b);
  constexpr std::uint32_t width = 8 * sizeof(T);
  each_lane(warp, [=](int lane) {
    const std::uint32_t by = b[lane];
    if constexpr (left) {
      d[lane] = by >= width ? T{0} : static_cast<T>(static_cast<std::uint64_t>(a[lane]) << by);
    } else {
      d[lane] = by >= width ? static_cast<T>(a[lane] < 0 ? -1 : 0) : static_cast<T>(a[lane] >> by);
    }
  });
}
template <class T> struct MakeLeft {
  static constexpr Handler handler = shift<T, true>;
};
template <class T> struct MakeRight {
  static constexpr Handler handler = shift<T, false>;
};

// Of a result in 32 bits.
template <class T, class F> void counted(Warp& warp, const Op& op)
{
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  const T* const a = warp.at<T>(op.a);
  each_lane(warp, [=](int lane) { d[lane] = F::run(a[lane]); });
}
struct Ones {
  template <class T> static std::uint32_t run(T a)
  {
    return static_cast<std::uint32_t>(std::popcount(static_cast<std::make_unsigned_t<T>>(a)));
  }
};
struct LeadingZeros {
  template <class T> static std::uint32_t run(T a)
  {
    return static_cast<std::uint32_t>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(a)));
  }
};
// The place of the highest bit that differs from the sign; ~0: there is none.
struct FindBit {
  template <class T> static std::uint32_t run(T a)
  {
    using U = std::make_unsigned_t<T>;
    const U bits = a < T{0} ? static_cast<U>(~static_cast<U>(a)) : static_cast<U>(a);
    return bits == 0
             ? ~0u
             : static_cast<std::uint32_t>(8 * sizeof(T) - 1) - static_cast<std::uint32_t>(std::countl_zero(bits));
  }
};
struct FindBitAsShift {
  template <class T> static std::uint32_t run(T a)
  {
    const std::uint32_t place = FindBit::run(a);
    return place == ~0u ? place : static_cast<std::uint32_t>(8 * sizeof(T) - 1) - place;
  }
};
template <class F> Handler counting(std::string_view type)
{
  return type == "u32" || type == "b32"   ? counted<std::uint32_t, F>
         : type == "s32"                  ? counted<std::int32_t, F>
         : type == "u64" || type == "b64" ? counted<std::uint64_t, F>
         : type == "s64"                  ? counted<std::int64_t, F>
                                          : nullptr;
}

// bfe: a field of `c` bits from bit `b` on; signed fields extend their highest bit, or the number's.
template <class T> void extract_field(Warp& warp, const Op& op)
{
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  const std::uint32_t* const b = warp.at<std::uint32_t>(op.b);
  const std::uint32_t* const c = warp.at<std::uint32_t>(op.c);
  using U = std::make_unsigned_t<T>;
  constexpr std::uint32_t width = 8 * sizeof(T);
  each_lane(warp, [=](int lane) {
    const std::uint32_t from = b[lane] & 0xff, bits = c[lane] & 0xff;
    const U value = static_cast<U>(a[lane]);
    const U sign_bit = bits == 0 ? 0 : (value >> std::min(from + bits - 1, width - 1)) & 1;
    U out = from >= width ? 0 : value >> from;
    const U mask = bits >= width ? ~U{0} : static_cast<U>((U{1} << bits) - 1);
    out &= mask;
    if (std::is_signed_v<T> && sign_bit != 0) {
      const std::uint32_t have = from >= width ? 0 : std::min(bits, width - from);
      out |= have >= width ? U{0} : static_cast<U>(~U{0} << have);
    }
    d[lane] = static_cast<T>(bits == 0 ? U{0} : out);
  });
}
template <class T> struct MakeExtract {
  static constexpr Handler handler = extract_field<T>;
};

// bfi: `a` in place of the field of `b`.
template <class T> void insert_field(Warp& warp, const Op& op)
{
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  const T* const b = warp.at<T>(op.b);
  const std::uint32_t* const c = warp.at<std::uint32_t>(op.c);
  const std::uint32_t* const e = warp.at<std::uint32_t>(op.e);
  constexpr std::uint32_t width = 8 * sizeof(T);
  each_lane(warp, [=](int lane) {
    const std::uint32_t from = c[lane] & 0xff, bits = e[lane] & 0xff;
    if (from >= width || bits == 0) {
      d[lane] = b[lane];
      return;
    }
    const T ones = bits >= width ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << bits) - 1);
    const T mask = static_cast<T>(ones << from);
    d[lane] = static_cast<T>((b[lane] & ~mask) | ((a[lane] << from) & mask));
  });
}

// The default mode: four selectors of 4 bits; bit 3 repeats the byte's sign.
void permute(Warp& warp, const Op& op)
{
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  const std::uint32_t* const a = warp.at<std::uint32_t>(op.a);
  const std::uint32_t* const b = warp.at<std::uint32_t>(op.b);
  const std::uint32_t* const c = warp.at<std::uint32_t>(op.c);
  each_lane(warp, [=](int lane) {
    const std::uint64_t both = (std::uint64_t{b[lane]} << 32) | a[lane];
    std::uint32_t out = 0;
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t selector = (c[lane] >> (4 * i)) & 15;
      std::uint32_t byte = static_cast<std::uint32_t>(both >> (8 * (selector & 7))) & 0xff;
      byte = (selector & 8) != 0 ? ((byte & 0x80) != 0 ? 0xff : 0) : byte;
      out |= byte << (8 * i);
    }
    d[lane] = out;
  });
}

// The other modes: imm names the byte of b:a for each value of the selector and each byte of the result.
void permute_by_mode(Warp& warp, const Op& op)
{
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  const std::uint32_t* const a = warp.at<std::uint32_t>(op.a);
  const std::uint32_t* const b = warp.at<std::uint32_t>(op.b);
  const std::uint32_t* const c = warp.at<std::uint32_t>(op.c);
  each_lane(warp, [=](int lane) {
    const std::uint64_t both = (std::uint64_t{b[lane]} << 32) | a[lane];
    const auto bytes = static_cast<std::uint32_t>(op.imm >> (16 * (c[lane] & 3)));
    std::uint32_t out = 0;
    for (int i = 0; i < 4; ++i) {
      out |= (static_cast<std::uint32_t>(both >> (8 * ((bytes >> (4 * i)) & 7))) & 0xff) << (8 * i);
    }
    d[lane] = out;
  });
}

std::int64_t bytes_of_mode(std::string_view mode) // 0: not known
{
  return mode == "f4e"    ? 0x6543'5432'4321'3210
         : mode == "b4e"  ? 0x0123'7012'6701'5670
         : mode == "rc8"  ? 0x3333'2222'1111'0000
         : mode == "ecl"  ? 0x3333'3222'3211'3210
         : mode == "ecr"  ? 0x3210'2210'1110'0000
         : mode == "rc16" ? 0x3232'1010'3232'1010
                          : 0;
}

// fns: the c-th set bit of a, from bit b on, upwards or downwards; ~0: there is none.
void find_nth_set(Warp& warp, const Op& op)
{
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  const std::uint32_t* const a = warp.at<std::uint32_t>(op.a);
  const std::uint32_t* const b = warp.at<std::uint32_t>(op.b);
  const std::int32_t* const c = warp.at<std::int32_t>(op.c);
  each_lane(warp, [=](int lane) {
    const std::int64_t offset = c[lane], step = offset >= 0 ? 1 : -1, wanted = std::max(offset * step, std::int64_t{1});
    std::int64_t met = 0, out = -1;
    for (std::int64_t at = b[lane]; at >= 0 && at < 32 && out < 0; at += step) {
      met += (a[lane] >> at) & 1;
      out = met == wanted ? at : -1;
      if (offset == 0) {
        break;
      }
    }
    d[lane] = static_cast<std::uint32_t>(out);
  });
}

// bmsk: b ones from bit a on. kind: places and lengths above the width are held to it, not cut.
void make_mask(Warp& warp, const Op& op)
{
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  const std::uint32_t* const a = warp.at<std::uint32_t>(op.a);
  const std::uint32_t* const b = warp.at<std::uint32_t>(op.b);
  each_lane(warp, [=](int lane) {
    const std::uint32_t from = op.kind != 0 ? std::min(a[lane], 32u) : a[lane] & 31,
                        bits = op.kind != 0 ? std::min(b[lane], 32u) : b[lane] & 31;
    d[lane] = static_cast<std::uint32_t>(((std::uint64_t{1} << bits) - 1) << from);
  });
}

// szext: the lower b bits of a, extended.
template <class T> void extend_field(Warp& warp, const Op& op)
{
  T* const d = warp.at<T>(op.d);
  const T* const a = warp.at<T>(op.a);
  const std::uint32_t* const b = warp.at<std::uint32_t>(op.b);
  each_lane(warp, [=](int lane) {
    const std::uint32_t bits = op.kind != 0 ? std::min(b[lane], 32u) : b[lane] & 31;
    const std::uint32_t up = 32 - bits;
    d[lane] = bits == 0 ? T{0} : static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(a[lane]) << up) >> up);
  });
}

// lop3. kind: 1 or, 2 and: d2 tells whether the result is not 0, with the predicate e (count: it is negated).
void look_up(Warp& warp, const Op& op)
{
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  const std::uint32_t* const a = warp.at<std::uint32_t>(op.a);
  const std::uint32_t* const b = warp.at<std::uint32_t>(op.b);
  const std::uint32_t* const c = warp.at<std::uint32_t>(op.c);
  const auto table = static_cast<std::uint32_t>(op.imm);
  each_lane(warp, [=](int lane) {
    std::uint32_t out = 0;
    for (std::uint32_t i = 0; i < 8; ++i) { // each combination of one bit of each
      if (((table >> i) & 1) != 0) {
        out |= ((i & 4) != 0 ? a[lane] : ~a[lane]) & ((i & 2) != 0 ? b[lane] : ~b[lane])
               & ((i & 1) != 0 ? c[lane] : ~c[lane]);
      }
    }
    d[lane] = out;
  });
  if (op.kind != 0) {
    Mask some = 0;
    for (int lane = 0; lane < k_lanes; ++lane) {
      some |= Mask{d[lane] != 0} << lane;
    }
    const Mask given = op.count != 0 ? ~*warp.at<Mask>(op.e) : *warp.at<Mask>(op.e);
    Mask& p = *warp.at<Mask>(op.d2);
    p = (p & ~warp.exec) | ((op.kind == 1 ? some | given : some & given) & warp.exec);
  }
}

// shf: of b:a, shifted by c, the upper half (left) or the lower one (right).
template <bool left, bool wrap> void funnel(Warp& warp, const Op& op)
{
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  const std::uint32_t* const a = warp.at<std::uint32_t>(op.a);
  const std::uint32_t* const b = warp.at<std::uint32_t>(op.b);
  const std::uint32_t* const c = warp.at<std::uint32_t>(op.c);
  each_lane(warp, [=](int lane) {
    const std::uint32_t by = wrap ? c[lane] & 31 : std::min(c[lane], 32u);
    const std::uint64_t both = (std::uint64_t{b[lane]} << 32) | a[lane];
    d[lane] = static_cast<std::uint32_t>(left ? (both << by) >> 32 : both >> by);
    if (left && by == 32) {
      d[lane] = a[lane];
    }
  });
}

// Of predicates.
template <class F> void predicates(Warp& warp, const Op& op)
{
  const Mask a = *warp.at<Mask>(op.a), b = *warp.at<Mask>(op.b);
  const Mask x = (op.kind & 1) != 0 ? ~a : a, y = (op.kind & 2) != 0 ? ~b : b;
  Mask& d = *warp.at<Mask>(op.d);
  d = (d & ~warp.exec) | (F::run(x, y) & warp.exec);
}
struct First {
  template <class T> static T run(T a, T) { return static_cast<T>(~a); }
};

bool decode_predicates(Decoder& decoder)
{
  const std::string& name = decoder.name();
  const Handler handler = name == "and"   ? predicates<And>
                          : name == "or"  ? predicates<Or>
                          : name == "xor" ? predicates<Xor>
                          : name == "not" ? predicates<First>
                                          : nullptr;
  if (handler == nullptr) {
    return false;
  }
  bool a_negated = false, b_negated = false;
  Op op;
  op.a = decoder.predicate(decoder.operand(1), a_negated);
  op.b = decoder.operands() > 2 ? decoder.predicate(decoder.operand(2), b_negated) : op.a;
  op.kind = static_cast<std::uint8_t>((a_negated ? 1 : 0) | (b_negated ? 2 : 0));
  op.d = decoder.predicate_destination(decoder.operand(0).text);
  op.run = handler;
  op.run = handler;
  decoder.emit(op);
  return true;
}

Handler bits_handler(const Decoder& decoder)
{
  const std::string& name = decoder.name();
  const std::string_view type = decoder.type();
  if (name == "shf") {
    const bool wrap = decoder.has("wrap");
    return decoder.has("l") ? (wrap ? funnel<true, true> : funnel<true, false>)
                            : (wrap ? funnel<false, true> : funnel<false, false>);
  }
  return name == "and"     ? of_integer<MakeBitsAnd>(type)
         : name == "or"    ? of_integer<MakeBitsOr>(type)
         : name == "xor"   ? of_integer<MakeBitsXor>(type)
         : name == "not"   ? of_integer<MakeBitsNot>(type)
         : name == "cnot"  ? of_integer<MakeBitsLogicalNot>(type)
         : name == "brev"  ? of_integer<MakeBitsReverse>(type)
         : name == "shl"   ? of_integer<MakeLeft>(type)
         : name == "shr"   ? of_integer<MakeRight>(type)
         : name == "popc"  ? counting<Ones>(type)
         : name == "clz"   ? counting<LeadingZeros>(type)
         : name == "bfind" ? (decoder.has("shiftamt") ? counting<FindBitAsShift>(type) : counting<FindBit>(type))
         : name == "bfe"   ? of_integer<MakeExtract>(type)
         : name == "bfi"   ? (type == "b64" ? insert_field<std::uint64_t> : insert_field<std::uint32_t>)
         : name == "prmt"  ? (decoder.statement().opcode.size() == 2 ? permute
                              : bytes_of_mode(decoder.type()) != 0   ? permute_by_mode
                                                                     : nullptr)
         : name == "fns"   ? find_nth_set
         : name == "bmsk"  ? make_mask
         : name == "szext" ? (type == "s32" ? extend_field<std::int32_t> : extend_field<std::uint32_t>)
         : name == "lop3"  ? look_up
                           : nullptr;
}

} // namespace

void decode_bits(Decoder& decoder)
{
  if (decoder.type() == "pred") {
    if (!decode_predicates(decoder)) {
      decoder.unsupported("");
    }
    return;
  }
  const std::string& name = decoder.name();
  const int bytes = name == "prmt" ? 4 : ptx::bytes_of_type(decoder.type());
  Op op;
  op.run = bits_handler(decoder);
  if (op.run == nullptr || bytes == 0) {
    decoder.unsupported("");
    return;
  }
  const bool counts = name == "popc" || name == "clz" || name == "bfind";
  const bool shifts = name == "shl" || name == "shr" || name == "bfe";
  op.d = decoder.destination(counts ? 4 : bytes);
  op.a = decoder.source(1, bytes);
  op.b = decoder.operands() > 2 ? decoder.source(2, shifts ? 4 : bytes) : 0;
  op.c = decoder.operands() > 3 ? decoder.source(3, 4) : 0;
  if (name == "bfi") {
    op.e = decoder.source(4, 4);
  }
  if (name == "prmt") {
    op.imm = bytes_of_mode(decoder.type());
  }
  if (name == "bmsk" || name == "szext") {
    op.kind = decoder.has("clamp") ? 1 : 0;
  }
  if (name == "lop3" && !decoder.operand(0).second.empty()) {
    bool negated = false;
    op.kind = decoder.has("or") ? 1 : 2;
    op.d2 = decoder.predicate_destination(decoder.operand(0).second);
    op.e = decoder.predicate(decoder.operand(5), negated);
    op.count = negated ? 1 : 0;
  }
  if (name == "lop3") {
    op.imm = static_cast<std::int64_t>(decoder.operand(4).bits);
  }
  decoder.emit(op);
}

} // namespace hone::emulate::execute
