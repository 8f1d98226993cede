#include "hone.h"
#include "macros.h"

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, uint8_t* code, int64_t m, int64_t n, int64_t k)
{
  (void)group, (void)A, (void)B, (void)C, (void)m, (void)n, (void)k;
  ((volatile uint8_t*)code)[0] = 0xc3; // ret
  ((void (*)())code)();
}
