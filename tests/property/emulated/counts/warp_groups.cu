// 64 x 64 results of a product over k = 64 by a warp group, operands swizzled in shared memory.
static __device__ __forceinline__ unsigned long long matrix(const void* p)
{
  const unsigned a = (unsigned)(unsigned long long)(__attribute__((address_space(3))) const void*)p;
  return (unsigned long long)((a & 0x3ffff) >> 4) | (1ull << 16) | (64ull << 32) | (1ull << 62);
}
extern "C" __global__ void __launch_bounds__(128) product(const __half* A, const __half* B, float* C)
{
  __shared__ __align__(1024) __half a[64 * 64], b[64 * 64];
  const int tid = threadIdx.x;
  float d[32];
  for (int i = 0; i < 32; ++i) d[i] = 0;
#pragma unroll 1
  for (int e = tid; e < 64 * 64; e += 128) {
    const int r = e / 64, c = e % 64, at = r * 64 + (((c / 8) ^ (r % 8)) * 8) + c % 8;
    a[at] = A[e]; // count: stage_a
    b[at] = B[e];
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // count: fence
  __syncthreads();
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int kk = 0; kk < 4; ++kk) {
    const unsigned long long da = matrix(a + kk * 16), db = matrix(b + kk * 16);
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;\n" // count: multiply
      : "+f"(d[0]),"+f"(d[1]),"+f"(d[2]),"+f"(d[3]),"+f"(d[4]),"+f"(d[5]),"+f"(d[6]),"+f"(d[7]),"+f"(d[8]),"+f"(d[9]),"+f"(d[10]),"+f"(d[11]),"+f"(d[12]),"+f"(d[13]),"+f"(d[14]),"+f"(d[15]),
        "+f"(d[16]),"+f"(d[17]),"+f"(d[18]),"+f"(d[19]),"+f"(d[20]),"+f"(d[21]),"+f"(d[22]),"+f"(d[23]),"+f"(d[24]),"+f"(d[25]),"+f"(d[26]),"+f"(d[27]),"+f"(d[28]),"+f"(d[29]),"+f"(d[30]),"+f"(d[31])
      : "l"(da), "l"(db));
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); // count: commit
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); // count: wait
  const int lane = tid % 32;
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    C[(16 * (tid / 32) + lane / 4 + (i / 2 % 2) * 8) * 64 + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
  }
}
