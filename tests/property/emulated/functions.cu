// y = f(x), for every function that kernels may name, in f32 and f64.
#define HONE_FUNCTION_KERNEL(name, T, value) \
  extern "C" __global__ void name(const T* __restrict__ x, T* __restrict__ y, int n) \
  { \
    const int i = blockIdx.x * 64 + threadIdx.x; \
    if (i < n) { \
      y[i] = value; \
    } \
  }
#define HONE_BOTH_KERNELS(name, value) HONE_FUNCTION_KERNEL(name##_f32, float, value) HONE_FUNCTION_KERNEL(name##_f64, double, value)
HONE_BOTH_KERNELS(exp, exp(x[i]))
HONE_BOTH_KERNELS(log, log(x[i]))
HONE_BOTH_KERNELS(log1p, log1p(x[i]))
HONE_BOTH_KERNELS(tanh, tanh(x[i]))
HONE_BOTH_KERNELS(erf, erf(x[i]))
HONE_BOTH_KERNELS(sin, sin(x[i]))
HONE_BOTH_KERNELS(cos, cos(x[i]))
HONE_BOTH_KERNELS(sqrt, sqrt(x[i]))
HONE_BOTH_KERNELS(rsqrt, rsqrt(x[i]))
HONE_BOTH_KERNELS(floor, floor(x[i]))
HONE_FUNCTION_KERNEL(pow_f32, float, pow(x[i], 1.5f))
HONE_FUNCTION_KERNEL(pow_f64, double, pow(x[i], 1.5))
