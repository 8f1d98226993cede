#include "lower/device/cuda_matrix.h"

#include <fmt/format.h>

#include <array>
#include <string>

namespace hone::lower::device {

namespace {

struct GroupProduct {
  std::string_view name, sums; // of the prelude's function, of the elements of D in C++
  char constraint;             // of a register of D
  int terms;
  std::string_view types; // D, A, B
  bool any_lines;         // lines may hold rows and columns
};

constexpr std::array k_group_products = {GroupProduct{"f16", "float", 'f', 16, "f32.f16.f16", true},
                                         GroupProduct{"bf16", "float", 'f', 16, "f32.bf16.bf16", true},
                                         GroupProduct{"tf32", "float", 'f', 8, "f32.tf32.tf32", false},
                                         GroupProduct{"s8", "int", 'r', 32, "s32.s8.s8", false},
                                         GroupProduct{"u8", "int", 'r', 32, "s32.u8.u8", false}};

// One line, since its text is inside of strings.
std::string warp_group_product(const GroupProduct& product, int vectors)
{
  std::string numbers, operands;
  for (int i = 0; i < 4 * vectors; ++i) {
    numbers += fmt::format("{}%{}", i == 0 ? "" : ", ", i);
    operands += fmt::format("{}\"+{}\"({}[{}].lane[{}])", i == 0 ? "" : ", ", product.constraint, i % 4 < 2 ? "d" : "e",
                            i / 4, i % 2);
  }
  const int next = 4 * vectors;
  const std::string signs = product.sums == "int" ? "" : ", 1, 1";
  const std::string flags = product.any_lines ? fmt::format("{}, %{}, %{}", signs, next + 2, next + 3) : signs;
  return fmt::format("#define HONE_WGMMA_{}_{}(d, e, a, b) asm volatile(\"wgmma.mma_async.sync.aligned.m64n{}k{}.{} "
                     "{{{}}}, %{}, %{}, 1{};\" : {} : \"l\"(a), \"l\"(b){})\n",
                     product.name, vectors, 8 * vectors, product.terms, product.types, numbers, next, next + 1, flags,
                     operands, product.any_lines ? ", \"n\"(ROWS ? 1 : 0), \"n\"(COLUMNS ? 1 : 0)" : "");
}

std::string all_products()
{
  std::string out;
  for (const GroupProduct& product : k_group_products) {
    for (const int vectors : {8, 16, 32}) {
      out += warp_group_product(product, vectors);
    }
    out += fmt::format("template <bool ROWS, bool COLUMNS, int N> __device__ __forceinline__ void "
                       "hone_wgmma_{0}(hone_vector<{1}, "
                       "2> (&d)[N], hone_vector<{1}, 2> (&e)[N], unsigned long long a, unsigned long long b)\n{{\n"
                       "  if constexpr (N == 8) HONE_WGMMA_{0}_8(d, e, a, b);\n"
                       "  else if constexpr (N == 16) HONE_WGMMA_{0}_16(d, e, a, b);\n"
                       "  else HONE_WGMMA_{0}_32(d, e, a, b);\n}}\n",
                       product.name, product.sums);
  }
  return out;
}

} // namespace

std::string_view warp_group_products()
{
  static const std::string text = all_products();
  return text;
}

} // namespace hone::lower::device
