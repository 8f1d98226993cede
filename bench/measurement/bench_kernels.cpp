#include "bench_kernels.h"

#include <fmt/format.h>

#include <bit>

namespace hone {

namespace {

// A product in 8 x 32 tiles, cut into GROUPS parts. EXTRA tiles in a hundred are computed twice; the sizes are such
// that this is exact, but for the smallest product on several threads: there the slower worker has 4 % more, not 3.
constexpr const char* k_gemm_device = R"(#include "hone.h"
#include "macros.h"

typedef float vector_t __attribute__((vector_size(64), aligned(4)));

static void tile(const float* A, const float* B, float* C, int64_t i, int64_t j, int64_t n, int64_t k)
{
  vector_t sums[8][2] = {};
  for (int64_t p = 0; p < k; ++p) {
    const vector_t b0 = *(const vector_t*)(B + p * n + j);
    const vector_t b1 = *(const vector_t*)(B + p * n + j + 16);
#pragma GCC unroll 8
    for (int r = 0; r < 8; ++r) {
      sums[r][0] += A[(i + r) * k + p] * b0;
      sums[r][1] += A[(i + r) * k + p] * b1;
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < 8; ++r) {
    *(vector_t*)(C + (i + r) * n + j) = sums[r][0];
    *(vector_t*)(C + (i + r) * n + j + 16) = sums[r][1];
  }
}

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  const int64_t columns = n / 32;
  const int64_t tiles = (m / 8) * columns;
  const int64_t first = tiles * group->id[0] / GROUPS;
  const int64_t own = tiles * (group->id[0] + 1) / GROUPS - first;
  const int64_t all_extra = tiles * EXTRA / 100;
  const int64_t extra = all_extra * (group->id[0] + 1) / GROUPS - all_extra * group->id[0] / GROUPS;
  for (int64_t t = 0; t < own + extra; ++t) {
    const int64_t at = first + t % own;
    tile(A, B, C, at / columns * 8, at % columns * 32, n, k);
  }
}
)";

constexpr const char* k_gemm_launch = R"([tuning]
EXTRA = { values = [0, 3], default = 0 }
GROUPS = { values = [1, 2, 4, 8, 16, 32, 64], default = 1 }

[[launch]]
kernel = "product"
grid = ["GROUPS"]
block = [1]
args = ["A", "B", "C", "m", "n", "k"]
)";

// B = 2 A. EXTRA % more elements are written to a scratch buffer, which moves that many bytes more.
constexpr const char* k_scale_device = R"(#include "hone.h"
#include "macros.h"

extern "C" void scale(const hone_group* group, const float* A, float* B, float* more, int64_t n)
{
  const int64_t end = n * (group->id[0] + 1) / GROUPS;
  for (int64_t i = n * group->id[0] / GROUPS; i < end; ++i) {
    B[i] = 2 * A[i];
  }
  // A scaling reads A, and reads and writes the lines of B: a written element moves two thirds of what a scaled one does.
  const int64_t extra = n * EXTRA / 100 * 3 / 2;
  const int64_t more_end = extra * (group->id[0] + 1) / GROUPS;
  for (int64_t i = extra * group->id[0] / GROUPS; i < more_end; ++i) {
    more[i] = 1;
  }
}
)";

constexpr const char* k_scale_launch = R"([tuning]
EXTRA = { values = [0, 10], default = 0 }
GROUPS = { values = [1, 2, 4, 8, 16, 32, 64], default = 1 }

[[scratch]]
name = "more"
type = "f32"
size = "n / 5 + 1"

[[launch]]
kernel = "scale"
grid = ["GROUPS"]
block = [1]
args = ["A", "B", "more", "n"]
)";

Result<BenchKernel> make(std::string name, std::string toml, const char* device, const char* launch, bool arithmetic,
                         int groups)
{
  HONE_TRY(const kernel::Kernel kernel, kernel::parse_kernel(toml, name));
  HONE_TRY(
    const kernel::Candidate candidate,
    kernel::make_candidate(kernel, {{"device.cpp", device}, {"macros.h", "#pragma once\n"}, {"launch.toml", launch}}));
  return BenchKernel{std::move(name),
                     std::move(toml),
                     {candidate, {{"EXTRA", 0}, {"GROUPS", groups}}, {}, {}},
                     {candidate, {{"EXTRA", arithmetic ? 3 : 10}, {"GROUPS", groups}}, {}, {}},
                     arithmetic};
}

Result<BenchKernel> product(std::string name, int m, int n, int k, int groups)
{
  std::string toml = fmt::format(R"TOML([kernel]
name = "{0}"
summary = "a product for the measuring bench"
[compute]
expr = "C[m,n] = sum(k, A[m,k] * B[k,n])"
[arguments]
A = {{ type = "f32", shape = ["m", "k"] }}
B = {{ type = "f32", shape = ["k", "n"] }}
C = {{ type = "f32", shape = ["m", "n"], role = "output" }}
[sizes]
timed = [{{ m = {1}, n = {2}, k = {3} }}]
also = "timed"
[accuracy]
accumulate = "f32"
)TOML",
                                 name, m, n, k);
  return make(std::move(name), std::move(toml), k_gemm_device, k_gemm_launch, true, groups);
}

Result<BenchKernel> scaling(std::string name, int elements, int groups)
{
  std::string toml = fmt::format(R"TOML([kernel]
name = "{0}"
summary = "a scaling for the measuring bench"
[compute]
expr = "B[i] = 2 * A[i]"
[arguments]
A = {{ type = "f32", shape = ["n"] }}
B = {{ type = "f32", shape = ["n"], role = "output" }}
[sizes]
timed = [{{ n = {1} }}]
also = "timed"
)TOML",
                                 name, elements);
  return make(std::move(name), std::move(toml), k_scale_device, k_scale_launch, false, groups);
}

} // namespace

Result<std::vector<BenchKernel>> bench_kernels(int threads)
{
  constexpr int k_groups_per_thread = 2;
  const int groups =
    threads == 1 ? 1 : static_cast<int>(std::bit_ceil(static_cast<unsigned>(k_groups_per_thread * threads)));
  std::vector<BenchKernel> kernels;
  HONE_TRY(BenchKernel shortest, product("gemm-96x32x32", 96, 32, 32, groups));
  kernels.push_back(std::move(shortest));
  for (const int size : {160, 320, 960}) {
    HONE_TRY(BenchKernel kernel, product(fmt::format("gemm-{}", size), size, size, size, groups));
    kernels.push_back(std::move(kernel));
  }
  // Bytes of A and B together: 64 KB, 2 MB, 64 MB.
  for (const auto& [name, elements] :
       {std::pair{"scale-64K", 8'000}, {"scale-2M", 256'000}, {"scale-64M", 8'000'000}}) {
    HONE_TRY(BenchKernel kernel, scaling(name, elements, groups));
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

} // namespace hone
