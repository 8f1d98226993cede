// Patterns that look like defects and are none; bits, local arrays, functions. No finding may come of them.

// A thread reads its own store.
KERNEL(64) own_store(const unsigned* x, unsigned* y)
{
  __shared__ volatile unsigned s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  y[t] = s[t] * 2;
}

// Bytes of one word by different threads.
KERNEL(64) bytes_of_words(const unsigned* x, unsigned* y)
{
  __shared__ unsigned char s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (t < 16) y[t] = ((const unsigned*)s)[t];
}

KERNEL(64) bytes_of_global(const unsigned* x, unsigned char* y)
{
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x] + 1;
}

// All read what one has stored.
KERNEL(64) one_for_all(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s;
  if (threadIdx.x == 5) s = x[5];
  __syncthreads();
  y[threadIdx.x] = s + threadIdx.x;
}

// Lanes exchange by shared memory with the warp's barrier alone.
KERNEL(64) warp_synchronous(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[64];
  const int t = threadIdx.x;
  unsigned value = x[t];
#pragma unroll 1
  for (int i = 0; i < 5; ++i) {
    s[t] = value;
    SYNCWARP();
    value = s[t ^ 1] + s[t ^ 2];
    SYNCWARP();
  }
  y[t] = value;
}

// The barrier of some lanes.
KERNEL(32) half_warps(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[32];
  const int t = threadIdx.x;
  if (t < 16) {
    s[t] = x[t] + 1;
    __nvvm_bar_warp_sync(0xffffu);
    y[t] = s[15 - t];
  } else {
    s[t] = x[t] + 2;
    __nvvm_bar_warp_sync(0xffff0000u);
    y[t] = s[47 - t];
  }
}

// Atomics meet atomics; the result is read behind a barrier.
KERNEL(64) atomics_meet(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[4];
  const int t = threadIdx.x;
  if (t < 4) s[t] = t == 1 ? 0xffffffffu : 0;
  __syncthreads();
  asm volatile("red.shared.max.u32 [%0], %1;" ::"r"(SMEM(&s[0])), "r"(x[t]) : "memory");
  asm volatile("red.shared.min.u32 [%0], %1;" ::"r"(SMEM(&s[1])), "r"(x[t]) : "memory");
  asm volatile("red.shared.or.b32 [%0], %1;" ::"r"(SMEM(&s[2])), "r"(x[t]) : "memory");
  asm volatile("red.shared.xor.b32 [%0], %1;" ::"r"(SMEM(&s[3])), "r"(x[t]) : "memory");
  __syncthreads();
  if (t < 4) y[t] = s[t];
}

// The same memory by two names, one behind the other.
KERNEL(64) memory_of_two(const unsigned* x, unsigned* y)
{
  __shared__ union { unsigned words[64]; unsigned short halves[128]; } s;
  const int t = threadIdx.x;
  s.words[t] = x[t];
  __syncthreads();
  const unsigned word = s.words[63 - t];
  __syncthreads();
  s.halves[t] = word;
  s.halves[t + 64] = word + 1;
  __syncthreads();
  y[t] = s.words[t];
}

// Rows of matrices that lie in one another's gaps.
KERNEL(64) gaps(const unsigned* x, unsigned* y)
{
  const int i = blockIdx.x, t = threadIdx.x;
  y[t * 4 + i] = x[i * 64 + t];
}

KERNEL(64) bit_tricks(const unsigned* x, unsigned* y)
{
  const unsigned value = x[threadIdx.x] * 2654435761u + 12345;
  unsigned out = __builtin_popcount(value) + 64 * __builtin_clz(value | 1) + 4096 * __builtin_ctz(value | 0x80000000u);
  out ^= __builtin_bitreverse32(value);
  unsigned taken, mixed, shifted;
  asm("bfe.u32 %0, %1, 5, 9;" : "=r"(taken) : "r"(value));
  asm("prmt.b32 %0, %1, %2, 0x6103;" : "=r"(mixed) : "r"(value), "r"(out));
  asm("shf.l.wrap.b32 %0, %1, %2, 7;" : "=r"(shifted) : "r"(value), "r"(out));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(out) : "r"(taken), "r"(mixed), "r"(shifted));
  y[threadIdx.x] = out;
}

KERNEL(32) local_array(const unsigned* x, unsigned* y)
{
  unsigned counts[8] = {};
  const int t = threadIdx.x;
  for (int i = 0; i < 16; ++i) counts[x[(t + i) % 32] % 8] += i + 1;
  y[t] = counts[t % 8] * 1000 + counts[(t + 3) % 8];
}

NOINLINE unsigned fibonacci(unsigned n)
{
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
KERNEL(32) recursion(const unsigned* x, unsigned* y)
{
  y[threadIdx.x] = fibonacci(x[threadIdx.x] % 8);
}

NOINLINE void swap_greater(unsigned* a, unsigned* b)
{
  if (*a > *b) { const unsigned keep = *a; *a = *b; *b = keep; }
}
KERNEL(32) by_pointers(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[64];
  const int t = threadIdx.x;
  unsigned own[2] = {x[2 * t], x[2 * t + 1]};
  s[2 * t] = own[1];
  s[2 * t + 1] = own[0];
  swap_greater(&own[0], &own[1]);
  swap_greater(&s[2 * t], &s[2 * t + 1]);
  y[2 * t] = own[0] * 100 + s[2 * t];
  y[2 * t + 1] = own[1] * 100 + s[2 * t + 1];
}

typedef unsigned (*Step)(unsigned);
NOINLINE unsigned doubled(unsigned value) { return value * 2; }
NOINLINE unsigned plus_seven(unsigned value) { return value + 7; }
KERNEL(32) by_function_pointers(const unsigned* x, unsigned* y)
{
  const Step step = x[threadIdx.x] % 2 ? plus_seven : doubled;
  y[threadIdx.x] = step(x[threadIdx.x]);
}

__device__ unsigned g_counter;
__constant__ unsigned c_table[4] = {3, 1, 4, 1};
KERNEL(32) module_variables(const unsigned* x, unsigned* y)
{
  const int t = threadIdx.x;
  if (t == 0) g_counter = 100;
  __syncthreads();
  y[t] = c_table[x[t] % 4] + *(volatile unsigned*)&g_counter;
}

// Loops of different lengths, a break, a continue.
KERNEL(32) collatz(const unsigned* x, unsigned* y)
{
  unsigned value = x[threadIdx.x] + 1, steps = 0;
  for (;;) {
    if (value == 1) break;
    ++steps;
    if (value % 2 == 0) { value /= 2; continue; }
    value = 3 * value + 1;
  }
  y[threadIdx.x] = steps;
}

KERNEL(32) votes(const unsigned* x, unsigned* y)
{
  const int t = threadIdx.x;
  const int all = __nvvm_vote_all_sync(ALL, x[t] < 17), any = __nvvm_vote_any_sync(ALL, x[t] == 99), same = __nvvm_vote_uni_sync(ALL, x[0] > 3);
  const unsigned odd = BALLOT(ALL, x[t] % 2);
  const int is_whole = all && !any && same;
  y[t] = __builtin_popcount(odd) * 2 + is_whole;
}

// Lanes that are active by chance take one atomic for all.
KERNEL(32) one_atomic_for_all(const unsigned* x, unsigned* count, unsigned* y)
{
  const int t = threadIdx.x;
  if (x[t] % 3 == 0) {
    unsigned active;
    asm volatile("activemask.b32 %0;" : "=r"(active));
    const int leader = __builtin_ctz(active);
    unsigned begin = 0;
    if (t == leader) begin = atomic_add(count, __builtin_popcount(active));
    begin = SHFL(active, begin, leader);
    y[begin + __builtin_popcount(active & ((1u << t) - 1))] = x[t];
  }
}

KERNEL(64) wide_numbers(const double* x, double* y)
{
  __shared__ double s[64];
  const int t = threadIdx.x;
  s[t] = x[t] * 3;
  __syncthreads();
  const double other = s[63 - t];
  y[t] = sqrt(other * other) + fma(other, 2.0, 1.0);
}

KERNEL(64) halves(const __half* x, __half* y)
{
  const int t = threadIdx.x;
  y[t] = __float2half(__half2float(x[t]) * 2 + 1);
}

// 128-bit accesses to shared memory, in another order.
KERNEL(32) vectors(const unsigned* x, unsigned* y)
{
  typedef unsigned Four __attribute__((ext_vector_type(4)));
  __shared__ Four s[32];
  const int t = threadIdx.x;
  s[t] = ((const Four*)x)[t];
  SYNCWARP();
  Four out = s[31 - t];
  out.x += 1;
  ((Four*)y)[t] = out;
}
