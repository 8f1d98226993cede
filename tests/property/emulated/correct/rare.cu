// Instructions that few kernels use. No finding may come of them.

KERNEL(32) dot_of_bytes(const unsigned* x, unsigned* y)
{
  const int t = threadIdx.x;
  unsigned out;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(out) : "r"(x[t] * 0x01010101u), "r"(0x04030201u), "r"(5u));
  y[t] = out;
}

KERNEL(32) highest_bits(const unsigned* x, unsigned* y)
{
  const int t = threadIdx.x;
  unsigned at;
  asm("bfind.u32 %0, %1;" : "=r"(at) : "r"(x[t] + 1));
  y[t] = at;
}

KERNEL(64) wide_atomics(const unsigned long long* x, unsigned long long* y)
{
  __shared__ unsigned long long s;
  const int t = threadIdx.x;
  if (t == 0) s = 0;
  __syncthreads();
  asm volatile("red.shared.add.u64 [%0], %1;" ::"r"(SMEM(&s)), "l"(x[t]) : "memory");
  __syncthreads();
  if (t == 0) asm volatile("red.global.max.u64 [%0], %1;" ::"l"(y), "l"(s) : "memory");
}

KERNEL(32) float_atomics(const float* x, float* y)
{
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(y), "f"(x[threadIdx.x]) : "memory");
}

KERNEL(32) half_atomics(const __half* x, __half* y)
{
  const unsigned pair = *(const unsigned*)&x[2 * threadIdx.x];
  asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(y), "r"(pair) : "memory");
}

KERNEL(64) barriers_by_name(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  asm volatile("barrier.sync 3, 64;" ::: "memory");
  y[t] = s[63 - t];
}

KERNEL(32) elected(const unsigned* x, unsigned* y)
{
  unsigned is_leader;
  asm volatile("{.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;}" : "=r"(is_leader) :: "memory");
  const unsigned leaders = __builtin_popcount(BALLOT(ALL, is_leader != 0));
  y[threadIdx.x] = leaders * 100 + x[threadIdx.x];
}

KERNEL(32) matched_by_all(const unsigned* x, unsigned* y)
{
  unsigned same, is_same;
  asm volatile("{.reg .pred p;\nmatch.all.sync.b32 %0|p, %2, 0xffffffff;\nselp.u32 %1, 1, 0, p;}" : "=r"(same), "=r"(is_same) : "r"(x[0]) : "memory");
  y[threadIdx.x] = (same == ALL) * 2 + is_same;
}
