#include "backend/cuda/prelude.h"

#include "backend/cuda/toolkit_names.h"

namespace hone::backend {

namespace {

constexpr std::string_view k_qualifiers = R"(#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#define HONE_FUNCTION static __device__ __forceinline__
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned uint32_t;
typedef unsigned long long uint64_t;
struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; };
HONE_FUNCTION float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
HONE_FUNCTION float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
HONE_FUNCTION int __float_as_int(float value) { return __builtin_bit_cast(int, value); }
HONE_FUNCTION unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
)";

constexpr std::string_view k_cuda_variables =
  R"(#define HONE_THREE(name) uint3{(unsigned)__nvvm_read_ptx_sreg_##name##_x(), (unsigned)__nvvm_read_ptx_sreg_##name##_y(), (unsigned)__nvvm_read_ptx_sreg_##name##_z()}
#define threadIdx HONE_THREE(tid)
#define blockIdx HONE_THREE(ctaid)
#define blockDim HONE_THREE(ntid)
#define gridDim HONE_THREE(nctaid)
#define warpSize 32
template <typename T> HONE_FUNCTION T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32)
{
  if constexpr (sizeof(T) == 8) {
    struct Halves { int low, high; } halves = __builtin_bit_cast(Halves, value);
    halves.low = __nvvm_shfl_sync_bfly_i32(mask, halves.low, lanes, ((32 - width) << 8) | 31);
    halves.high = __nvvm_shfl_sync_bfly_i32(mask, halves.high, lanes, ((32 - width) << 8) | 31);
    return __builtin_bit_cast(T, halves);
  } else {
    return __builtin_bit_cast(T, __nvvm_shfl_sync_bfly_i32(mask, __builtin_bit_cast(int, value), lanes, ((32 - width) << 8) | 31));
  }
}
)";

constexpr std::string_view k_hip_variables =
  R"(#define threadIdx uint3{__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z()}
#define blockIdx uint3{__builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z()}
extern "C" __device__ unsigned long __ockl_get_local_size(unsigned);
extern "C" __device__ unsigned long __ockl_get_num_groups(unsigned);
#define HONE_THREE(function) uint3{(unsigned)function(0), (unsigned)function(1), (unsigned)function(2)}
#define blockDim HONE_THREE(__ockl_get_local_size)
#define gridDim HONE_THREE(__ockl_get_num_groups)
#define warpSize __builtin_amdgcn_wavefrontsize()
HONE_FUNCTION __attribute__((convergent)) void __syncthreads()
{
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
template <typename T> HONE_FUNCTION T __shfl_xor(T value, int lanes, int = 0)
{
  const int self = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
  const int from = (self ^ lanes) << 2;
  if constexpr (sizeof(T) == 8) {
    struct Halves { int low, high; } halves = __builtin_bit_cast(Halves, value);
    halves.low = __builtin_amdgcn_ds_bpermute(from, halves.low);
    halves.high = __builtin_amdgcn_ds_bpermute(from, halves.high);
    return __builtin_bit_cast(T, halves);
  } else {
    return __builtin_bit_cast(T, __builtin_amdgcn_ds_bpermute(from, __builtin_bit_cast(int, value)));
  }
}
)";

// To the nearest, ties to even; a NaN stays one.
constexpr std::string_view k_narrow = R"(struct __half {
  _Float16 value;
  __half() = default;
  __device__ __half(_Float16 x) : value(x) {}
  __device__ __half(float x) : value((_Float16)x) {}
  __device__ __half(double x) : value((_Float16)x) {}
  __device__ __half(int x) : value((_Float16)x) {}
  __device__ operator float() const { return (float)value; }
};
HONE_FUNCTION float __half2float(__half value) { return (float)value.value; }
HONE_FUNCTION __half __float2half(float value) { return __half{(_Float16)value}; }
struct HONE_BF16 { unsigned short bits; };
HONE_FUNCTION float __bfloat162float(HONE_BF16 value) { return __uint_as_float((unsigned)value.bits << 16); }
HONE_FUNCTION HONE_BF16 __float2bfloat16(float value)
{
  const unsigned bits = __float_as_uint(value);
  return HONE_BF16{(unsigned short)((value != value ? bits | 0x400000u : bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}
)";

constexpr std::string_view k_common_functions =
  R"(#define HONE_BOTH_WIDTHS(name, call_f, call_d) HONE_FUNCTION float name(float x) { return call_f(x); } HONE_FUNCTION double name(double x) { return call_d(x); }
HONE_BOTH_WIDTHS(sqrt, __builtin_sqrtf, __builtin_sqrt)
HONE_BOTH_WIDTHS(fabs, __builtin_fabsf, __builtin_fabs)
HONE_BOTH_WIDTHS(floor, __builtin_floorf, __builtin_floor)
HONE_FUNCTION float fmax(float a, float b) { return __builtin_fmaxf(a, b); }
HONE_FUNCTION double fmax(double a, double b) { return __builtin_fmax(a, b); }
HONE_FUNCTION float fmin(float a, float b) { return __builtin_fminf(a, b); }
HONE_FUNCTION double fmin(double a, double b) { return __builtin_fmin(a, b); }
HONE_FUNCTION float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
HONE_FUNCTION double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
HONE_FUNCTION float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
HONE_FUNCTION double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
template <typename T> HONE_FUNCTION T max(T a, T b) { return a < b ? b : a; }
template <typename T> HONE_FUNCTION T min(T a, T b) { return b < a ? b : a; }
HONE_FUNCTION int abs(int x) { return x < 0 ? -x : x; }
HONE_FUNCTION long long abs(long long x) { return x < 0 ? -x : x; }
)";

constexpr std::string_view k_of_library = R"(HONE_OF_LIBRARY(exp)
HONE_OF_LIBRARY(log)
HONE_OF_LIBRARY(log1p)
HONE_OF_LIBRARY(tanh)
HONE_OF_LIBRARY(erf)
HONE_OF_LIBRARY(sin)
HONE_OF_LIBRARY(cos)
)";

// libclc has them under the names that C++ gives these declarations.
constexpr std::string_view k_cuda_functions =
  R"(#define HONE_OF_LIBRARY(name) __device__ float name(float); __device__ double name(double);
#define HONE_OF_LIBRARY_2(name) __device__ float name(float, float); __device__ double name(double, double);
HONE_OF_LIBRARY_2(pow)
)";

constexpr std::string_view k_hip_functions =
  R"(#define HONE_OF_LIBRARY(name) extern "C" __device__ float __ocml_##name##_f32(float); extern "C" __device__ double __ocml_##name##_f64(double); HONE_BOTH_WIDTHS(name, __ocml_##name##_f32, __ocml_##name##_f64)
#define HONE_OF_LIBRARY_2(name) extern "C" __device__ float __ocml_##name##_f32(float, float); extern "C" __device__ double __ocml_##name##_f64(double, double); HONE_FUNCTION float name(float x, float y) { return __ocml_##name##_f32(x, y); } HONE_FUNCTION double name(double x, double y) { return __ocml_##name##_f64(x, y); }
HONE_OF_LIBRARY_2(pow)
)";

// Pairs of warps exchange by instructions of the emulated device (emulate/execute/wave64.cpp).
constexpr std::string_view k_emulated_hip =
  R"(#undef warpSize
#define warpSize 64
HONE_FUNCTION int hone_wave_exchanged(int value, int lanes) { int out; asm volatile("hone.wave64.shfl.bfly.b32 %0, %1, %2;" : "=r"(out) : "r"(value), "r"(lanes)); return out; }
template <typename T> HONE_FUNCTION T __shfl_xor(T value, int lanes, int = 0)
{
  if constexpr (sizeof(T) == 8) {
    struct Halves { int low, high; } halves = __builtin_bit_cast(Halves, value);
    halves.low = hone_wave_exchanged(halves.low, lanes);
    halves.high = hone_wave_exchanged(halves.high, lanes);
    return __builtin_bit_cast(T, halves);
  } else {
    return __builtin_bit_cast(T, hone_wave_exchanged(__builtin_bit_cast(int, value), lanes));
  }
}
typedef float hone_mfma_sums __attribute__((ext_vector_type(4)));
typedef unsigned hone_mfma_words __attribute__((ext_vector_type(2)));
#define HONE_MFMA(name, type) template <typename V> HONE_FUNCTION hone_mfma_sums name(V a, V b, hone_mfma_sums c, int, int, int) { const hone_mfma_words x = __builtin_bit_cast(hone_mfma_words, a), y = __builtin_bit_cast(hone_mfma_words, b); float d[4]; asm volatile("hone.wave64.mfma.f32.16x16x16." type " {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%8, %9, %10, %11};" : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : "r"(x.x), "r"(x.y), "r"(y.x), "r"(y.y), "f"(c.x), "f"(c.y), "f"(c.z), "f"(c.w)); return hone_mfma_sums{d[0], d[1], d[2], d[3]}; }
HONE_MFMA(hone_mfma_f16, "f16")
HONE_MFMA(hone_mfma_bf16, "bf16")
typedef int hone_mfma_whole_sums __attribute__((ext_vector_type(4)));
HONE_FUNCTION hone_mfma_whole_sums hone_mfma_s8(int a, int b, hone_mfma_whole_sums c, int, int, int) { int d[4]; asm volatile("hone.wave64.mfma.s32.16x16x16.s8 {%0, %1, %2, %3}, {%4}, {%5}, {%6, %7, %8, %9};" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(a), "r"(b), "r"(c.x), "r"(c.y), "r"(c.z), "r"(c.w)); return hone_mfma_whole_sums{d[0], d[1], d[2], d[3]}; }
#define __builtin_amdgcn_mfma_i32_16x16x16i8 hone_mfma_s8
#define __builtin_amdgcn_mfma_f32_16x16x16f16 hone_mfma_f16
#define __builtin_amdgcn_mfma_f32_16x16x16bf16_1k hone_mfma_bf16
)";

std::string prelude_of(std::string_view language, std::string_view variables, std::string_view bf16,
                       std::string_view functions)
{
  std::string out;
  for (const std::string_view part : {k_qualifiers, variables, bf16, k_narrow, k_common_functions, functions,
                                      k_of_library, toolkit_names(language)}) {
    out += part;
  }
  return out;
}

constexpr std::string_view k_cuda_bf16 = "#define HONE_BF16 __nv_bfloat16\n",
                           k_hip_bf16 = "#define HONE_BF16 __hip_bfloat16\n";

} // namespace

std::string device_prelude(std::string_view language)
{
  return language == "hip" ? prelude_of("hip", k_hip_variables, k_hip_bf16, k_hip_functions)
                           : prelude_of("cuda", k_cuda_variables, k_cuda_bf16, k_cuda_functions);
}

std::string emulated_hip_prelude()
{
  return prelude_of("hip", std::string(k_cuda_variables) + std::string(k_emulated_hip), k_hip_bf16, k_cuda_functions);
}

} // namespace hone::backend
