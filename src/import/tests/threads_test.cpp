// __global__ functions with their launches, and the statements that all their threads together mean.
#include "meaning_cases.h"

#include <gmock/gmock.h>

namespace hone::import {
namespace {

using testing::HasSubstr;
using testing::Not;

// A loop that is too long or too short, an index that is not seen in its form, or a guard that is lost changes these.
const MeaningCase k_threads[] = {
  {"Saxpy",
   "__global__ void f(int n, float a, const float* x, float* y)"
   "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i] + y[i]; }"
   "int main() { int N = 1 << 20; float *x = 0, *y = 0; f<<<(N + 255) / 256, 256>>>(N, 2.0f, x, y); }",
   "y[i] = a * x[i] + y[i]", "x=n input"},
  {"EarlyReturn",
   "__global__ void f(int n, const float* x, float* y)"
   "{ unsigned i = threadIdx.x + blockDim.x * blockIdx.x; if (i >= n) return; y[i] = 2 * x[i]; }"
   "void run(int n, const float* x, float* y) { const int threads = 128;"
   "  const int blocks = (n + threads - 1) / threads; f<<<blocks, threads>>>(n, x, y); }",
   "y[i] = 2.0 * x[i]", "y=n output"},
  {"GridStrideByVariables",
   "__global__ void f(int n, const float* x, float* y) { int i = threadIdx.x + blockIdx.x * blockDim.x;"
   "  const int stride = gridDim.x * blockDim.x; while (i < n) { y[i] = x[i] * x[i]; i += stride; } }"
   "void run(int n, const float* x, float* y) { f<<<32, 64>>>(n, x, y); }",
   "y[i] = x[i] * x[i]", "y=n output"},
  {"MatrixSumInTwoDimensions",
   "#define TILE 16\n"
   "__global__ void f(const float* a, const float* b, float* c, int rows, int cols)"
   "{ int col = blockIdx.x * TILE + threadIdx.x; int row = blockIdx.y * TILE + threadIdx.y;"
   "  if (row < rows && col < cols) { int at = row * cols + col; c[at] = a[at] + b[at]; } }"
   "void run(const float* a, const float* b, float* c, int rows, int cols) { dim3 block(TILE, TILE);"
   "  dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE); f<<<grid, block>>>(a, b, c, rows, cols); }",
   "c[row, col] = a[row, col] + b[row, col]", "a=rows,cols input"},
  {"Product",
   "__global__ void f(const float* A, const float* B, float* C, int M, int N, int K)"
   "{ const int row = blockIdx.y * blockDim.y + threadIdx.y; const int col = blockIdx.x * blockDim.x + threadIdx.x;"
   "  if (row >= M || col >= N) return; float sum = 0; for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + "
   "col];"
   "  C[row * N + col] = sum; }"
   "void run(float* A, float* B, float* C, int M, int N, int K)"
   "{ f<<<dim3(ceil(N / 32.0), ceil(M / 32.0)), dim3(32, 32)>>>(A, B, C, M, N, K); }",
   "C[row, col] = sum(k < K, A[row, k] * B[k, col])", "B=K,N input"},
  {"StencilWithBorders",
   "__global__ void f(int n, const float* x, float* y) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) "
   "return;"
   "  float left = i > 0 ? x[i - 1] : 0.0f; float right = i < n - 1 ? x[i + 1] : 0.0f; y[i] = left - 2 * x[i] + right; "
   "}"
   "void run(int n, const float* x, float* y) { f<<<(n + 255) / 256, 256>>>(n, x, y); }",
   "y[i] = select(i > 0, x[i - 1], 0.0) - 2.0 * x[i] + select(i < n - 1, x[i + 1], 0.0)", "y=n output"},
  {"BlockPerRow",
   "__global__ void f(const float* x, const float* bias, float* y, int cols)"
   "{ for (int c = threadIdx.x; c < cols; c += blockDim.x) y[blockIdx.x * cols + c] = x[blockIdx.x * cols + c] + "
   "bias[c]; }"
   "void run(const float* x, const float* bias, float* y, int rows, int cols) { f<<<rows, 128>>>(x, bias, y, cols); }",
   "y[block, c] = x[block, c] + bias[c]", "x=rows,cols input"},
  {"RoundedDown",
   "__global__ void f(const float* x, float* y) { int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = 2 * x[i]; }"
   "void run(const float* x, float* y, int n) { f<<<n / 256, 256>>>(x, y); }",
   "y[i] = 2.0 * x[i]", "x=n input"},
  {"Template",
   "template <typename T, int SIZE = 256> __global__ void f(const T* x, T* y, int n)"
   "{ int i = blockIdx.x * SIZE + threadIdx.x; if (i < n) y[i] = x[i] * T(2); }"
   "void run(const double* x, double* y, int n) { f<double><<<(n + 255) / 256, 256>>>(x, y, n); }",
   "y[i] = x[i] * 2.0", "x=n input"},
  {"Hip",
   "#include <hip/hip_runtime.h>\n"
   "__global__ void f(const float* x, float* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) "
   "y[i] = 2 * x[i]; }"
   "void run(const float* x, float* y, int n) { hipLaunchKernelGGL(f, dim3((n + 255) / 256), dim3(256), 0, 0, x, y, "
   "n); }",
   "y[i] = 2.0 * x[i]", "x=n input"},
};

const MeaningCase k_more_threads[] = {
  {"BoundBelowTheSize",
   "__global__ void f(int n, const float* x, float* y)"
   "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i + 1 < n) y[i] = x[i + 1] - x[i]; }"
   "void run(int n, const float* x, float* y) { f<<<(n + 255) / 256, 256>>>(n, x, y); }",
   "y[i < n - 1] = x[i + 1] - x[i]", "y=n - 1 output"},
  {"GridStride",
   "__global__ void f(int n, float a, const float* x, float* y)"
   "{ for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = a * x[i]; }"
   "void run(int n, float a, const float* x, float* y) { f<<<64, 256>>>(n, a, x, y); }",
   "y[i] = a * x[i]", "x=n input"},
  {"Transpose",
   "__global__ void f(const float* in, float* out, int w, int h)"
   "{ int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;"
   "  if (x < w && y < h) out[x * h + y] = in[y * w + x]; }"
   "void run(const float* in, float* out, int w, int h) { dim3 block(32, 8), grid; grid.x = (w + 31) / 32;"
   "  grid.y = (h + 7) / 8; f<<<grid, block>>>(in, out, w, h); }",
   "out[x, y] = in[y, x]", "in=h,w input"},
  {"StencilInOneDimension",
   "__global__ void f(int n, const float* x, float* y) { int i = blockIdx.x * blockDim.x + threadIdx.x;"
   "  if (i > 0 && i < n - 1) y[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1]; }"
   "void run(int n, const float* x, float* y) { f<<<1 + (n - 1) / 256, 256>>>(n, x, y); }",
   "y[i] = select(1 <= i && i < n - 1, 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1], y[i])", "y=n inout"},
  {"StencilInTwoDimensions",
   "__global__ void f(const float* in, float* out, int w, int h)"
   "{ int x = blockIdx.x * blockDim.x + threadIdx.x + 1; int y = blockIdx.y * blockDim.y + threadIdx.y + 1;"
   "  if (x < w - 1 && y < h - 1) out[y * w + x] = 0.25f * (in[(y - 1) * w + x] + in[(y + 1) * w + x] + in[y * w + x - "
   "1]"
   "  + in[y * w + x + 1]); }"
   "void run(const float* in, float* out, int w, int h)"
   "{ f<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(in, out, w, h); }",
   "out[i, j] = select(0 <= i - 1 && 0 <= j - 1 && (j < w - 1 && i < h - 1), 0.25 * (in[i - 1, j] + in[i + 1, j] + "
   "in[i, j - 1] + in[i, j + 1]), out[i, j])",
   "out=h,w inout"},
  {"SoftmaxByRows",
   "__global__ void f(const float* x, float* y, int rows, int cols) { int row = blockIdx.x * blockDim.x + threadIdx.x;"
   "  if (row >= rows) return; const float* in = x + row * cols; float top = -INFINITY;"
   "  for (int c = 0; c < cols; c++) top = fmaxf(top, in[c]); float total = 0;"
   "  for (int c = 0; c < cols; c++) total += __expf(in[c] - top);"
   "  for (int c = 0; c < cols; c++) y[row * cols + c] = __expf(in[c] - top) / total; }"
   "void run(const float* x, float* y, int rows, int cols) { f<<<(rows + 63) / 64, 64>>>(x, y, rows, cols); }",
   "top[row < rows] = max(c < cols, x[row, c])\ntop2[row < rows] = max(c < cols, x[row, c])\n"
   "total[row < rows] = sum(c < cols, exp(x[row, c] - top[row]))\ny[row, c] = exp(x[row, c] - top2[row]) / total[row]",
   "x=rows,cols input"},
  {"MatrixTimesVector",
   "__device__ inline int index() { return blockIdx.x * blockDim.x + threadIdx.x; }"
   "__global__ void f(int m, int n, const double* A, const double* x, double* y) { const int r = index();"
   "  if (r < m) { double sum = 0; for (int c = 0; c < n; ++c) sum += A[r * n + c] * __ldg(&x[c]); y[r] = sum; } }"
   "void run(int m, int n, const double* A, const double* x, double* y) { f<<<(m + 127) / 128, 128>>>(m, n, A, x, y); "
   "}",
   "y[r] = sum(c < n, A[r, c] * x[c])", "A=m,n input"},
  {"HalfRelu",
   "#include <cuda_fp16.h>\n"
   "__global__ void f(const half* x, half* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;"
   "  if (i < n) y[i] = __float2half(fmaxf(__half2float(x[i]), 0.0f)); }"
   "void run(const half* x, half* y, int n) { f<<<(n + 255) / 256, 256>>>(x, y, n); }",
   "y[i] = max(x[i], 0.0)", "y=n output"},
  {"BlocksAlone",
   "__global__ void f(int* a, int* b, int* c) { c[blockIdx.x] = a[blockIdx.x] + b[blockIdx.x]; }"
   "void run(int* a, int* b, int* c, int n) { f<<<n, 1>>>(a, b, c); }",
   "c[i] = a[i] + b[i]", "c=n output"},
  {"ThreadsAlone",
   "#define N 512\n"
   "__global__ void f(int* a, int* b, int* c) { int i = threadIdx.x; c[i] = a[i] + b[i]; }"
   "int main() { int *a = 0, *b = 0, *c = 0; f<<<1, N>>>(a, b, c); }",
   "c[i] = a[i] + b[i]", "c=512 output"},
  {"SumByAtomics",
   "__global__ void f(int n, const float* x, float* total) { int i = blockIdx.x * blockDim.x + threadIdx.x;"
   "  if (i < n) atomicAdd(total, x[i]); }"
   "void run(int n, const float* x, float* total) { f<<<(n + 255) / 256, 256>>>(n, x, total); }",
   "total = total + sum(i < n, x[i])", "total= inout"},
  {"FlatIndexOfTwoDimensions",
   "__global__ void f(const float* x, const float* bias, float* y, int rows, int cols)"
   "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= rows * cols) return; int c = i % cols;"
   "  y[i] = x[i] + bias[c]; }"
   "void run(const float* x, const float* bias, float* y, int rows, int cols)"
   "{ int n = rows * cols; f<<<(n + 255) / 256, 256>>>(x, bias, y, rows, cols); }",
   "y[i] = x[i] + bias[i % cols]", ""},
  {"ThreeDimensions",
   "__global__ void f(const float* x, float* y, int nx, int ny, int nz)"
   "{ int i = blockIdx.x * blockDim.x + threadIdx.x; int j = blockIdx.y * blockDim.y + threadIdx.y;"
   "  int k = blockIdx.z * blockDim.z + threadIdx.z; if (i < nx && j < ny && k < nz) { int at = (k * ny + j) * nx + i;"
   "  y[at] = x[at] > 0 ? x[at] : 0; } }"
   "void run(const float* x, float* y, int nx, int ny, int nz) { dim3 b(8, 8, 4);"
   "  dim3 g((nx + b.x - 1) / b.x, (ny + b.y - 1) / b.y, (nz + b.z - 1) / b.z); f<<<g, b>>>(x, y, nx, ny, nz); }",
   "y[k, j, i] = max(x[k, j, i], 0.0)", "x=nz,ny,nx input"},
};

class Threads : public testing::TestWithParam<MeaningCase> {};

TEST_P(Threads, MeanTheirStatements)
{
  expect_meaning(GetParam(), "test.cu");
}

INSTANTIATE_TEST_SUITE_P(All, Threads, testing::ValuesIn(k_threads), name_of);

class MoreThreads : public testing::TestWithParam<MeaningCase> {};

TEST_P(MoreThreads, MeanTheirStatements)
{
  expect_meaning(GetParam(), "test.cu");
}

INSTANTIATE_TEST_SUITE_P(All, MoreThreads, testing::ValuesIn(k_more_threads), name_of);

ForeignAnswer answer_to(const std::string& code, ForeignFunction request = request_for("test.cu"))
{
  const auto answer = kernel_from_text(request, code);
  EXPECT_TRUE(answer) << answer.error().text();
  return answer ? *answer : ForeignAnswer{};
}

Error refusal_of(const std::string& code, ForeignFunction request = request_for("test.cu"))
{
  const auto answer = kernel_from_text(request, code);
  EXPECT_FALSE(answer);
  return answer ? Error{} : answer.error();
}

constexpr const char* k_run = "void run(int n, const float* x, float* y) { f<<<(n + 255) / 256, 256>>>(n, x, y); }";

std::string kernel_with(const std::string& body)
{
  return "__global__ void f(int n, const float* x, float* y)\n{\n  " + body + "\n}\n" + k_run;
}

TEST(StartOnDevice, IsTheUsersKernelWithItsLaunch)
{
  const ForeignKernel made =
    answer_to(
      "#include <cuda_runtime.h>\n#include <vector>\n#include \"nowhere.h\"\n#define TILE 8\n#define CHECK(x) x\n"
      "using namespace std;\nstruct Timer { std::vector<int> ticks; };\n"
      "__device__ float half_of(float v) { return 0.5f * v; }\n"
      "__global__ void other(float* y) { y[0] = 0; }\n"
      "__global__ void __launch_bounds__(TILE * TILE) f(int w, int h, float a, const float* x, float* y)\n{\n"
      "  int i = blockIdx.x * TILE + threadIdx.x, j = blockIdx.y * TILE + threadIdx.y;\n"
      "  if (i < w && j < h) y[j * w + i] = a * half_of(x[j * w + i]); // theirs\n}\n"
      "int main() { Timer t; int w = 10, h = 20; unheard_of(t); dim3 b(TILE, TILE);\n"
      "  f<<<dim3((w + TILE - 1) / TILE, (h + b.y - 1) / b.y), b, 2 * sizeof(float)>>>(w, h, 2.0f, 0, 0);\n}\n",
      [] {
        ForeignFunction request = request_for("test.cu");
        request.function = "f";
        return request;
      }())
      .kernel;
  EXPECT_EQ(made.backend, "cuda");
  const std::string& device = made.start.at("device.cu");
  EXPECT_THAT(device, HasSubstr("y[j * w + i] = a * half_of(x[j * w + i]); // theirs"));
  EXPECT_THAT(device, HasSubstr("#define TILE 8"));
  EXPECT_THAT(device, HasSubstr("extern \"C\" __global__ void __launch_bounds__(TILE * TILE) f_kernel(const float* a, "
                                "const float* x, float* y, long long w, long long h)"));
  EXPECT_THAT(device, HasSubstr("f((int)(w), (int)(h), *a, (const float *)x, (float *)y);"));
  for (const char* hosts : {"main", "Timer", "CHECK", "namespace", "other", "vector", "nowhere"}) {
    EXPECT_THAT(device, Not(HasSubstr(hosts)));
  }
  const std::string& plan = made.start.at("launch.toml");
  EXPECT_THAT(plan, HasSubstr("grid = [\"(w + 8 - 1) / 8\", \"(h + 8 - 1) / 8\"]"));
  EXPECT_THAT(plan, HasSubstr("block = [8, 8]"));
  EXPECT_THAT(plan, HasSubstr("shared = \"8\""));
}

// The sizes' conditions are what the launch needs: without them, hidden sizes would leave elements out.
TEST(StartOnDevice, StatesWhatALaunchThatRoundsDownNeeds)
{
  const ForeignKernel made = answer_to("__global__ void f(const float* x, float* y)"
                                       "{ int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = 2 * x[i]; }"
                                       "void run(const float* x, float* y, int n) { f<<<n / 256, 256>>>(x, y); }")
                               .kernel;
  const auto kernel = kernel::parse_kernel(made.toml, "kernel.toml");
  ASSERT_TRUE(kernel);
  ASSERT_EQ(kernel->size_conditions.size(), 1u);
  EXPECT_EQ(kernel::to_text(*kernel->size_conditions[0]), "n % 256 == 0");
  EXPECT_EQ(kernel->timed.front().at("n") % 256, 0);
}

// A launch of too few threads is the candidate's mistake, not the kernel's: its guard says what it computes.
TEST(StartOnDevice, KeepsAMistakeInTheLaunch)
{
  const ForeignKernel made =
    answer_to(kernel_with("int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 2 * x[i];")).kernel;
  EXPECT_THAT(made.start.at("launch.toml"), HasSubstr("(n + 255) / 256"));
  std::string few = kernel_with("int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 2 * x[i];");
  few.replace(few.find("(n + 255)"), 9, "n");
  const ForeignKernel wrong = answer_to(few).kernel;
  EXPECT_EQ(wrong.toml, made.toml);
  EXPECT_THAT(wrong.start.at("launch.toml"), HasSubstr("grid = [\"n / 256\"]"));
}

// What only the host knows would make a plan that names nothing.
TEST(StartOnDevice, TunesWhatOnlyTheHostKnows)
{
  const std::string code =
    "#include <cublas_v2.h>\ntemplate <class T> T ceil_div(T a, T b) { return (a + b - 1) / b; }\n"
    "__constant__ float factor[2] = {2.0f, 3.0f};\n"
    "__global__ void f(int n, const float* x, float* y)\n{\n"
    "  const uint start = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  for (uint i = start; i < n; i += gridDim.x * blockDim.x) y[i] = factor[1] * x[i];\n}\n";
  const ForeignKernel by_size = answer_to(code
                                          + "void run(int n, const float* x, float* y, int threads)"
                                            "{ f<<<ceil_div(n, threads), threads>>>(n, x, y); }")
                                  .kernel;
  EXPECT_THAT(by_size.toml, HasSubstr("y[i] = 3.0 * x[i]"));
  EXPECT_THAT(by_size.start.at("launch.toml"), HasSubstr("[tuning]\nTHREADS = { values = [64, "));
  EXPECT_THAT(by_size.start.at("launch.toml"),
              HasSubstr("grid = [\"(n + THREADS - 1) / THREADS\"]\nblock = [\"THREADS\"]"));
  const ForeignKernel by_units = answer_to(code
                                           + "void run(int n, const float* x, float* y) { int units; cudaDeviceProp p;"
                                             "cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0);"
                                             "f<<<dim3(32 * units), 256>>>(n, x, y); }")
                                   .kernel;
  EXPECT_THAT(by_units.start.at("launch.toml"), HasSubstr("grid = [\"32 * UNITS\"]"));
}

TEST(StartOnDevice, NamesBuffersThatBlocksUpdateTogether)
{
  const ForeignKernel made =
    answer_to("__global__ void f(const int* x, int* total, int n)"
              "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(total, x[i]); }"
              "void run(const int* x, int* total, int n) { f<<<(n + 63) / 64, 64>>>(x, total, n); }")
      .kernel;
  EXPECT_THAT(made.start.at("launch.toml"), HasSubstr("reduce = [\"total\"]"));
}

TEST(StartOnDevice, TakesItsDefinitionFromAReference)
{
  ForeignFunction request = request_for("test.cu");
  request.reference = "plain";
  const ForeignKernel made =
    answer_to("__global__ void f(const float* in, float* out, int count) { __shared__ float t[64];"
              "t[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x]; __syncthreads();"
              "out[blockIdx.x * 64 + threadIdx.x] = 3 * t[threadIdx.x]; }"
              "void plain(const float* x, float* y, int n) { for (int i = 0; i < n; i++) y[i] = 3 * x[i]; }"
              "void run(const float* x, float* y, int n) { f<<<n / 64, 64>>>(x, y, n); }",
              request)
      .kernel;
  EXPECT_EQ(made.name, "f");
  EXPECT_THAT(made.toml, HasSubstr("y[i] = 3.0 * x[i]"));
  EXPECT_THAT(made.start.at("device.cu"), HasSubstr("f((const float *)x, (float *)y, (int)(n));"));
  EXPECT_THAT(made.start.at("launch.toml"), HasSubstr("grid = [\"n / 64\"]"));
  request.reference = "nowhere.c";
  EXPECT_THAT(refusal_of(kernel_with("y[0] = 0;"), request).message, HasSubstr("no file 'nowhere.c'"));
}

TEST(ErrorsOnDevice, NameTheLineAndTheWayOut)
{
  struct Refused {
    const char* body;
    int line;
    const char* message;
    const char* hint;
  };
  for (const Refused& one : {
         Refused{"__shared__ float t[256];", 3, "uses shared memory", "--reference"},
         Refused{"y[0] = 1;\n  __syncthreads();", 4, "uses a barrier", "--reference"},
         Refused{"y[0] = __shfl_down_sync(~0u, x[0], 1);", 3, "uses an exchange within a warp", "--reference"},
         Refused{"f<<<1, 1>>>(n, x, y);", 3, "launch from a kernel", ""},
         Refused{"int i = blockIdx.x * blockDim.x + threadIdx.x;\n  for (int k = i; k < n; k += blockDim.x * gridDim.x)"
                 "y[k] = x[k];\n  y[i] = 0;",
                 5, "share the loop in line 4", "--reference"},
         Refused{"int i = threadIdx.x; for (int k = i; k < n; ++k) { if (x[k] > 0) return; y[i] = 1; }", 3,
                 "returns from inside a loop", ""},
         Refused{"y[0] = oops;", 3, "undeclared identifier 'oops'", "must compile"},
       }) {
    const Error error = refusal_of(kernel_with(one.body));
    EXPECT_THAT(error.message, HasSubstr(one.message));
    EXPECT_THAT(error.hint, HasSubstr(one.hint));
    EXPECT_EQ(error.place.line, one.line) << one.body;
  }
}

TEST(FilesOfC, ThatSpeakOfDevicesAreC)
{
  EXPECT_EQ(
    meaning_of("/* was __global__ once */ void f(int n, float *y) { for (int i = 0; i < n; i++) y[i] = 2 * y[i]; }"),
    "y[i] = 2.0 * y[i]");
}

TEST(ErrorsOnDevice, SayWhatIsMissingAroundTheKernel)
{
  EXPECT_THAT(refusal_of("void f(int n) {}").message, HasSubstr("defines no __global__ function"));
  EXPECT_THAT(refusal_of("__global__ void f(float* y) { y[0] = 1; }").message, HasSubstr("does not launch 'f'"));
  EXPECT_THAT(refusal_of("__global__ void f(float* y) { y[0] = 1; }").hint, HasSubstr("f<<<"));
  EXPECT_THAT(refusal_of("struct pair { float* x; };\n__global__ void f(pair p) { p.x[0] = 1; }").message,
              HasSubstr("'p' is a 'pair'"));
  const Error several = refusal_of("__global__ void f(float* y) {} __global__ void g(float* y) {}");
  EXPECT_THAT(several.message, HasSubstr("several __global__ functions: f, g"));
  EXPECT_THAT(several.hint, HasSubstr("--function"));
  EXPECT_THAT(refusal_of("__global__ void f(float* y) { y[0] = 1; }\nint units();\n"
                         "void run(float* y) { f<<<units(), 64>>>(y); }")
                .message,
              HasSubstr("'units()' is no constant"));
  EXPECT_THAT(
    refusal_of("__global__ void f(float* y) { y[0] = 1; }\nvoid run(float* y) { f<<<oops, 64>>>(y); }").message,
    HasSubstr("the launch of 'f' cannot be read"));
  EXPECT_THAT(refusal_of("template <typename T> __global__ void f(T* y) { y[0] = 1; }\n"
                         "void run(float* y) { f<<<1, 64>>>(y); }")
                .message,
              HasSubstr("what 'T' of the template 'f' stands for"));
}

} // namespace
} // namespace hone::import
