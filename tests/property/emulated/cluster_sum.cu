// y[c] = the sum of 4 * 64 numbers of x by a cluster of four blocks: each sums its own, the first reads the other blocks'
// sums. NO_FIRST_BARRIER: it does not wait for them. NO_LAST_BARRIER: they leave while it reads.
extern "C" __global__ void __launch_bounds__(64) sum(const float* __restrict__ x, float* __restrict__ y)
{
  __shared__ float sums[2], whole;
  const int tid = threadIdx.x;
  float value = x[blockIdx.x * 64 + tid];
  for (int by = 16; by > 0; by /= 2) value += __shfl_xor_sync(~0u, value, by);
  if (tid % 32 == 0) sums[tid / 32] = value;
  __syncthreads();
  if (tid == 0) whole = sums[0] + sums[1];
#ifndef NO_FIRST_BARRIER
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
#endif
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (rank == 0 && tid == 0) {
    float out = whole;
    for (unsigned other = 1; other < 4; ++other) {
      float one;
      asm volatile("{.reg .b64 a, b;\ncvta.shared.u64 a, %1;\nmapa.u64 b, a, %2;\nld.f32 %0, [b];}" : "=f"(one) : "l"((unsigned long long)(__attribute__((address_space(3))) void*)&whole), "r"(other) : "memory");
      out += one;
    }
    y[blockIdx.x / 4] = out;
  }
#ifndef NO_LAST_BARRIER
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
#endif
}
