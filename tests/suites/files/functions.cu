// Functions of the toolkit by the names that users write.
#include <cuda_fp16.h>

__global__ void functions(int n, const float* x, const half* h, float* a, float* b, float* c, double* d, half* e)
{
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = __ldg(x + i);
  a[i] = roundf(v) + floorf(v) + truncf(v) + ceilf(v) + fabsf(v) + fmaxf(v, 0.5f) + min(v, 1.0f) + __fdividef(v, 3.0f);
  b[i] = expf(v) + exp2f(v) + expm1f(v) + tanhf(v) + sinf(v) + cosf(v) + erff(v) + __expf(v) + fmaf(v, v, 1.0f);
  float w = v * v + 1.0f;
  c[i] = logf(w) + log2f(w) + log10f(w) + log1pf(w) + sqrtf(w) + rsqrtf(w) + powf(w, 1.5f) + std::sqrt(w) + hypotf(v, w);
  d[i] = exp((double)v) + round((double)v) + log((double)w) + fmax((double)v, 0.25) + abs((double)v);
  e[i] = __hadd(h[i], h[i]) * h[i] > half(1.0f) ? __float2half(2.0f * __half2float(h[i])) : h[i];
}

void launch(int n, const float* x, const half* h, float* a, float* b, float* c, double* d, half* e)
{
  functions<<<(n + 127) / 128, 128>>>(n, x, h, a, b, c, d, e);
}
