// One block per row: its warps meet in shared memory.
#include <cuda_runtime.h>
#include "timer.h"

__device__ inline float of_warp(float value)
{
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    value += __shfl_down_sync(0xffffffff, value, lanes);
  }
  return value;
}

template <int THREADS>
__global__ void row_sum(const float* x, float* y, int rows, int cols)
{
  extern __shared__ float part[];
  float value = 0.0f;
  for (int c = threadIdx.x; c < cols; c += THREADS) {
    value += x[blockIdx.x * cols + c];
  }
  value = of_warp(value);
  if (threadIdx.x % 32 == 0) {
    part[threadIdx.x / 32] = value;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    value = of_warp(threadIdx.x < THREADS / 32 ? part[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) {
      y[blockIdx.x] = value;
    }
  }
}

void row_sum_on_host(const float* x, float* y, int rows, int cols)
{
  for (int r = 0; r < rows; ++r) {
    float sum = 0.0f;
    for (int c = 0; c < cols; ++c) {
      sum += x[r * cols + c];
    }
    y[r] = sum;
  }
}

void launch(const float* x, float* y, int rows, int cols)
{
  Timer timer; // of timer.h, which is not here
  row_sum<128><<<rows, 128, 128 / 32 * sizeof(float)>>>(x, y, rows, cols);
}
