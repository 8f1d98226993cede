#include "hone.h"
#include "macros.h"

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  (void)group, (void)A, (void)B, (void)C, (void)m, (void)n, (void)k;
}
