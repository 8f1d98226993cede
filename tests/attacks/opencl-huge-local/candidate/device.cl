#include "macros.h"

__kernel void matmul(__global const float* A, __global const float* B, __global float* C, long m, long n, long k,
                     __local float* row)
{
  row[get_local_id(0)] = A[0];
  C[0] = row[0] + B[0];
}
