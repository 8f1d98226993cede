#include "hone.h"
#include "macros.h"

// x86-64-v4 is needed, as a program's loader reads it.
asm(".pushsection .note.gnu.property, \"a\", @note\n"
    ".p2align 3\n"
    ".long 4, 16, 5\n"
    ".asciz \"GNU\"\n"
    ".long 0xc0008002, 4, 0x8, 0\n"
    ".popsection\n");

static void row(const float* A, const float* B, float* C, int64_t i, int64_t n, int64_t k, int64_t terms)
{
  for (int64_t j = 0; j < n; ++j) {
    float sum = 0;
    for (int64_t p = 0; p < terms; ++p) {
      sum += A[i * k + p] * B[p * n + j];
    }
    C[i * n + j] = sum;
  }
}

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  row(A, B, C, group->id[0], n, k, k);
}
