// Products of small matrices that a warp holds in its registers (mma.sync), and loads and stores of their fragments
// (ldmatrix, stmatrix). Where elements lie: PTX ISA, "Matrix Fragments for mma". Products are exact and added up in
// f64, then rounded once; a device may round the sums of groups of products.
#include "emulate/execute/counting.h"
#include "emulate/execute/lanes.h"
#include "emulate/execute/matrix_element.h"
#include "emulate/execute/memory_access.h"
#include "emulate/execute/numbers.h"
#include "emulate/execute/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

namespace hone::emulate::execute {

namespace {

// Element `index` of a lane's registers, which lie one after the other in `registers`.
double element_at(const Warp& warp, const std::array<std::uint32_t, 8>& registers, MatrixElement element, int lane,
                  int index)
{
  const int bits = bits_of(element);
  if (bits == 64) {
    return warp.at<double>(registers[static_cast<std::size_t>(index)])[lane];
  }
  const int each = 32 / bits;
  const std::uint32_t word = warp.at<std::uint32_t>(registers[static_cast<std::size_t>(index / each)])[lane];
  return value_of(bits == 32 ? word : (word >> (bits * (index % each))) & ((1u << bits) - 1), element);
}

struct Shape {
  int m = 0, n = 0, k = 0;
};

struct Spot {
  int row = 0, column = 0;
};

// Of A, 16 rows: registers alternate between rows g and g + 8, then go on along k. A register holds `each` neighbours.
Spot spot_in_a(const Shape& shape, int each, int lane, int index)
{
  if (shape.m == 8) {
    return {lane / 4, (lane % 4) * each + index};
  }
  const int word = index / each;
  return {lane / 4 + (word % 2) * 8, (lane % 4) * each + index % each + (word / 2) * 4 * each};
}

Spot spot_in_b(const Shape& shape, int each, int lane, int index)
{
  if (shape.m == 8) {
    return {(lane % 4) * each + index, lane / 4};
  }
  const int word = index / each;
  return {(lane % 4) * each + index % each + word * 4 * each, lane / 4};
}

Spot spot_in_c(int lane, int index)
{
  return {lane / 4 + (index / 2) * 8, (lane % 4) * 2 + index % 2};
}

// One instruction, decoded: where the registers of its operands lie.
struct Product {
  Shape shape;
  MatrixElement a = MatrixElement::f16, b = MatrixElement::f16, c = MatrixElement::f32, d = MatrixElement::f32;
  std::array<std::uint32_t, 8> ra{}, rb{}, rc{}, rd{};
  bool saturates = false;
};

void multiply(Warp& warp, const Op& op)
{
  if (!together(warp, op, k_all_lanes)) {
    return;
  }
  const auto& product = *static_cast<const Product*>(warp.group->launch->code->extras[op.imm].get());
  const Shape& shape = product.shape;
  if (LineCounts* const line = counted(warp, op)) {
    line->multiply_adds += static_cast<std::uint64_t>(shape.m * shape.n * shape.k);
  }
  std::array<double, 16 * 32> a{}, b{};
  const auto fill = [&](std::array<double, 512>& matrix, int count, const std::array<std::uint32_t, 8>& registers,
                        MatrixElement element, bool left) {
    const int each = std::max(1, 32 / bits_of(element)), of_lane = count / k_lanes;
    for (int lane = 0; lane < k_lanes; ++lane) {
      for (int i = 0; i < of_lane; ++i) {
        const Spot spot = left ? spot_in_a(shape, each, lane, i) : spot_in_b(shape, each, lane, i);
        matrix[static_cast<std::size_t>(spot.row * (left ? shape.k : shape.n) + spot.column)] =
          element_at(warp, registers, element, lane, i);
      }
    }
  };
  fill(a, shape.m * shape.k, product.ra, product.a, true);
  fill(b, shape.k * shape.n, product.rb, product.b, false);
  const int results = shape.m * shape.n / k_lanes;
  std::array<std::array<double, 4>, k_lanes> sums{};
  for (int lane = 0; lane < k_lanes; ++lane) {
    for (int i = 0; i < results; ++i) {
      const Spot spot = shape.m == 8 ? Spot{lane / 4, (lane % 4) * 2 + i} : spot_in_c(lane, i);
      double sum = element_at(warp, product.rc, product.c, lane, i);
      for (int k = 0; k < shape.k; ++k) {
        const double x = a[static_cast<std::size_t>(spot.row * shape.k + k)],
                     y = b[static_cast<std::size_t>(k * shape.n + spot.column)];
        sum = product.d == MatrixElement::f64 ? std::fma(x, y, sum) : sum + x * y;
      }
      sums[static_cast<std::size_t>(lane)][static_cast<std::size_t>(i)] = sum;
    }
  }
  for (int lane = 0; lane < k_lanes; ++lane) {
    for (int i = 0; i < results; ++i) {
      const double sum = sums[static_cast<std::size_t>(lane)][static_cast<std::size_t>(i)];
      const auto at = static_cast<std::size_t>(i);
      if (product.d == MatrixElement::f64) {
        warp.at<double>(product.rd[at])[lane] = sum;
      } else if (product.d == MatrixElement::s32) {
        const double held = product.saturates ? std::clamp(sum, -2147483648.0, 2147483647.0) : sum;
        warp.at<std::uint32_t>(product.rd[at])[lane] = static_cast<std::uint32_t>(static_cast<std::int64_t>(held));
      } else if (product.d == MatrixElement::f16) {
        warp.at<std::uint16_t>(product.rd[at / 2])[2 * lane + static_cast<int>(at % 2)] = double_to_half(sum);
      } else {
        const auto value = static_cast<float>(sum);
        warp.at<float>(product.rd[at])[lane] = value == value ? value : canonical_nan<float>();
      }
    }
  }
}

Shape shape_in(const Decoder& decoder)
{
  static constexpr std::array<std::pair<std::string_view, Shape>, 7> k_shapes = {{{"m16n8k16", {16, 8, 16}},
                                                                                  {"m16n8k8", {16, 8, 8}},
                                                                                  {"m16n8k4", {16, 8, 4}},
                                                                                  {"m16n8k32", {16, 8, 32}},
                                                                                  {"m8n8k4", {8, 8, 4}},
                                                                                  {"m16n8k64", {}},
                                                                                  {"m8n8k16", {8, 8, 16}}}};
  for (const auto& [name, shape] : k_shapes) {
    if (decoder.has(name)) {
      return shape;
    }
  }
  return {};
}

// "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d}, {a}, {b}, {c};"
bool decode_product(Decoder& decoder)
{
  const auto& opcode = decoder.statement().opcode;
  Product product;
  product.shape = shape_in(decoder);
  if (product.shape.m == 0 || !decoder.has("row") || !decoder.has("col") || opcode.size() < 4) {
    return false;
  }
  std::array<MatrixElement, 4> types{}; // d, a, b, c
  for (std::size_t i = 0; i < 4; ++i) {
    const auto type = element_of(opcode[opcode.size() - 4 + i]);
    if (!type) {
      return false;
    }
    types[i] = *type;
  }
  product.d = types[0];
  product.a = types[1];
  product.b = types[2];
  product.c = types[3];
  product.saturates = decoder.has("satfinite");
  const bool f64 = product.d == MatrixElement::f64;
  const bool bytes = bits_of(product.a) == 8;
  if (product.shape.m == 8 ? product.shape.k != (f64 ? 4 : 16) || (!f64 && !bytes) : f64 && product.shape.k > 16) {
    return false;
  }
  const auto take = [&](std::size_t operand, std::array<std::uint32_t, 8>& registers, bool written) {
    const std::vector<ptx::Operand>& items = decoder.operand(operand).items;
    for (std::size_t i = 0; i < std::min<std::size_t>(items.size(), registers.size()); ++i) {
      registers[i] = written ? decoder.destination(items[i], f64 ? 8 : 4) : decoder.source(items[i], f64 ? 8 : 4);
    }
    return items.size();
  };
  const auto words = [&](int elements, MatrixElement element) {
    return static_cast<std::size_t>(std::max(1, elements / k_lanes * bits_of(element) / (f64 ? 64 : 32)));
  };
  const Shape& shape = product.shape;
  if (take(0, product.rd, true) != words(shape.m * shape.n, product.d)
      || take(1, product.ra, false) != words(shape.m * shape.k, product.a)
      || take(2, product.rb, false) != words(shape.k * shape.n, product.b)
      || take(3, product.rc, false) != words(shape.m * shape.n, product.c)) {
    return false;
  }
  Op& op = decoder.emit(multiply);
  op.imm = decoder.keep(std::make_shared<Product>(product));
  return true;
}

// ldmatrix and stmatrix: lanes 8 i to 8 i + 7 hold the addresses of the rows of matrix i. count: matrices, kind 1:
// transposed, e: bytes of an address.
template <bool stores> void move_matrices(Warp& warp, const Op& op)
{
  if (!together(warp, op, k_all_lanes)) {
    return;
  }
  const std::array<std::uint32_t, 4> registers = {op.d, op.d2, op.b, op.c};
  for (int matrix = 0; matrix < op.count; ++matrix) {
    std::array<std::byte*, 8> rows{};
    std::array<std::uint64_t, 8> addresses{};
    for (int row = 0; row < 8; ++row) {
      const int lane = 8 * matrix + row;
      const std::uint64_t address =
        (op.e == 4 ? warp.at<std::uint32_t>(op.a)[lane] : warp.at<std::uint64_t>(op.a)[lane])
        + static_cast<std::uint64_t>(op.imm);
      const Where where = (address & k_window_mask) == k_shared_window ? Where::generic : Where::shared;
      rows[static_cast<std::size_t>(row)] =
        bytes_at(warp, op, where, address, 16, lane, stores ? Access::store : Access::load, false);
      if (rows[static_cast<std::size_t>(row)] == nullptr) {
        return;
      }
      addresses[static_cast<std::size_t>(row)] = address;
    }
    count_rows(warp, op, addresses);
    std::uint16_t* const lanes = warp.at<std::uint16_t>(registers[static_cast<std::size_t>(matrix)]);
    for (int lane = 0; lane < k_lanes; ++lane) {
      for (int i = 0; i < 2; ++i) {
        const int along = (lane % 4) * 2 + i, across = lane / 4;
        const int row = op.kind != 0 ? along : across, column = op.kind != 0 ? across : along;
        std::byte* const at = rows[static_cast<std::size_t>(row)] + 2 * column;
        if constexpr (stores) {
          std::memcpy(at, &lanes[2 * lane + i], 2);
        } else {
          std::memcpy(&lanes[2 * lane + i], at, 2);
        }
      }
    }
  }
}

bool decode_matrices(Decoder& decoder, bool stores)
{
  const int count = decoder.has("x1") ? 1 : decoder.has("x2") ? 2 : decoder.has("x4") ? 4 : 0;
  const ptx::Operand& address = decoder.operand(stores ? 0 : 1);
  const ptx::Operand& data = decoder.operand(stores ? 1 : 0);
  if (count == 0 || !decoder.has("m8n8") || decoder.type() != "b16"
      || data.items.size() != static_cast<std::size_t>(count)) {
    return false;
  }
  Op op;
  op.run = stores ? move_matrices<true> : move_matrices<false>;
  op.count = static_cast<std::uint8_t>(count);
  op.kind = decoder.has("trans") ? 1 : 0;
  std::array<std::uint32_t*, 4> registers = {&op.d, &op.d2, &op.b, &op.c};
  for (std::size_t i = 0; i < data.items.size(); ++i) {
    *registers[i] = stores ? decoder.source(data.items[i], 4) : decoder.destination(data.items[i], 4);
  }
  op.imm = address.offset;
  if (const Decoder::Symbol* known = decoder.symbol(address.text)) {
    op.e = 4;
    op.a = decoder.constant(4, known->offset);
  } else {
    op.e = static_cast<std::uint32_t>(decoder.register_bytes(address));
    op.a = decoder.source(address, static_cast<int>(std::max(op.e, 4u)));
  }
  decoder.emit(op);
  return true;
}

} // namespace

void decode_matrix_product(Decoder& decoder)
{
  if (!decoder.has("sync") || !decode_product(decoder)) {
    decoder.unsupported("");
  }
}

void decode_matrix_load(Decoder& decoder)
{
  if (!decode_matrices(decoder, false)) {
    decoder.unsupported("");
  }
}

void decode_matrix_store(Decoder& decoder)
{
  if (!decode_matrices(decoder, true)) {
    decoder.unsupported("");
  }
}

} // namespace hone::emulate::execute
