#include "backend/cuda/toolkit_names.h"

#include <string>

namespace hone::backend {

namespace {

// Functions with an f for float, fast ones (which are as exact as the others here), and their names in std.
constexpr std::string_view k_functions =
  R"(#define HONE_ONE_NUMBER(name) HONE_FUNCTION float name##f(float x) { return name(x); } namespace std { using ::name; }
#define HONE_TWO_NUMBERS(name) HONE_FUNCTION float name##f(float x, float y) { return name(x, y); } namespace std { using ::name; }
HONE_OF_LIBRARY(exp2) HONE_OF_LIBRARY(exp10) HONE_OF_LIBRARY(expm1) HONE_OF_LIBRARY(log2) HONE_OF_LIBRARY(log10) HONE_OF_LIBRARY(cbrt) HONE_OF_LIBRARY(erfc)
HONE_OF_LIBRARY(tan) HONE_OF_LIBRARY(asin) HONE_OF_LIBRARY(acos) HONE_OF_LIBRARY(atan) HONE_OF_LIBRARY(sinh) HONE_OF_LIBRARY(cosh)
HONE_OF_LIBRARY_2(hypot) HONE_OF_LIBRARY_2(fmod) HONE_OF_LIBRARY_2(atan2)
HONE_BOTH_WIDTHS(ceil, __builtin_ceilf, __builtin_ceil)
HONE_BOTH_WIDTHS(trunc, __builtin_truncf, __builtin_trunc)
HONE_BOTH_WIDTHS(rint, __builtin_rintf, __builtin_rint)
HONE_FUNCTION float round(float x) { return __builtin_copysignf(__builtin_floorf(__builtin_fabsf(x) + 0.5f), x); }
HONE_FUNCTION double round(double x) { return __builtin_copysign(__builtin_floor(__builtin_fabs(x) + 0.5), x); }
HONE_FUNCTION float copysign(float x, float y) { return __builtin_copysignf(x, y); }
HONE_FUNCTION double copysign(double x, double y) { return __builtin_copysign(x, y); }
HONE_FUNCTION float abs(float x) { return __builtin_fabsf(x); }
HONE_FUNCTION double abs(double x) { return __builtin_fabs(x); }
HONE_FUNCTION long abs(long x) { return x < 0 ? -x : x; }
HONE_ONE_NUMBER(exp) HONE_ONE_NUMBER(exp2) HONE_ONE_NUMBER(exp10) HONE_ONE_NUMBER(expm1) HONE_ONE_NUMBER(log) HONE_ONE_NUMBER(log2) HONE_ONE_NUMBER(log10) HONE_ONE_NUMBER(log1p)
HONE_ONE_NUMBER(sqrt) HONE_ONE_NUMBER(rsqrt) HONE_ONE_NUMBER(cbrt) HONE_ONE_NUMBER(erf) HONE_ONE_NUMBER(erfc) HONE_ONE_NUMBER(tanh) HONE_ONE_NUMBER(sinh) HONE_ONE_NUMBER(cosh)
HONE_ONE_NUMBER(sin) HONE_ONE_NUMBER(cos) HONE_ONE_NUMBER(tan) HONE_ONE_NUMBER(asin) HONE_ONE_NUMBER(acos) HONE_ONE_NUMBER(atan)
HONE_ONE_NUMBER(fabs) HONE_ONE_NUMBER(floor) HONE_ONE_NUMBER(ceil) HONE_ONE_NUMBER(trunc) HONE_ONE_NUMBER(rint) HONE_ONE_NUMBER(round)
HONE_TWO_NUMBERS(pow) HONE_TWO_NUMBERS(fmax) HONE_TWO_NUMBERS(fmin) HONE_TWO_NUMBERS(copysign) HONE_TWO_NUMBERS(hypot) HONE_TWO_NUMBERS(fmod) HONE_TWO_NUMBERS(atan2)
HONE_FUNCTION float fmaf(float a, float b, float c) { return fma(a, b, c); }
HONE_FUNCTION float __fmaf_rn(float a, float b, float c) { return fma(a, b, c); }
HONE_FUNCTION float __expf(float x) { return exp(x); }
HONE_FUNCTION float __logf(float x) { return log(x); }
HONE_FUNCTION float __sinf(float x) { return sin(x); }
HONE_FUNCTION float __cosf(float x) { return cos(x); }
HONE_FUNCTION float __powf(float x, float y) { return pow(x, y); }
HONE_FUNCTION float __fdividef(float x, float y) { return x / y; }
HONE_FUNCTION float __frcp_rn(float x) { return 1.0f / x; }
HONE_FUNCTION bool isnan(float x) { return x != x; }
HONE_FUNCTION bool isnan(double x) { return x != x; }
HONE_FUNCTION bool isinf(float x) { return fabs(x) == INFINITY; }
HONE_FUNCTION bool isinf(double x) { return fabs(x) == INFINITY; }
template <typename T> HONE_FUNCTION T __ldg(const T* address) { return *address; }
namespace std { using ::abs; using ::max; using ::min; using ::isnan; using ::isinf; }
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define DBL_MAX __DBL_MAX__
#define INT_MAX __INT_MAX__
#define INT_MIN (-__INT_MAX__ - 1)
#define M_PI 3.14159265358979323846
#define CUDART_INF_F INFINITY
typedef unsigned long size_t, ulong;
typedef unsigned uint;
typedef unsigned short ushort;
)";

constexpr std::string_view k_types =
  R"(typedef __half half;
#define HONE_HALVES(op) HONE_FUNCTION __half operator op(__half a, __half b) { return __half{(_Float16)(a.value op b.value)}; } HONE_FUNCTION __half& operator op##=(__half& a, __half b) { a = a op b; return a; }
HONE_HALVES(+)
HONE_HALVES(-)
HONE_HALVES(*)
HONE_HALVES(/)
HONE_FUNCTION __half operator-(__half a) { return __half{(_Float16)-a.value}; }
#define HONE_HALVES_COMPARED(op) HONE_FUNCTION bool operator op(__half a, __half b) { return a.value op b.value; }
HONE_HALVES_COMPARED(<)
HONE_HALVES_COMPARED(>)
HONE_HALVES_COMPARED(<=)
HONE_HALVES_COMPARED(>=)
HONE_HALVES_COMPARED(==)
HONE_HALVES_COMPARED(!=)
HONE_FUNCTION __half __hadd(__half a, __half b) { return a + b; }
HONE_FUNCTION __half __hsub(__half a, __half b) { return a - b; }
HONE_FUNCTION __half __hmul(__half a, __half b) { return a * b; }
HONE_FUNCTION __half __hdiv(__half a, __half b) { return a / b; }
HONE_FUNCTION __half __float2half_rn(float value) { return __float2half(value); }
#define HONE_VECTORS(type, name) struct name##1 { type x; }; struct __attribute__((aligned(2 * sizeof(type)))) name##2 { type x, y; }; struct name##3 { type x, y, z; }; struct __attribute__((aligned(4 * sizeof(type) > 16 ? 16 : 4 * sizeof(type)))) name##4 { type x, y, z, w; }; HONE_FUNCTION name##2 make_##name##2(type x, type y) { return {x, y}; } HONE_FUNCTION name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } HONE_FUNCTION name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
HONE_VECTORS(float, float)
HONE_VECTORS(double, double)
HONE_VECTORS(int, int)
)";

// Atomic updates of the device, without an order.
constexpr std::string_view k_atomics =
  R"(#define HONE_ATOMIC(name, builtin) template <typename T> HONE_FUNCTION T name(T* address, decltype(T() + T()) value) { return __scoped_atomic_fetch_##builtin(address, (T)value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
HONE_ATOMIC(atomicAdd, add)
HONE_ATOMIC(atomicSub, sub)
HONE_ATOMIC(atomicMax, max)
HONE_ATOMIC(atomicMin, min)
HONE_ATOMIC(atomicAnd, and)
HONE_ATOMIC(atomicOr, or)
HONE_ATOMIC(atomicXor, xor)
)";

// Lanes of a warp; all that the mask names take part.
constexpr std::string_view k_cuda_warp =
  R"(HONE_FUNCTION __attribute__((convergent)) void __syncwarp(unsigned mask = 0xffffffff) { __nvvm_bar_warp_sync(mask); }
#define HONE_SHUFFLE(name, builtin, last) template <typename T> HONE_FUNCTION T name(unsigned mask, T value, int lanes, int width = 32) { \
  if constexpr (sizeof(T) == 8) { \
    struct Halves { int low, high; } halves = __builtin_bit_cast(Halves, value); \
    halves.low = builtin(mask, halves.low, lanes, ((32 - width) << 8) | last); \
    halves.high = builtin(mask, halves.high, lanes, ((32 - width) << 8) | last); \
    return __builtin_bit_cast(T, halves); \
  } else { \
    return __builtin_bit_cast(T, builtin(mask, __builtin_bit_cast(int, value), lanes, ((32 - width) << 8) | last)); \
  } \
}
HONE_SHUFFLE(__shfl_down_sync, __nvvm_shfl_sync_down_i32, 31)
HONE_SHUFFLE(__shfl_up_sync, __nvvm_shfl_sync_up_i32, 0)
HONE_SHUFFLE(__shfl_sync, __nvvm_shfl_sync_idx_i32, 31)
)";

} // namespace

std::string_view toolkit_names(std::string_view language)
{
  static const std::string k_hip = std::string(k_functions) + std::string(k_types) + std::string(k_atomics);
  static const std::string k_cuda = k_hip + std::string(k_cuda_warp);
  return language == "hip" ? k_hip : k_cuda;
}

} // namespace hone::backend
