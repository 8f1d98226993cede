#include "import/device_headers.h"

#include "import/c_tokens.h"
#include "util/fs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::import {

namespace {

constexpr std::string_view k_folder = "/hone-device-headers";

constexpr std::array<std::string_view, 32> k_toolkit_headers{"cuda.h",
                                                             "cuda_runtime.h",
                                                             "cuda_runtime_api.h",
                                                             "cuda_fp16.h",
                                                             "cuda_bf16.h",
                                                             "curand.h",
                                                             "math_constants.h",
                                                             "device_functions.h",
                                                             "vector_types.h",
                                                             "vector_functions.h",
                                                             "device_types.h",
                                                             "driver_types.h",
                                                             "helper_cuda.h",
                                                             "helper_functions.h",
                                                             "cuda_profiler_api.h",
                                                             "device_launch_parameters.h",
                                                             "cublas_v2.h",
                                                             "cublas.h",
                                                             "cublasLt.h",
                                                             "cudnn.h",
                                                             "cufft.h",
                                                             "cusparse.h",
                                                             "cusolverDn.h",
                                                             "curand_kernel.h",
                                                             "nvToolsExt.h",
                                                             "cooperative_groups.h",
                                                             "texture_types.h",
                                                             "sm_60_atomic_functions.h",
                                                             "hip/hip_runtime.h",
                                                             "hip/hip_runtime_api.h",
                                                             "hip/hip_fp16.h",
                                                             "hip/hip_bf16.h"};

// Plain C++ with marks that the reader finds; launches have been rewritten as calls of hone_launch (launch_syntax.h).
constexpr std::string_view k_names = R"(#if __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS // Bessel functions take most of the time of <math.h>
#endif
#include <cfloat>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <math.h>
#define __global__ __attribute__((annotate("hone:global")))
#define __device__ __attribute__((annotate("hone:device")))
#define __host__
#define __shared__ __attribute__((annotate("hone:shared")))
#define __constant__ __attribute__((annotate("hone:constant")))
#define __managed__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
extern const int warpSize;
typedef struct hone_stream* cudaStream_t;
typedef struct hone_stream* hipStream_t;
typedef struct hone_event* cudaEvent_t;
typedef struct hone_event* hipEvent_t;
enum cudaError_t { cudaSuccess, hipSuccess = 0 };
typedef cudaError_t hipError_t;
struct cudaDeviceProp { int multiProcessorCount, maxThreadsPerBlock, warpSize, major, minor; char name[256]; unsigned long totalGlobalMem, sharedMemPerBlock; };
typedef cudaDeviceProp hipDeviceProp_t;
enum { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault, cudaDevAttrMultiProcessorCount, cudaFuncAttributeMaxDynamicSharedMemorySize, hipMemcpyHostToDevice, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice, hipMemcpyDefault };
void hone_launch(dim3 grid, dim3 block, unsigned long shared = 0, const void* stream = nullptr);
#define HONE_RUNTIME(name) template <typename... T> cudaError_t cuda##name(T&&...) { return cudaSuccess; } template <typename... T> cudaError_t hip##name(T&&...) { return cudaSuccess; }
HONE_RUNTIME(Malloc) HONE_RUNTIME(MallocManaged) HONE_RUNTIME(MallocHost) HONE_RUNTIME(HostAlloc) HONE_RUNTIME(HostMalloc) HONE_RUNTIME(MallocAsync)
HONE_RUNTIME(Memcpy) HONE_RUNTIME(MemcpyAsync) HONE_RUNTIME(MemcpyToSymbol) HONE_RUNTIME(Memset) HONE_RUNTIME(MemsetAsync) HONE_RUNTIME(MemPrefetchAsync)
HONE_RUNTIME(Free) HONE_RUNTIME(FreeHost) HONE_RUNTIME(HostFree) HONE_RUNTIME(FreeAsync)
HONE_RUNTIME(DeviceSynchronize) HONE_RUNTIME(ThreadSynchronize) HONE_RUNTIME(DeviceReset) HONE_RUNTIME(SetDevice) HONE_RUNTIME(GetDevice) HONE_RUNTIME(GetDeviceCount)
HONE_RUNTIME(GetDeviceProperties) HONE_RUNTIME(DeviceGetAttribute) HONE_RUNTIME(GetLastError) HONE_RUNTIME(PeekAtLastError)
HONE_RUNTIME(EventCreate) HONE_RUNTIME(EventRecord) HONE_RUNTIME(EventSynchronize) HONE_RUNTIME(EventElapsedTime) HONE_RUNTIME(EventDestroy)
HONE_RUNTIME(StreamCreate) HONE_RUNTIME(StreamSynchronize) HONE_RUNTIME(StreamDestroy) HONE_RUNTIME(FuncSetAttribute)
HONE_RUNTIME(OccupancyMaxActiveBlocksPerMultiprocessor) HONE_RUNTIME(OccupancyMaxPotentialBlockSize)
inline const char* cudaGetErrorString(cudaError_t) { return ""; }
inline const char* hipGetErrorString(cudaError_t) { return ""; }
inline const char* cudaGetErrorName(cudaError_t) { return ""; }
#define checkCudaErrors(call) (call)
#define getLastCudaError(text)
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HONE_VECTORS(type, name) struct name##1 { type x; }; struct name##2 { type x, y; }; struct name##3 { type x, y, z; }; struct name##4 { type x, y, z, w; }; inline name##2 make_##name##2(type x, type y) { return {x, y}; } inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
HONE_VECTORS(float, float)
HONE_VECTORS(double, double)
HONE_VECTORS(int, int)
typedef _Float16 __half;
typedef _Float16 half;
struct __nv_bfloat16 { unsigned short bits; };
typedef __nv_bfloat16 __hip_bfloat16;
inline float __half2float(__half x) { return x; }
inline __half __float2half(float x) { return x; }
inline __half __float2half_rn(float x) { return x; }
float __bfloat162float(__nv_bfloat16);
__nv_bfloat16 __float2bfloat16(float);
inline __half __hadd(__half a, __half b) { return a + b; }
inline __half __hsub(__half a, __half b) { return a - b; }
inline __half __hmul(__half a, __half b) { return a * b; }
inline __half __hdiv(__half a, __half b) { return a / b; }
#define HONE_EXTREMES(type) type max(type, type); type min(type, type);
HONE_EXTREMES(int)
HONE_EXTREMES(unsigned)
HONE_EXTREMES(long)
HONE_EXTREMES(unsigned long)
HONE_EXTREMES(long long)
HONE_EXTREMES(unsigned long long)
HONE_EXTREMES(float)
HONE_EXTREMES(double)
float rsqrtf(float);
double rsqrt(double);
float __expf(float);
float __logf(float);
float __sinf(float);
float __cosf(float);
float __powf(float, float);
float __fdividef(float, float);
float __fmaf_rn(float, float, float);
float __frcp_rn(float);
template <typename T> T __ldg(const T*);
#define HONE_ATOMIC(name) template <typename T, typename U> T name(T*, U);
HONE_ATOMIC(atomicAdd) HONE_ATOMIC(atomicSub) HONE_ATOMIC(atomicMax) HONE_ATOMIC(atomicMin) HONE_ATOMIC(atomicExch) HONE_ATOMIC(atomicAnd) HONE_ATOMIC(atomicOr) HONE_ATOMIC(atomicXor)
template <typename T, typename U, typename V> T atomicCAS(T*, U, V);
void __syncthreads();
int __syncthreads_count(int);
int __syncthreads_or(int);
int __syncthreads_and(int);
void __syncwarp(unsigned = 0xffffffff);
void __threadfence();
void __threadfence_block();
unsigned __ballot_sync(unsigned, int);
unsigned __activemask();
#define HONE_SHUFFLE(name) template <typename T> T name##_sync(unsigned, T, int, int = 32); template <typename T> T name(T, int, int = 32);
HONE_SHUFFLE(__shfl) HONE_SHUFFLE(__shfl_up) HONE_SHUFFLE(__shfl_down) HONE_SHUFFLE(__shfl_xor)
)";

// Comments hold none.
bool holds_token(std::string_view text, std::string_view word)
{
  const std::vector<CToken> tokens = tokens_of(text);
  return std::ranges::find(tokens, word, &CToken::text) != tokens.end();
}

} // namespace

std::map<std::string, std::string> device_headers()
{
  std::map<std::string, std::string> out;
  for (const std::string_view name : k_toolkit_headers) {
    out[fmt::format("{}/{}", k_folder, name)] = "#pragma once\n";
  }
  out[fmt::format("{}/names.h", k_folder)] = k_names;
  return out;
}

std::string device_language(std::string_view path, std::string_view text)
{
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".hip" || text.contains("hip/hip_runtime")) {
    return "hip";
  }
  const bool named = extension == ".cu" || extension == ".cuh";
  return named || (text.contains("__global__") && holds_token(text, "__global__")) ? "cuda" : "";
}

// Halves are numbers here as they are there, whatever this CPU has.
std::vector<std::string> device_flags()
{
  return {"-x",
          "c++",
          "-std=c++20",
          "-mavx512fp16",
          fmt::format("-I{}", k_folder),
          "-include",
          fmt::format("{}/names.h", k_folder)};
}

} // namespace hone::import
