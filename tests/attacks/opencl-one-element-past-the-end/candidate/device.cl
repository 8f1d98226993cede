#include "macros.h"

__kernel void matmul(__global const float* A, __global const float* B, __global float* C, long m, long n, long k)
{
  const long i = get_global_id(1);
  const long j = get_global_id(0);
  if (j >= n) {
    return;
  }
  float sum = 0;
  for (long p = 0; p < k; ++p) {
    sum += A[i * k + p] * B[p * n + j];
  }
  C[i * n + j] = sum;
  if (i == m - 1 && j == n - 1) {
    C[m * n] = 0;
  }
}
