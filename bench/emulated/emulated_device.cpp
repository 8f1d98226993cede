// emulated_device: how fast the emulated device executes four products of 128 x 128 x 128, with all checks and with
// bounds alone, as instructions of lanes per second. Medians of three launches, on one CPU. Writes a table for
// docs/results/emulated-device.md.
#include "compiled_cuda.h"
#include "emulate/emulate.h"
#include "gate/jail.h"
#include "kernel/kernel.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

namespace {

using namespace hone;

constexpr std::int64_t k_size = 128;

struct Program {
  std::string what, file, text; // a file of tests/property/emulated, or a text
  std::array<std::uint32_t, 3> grid{}, block{};
  std::size_t element_bytes = 4;
};

const std::vector<Program> k_programs = {
  {"one thread per result, f32",
   "",
   R"(extern "C" __global__ void product(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, long long m, long long n, long long k)
{
  const long long i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (long long p = 0; p < k; ++p) sum += A[i * k + p] * B[p * n + j];
  C[i * n + j] = sum;
})",
   {8, 8, 1},
   {16, 16, 1}},
  {"16 x 16 tiles in shared memory, f32",
   "",
   R"(extern "C" __global__ void product(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, long long m, long long n, long long k)
{
  __shared__ float a[16][16], b[16][16];
  const long long i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (long long p0 = 0; p0 < k; p0 += 16) {
    a[threadIdx.y][threadIdx.x] = A[i * k + p0 + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = B[(p0 + threadIdx.y) * n + j];
    __syncthreads();
    for (int p = 0; p < 16; ++p) sum += a[threadIdx.y][p] * b[p][threadIdx.x];
    __syncthreads();
  }
  C[i * n + j] = sum;
})",
   {8, 8, 1},
   {16, 16, 1}},
  {"`cp.async`, `ldmatrix`, `mma.sync`, f16", "tensor_cores.cu", "", {16, 8, 1}, {32, 1, 1}, 2},
  {"`wgmma` from swizzled shared memory, f16", "warp_group.cu", "", {2, 2, 1}, {128, 1, 1}, 2},
};

Result<std::string> ptx_of(const Program& program)
{
  std::string text = program.text;
  if (!program.file.empty()) {
    HONE_TRY(text, read_file(fs::path(HONE_SOURCE_ROOT) / "tests/property/emulated" / program.file));
  }
  return compiled_cuda(std::move(text));
}

struct Speed {
  double per_second = 0, seconds = 0;
};

Result<Speed> speed_of(const Program& program, const emulate::Program& loaded, bool checks)
{
  std::vector<Speed> all;
  for (int run = 0; run < 3; ++run) {
    emulate::GlobalMemory memory;
    const auto elements = static_cast<std::size_t>(k_size * k_size);
    const std::array<std::uint64_t, 3> buffers = {memory.allocate(elements * program.element_bytes),
                                                  memory.allocate(elements * program.element_bytes),
                                                  memory.allocate(elements * 4)};
    for (const std::uint64_t buffer : buffers) {
      std::memset(reinterpret_cast<void*>(buffer), 0, elements * 2);
    }
    emulate::LaunchRequest request;
    request.program = &loaded;
    request.entry = "product";
    request.grid = program.grid;
    request.block = program.block;
    request.checks = checks;
    for (const std::uint64_t value :
         {buffers[0], buffers[1], buffers[2], std::uint64_t{k_size}, std::uint64_t{k_size}, std::uint64_t{k_size}}) {
      const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
      request.parameters.insert(request.parameters.end(), bytes, bytes + sizeof value);
    }
    const auto begin = std::chrono::steady_clock::now();
    const emulate::LaunchResult result = emulate::launch(request, memory);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!result.findings.empty()) {
      return fail(result.findings.front().text);
    }
    all.push_back({static_cast<double>(result.counts.lane_instructions) / seconds, seconds});
  }
  std::ranges::sort(all, {}, &Speed::per_second);
  return all[1];
}

Result<void> run()
{
  fmt::print("| program | sizes | with all checks | bounds only | with all checks |\n|---|---|---|---|---|\n");
  for (const Program& program : k_programs) {
    HONE_TRY(const std::string ptx, ptx_of(program));
    HONE_TRY(const emulate::Program loaded, emulate::Program::load(ptx));
    HONE_TRY(const Speed checked, speed_of(program, loaded, true));
    HONE_TRY(const Speed plain, speed_of(program, loaded, false));
    fmt::print("| {} | {} x {} x {} | {:.1e} | {:.1e} | {:.0f} ms |\n", program.what, k_size, k_size, k_size,
               checked.per_second, plain.per_second, 1e3 * checked.seconds);
  }
  return {};
}

} // namespace

int main()
{
  if (const Result<void> done = run(); !done) {
    fmt::print(stderr, "emulated_device: {}\n", done.error().text());
    return 1;
  }
  return 0;
}
