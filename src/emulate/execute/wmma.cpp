// wmma: products of matrices whose fragments have a layout that nobody may know. Here element e of a matrix, row by
// row, is the (e / 32)th of lane e % 32; registers beyond that hold zeros. Sums are exact in f64 and rounded once.
#include "emulate/execute/bulk.h"
#include "emulate/execute/counting.h"
#include "emulate/execute/lanes.h"
#include "emulate/execute/matrix_element.h"
#include "emulate/execute/numbers.h"
#include "emulate/execute/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace hone::emulate::execute {

namespace {

struct WmmaShape {
  int m = 0, n = 0, k = 0;
};

// A matrix in registers.
struct WmmaFragment {
  MatrixElement element = MatrixElement::f16;
  int rows = 0, columns = 0;
  std::vector<std::uint32_t> registers;

  int each() const { return std::max(1, 32 / bits_of(element)); } // elements of a register
  std::size_t bytes() const { return static_cast<std::size_t>(bits_of(element)) / 8; }
  std::byte* at(const Warp& warp, int element_number) const
  {
    const auto lane = static_cast<std::size_t>(element_number % k_lanes),
               index = static_cast<std::size_t>(element_number / k_lanes);
    const auto in_register = static_cast<std::size_t>(each());
    const std::size_t width = bits_of(element) == 64 ? 8 : 4;
    return warp.registers + registers[index / in_register] + lane * width + index % in_register * bytes();
  }
  double value(const Warp& warp, int element_number) const
  {
    const std::byte* const from = at(warp, element_number);
    if (element == MatrixElement::f64) {
      double out = 0;
      std::memcpy(&out, from, sizeof out);
      return out;
    }
    std::uint32_t bits = 0;
    std::memcpy(&bits, from, bytes());
    return value_of(bits, element);
  }
};

struct WmmaMove {
  WmmaFragment fragment;
  LaneOperand address;
  std::optional<LaneOperand> stride; // in elements
  Where where = Where::generic;
  bool by_column = false, stores = false;
};

struct WmmaProduct {
  WmmaShape shape;
  WmmaFragment a, b, c, d;
  bool saturates = false;
};

constexpr std::uint64_t k_wmma_alignment = 16; // of rows, in bytes

template <class How> const How& wmma_how(const Warp& warp, const Op& op)
{
  return *static_cast<const How*>(warp.group->launch->code->extras[static_cast<std::size_t>(op.imm)].get());
}

// Which lane takes what nobody may know: the rows of a matrix in global memory count as one request; turns of shared
// memory are not counted.
void count_matrix(Warp& warp, const Op& op, const WmmaMove& how, std::uint64_t begin, std::uint64_t stride)
{
  const bool global = how.where == Where::global || (how.where == Where::generic && (begin & k_window_mask) == 0);
  std::vector<Stretch> rows;
  const int count = how.by_column ? how.fragment.columns : how.fragment.rows,
            along = how.by_column ? how.fragment.rows : how.fragment.columns;
  for (int row = 0; row < count && global; ++row) {
    rows.push_back(
      {begin + static_cast<std::uint64_t>(row) * stride, how.fragment.bytes() * static_cast<std::uint64_t>(along)});
  }
  count_global(warp, op, rows, how.stores ? Access::store : Access::load, true);
  if (how.where == Where::generic) {
    counted(warp, op)->kind = global ? InstructionClass::global_memory : InstructionClass::shared_memory;
  }
}

void move_fragment(Warp& warp, const Op& op)
{
  if (!together(warp, op, k_all_lanes)) {
    return;
  }
  const auto& how = wmma_how<WmmaMove>(warp, op);
  const WmmaFragment& fragment = how.fragment;
  const std::size_t bytes = fragment.bytes();
  const std::uint64_t begin = how.address.of(warp, 0);
  const int along = how.by_column ? fragment.rows : fragment.columns;
  const std::uint64_t stride =
    bytes * (how.stride ? how.stride->of(warp, 0) & 0xffffffff : static_cast<std::uint64_t>(along));
  if (begin % k_wmma_alignment != 0
      || (stride % k_wmma_alignment != 0 && bytes * static_cast<std::size_t>(along) >= k_wmma_alignment)) {
    report(warp, op, FindingKind::misaligned,
           fmt::format("a matrix at {:#x} whose rows are {} bytes apart: no multiples of {}", begin, stride,
                       k_wmma_alignment));
    return;
  }
  if (!how.stores) {
    for (const std::uint32_t at : fragment.registers) {
      std::memset(warp.registers + at, 0, (bits_of(fragment.element) == 64 ? 8 : 4) * std::size_t{k_lanes});
    }
  }
  if (counted(warp, op) != nullptr) {
    count_matrix(warp, op, how, begin, stride);
  }
  for (int row = 0; row < fragment.rows; ++row) {
    for (int column = 0; column < fragment.columns; ++column) {
      const int number = row * fragment.columns + column;
      const auto outer = static_cast<std::uint64_t>(how.by_column ? column : row),
                 inner = static_cast<std::uint64_t>(how.by_column ? row : column);
      std::byte* const memory = bytes_at(warp, op, how.where, begin + outer * stride + inner * bytes, bytes,
                                         number % k_lanes, how.stores ? Access::store : Access::load, false);
      if (memory == nullptr) {
        return;
      }
      std::byte* const in_register = fragment.at(warp, number);
      how.stores ? std::memcpy(memory, in_register, bytes) : std::memcpy(in_register, memory, bytes);
    }
  }
}

void set_element(const Warp& warp, const WmmaFragment& fragment, int number, double sum, bool saturates)
{
  std::byte* const to = fragment.at(warp, number);
  if (fragment.element == MatrixElement::f64) {
    std::memcpy(to, &sum, sizeof sum);
  } else if (fragment.element == MatrixElement::s32) {
    const double held = saturates ? std::clamp(sum, -2147483648.0, 2147483647.0) : sum;
    const auto bits = static_cast<std::uint32_t>(static_cast<std::int64_t>(held));
    std::memcpy(to, &bits, sizeof bits);
  } else if (fragment.element == MatrixElement::f16) {
    const std::uint16_t bits = double_to_half(sum);
    std::memcpy(to, &bits, sizeof bits);
  } else {
    const auto value = static_cast<float>(sum);
    const float out = value == value ? value : canonical_nan<float>();
    std::memcpy(to, &out, sizeof out);
  }
}

void multiply_fragments(Warp& warp, const Op& op)
{
  if (!together(warp, op, k_all_lanes)) {
    return;
  }
  const auto& how = wmma_how<WmmaProduct>(warp, op);
  const WmmaShape& shape = how.shape;
  if (LineCounts* const line = counted(warp, op)) {
    line->multiply_adds += static_cast<std::uint64_t>(shape.m * shape.n * shape.k);
  }
  const auto values = [&](const WmmaFragment& fragment) {
    std::vector<double> out(static_cast<std::size_t>(fragment.rows) * static_cast<std::size_t>(fragment.columns));
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = fragment.value(warp, static_cast<int>(i));
    }
    return out;
  };
  const std::vector<double> a = values(how.a), b = values(how.b), c = values(how.c);
  for (const std::uint32_t at : how.d.registers) {
    std::memset(warp.registers + at, 0, (bits_of(how.d.element) == 64 ? 8 : 4) * std::size_t{k_lanes});
  }
  for (int row = 0; row < shape.m; ++row) {
    for (int column = 0; column < shape.n; ++column) {
      const int number = row * shape.n + column;
      double sum = c[static_cast<std::size_t>(number)];
      for (int k = 0; k < shape.k; ++k) {
        const double x = a[static_cast<std::size_t>(row * shape.k + k)],
                     y = b[static_cast<std::size_t>(k * shape.n + column)];
        sum = how.d.element == MatrixElement::f64 ? std::fma(x, y, sum) : sum + x * y;
      }
      set_element(warp, how.d, number, sum, how.saturates);
    }
  }
}

std::optional<WmmaShape> wmma_shape(const Decoder& decoder)
{
  static constexpr std::array<std::pair<std::string_view, WmmaShape>, 5> k_wmma_shapes = {{{"m16n16k16", {16, 16, 16}},
                                                                                           {"m32n8k16", {32, 8, 16}},
                                                                                           {"m8n32k16", {8, 32, 16}},
                                                                                           {"m16n16k8", {16, 16, 8}},
                                                                                           {"m8n8k4", {8, 8, 4}}}};
  const auto found = std::ranges::find_if(k_wmma_shapes, [&](const auto& one) { return decoder.has(one.first); });
  return found == k_wmma_shapes.end() ? std::nullopt : std::optional(found->second);
}

// The registers of an operand must hold the whole matrix.
bool take_fragment(Decoder& decoder, const ptx::Operand& operand, bool written, WmmaFragment& out)
{
  const std::vector<ptx::Operand> one = {operand};
  const std::vector<ptx::Operand>& items = operand.kind == ptx::Operand::Kind::list ? operand.items : one;
  const int width = bits_of(out.element) == 64 ? 8 : 4;
  for (const ptx::Operand& item : items) {
    out.registers.push_back(written ? decoder.destination(item, width) : decoder.source(item, width));
  }
  return static_cast<int>(out.registers.size()) * out.each() * k_lanes >= out.rows * out.columns;
}

bool fits(const WmmaShape& shape, MatrixElement operand)
{
  return operand == MatrixElement::tf32 ? shape.k == 8 : operand == MatrixElement::f64 ? shape.k == 4 : shape.k == 16;
}

bool decode_fragment_move(Decoder& decoder, const WmmaShape& shape)
{
  auto how = std::make_shared<WmmaMove>();
  how->stores = decoder.part(1) == "store";
  const std::string_view which = decoder.part(2);
  const auto element = element_of(decoder.type() == "b32" ? "tf32" : decoder.type());
  if (!element || decoder.has("row") == decoder.has("col") || decoder.has("shared::cluster")) {
    return false;
  }
  how->by_column = decoder.has("col");
  how->where = decoder.has("shared") || decoder.has("shared::cta") ? Where::shared
               : decoder.has("global")                             ? Where::global
                                                                   : Where::generic;
  how->fragment.element = *element;
  how->fragment.rows = which == "b" ? shape.k : shape.m;
  how->fragment.columns = which == "a" ? shape.k : shape.n;
  const bool operand = which == "a" || which == "b";
  if ((!operand && which != "c" && which != "d") || (operand && !fits(shape, *element))) {
    return false;
  }
  if (!take_fragment(decoder, decoder.operand(how->stores ? 1 : 0), !how->stores, how->fragment)) {
    return false;
  }
  how->address = lane_operand(decoder, decoder.operand(how->stores ? 0 : 1));
  if (decoder.operands() > 2) {
    how->stride = LaneOperand{decoder.source(2, 4), 4, 0};
  }
  const std::int64_t number = decoder.keep(how);
  decoder.emit(move_fragment).imm = number;
  return true;
}

// wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 (f16 operands), ....s32.s8.s8.s32, ....f32.bf16.bf16.f32
bool decode_fragment_product(Decoder& decoder, const WmmaShape& shape)
{
  std::vector<MatrixElement> types;
  for (const std::string& part : decoder.statement().opcode) {
    if (const auto type = element_of(part)) {
      types.push_back(*type);
    }
  }
  if (types.size() == 2) {
    types = {types[0], MatrixElement::f16, MatrixElement::f16, types[1]};
  }
  if (types.size() != 4 || types[1] != types[2] || !fits(shape, types[1]) || decoder.has("rz") || decoder.has("rm")
      || decoder.has("rp") || decoder.has("xor") || decoder.has("and")) {
    return false;
  }
  auto how = std::make_shared<WmmaProduct>();
  how->shape = shape;
  how->saturates = decoder.has("satfinite");
  how->d = {types[0], shape.m, shape.n, {}};
  how->a = {types[1], shape.m, shape.k, {}};
  how->b = {types[2], shape.k, shape.n, {}};
  how->c = {types[3], shape.m, shape.n, {}};
  if ((how->saturates && types[0] != MatrixElement::s32) || !take_fragment(decoder, decoder.operand(0), true, how->d)
      || !take_fragment(decoder, decoder.operand(1), false, how->a)
      || !take_fragment(decoder, decoder.operand(2), false, how->b)
      || !take_fragment(decoder, decoder.operand(3), false, how->c)) {
    return false;
  }
  const std::int64_t number = decoder.keep(how);
  decoder.emit(multiply_fragments).imm = number;
  return true;
}

} // namespace

void decode_wmma(Decoder& decoder)
{
  const auto shape = wmma_shape(decoder);
  const std::string_view what = decoder.part(1);
  const bool known = shape && decoder.has("sync")
                     && (what == "mma"                       ? decode_fragment_product(decoder, *shape)
                         : what == "load" || what == "store" ? decode_fragment_move(decoder, *shape)
                                                             : false);
  if (!known) {
    decoder.unsupported("");
  }
}

} // namespace hone::emulate::execute
