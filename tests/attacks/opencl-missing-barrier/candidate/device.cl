#include "macros.h"

__kernel void matmul(__global const float* A, __global const float* B, __global float* C, long m, long n, long k,
                     __local float* row)
{
  const long i = get_group_id(0);
  if (get_local_id(0) == 0) {
    for (long p = 0; p < k; ++p) {
      row[p] = A[i * k + p];
    }
  }
  for (long j = get_local_id(0); j < n; j += get_local_size(0)) {
    float sum = 0;
    for (long p = 0; p < k; ++p) {
      sum += row[p] * B[p * n + j];
    }
    C[i * n + j] = sum;
  }
}
