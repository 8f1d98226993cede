#include "lower/device/cuda_matrix.h"

#include <fmt/format.h>

#include <string>

namespace hone::lower::device {

namespace {

// One line, since its text is inside of strings.
std::string warp_group_product(std::string_view type, int vectors)
{
  std::string numbers, operands;
  for (int i = 0; i < 4 * vectors; ++i) {
    numbers += fmt::format("{}%{}", i == 0 ? "" : ", ", i);
    operands += fmt::format("{}\"+f\"({}[{}].lane[{}])", i == 0 ? "" : ", ", i % 4 < 2 ? "d" : "e", i / 4, i % 2);
  }
  const int next = 4 * vectors;
  return fmt::format(
    "#define HONE_WGMMA_{0}_{1}(d, e, a, b) asm volatile(\"wgmma.mma_async.sync.aligned.m64n{2}k16.f32."
    "{0}.{0} {{{3}}}, %{4}, %{5}, 1, 1, 1, %{6}, %{7};\" : {8} : \"l\"(a), \"l\"(b), \"n\"(ROWS ? 1 : "
    "0), \"n\"(COLUMNS ? 1 : 0))\n",
    type, vectors, 8 * vectors, numbers, next, next + 1, next + 2, next + 3, operands);
}

std::string all_products()
{
  std::string out;
  for (const std::string_view type : {"f16", "bf16"}) {
    for (const int vectors : {8, 16, 32}) {
      out += warp_group_product(type, vectors);
    }
    out += fmt::format("template <bool ROWS, bool COLUMNS, int N> __device__ __forceinline__ void "
                       "hone_wgmma_{0}(hone_vector<float, "
                       "2> (&d)[N], hone_vector<float, 2> (&e)[N], unsigned long long a, unsigned long long b)\n{{\n"
                       "  if constexpr (N == 8) HONE_WGMMA_{0}_8(d, e, a, b);\n"
                       "  else if constexpr (N == 16) HONE_WGMMA_{0}_16(d, e, a, b);\n"
                       "  else HONE_WGMMA_{0}_32(d, e, a, b);\n}}\n",
                       type);
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
