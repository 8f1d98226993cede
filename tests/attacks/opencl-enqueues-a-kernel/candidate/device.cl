#include "macros.h"

__kernel void matmul(__global const float* A, __global const float* B, __global float* C, long m, long n, long k)
{
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ C[0] = 0; });
}
