// Loads, stores and atomic updates.
#include "emulate/execute/bulk.h"
#include "emulate/execute/counting.h"
#include "emulate/execute/lanes.h"
#include "emulate/execute/memory_access.h"
#include "emulate/execute/numbers.h"
#include "emulate/execute/order.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace hone::emulate::execute {

namespace {

// Op::kind of an access.
constexpr std::uint8_t k_where = 7, k_read_only = 8, k_signed = 16, k_absolute = 32;

std::array<std::uint32_t, 4> lanes_of(const Op& op)
{
  return {op.d, op.d2, op.b, op.c};
}

std::uint64_t address_of(const Warp& warp, const Op& op, int lane)
{
  const auto offset = static_cast<std::uint64_t>(op.imm);
  if ((op.kind & k_absolute) != 0) {
    return offset;
  }
  return op.e == 4 ? warp.at<std::uint32_t>(op.a)[lane] + offset : warp.at<std::uint64_t>(op.a)[lane] + offset;
}

// To a register that may be wider than the type: op.target bytes of a lane.
void give(Warp& warp, const Op& op, std::uint32_t to, int lane, const std::byte* from)
{
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, op.bytes);
  if ((op.kind & k_signed) != 0 && op.bytes < 8) {
    const int shift = 64 - 8 * op.bytes;
    bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << shift) >> shift);
  }
  std::memcpy(warp.registers + to + static_cast<std::size_t>(lane) * op.target, &bits, op.target);
}

void count(Warp& warp, const Op& op, std::size_t bytes, Access access)
{
  if (warp.group->launch->lines.empty()) {
    return;
  }
  std::array<std::uint64_t, k_lanes> addresses{};
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    addresses[static_cast<std::size_t>(lane)] = address_of(warp, op, lane);
  }
  count_access(warp, op, static_cast<Where>(op.kind & k_where), addresses, bytes, access);
}

void load(Warp& warp, const Op& op)
{
  const auto where = static_cast<Where>(op.kind & k_where);
  const std::size_t all = std::size_t{op.bytes} * op.count;
  count(warp, op, all, Access::load);
  warp.poll(op);
  const auto to = lanes_of(op);
  const bool read_only = (op.kind & k_read_only) != 0;
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::byte* const from =
      bytes_at(warp, op, where, address_of(warp, op, lane), all, lane, Access::load, read_only);
    if (from == nullptr) {
      return;
    }
    for (std::size_t i = 0; i < op.count; ++i) {
      give(warp, op, to[i], lane, from + i * op.bytes);
    }
    if (op.order != 0) {
      read_flag(warp, op, from);
    }
  }
}

// Words of memory that the launch may not store to: bounds are all that is looked at.
template <class T> void load_words(Warp& warp, const Op& op)
{
  if (!warp.group->launch->lines.empty()) {
    load(warp, op);
    return;
  }
  GlobalMemory& memory = *warp.group->launch->memory;
  const std::uint64_t* const a = warp.at<std::uint64_t>(op.a);
  const auto to = lanes_of(op);
  const std::size_t all = sizeof(T) * op.count;
  const auto offset = static_cast<std::uint64_t>(op.imm);
  const Allocation* held = nullptr;
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t address = a[lane] + offset;
    const bool fits = held != nullptr && address >= held->begin && address + all <= held->end();
    held = fits ? held : memory.find(address, all);
    if (held == nullptr || address % all != 0) {
      load(warp, op); // says what is wrong; windows are looked at
      return;
    }
    const T* const from = reinterpret_cast<const T*>(address);
    for (std::size_t i = 0; i < op.count; ++i) {
      warp.at<T>(to[i])[lane] = from[i];
    }
  }
}

void store(Warp& warp, const Op& op)
{
  const auto where = static_cast<Where>(op.kind & k_where);
  const std::size_t all = std::size_t{op.bytes} * op.count;
  count(warp, op, all, Access::store);
  const auto from = lanes_of(op);
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    std::byte* const to = bytes_at(warp, op, where, address_of(warp, op, lane), all, lane, Access::store, false);
    if (to == nullptr) {
      return;
    }
    for (std::size_t i = 0; i < op.count; ++i) {
      std::memcpy(to + i * op.bytes, warp.registers + from[i] + static_cast<std::size_t>(lane) * op.target, op.bytes);
    }
    if (op.order != 0) {
      write_flag(warp, op, to, false);
    }
  }
  if ((op.order & k_releases) != 0) {
    warp.advance();
  }
}

Where where_of(const Decoder& decoder)
{
  return decoder.has("global")                                                               ? Where::global
         : decoder.has("shared") || decoder.has("shared::cta")                               ? Where::shared
         : decoder.has("shared::cluster")                                                    ? Where::cluster
         : decoder.has("local")                                                              ? Where::local
         : decoder.has("const")                                                              ? Where::constant
         : decoder.has("param") || decoder.has("param::entry") || decoder.has("param::func") ? Where::parameter
                                                                                             : Where::generic;
}

// The register or symbol of an address, its width and offset.
bool take_address(Decoder& decoder, const ptx::Operand& operand, Op& op)
{
  op.imm = operand.offset;
  if (operand.text.empty()) {
    op.kind |= k_absolute;
    op.imm += static_cast<std::int64_t>(operand.bits);
    return true;
  }
  if (const Decoder::Symbol* known = decoder.symbol(operand.text)) {
    op.kind |= k_absolute;
    op.imm += static_cast<std::int64_t>(known->offset);
    return true;
  }
  const int bytes = decoder.register_bytes(operand);
  op.e = static_cast<std::uint32_t>(bytes);
  op.a = decoder.source(operand, std::max(bytes, 4));
  return bytes == 4 || bytes == 8;
}

bool take_type(const Decoder& decoder, Op& op)
{
  const std::string_view type = decoder.type();
  op.bytes = static_cast<std::uint8_t>(ptx::bytes_of_type(type));
  op.count = decoder.has("v2") ? 2 : decoder.has("v4") ? 4 : decoder.has("v8") ? 8 : 1;
  op.kind = static_cast<std::uint8_t>(op.kind | (type.starts_with("s") ? k_signed : 0));
  return op.bytes > 0 && op.bytes <= 8 && op.count <= 4;
}

bool decode_access(Decoder& decoder, bool stores)
{
  Op op;
  op.kind = static_cast<std::uint8_t>(where_of(decoder));
  op.order = order_in(decoder);
  if (!take_type(decoder, op) || !take_address(decoder, decoder.operand(stores ? 0 : 1), op)) {
    return false;
  }
  if (static_cast<Where>(op.kind & k_where) == Where::parameter) {
    const Decoder::Symbol* const known = decoder.symbol(decoder.operand(stores ? 0 : 1).text);
    if (known != nullptr && known->space == ptx::Space::local) { // of a call: each item has its own
      op.kind = static_cast<std::uint8_t>((op.kind & ~k_where) | static_cast<std::uint8_t>(Where::local));
    } else if (decoder.is_in_function() || stores) {
      return false;
    }
  }
  const bool read_only = decoder.has("nc") || static_cast<Where>(op.kind & k_where) == Where::constant;
  op.kind = static_cast<std::uint8_t>(op.kind | (read_only ? k_read_only : 0));
  const ptx::Operand& data = decoder.operand(stores ? 1 : 0);
  std::array<std::uint32_t*, 4> lanes = {&op.d, &op.d2, &op.b, &op.c};
  int width = 0;
  for (std::size_t i = 0; i < op.count; ++i) {
    const ptx::Operand& one =
      data.kind == ptx::Operand::Kind::list ? data.items.at(std::min(i, data.items.size() - 1)) : data;
    const int register_bytes = std::max(decoder.register_bytes(one), static_cast<int>(op.bytes));
    if (width != 0 && width != register_bytes && one.kind == ptx::Operand::Kind::name) {
      return false;
    }
    width = std::max(width, register_bytes);
    *lanes[i] = stores ? decoder.source(one, width) : decoder.destination(one, width);
  }
  op.target = static_cast<std::uint32_t>(width);
  const bool words = !stores && op.order == 0 && (op.kind & k_read_only) != 0
                     && static_cast<Where>(op.kind & k_where) == Where::global && op.e == 8 && width == op.bytes;
  op.run = stores                   ? store
           : words && op.bytes == 4 ? load_words<std::uint32_t>
           : words && op.bytes == 8 ? load_words<std::uint64_t>
           : words && op.bytes == 2 ? load_words<std::uint16_t>
                                    : load;
  decoder.emit(op);
  return true;
}

// --- atomic updates ---

enum class Update : std::uint8_t { add, min, max, inc, dec, exchange, compare, land, lor, lxor };

template <class T> T updated(Update how, T old, T value, T other)
{
  switch (how) {
  case Update::add:
    return static_cast<T>(old + value);
  case Update::min:
    return std::min(old, value);
  case Update::max:
    return std::max(old, value);
  case Update::inc:
    return old >= value ? T{0} : static_cast<T>(old + T{1});
  case Update::dec:
    return old == T{0} || old > value ? value : static_cast<T>(old - T{1});
  case Update::compare:
    return old == value ? other : old;
  default:
    return value;
  }
}

template <class T> T logical(Update how, T old, T value)
{
  return static_cast<T>(how == Update::land ? old & value : how == Update::lor ? old | value : old ^ value);
}

// count: Update; d2: 1 where the old value is given back.
template <class T> void update(Warp& warp, const Op& op)
{
  const auto where = static_cast<Where>(op.kind & k_where);
  const auto how = static_cast<Update>(op.count);
  const T* const b = warp.at<T>(op.b);
  const T* const c = warp.at<T>(op.c);
  T* const d = warp.at<T>(op.d);
  count(warp, op, sizeof(T), Access::atomic);
  warp.poll(op);
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const Access access = how == Update::exchange ? Access::store : Access::atomic; // whatever was there
    std::byte* const at = bytes_at(warp, op, where, address_of(warp, op, lane), sizeof(T), lane, access, false);
    if (at == nullptr) {
      return;
    }
    read_flag(warp, op, at);
    T old{};
    std::memcpy(&old, at, sizeof old);
    T next = updated(how, old, b[lane], c[lane]);
    if constexpr (std::is_integral_v<T>) {
      next = how >= Update::land ? logical(how, old, b[lane]) : next;
    }
    std::memcpy(at, &next, sizeof next);
    write_flag(warp, op, at, true);
    if (op.d2 != 0) {
      d[lane] = old;
    }
  }
  if ((op.order & k_releases) != 0) {
    warp.advance();
  }
}

bool decode_update(Decoder& decoder)
{
  static constexpr std::array<std::pair<std::string_view, Update>, 10> k_updates = {{{"add", Update::add},
                                                                                     {"min", Update::min},
                                                                                     {"max", Update::max},
                                                                                     {"inc", Update::inc},
                                                                                     {"dec", Update::dec},
                                                                                     {"exch", Update::exchange},
                                                                                     {"cas", Update::compare},
                                                                                     {"and", Update::land},
                                                                                     {"or", Update::lor},
                                                                                     {"xor", Update::lxor}}};
  Op op;
  op.kind = static_cast<std::uint8_t>(where_of(decoder));
  const bool gives = decoder.name() == "atom";
  const auto found = std::ranges::find_if(k_updates, [&](const auto& one) { return decoder.has(one.first); });
  if (found == k_updates.end() || !take_address(decoder, decoder.operand(gives ? 1 : 0), op) || decoder.has("noftz")) {
    return false;
  }
  op.order = order_in(decoder);
  const std::string_view type = decoder.type();
  const int bytes = ptx::bytes_of_type(type);
  op.run = type == "f32"                    ? update<float>
           : type == "f64"                  ? update<double>
           : type == "s32"                  ? update<std::int32_t>
           : type == "s64"                  ? update<std::int64_t>
           : type == "u32" || type == "b32" ? update<std::uint32_t>
           : type == "u64" || type == "b64" ? update<std::uint64_t>
                                            : nullptr;
  if (op.run == nullptr) {
    return false;
  }
  op.count = static_cast<std::uint8_t>(found->second);
  op.d = gives ? decoder.destination(bytes) : decoder.scratch(bytes);
  op.d2 = gives ? 1 : 0;
  op.b = decoder.source(gives ? 2 : 1, bytes);
  op.c = found->second == Update::compare ? decoder.source(gives ? 3 : 2, bytes) : op.b;
  decoder.emit(op);
  return true;
}

} // namespace

void decode_load(Decoder& decoder)
{
  if (!decode_access(decoder, false)) {
    decoder.unsupported("");
  }
}

void decode_store(Decoder& decoder)
{
  const bool known =
    decoder.has("async") ? decode_async_store(decoder) : !decoder.has("bulk") && decode_access(decoder, true);
  if (!known) {
    decoder.unsupported("");
  }
}

void decode_atomic(Decoder& decoder)
{
  if (!(decoder.has("async") ? decode_async_store(decoder) : decode_update(decoder))) {
    decoder.unsupported("");
  }
}

} // namespace hone::emulate::execute
