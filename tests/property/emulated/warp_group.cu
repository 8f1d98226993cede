// C = A B in f16 with f32 sums: a warp group for 64 x 64 results, operands in swizzled shared memory, wgmma.
// m, n and k must be multiples of 64. NO_FENCE: the stores are not shown to the asynchronous proxy. NO_WAIT: the operands
// of products that are under way are overwritten.
__device__ inline unsigned long long desc(const void* p, unsigned lead, unsigned stride) {
  unsigned a = (unsigned)(unsigned long long)(__attribute__((address_space(3))) const void*)p;
  return (unsigned long long)((a & 0x3ffff) >> 4) | ((unsigned long long)(lead >> 4) << 16) | ((unsigned long long)(stride >> 4) << 32) | (1ull << 62);
}
extern "C" __global__ void __launch_bounds__(128) product(const __half* __restrict__ A, const __half* __restrict__ B, float* __restrict__ C, long long m, long long n, long long k)
{
  __shared__ __align__(1024) __half a[64 * 64], b[64 * 64];
  int tid = threadIdx.x;
  long long i0 = blockIdx.y * 64ll, j0 = blockIdx.x * 64ll;
  float d[32];
  for (int i = 0; i < 32; ++i) d[i] = 0;
  for (long long p0 = 0; p0 < k; p0 += 64) {
    for (int e = tid; e < 64 * 64; e += 128) {
      int r = e / 64, c = e % 64;
      int at = r * 64 + (((c / 8) ^ (r % 8)) * 8) + c % 8; // 128-byte swizzle
      a[at] = A[(i0 + r) * k + p0 + c];
      b[at] = B[(p0 + c) * n + j0 + r];
    }
#ifndef NO_FENCE
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) {
      unsigned long long da = desc(a + kk * 16, 16, 1024), db = desc(b + kk * 16, 16, 1024);
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, p, 1, 1, 0, 0;\n}\n"
        : "+f"(d[0]),"+f"(d[1]),"+f"(d[2]),"+f"(d[3]),"+f"(d[4]),"+f"(d[5]),"+f"(d[6]),"+f"(d[7]),"+f"(d[8]),"+f"(d[9]),"+f"(d[10]),"+f"(d[11]),"+f"(d[12]),"+f"(d[13]),"+f"(d[14]),"+f"(d[15]),
          "+f"(d[16]),"+f"(d[17]),"+f"(d[18]),"+f"(d[19]),"+f"(d[20]),"+f"(d[21]),"+f"(d[22]),"+f"(d[23]),"+f"(d[24]),"+f"(d[25]),"+f"(d[26]),"+f"(d[27]),"+f"(d[28]),"+f"(d[29]),"+f"(d[30]),"+f"(d[31])
        : "l"(da), "l"(db), "r"(1));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#ifndef NO_WAIT
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
    __syncthreads();
  }
#ifdef NO_WAIT
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
  int w = tid / 32, lane = tid % 32;
  for (int i = 0; i < 32; ++i) {
    int row = 16 * w + lane / 4 + (i / 2 % 2) * 8, col = i / 4 * 8 + lane % 4 * 2 + i % 2;
    C[(i0 + row) * n + j0 + col] = d[i];
  }
}
