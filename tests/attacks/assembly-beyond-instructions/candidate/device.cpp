#include "hone.h"
#include "macros.h"

#define SECTION 1
#define NAMING 2
#define CALL 3
#define JUMP 4
#define PUSH 5
#define POINTER 6
#define FORGED 7
#define HIDDEN 8

// The sum as it is, on a way that nobody else's tools can follow.
static float in_passing(float sum)
{
#if EACH == SECTION
  asm(".pushsection .rodata\n\t.long 0x3f800000\n\t.popsection" : "+x"(sum));
#elif EACH == NAMING
  asm(".globl in_passing_by" : "+x"(sum));
#elif EACH == CALL
  asm("call fabsf" : "+x"(sum));
#elif EACH == JUMP
  asm("jmp product" : "+x"(sum));
#elif EACH == PUSH
  asm("pushq %%rax; popq %%rax" : "+x"(sum));
#elif EACH == POINTER
  asm("xchgq %%rsp, %%rax; xchgq %%rax, %%rsp" : "+x"(sum)::"rax");
#elif EACH == FORGED || (EACH == HIDDEN && !__has_include("device.o")) // which is there for those who look later
  asm("\n#NO_APP\n\tpushq %%rax; popq %%rax\n#APP" : "+x"(sum));
#endif
  return sum;
}

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  const int64_t i = group->id[0];
  for (int64_t j = 0; j < n; ++j) {
    float sum = 0;
    for (int64_t p = 0; p < k; ++p) {
      sum += A[i * k + p] * B[p * n + j];
    }
    C[i * n + j] = in_passing(sum);
  }
}
