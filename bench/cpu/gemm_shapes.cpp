#include "gemm_shapes.h"

#include <fmt/format.h>

#include <array>

namespace hone {

std::string GemmShape::text() const
{
  return fmt::format("{} x {} x {}", m, n, k);
}

std::span<const GemmShape> gemm_shapes()
{
  static constexpr std::array k_shapes = {
    GemmShape{64, 64, 64, true},     GemmShape{128, 128, 128},          GemmShape{256, 256, 256},
    GemmShape{512, 512, 512, true},  GemmShape{1024, 1024, 1024, true}, GemmShape{2048, 2048, 2048},
    GemmShape{4096, 64, 1024, true}, GemmShape{64, 4096, 1024},         GemmShape{1024, 1024, 32},
    GemmShape{64, 64, 8192},         GemmShape{127, 131, 137, true},    GemmShape{1021, 1019, 1013},
    GemmShape{2048, 16, 2048},       GemmShape{1, 4096, 4096},
  };
  return k_shapes;
}

std::string gemm_kernel(const GemmShape& shape, const std::string& also)
{
  return fmt::format(R"toml([kernel]
name    = "matmul"
summary = "C = A x B, f32, row-major"

[compute]
expr = "C[m,n] = sum(k, A[m,k] * B[k,n])"

[arguments]
A = {{ type = "f32", shape = ["m", "k"] }}
B = {{ type = "f32", shape = ["k", "n"] }}
C = {{ type = "f32", shape = ["m", "n"], role = "output" }}

[sizes]
timed = [ {{ m = {}, n = {}, k = {} }} ]
also  = "{}"

[accuracy]
accumulate = "f32"
)toml",
                     shape.m, shape.n, shape.k, also);
}

} // namespace hone
