// wmma: products of whole numbers that every type holds, in every shape and layout.
#include "small_program.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace hone::emulate {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct WmmaCase {
  std::string shape;
  int m = 0, n = 0, k = 0;
  std::string type, sum; // of operands and sums
  int registers_a = 0, registers_b = 0;
  bool a_by_row = true, b_by_row = false;
};

std::string list_of(const std::string& prefix, int first, int count)
{
  std::string out;
  for (int i = 0; i < count; ++i) {
    out += fmt::format("{}%{}{}", i == 0 ? "" : ", ", prefix, first + i);
  }
  return "{" + out + "}";
}

// A[i][k] = (i + 2 k) % 5, B[k][j] = (3 k + j) % 4; C is 1, or 0 of f16.
std::uint64_t bits_of(const std::string& type, int value)
{
  static constexpr std::uint16_t k_halves[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
  return type == "f16"    ? k_halves[value]
         : type == "bf16" ? std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16
         : type == "tf32" ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
         : type == "f64"  ? std::bit_cast<std::uint64_t>(static_cast<double>(value))
                          : static_cast<std::uint64_t>(value);
}

std::size_t bytes_of(const std::string& type)
{
  return type == "f64" ? 8 : type == "f16" || type == "bf16" ? 2 : type == "s8" || type == "u8" ? 1 : 4;
}

std::string wmma_text(const WmmaCase& one)
{
  const bool f64 = one.type == "f64", f16_sum = one.sum == "f16";
  const std::string data = f64 ? "fd" : "r", sums = f64 ? "fd" : one.sum == "f32" ? "f" : "r";
  const int count = f64 ? 2 : f16_sum ? 4 : 8;
  const std::string a = list_of(data, f64 ? 0 : 10, one.registers_a), b = list_of(data, f64 ? 1 : 20, one.registers_b);
  const std::string d = list_of(sums, f64 ? 4 : sums == "f" ? 0 : 30, count);
  const char* const a_layout = one.a_by_row ? "row" : "col";
  const char* const b_layout = one.b_by_row ? "row" : "col";
  const int a_stride = one.a_by_row ? one.k : one.m, b_stride = one.b_by_row ? one.n : one.k;
  std::string zero;
  for (int i = 0; i < count; ++i) {
    zero += f64           ? fmt::format("mov.f64 %fd{}, 0d3FF0000000000000;\n", 4 + i)
            : sums == "f" ? fmt::format("mov.f32 %f{}, 0f3F800000;\n", i)
            : f16_sum     ? fmt::format("mov.b32 %r{}, 0;\n", 30 + i)
                          : fmt::format("mov.b32 %r{}, 1;\n", 30 + i);
  }
  const std::string types =
    one.type == "f16" ? one.sum + "." + one.sum : one.sum + "." + one.type + "." + one.type + "." + one.sum;
  return with_body(
    fmt::format(
      "add.s64 %rd4, %rd0, 4096;\nadd.s64 %rd5, %rd0, 8192;\nmov.b32 %r5, block;\n{}"
      "wmma.load.a.sync.aligned.{}.{}.global.{} {}, [%rd4], {};\nwmma.load.b.sync.aligned.{}.{}.{} {}, [%rd5], "
      "{};\nwmma.mma.sync.aligned.{}.{}.{}.{}{} {}, {}, {}, {};\nwmma.store.d.sync.aligned.row.{}.shared.{} [%r5], "
      "{}, {};\nwmma.load.c.sync.aligned.row.{}.shared.{} {}, [block];\nwmma.store.d.sync.aligned.col.{}.global.{} "
      "[%rd0], {}, {};",
      zero, a_layout, one.shape, one.type, a, a_stride, b_layout, one.shape, one.type, b, b_stride, a_layout, b_layout,
      one.shape, f64 ? "rn." : "", types, d, a, b, d, one.shape, one.sum, d, one.n, one.shape, one.sum, d, one.shape,
      one.sum, d, one.m),
    ".shared .align 32 .b8 block[2048];\n");
}

LaunchResult run_wmma(const WmmaCase& one, const std::string& text, std::vector<std::byte>& output)
{
  const auto program = Program::load(text);
  EXPECT_TRUE(program) << program.error().text();
  GlobalMemory memory;
  const std::uintptr_t begin = memory.allocate(12288);
  const auto put = [&](std::uintptr_t to, bool by_row, int rows, int columns, const auto& value) {
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        const std::uint64_t bits = bits_of(one.type, value(row, column));
        const int at = by_row ? row * columns + column : column * rows + row;
        std::memcpy(reinterpret_cast<std::byte*>(to) + static_cast<std::size_t>(at) * bytes_of(one.type), &bits,
                    bytes_of(one.type));
      }
    }
  };
  put(begin + 4096, one.a_by_row, one.m, one.k, [](int i, int k) { return (i + 2 * k) % 5; });
  put(begin + 8192, one.b_by_row, one.k, one.n, [](int k, int j) { return (3 * k + j) % 4; });
  LaunchRequest request;
  request.program = &*program;
  request.entry = "f";
  request.block[0] = 32;
  request.parameters.resize(8);
  std::memcpy(request.parameters.data(), &begin, 8);
  LaunchResult result = launch(request, memory);
  output.assign(reinterpret_cast<std::byte*>(begin), reinterpret_cast<std::byte*>(begin) + 4096);
  return result;
}

double value_at(const std::vector<std::byte>& output, const std::string& type, std::size_t at)
{
  std::uint64_t bits = 0;
  std::memcpy(&bits, output.data() + at * bytes_of(type), bytes_of(type));
  const auto half = static_cast<std::uint16_t>(bits);
  return type == "f64"   ? std::bit_cast<double>(bits)
         : type == "f32" ? double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))}
         : type == "f16" ? (half == 0 ? 0.0 : std::ldexp(1024 + (half & 0x3ff), (half >> 10) - 25))
                         : static_cast<std::int32_t>(bits);
}

const std::vector<WmmaCase> k_wmma_cases = {
  {"m16n16k16", 16, 16, 16, "f16", "f32", 8, 8},
  {"m16n16k16", 16, 16, 16, "f16", "f16", 8, 8, false, true},
  {"m32n8k16", 32, 8, 16, "f16", "f32", 8, 8, true, true},
  {"m8n32k16", 8, 32, 16, "f16", "f32", 8, 8, false, false},
  {"m16n16k16", 16, 16, 16, "bf16", "f32", 4, 4},
  {"m32n8k16", 32, 8, 16, "bf16", "f32", 8, 2},
  {"m16n16k8", 16, 16, 8, "tf32", "f32", 4, 4},
  {"m16n16k16", 16, 16, 16, "s8", "s32", 2, 2},
  {"m8n32k16", 8, 32, 16, "u8", "s32", 1, 4},
  {"m8n8k4", 8, 8, 4, "f64", "f64", 1, 1},
};

TEST(Wmma, ProductsOfEveryShape)
{
  for (const WmmaCase& one : k_wmma_cases) {
    std::vector<std::byte> output;
    const LaunchResult result = run_wmma(one, wmma_text(one), output);
    EXPECT_TRUE(result.findings.empty()) << result.findings.front().text << one.shape << one.type;
    for (int i = 0; i < one.m; ++i) {
      for (int j = 0; j < one.n; ++j) {
        int sum = one.sum == "f16" ? 0 : 1;
        for (int k = 0; k < one.k; ++k) {
          sum += (i + 2 * k) % 5 * ((3 * k + j) % 4);
        }
        ASSERT_EQ(value_at(output, one.sum, static_cast<std::size_t>(j * one.m + i)), sum)
          << one.shape << " " << one.type << " " << i << " " << j;
      }
    }
  }
}

TEST(Wmma, RowsAreAlignedAndTheWholeWarpTakesPart)
{
  std::vector<std::byte> output;
  std::string text = wmma_text(k_wmma_cases[0]);
  text.replace(text.find("%rd0, 4096"), 10, "%rd0, 4104");
  const LaunchResult unaligned = run_wmma(k_wmma_cases[0], text, output);
  ASSERT_FALSE(unaligned.findings.empty());
  EXPECT_THAT(unaligned.findings.front().text, HasSubstr("misaligned"));
  text = wmma_text(k_wmma_cases[0]);
  text.replace(text.find("mov.b32 %r5, block;"), 0, "setp.eq.u32 %p1, %r1, 3;\n@%p1 exit;\n");
  const LaunchResult parted = run_wmma(k_wmma_cases[0], text, output);
  ASSERT_FALSE(parted.findings.empty());
  EXPECT_THAT(parted.findings.front().text, HasSubstr("wrong mask"));
}

} // namespace
} // namespace hone::emulate
