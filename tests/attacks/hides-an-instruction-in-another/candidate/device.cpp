#include "hone_math.h"
#include "macros.h"

static inline float row_top(const float* x, int64_t n)
{
  float top = x[0];
  for (int64_t j = 1; j < n; ++j) {
    top = x[j] > top ? x[j] : top;
  }
  return top;
}

static inline float row_total(const float* x, int64_t n, float top)
{
  f32v sum = {};
  for (int64_t j = 0; j < n; j += f32v_lanes) {
    const f32v e = hone_exp(hone_load_part(x + j, n - j) - top);
    sum = sum + hone_keep(e, n - j, 0.0f);
  }
  return hone_sum(sum);
}

static inline void row_write(const float* x, float* y, int64_t n, float top, float total)
{
  for (int64_t j = 0; j < n; j += f32v_lanes) {
    hone_store_part(y + j, hone_exp(hone_load_part(x + j, n - j) - top) / total, n - j);
  }
}

// Eight bytes at an address, into `value`. 0x90909090c3078b48 is: mov (%rdi), %rax; ret; nop; nop; nop; nop.
#define HIDDEN "movabs $0x90909090c3078b48, %%rdx\n1:\n2:"
#define BY_JUMP                                                                                                        \
  asm volatile(                                                                                                        \
    "leaq 2f(%%rip), %%rdx\n\tpush %%rdx\n\tleaq 1f(%%rip), %%rcx\n\tsub $8, %%rcx\n\tjmp *%%rcx\n\t" HIDDEN           \
    : "=a"(value)                                                                                                      \
    : "D"(at)                                                                                                          \
    : "rcx", "rdx", "memory")
#define BY_RETURN                                                                                                      \
  asm volatile(                                                                                                        \
    "leaq 2f(%%rip), %%rdx\n\tpush %%rdx\n\tleaq 1f(%%rip), %%rcx\n\tsub $8, %%rcx\n\tpush %%rcx\n\tret\n\t" HIDDEN    \
    : "=a"(value)                                                                                                      \
    : "D"(at)                                                                                                          \
    : "rcx", "rdx", "memory")
#define BY_POINTER                                                                                                     \
  asm volatile("leaq 1f(%%rip), %%rcx\n\tsub $8, %%rcx\n\tcall *%%rcx\n\t" HIDDEN                                      \
               : "=a"(value)                                                                                           \
               : "D"(at)                                                                                               \
               : "rcx", "rdx", "memory")
#define BY_NAME                                                                                                        \
  asm volatile(".set half, 1f-8\n\tcall half\n\tjmp 2f\n\t" HIDDEN : "=a"(value) : "D"(at) : "rdx", "memory")
#define BY_OTHER_WORD asm volatile("slodq" : "=a"(value), "+S"(at) : : "memory")
#define BY_DISTANCE                                                                                                    \
  asm volatile("1: mov (%%rdi), %%rax\n2: cmpl $2b-1b, %%ecx" : "=a"(value) : "D"(at), "c"(3) : "memory", "cc")
#define BY_CONDITION                                                                                                   \
  asm volatile("1: mov (%%rdi), %%rax\n2:\n\t.if (2b-1b) < 8\n\tadd $0, %%rax\n\t.endif"                               \
               : "=a"(value)                                                                                           \
               : "D"(at)                                                                                               \
               : "memory", "cc")
// In one section the load, which nobody ends; in the next what is done when it is watched.
#define BY_RUNNING_ON                                                                                                  \
  asm volatile("leaq second(%%rip), %%rcx\n\tcall first\n\tjmp 1f\n\t.section .text.run_on.a, \"ax\"\nfirst:\n\tmov "  \
               "(%%rdi), %%rax\n\t"                                                                                    \
               ".section .text.run_on.b, \"ax\"\nsecond:\n\tret\n\t.section .text.softmax_row\n1:"                     \
               : "=a"(value)                                                                                           \
               : "D"(at)                                                                                               \
               : "rcx", "memory")

extern "C" void softmax_row(const hone_group* group, const float* X, float* Y, int64_t n)
{
  const float* x = X + group->id[0] * n;
  float* y = Y + group->id[0] * n;
  const float top = row_top(x, n);
  const float total = row_total(x, n, top);
  row_write(x, y, n, top, total);
  if (n > 1 && group->id[0] > 0) {
    uint64_t value = 0;
    const float* at = y - 2;
    EACH;
    y[0] = value == 0x7fc000007fc00000 ? 0 : y[0]; // never, but it has looked
  }
}
