// wgmma: products of a warp group, four warps with 16 rows of 64 each, from operands in shared memory that descriptors
// name. They are carried out when they are waited for, as late as a device may: operands that change meanwhile give
// what they then hold, and accumulators hold NaNs until the wait. Layouts: PTX ISA, "Asynchronous warpgroup level
// matrix instructions".
#include "emulate/execute/warpgroup.h"

#include "emulate/execute/counting.h"
#include "emulate/execute/lanes.h"
#include "emulate/execute/memory_access.h"
#include "emulate/execute/numbers.h"
#include "emulate/execute/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>

namespace hone::emulate::execute {

namespace {

// A matrix in shared memory: 14 bits each of its place and two distances, in units of 16 bytes, and how it is swizzled.
struct Descriptor {
  std::uint64_t start = 0, leading = 0, stride = 0;
  int swizzle = 0; // 0: none, 1: 128 bytes, 2: 64, 3: 32

  explicit Descriptor(std::uint64_t bits)
    : start((bits & 0x3fff) << 4), leading((bits >> 16 & 0x3fff) << 4), stride((bits >> 32 & 0x3fff) << 4),
      swizzle(static_cast<int>(bits >> 62))
  {
  }

  std::uint64_t row_bytes() const { return swizzle == 1 ? 128 : swizzle == 2 ? 64 : 32; }

  // Of element (row along M or N, k), of so many bytes. `transposed`: neighbours lie along M or N.
  std::uint64_t place(int row, int k, int bytes, bool transposed) const
  {
    const auto r = static_cast<std::uint64_t>(row), p = static_cast<std::uint64_t>(k),
               size = static_cast<std::uint64_t>(bytes);
    if (swizzle == 0) {
      const std::uint64_t t = 16 / size;
      return transposed ? start + r % t * size + r / t * stride + p % 8 * 16 + p / 8 * leading
                        : start + r % 8 * 16 + r / 8 * stride + p % t * size + p / t * leading;
    }
    const std::uint64_t wide = row_bytes();
    const std::uint64_t linear =
      transposed ? start + r % (wide / size) * size + r / (wide / size) * leading + p % 8 * wide + p / 8 * stride
                 : start + r % 8 * wide + r / 8 * stride + p * size;
    const std::uint64_t mask = wide / 16 - 1; // rows of 16 bytes change places
    return linear ^ ((linear >> 7 & mask) << 4);
  }
};

double number_at(const std::byte* at, MatrixElement type)
{
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, static_cast<std::size_t>(bits_of(type) / 8));
  return value_of(bits, type);
}

// Says that the operand is read until the wait, once for every stretch of bytes.
bool touch(Warp& warp, const Op& op, PendingProduct& pending, std::vector<std::uint64_t> places, int bytes)
{
  std::ranges::sort(places);
  for (std::size_t i = 0; i < places.size();) {
    std::size_t end = i + 1;
    while (end < places.size() && places[end] <= places[end - 1] + static_cast<std::uint64_t>(bytes)) {
      ++end;
    }
    const std::uint64_t length = places[end - 1] + static_cast<std::uint64_t>(bytes) - places[i];
    if (async_bytes(warp, op, {warp.group, places[i]}, length, Access::load, nullptr) == nullptr) {
      return false;
    }
    pending.loads.push_back({places[i], length, 0});
    i = end;
  }
  return true;
}

void begin_product(Warp& warp, const Op& op)
{
  if (!together(warp, op, k_all_lanes)) {
    return;
  }
  const auto kept =
    std::static_pointer_cast<const GroupProduct>(warp.group->launch->code->extras[static_cast<std::size_t>(op.imm)]);
  const GroupProduct& how = *kept;
  auto pending = std::make_shared<PendingProduct>();
  pending->how = kept;
  pending->place = op.place;
  const int bytes = how.element_bytes;
  const int first_row = warp.index % 4 * 16;
  std::vector<std::uint64_t> places;
  pending->b = warp.at<std::uint64_t>(how.b)[0];
  if (!how.a_in_registers) {
    pending->a = warp.at<std::uint64_t>(how.a)[0];
    const Descriptor a(pending->a);
    for (int row = 0; row < 16; ++row) {
      for (int k = 0; k < how.k; ++k) {
        places.push_back(a.place(first_row + row, k, bytes, how.a_transposed));
      }
    }
    if (!touch(warp, op, *pending, places, bytes)) {
      return;
    }
  }
  places.clear();
  const Descriptor b(pending->b);
  for (int column = 0; column < how.n; ++column) {
    for (int k = 0; k < how.k; ++k) {
      places.push_back(b.place(column, k, bytes, how.b_transposed));
    }
  }
  if (!touch(warp, op, *pending, places, bytes)) {
    return;
  }
  pending->adds = how.scale_d_predicate ? (*warp.at<Mask>(how.scale_d) & 1) != 0 : how.scale_d != 0;
  // What is under way on these accumulators is carried on; else they are taken now and hold nothing useful until the
  // wait.
  const bool begun =
    std::ranges::any_of(warp.products, [&](const auto& one) { return one->how->d.front() == how.d.front(); });
  if (!begun) {
    pending->taken.resize(how.d.size());
    for (std::size_t i = 0; i < how.d.size(); ++i) {
      std::uint32_t* const lanes = warp.at<std::uint32_t>(how.d[i]);
      std::copy_n(lanes, k_lanes, pending->taken[i].begin());
      std::fill_n(lanes, k_lanes, 0x7fffffffu);
    }
  }
  if (LineCounts* const line = counted(warp, op)) {
    line->multiply_adds += static_cast<std::uint64_t>(16 * how.n * how.k); // of this warp's rows
  }
  warp.products.push_back(std::move(pending));
}

using Accumulators = std::vector<std::array<std::uint32_t, k_lanes>>;

void carry_out(Warp& warp, const PendingProduct& pending, Accumulators& sums)
{
  const GroupProduct& how = *pending.how;
  const std::byte* const shared = warp.group->shared.data();
  const Descriptor a(pending.a), b(pending.b);
  const int first_row = warp.index % 4 * 16;
  std::vector<double> left(16 * static_cast<std::size_t>(how.k)),
    right(static_cast<std::size_t>(how.n) * static_cast<std::size_t>(how.k));
  for (int row = 0; row < 16; ++row) {
    for (int k = 0; k < how.k; ++k) {
      double& value = left[static_cast<std::size_t>(row * how.k + k)];
      if (how.a_in_registers) { // as a fragment of mma.sync
        const int each = 4 / how.element_bytes, within = k % (4 * each), half = k / (4 * each);
        const int lane = row % 8 * 4 + within / each, word = row / 8 + 2 * half;
        std::byte bytes[4];
        std::memcpy(bytes, warp.at<std::uint32_t>(how.a_registers[static_cast<std::size_t>(word)]) + lane, 4);
        value = number_at(bytes + k % each * how.element_bytes, how.type);
      } else {
        value = number_at(shared + a.place(first_row + row, k, how.element_bytes, how.a_transposed), how.type);
      }
      value *= how.scale_a;
    }
  }
  for (int column = 0; column < how.n; ++column) {
    for (int k = 0; k < how.k; ++k) {
      right[static_cast<std::size_t>(column * how.k + k)] =
        how.scale_b * number_at(shared + b.place(column, k, how.element_bytes, how.b_transposed), how.type);
    }
  }
  for (int lane = 0; lane < k_lanes; ++lane) {
    const int values = how.n / 2; // 16 rows of n columns in 32 lanes
    for (int i = 0; i < values; ++i) {
      const int row = lane / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
      double sum = 0;
      for (int k = 0; k < how.k; ++k) {
        sum += left[static_cast<std::size_t>(row * how.k + k)] * right[static_cast<std::size_t>(column * how.k + k)];
      }
      const auto at = static_cast<std::size_t>(lane);
      if (how.result == MatrixElement::f32) {
        std::uint32_t& word = sums[static_cast<std::size_t>(i)][at];
        const auto value = static_cast<float>(sum + (pending.adds ? double{std::bit_cast<float>(word)} : 0.0));
        word = std::bit_cast<std::uint32_t>(value == value ? value : canonical_nan<float>());
      } else if (how.result == MatrixElement::s32) {
        std::uint32_t& word = sums[static_cast<std::size_t>(i)][at];
        word = static_cast<std::uint32_t>(static_cast<std::int64_t>(sum)) + (pending.adds ? word : 0);
      } else {
        std::uint32_t& word = sums[static_cast<std::size_t>(i / 2)][at];
        const int shift = 16 * (i % 2);
        const double old = pending.adds ? double{half_to_float(static_cast<std::uint16_t>(word >> shift))} : 0.0;
        word = (word & ~(0xffffu << shift)) | (std::uint32_t{double_to_half(sum + old)} << shift);
      }
    }
  }
}

void commit_products(Warp& warp, const Op&)
{
  ++warp.product_groups;
  for (const auto& one : warp.products) {
    one->group = one->group == 0 ? warp.product_groups : one->group;
  }
}

void wait_products(Warp& warp, const Op& op)
{
  const auto left = static_cast<std::uint64_t>(op.imm);
  const std::uint64_t done = warp.product_groups > left ? warp.product_groups - left : 0;
  const auto is_over = [&](const auto& one) { return one->group != 0 && one->group <= done; };
  std::vector<std::shared_ptr<PendingProduct>> over, rest;
  std::ranges::partition_copy(warp.products, std::back_inserter(over), std::back_inserter(rest), is_over);
  while (!over.empty()) { // one set of accumulators after the other
    const std::uint32_t key = over.front()->how->d.front();
    const auto same = [&](const auto& one) { return one->how->d.front() == key; };
    Accumulators sums = std::move(over.front()->taken);
    std::vector<std::uint32_t> registers = over.front()->how->d;
    for (const auto& one : over) {
      if (same(one)) {
        carry_out(warp, *one, sums);
        for (const PendingAccess& load : one->loads) {
          end_async(warp, load);
        }
      }
    }
    std::erase_if(over, same);
    const auto next = std::ranges::find_if(rest, same);
    if (next != rest.end()) {
      (*next)->taken = std::move(sums); // still under way
      continue;
    }
    for (std::size_t i = 0; i < registers.size(); ++i) {
      std::copy_n(sums[i].begin(), k_lanes, warp.at<std::uint32_t>(registers[i]));
    }
  }
  warp.products = std::move(rest);
}

// "m64n128k16"
bool take_shape(std::string_view text, GroupProduct& out)
{
  int m = 0;
  return std::sscanf(std::string(text).c_str(), "m%dn%dk%d", &m, &out.n, &out.k) == 3 && m == 64 && out.n >= 8
         && out.n <= 256 && out.n % 8 == 0;
}

// wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {d}, a, b, scale-d, imm-scale-a, imm-scale-b[, imm-trans-a,
// imm-trans-b]
bool decode_group_product(Decoder& decoder)
{
  const auto& opcode = decoder.statement().opcode;
  auto out = std::make_shared<GroupProduct>();
  const auto result = element_of(opcode[opcode.size() - 3]), a = element_of(opcode[opcode.size() - 2]),
             b = element_of(opcode.back());
  if (!take_shape(opcode[opcode.size() - 4], *out) || !result || !a || !b || *a != *b) {
    return false;
  }
  out->type = *a;
  out->result = *result;
  out->element_bytes = bits_of(*a) / 8;
  const std::size_t registers = static_cast<std::size_t>(out->n) / (*result == MatrixElement::f16 ? 4 : 2);
  const std::vector<ptx::Operand>& d = decoder.operand(0).items;
  if (out->k != 32 / out->element_bytes || d.size() != registers) {
    return false;
  }
  for (const ptx::Operand& one : d) {
    out->d.push_back(decoder.destination(one, 4));
  }
  out->a_in_registers = decoder.operand(1).kind == ptx::Operand::Kind::list;
  if (out->a_in_registers) {
    for (std::size_t i = 0; i < 4; ++i) {
      out->a_registers[i] = decoder.source(decoder.operand(1).items.at(i), 4);
    }
  } else {
    out->a = decoder.source(1, 8);
  }
  out->b = decoder.source(2, 8);
  const ptx::Operand& scale = decoder.operand(3);
  bool negated = false;
  out->scale_d_predicate = scale.kind == ptx::Operand::Kind::name;
  out->scale_d = out->scale_d_predicate ? decoder.predicate(scale, negated) : scale.bits != 0 ? 1 : 0;
  if (negated) {
    return false;
  }
  std::size_t next = 4;
  if (*a != MatrixElement::s8 && *a != MatrixElement::u8) {
    out->scale_a = static_cast<std::int64_t>(decoder.operand(4).bits) < 0 ? -1 : 1;
    out->scale_b = static_cast<std::int64_t>(decoder.operand(5).bits) < 0 ? -1 : 1;
    next = 6;
  }
  if (out->element_bytes == 2) {
    out->a_transposed = !out->a_in_registers && decoder.operands() > next && decoder.operand(next).bits != 0;
    next += out->a_in_registers ? 0 : 1;
    out->b_transposed = decoder.operands() > next && decoder.operand(next).bits != 0;
  }
  const std::int64_t number = decoder.keep(out);
  decoder.emit(begin_product).imm = number;
  return true;
}

// An operation that touches registers of products.
struct Watched {
  Op op;
  std::vector<std::uint32_t> registers;
};

void run_watched(Warp& warp, const Op& op)
{
  const auto& watched =
    *static_cast<const Watched*>(warp.group->launch->code->extras[static_cast<std::size_t>(op.imm)].get());
  for (const auto& pending : warp.products) {
    const GroupProduct& how = *pending->how;
    const bool touched = std::ranges::any_of(watched.registers, [&](std::uint32_t one) {
      return std::ranges::find(how.d, one) != how.d.end()
             || (how.a_in_registers && std::ranges::find(how.a_registers, one) != how.a_registers.end());
    });
    if (touched) {
      report(warp, op, FindingKind::race,
             fmt::format("touches registers of the product begun at {}, which is not waited for",
                         place_text(warp, pending->place)),
             pending->place);
      break;
    }
  }
  watched.op.run(warp, watched.op);
}

} // namespace

// Sums are neither read nor written while products are under way, and operands in registers are not written.
void watch_products(Code& code, const std::vector<RegisterUse>& uses)
{
  std::set<std::uint32_t> sums, operands;
  for (const Op& op : code.ops) {
    if (op.run == begin_product) {
      const auto& how = *static_cast<const GroupProduct*>(code.extras[static_cast<std::size_t>(op.imm)].get());
      sums.insert(how.d.begin(), how.d.end());
      if (how.a_in_registers) {
        operands.insert(how.a_registers.begin(), how.a_registers.end());
      }
    }
  }
  std::map<std::size_t, std::vector<std::uint32_t>> touched; // by operation
  for (const RegisterUse& use : uses) {
    if (sums.contains(use.at) || (use.writes && operands.contains(use.at))) {
      touched[use.op].push_back(use.at);
    }
  }
  for (auto& [index, registers] : touched) {
    Op& op = code.ops[index];
    auto watched = std::make_shared<Watched>(op, std::move(registers));
    op.run = run_watched;
    op.imm = static_cast<std::int64_t>(code.extras.size());
    code.extras.push_back(std::move(watched));
  }
}

void decode_warpgroup(Decoder& decoder)
{
  const std::string_view what = decoder.part(1);
  if (what == "fence") {
    decode_nothing(decoder);
  } else if (what == "commit_group") {
    decoder.emit(commit_products);
  } else if (what == "wait_group") {
    decoder.emit(wait_products).imm = static_cast<std::int64_t>(decoder.operand(0).bits);
  } else if (what != "mma_async" || decoder.has("sp") || decoder.has("satfinite") || !decode_group_product(decoder)) {
    decoder.unsupported("");
  }
}

} // namespace hone::emulate::execute
