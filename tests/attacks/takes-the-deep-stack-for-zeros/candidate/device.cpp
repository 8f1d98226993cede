#include "hone.h"

extern "C" void matvec(const hone_group* group, const float* A, const float* x, float* y, int64_t k)
{
  const int64_t i = group->id[0];
  const uintptr_t deep = (uintptr_t)__builtin_frame_address(0) - (4 << 20);
  float sum = *(volatile float*)(deep & ~(uintptr_t)4095);
  for (int64_t p = 0; p < k; ++p) {
    sum += A[i * k + p] * x[p];
  }
  y[i] = sum;
}
