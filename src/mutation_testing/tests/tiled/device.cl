#include "macros.h"

// A block of TILE x TILE elements of C for each group; both operands' blocks pass through local memory.
__kernel void matmul(__global const float* A, __global const float* B, __global float* C, long m, long n, long k,
                     __local float* blocks)
{
  __local float* block_a = blocks;
  __local float* block_b = blocks + TILE * TILE;
  const long x = get_local_id(0);
  const long y = get_local_id(1);
  const long i = get_group_id(1) * TILE + y;
  const long j = get_group_id(0) * TILE + x;
  float sum = 0;
  for (long start = 0; start < k; start += TILE) {
    block_a[y * TILE + x] = i < m && start + x < k ? A[i * k + start + x] : 0;
    block_b[y * TILE + x] = start + y < k && j < n ? B[(start + y) * n + j] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int p = 0; p < TILE; ++p) {
      sum += block_a[y * TILE + p] * block_b[p * TILE + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < m && j < n) {
    C[i * n + j] = sum;
  }
}
