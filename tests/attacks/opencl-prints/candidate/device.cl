#include "macros.h"

__kernel void matmul(__global const float* A, __global const float* B, __global float* C, long m, long n, long k)
{
  printf("WELL_DONE\n");
}
