// Waves of 64 items, as AMD's CDNA devices have them: two warps of the same group, which exchange registers. The
// instructions are no PTX: a program gets them by inline assembly from the prelude that HIP is compiled with for this
// device.
//
//   hone.wave64.shfl.bfly.b32 d, a, lanes;
//   hone.wave64.mfma.f32.16x16x16.f16 {d, d, d, d}, {a, a}, {b, b}, {c, c, c, c};    (or bf16)
//   hone.wave64.mfma.s32.16x16x16.s8 {d, d, d, d}, {a}, {b}, {c, c, c, c};
//
// Where the elements lie: CDNA 2 instruction set guide, V_MFMA_F32_16X16X16F16, V_MFMA_I32_16X16X16I8.
#include "emulate/execute/lanes.h"
#include "emulate/execute/matrix_element.h"
#include "emulate/execute/schedule.h"

#include <algorithm>
#include <array>
#include <memory>

namespace hone::emulate::execute {

namespace {

constexpr int k_wave_lanes = 2 * k_lanes;
constexpr std::uint32_t k_wave_barrier = k_named_barriers; // of wave 0; one for each

struct WaveProduct {
  MatrixElement element = MatrixElement::f16;
  std::array<std::uint32_t, 4> d{}, given{}, c{}; // given: a, a, b, b, or a, b
  std::size_t words() const { return bits_of(element) == 8 ? 1 : 2; }
};

Wave& wave_of(Warp& warp)
{
  std::vector<Wave>& waves = warp.group->waves;
  waves.resize(std::max(waves.size(), (warp.group->warps.size() + 1) / 2));
  return waves[static_cast<std::size_t>(warp.index / 2)];
}

int first_lane_of(const Warp& warp)
{
  return warp.index % 2 * k_lanes;
}

// What was given last. The other half reads it before it gives what is next but one.
Wave::Words& words_of_wave(Warp& warp)
{
  return wave_of(warp).words[wave_of(warp).turn[static_cast<std::size_t>(warp.index % 2)] % 2];
}

void give(Warp& warp, const std::array<std::uint32_t, 4>& registers, std::size_t count)
{
  ++wave_of(warp).turn[static_cast<std::size_t>(warp.index % 2)];
  Wave::Words& words = words_of_wave(warp);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t* const from = warp.at<std::uint32_t>(registers[i]);
    std::copy(from, from + k_lanes, words[i].begin() + first_lane_of(warp));
  }
}

// Whether all of the warp's lanes are here; the fragment waits for those that are behind.
bool whole_warp(Warp& warp, const Op& op)
{
  return together(warp, op, warp.alive);
}

void give_value(Warp& warp, const Op& op)
{
  if (whole_warp(warp, op)) {
    give(warp, {op.a}, 1);
  }
}

void give_matrices(Warp& warp, const Op& op)
{
  if (whole_warp(warp, op)) {
    const auto& product =
      *static_cast<const WaveProduct*>(warp.group->launch->code->extras[static_cast<std::size_t>(op.imm)].get());
    give(warp, product.given, 2 * product.words());
  }
}

void wait_for_other_half(Warp& warp, const Op& op)
{
  const auto wave = static_cast<std::uint32_t>(warp.index / 2);
  const bool alone = warp.index % 2 == 0 && warp.group->warps.size() == static_cast<std::size_t>(warp.index) + 1;
  if (!alone) {
    arrive(warp, op, k_wave_barrier + wave, k_wave_lanes, true);
  }
}

void take_value(Warp& warp, const Op& op)
{
  const Wave::Words& words = words_of_wave(warp);
  std::uint32_t* const d = warp.at<std::uint32_t>(op.d);
  const std::uint32_t* const b = warp.at<std::uint32_t>(op.b);
  each_lane(warp, [&](int lane) {
    d[lane] = words[0][static_cast<std::size_t>((first_lane_of(warp) + lane) ^ static_cast<int>(b[lane] & 63))];
  });
}

void multiply_in_wave(Warp& warp, const Op& op)
{
  const auto& product =
    *static_cast<const WaveProduct*>(warp.group->launch->code->extras[static_cast<std::size_t>(op.imm)].get());
  const Wave::Words& words = words_of_wave(warp);
  std::array<std::array<double, 16>, 16> a{}, b{}; // a[row][term], b[column][term]
  for (int lane = 0; lane < k_wave_lanes; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const int bits = bits_of(product.element), each = 32 / bits;
      const auto word = static_cast<std::size_t>(i / each), at = static_cast<std::size_t>(lane);
      const auto element = static_cast<std::size_t>(lane % 16), term = static_cast<std::size_t>(lane / 16 * 4 + i);
      const int shift = bits * (i % each);
      const std::uint32_t mask = (1u << bits) - 1;
      a[element][term] = value_of(words[word][at] >> shift & mask, product.element);
      b[element][term] = value_of(words[product.words() + word][at] >> shift & mask, product.element);
    }
  }
  each_lane(warp, [&](int lane) {
    const int here = first_lane_of(warp) + lane;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t row = static_cast<std::size_t>(here / 16 * 4) + i, column = static_cast<std::size_t>(here % 16);
      double sum = 0;
      for (std::size_t term = 0; term < 16; ++term) {
        sum += a[row][term] * b[column][term];
      }
      if (product.element == MatrixElement::s8) { // wraps around in 32 bits
        warp.at<std::uint32_t>(product.d[i])[lane] =
          warp.at<std::uint32_t>(product.c[i])[lane] + static_cast<std::uint32_t>(static_cast<std::int64_t>(sum));
      } else {
        warp.at<float>(product.d[i])[lane] = static_cast<float>(warp.at<float>(product.c[i])[lane] + sum);
      }
    }
  });
}

bool decode_wave_product(Decoder& decoder)
{
  const auto element = element_of(decoder.type());
  const bool whole = element == MatrixElement::s8;
  if (!element || (!whole && *element != MatrixElement::f16 && *element != MatrixElement::bf16)
      || !decoder.has("16x16x16") || !decoder.has(whole ? "s32" : "f32") || decoder.operands() != 4) {
    return false;
  }
  WaveProduct product;
  product.element = *element;
  const auto take = [&](std::size_t operand, std::size_t first, std::size_t count, std::array<std::uint32_t, 4>& into,
                        bool written) {
    const std::vector<ptx::Operand>& items = decoder.operand(operand).items;
    for (std::size_t i = 0; i < std::min(count, items.size()); ++i) {
      into[first + i] = written ? decoder.destination(items[i], 4) : decoder.source(items[i], 4);
    }
    return items.size() == count;
  };
  const std::size_t words = product.words();
  if (!take(0, 0, 4, product.d, true) || !take(1, 0, words, product.given, false)
      || !take(2, words, words, product.given, false) || !take(3, 0, 4, product.c, false)) {
    return false;
  }
  const std::int64_t number = decoder.keep(std::make_shared<WaveProduct>(product));
  decoder.emit(give_matrices).imm = number;
  decoder.emit(wait_for_other_half);
  decoder.emit(multiply_in_wave).imm = number;
  return true;
}

} // namespace

void decode_wave64(Decoder& decoder)
{
  if (decoder.part(1) != "wave64") {
    decoder.unsupported("");
  } else if (decoder.part(2) == "shfl") {
    Op op;
    op.a = decoder.source(1, 4);
    op.b = decoder.source(2, 4);
    op.d = decoder.destination(4);
    op.run = give_value;
    decoder.emit(op);
    op.run = wait_for_other_half;
    decoder.emit(op);
    op.run = take_value;
    decoder.emit(op);
  } else if (decoder.part(2) != "mfma" || !decode_wave_product(decoder)) {
    decoder.unsupported("");
  }
}

} // namespace hone::emulate::execute
