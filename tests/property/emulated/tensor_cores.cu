// C = A B in f16 with f32 sums: one warp for 16 x 8 results, operands by cp.async in two buffers, ldmatrix, mma.sync.
// m must be a multiple of 16, n of 8, k of 16. NO_WAIT: the last slice is not waited for.
extern "C" __global__ void __launch_bounds__(32) product(const __half* __restrict__ A, const __half* __restrict__ B, float* __restrict__ C, long long m, long long n, long long k)
{
  __shared__ __align__(16) __half a[2][16 * 16], b[2][16 * 8];
  int lane = threadIdx.x;
  long long i0 = blockIdx.y * 16ll, j0 = blockIdx.x * 8ll;
  float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  auto stage = [&](int s, long long p0) {
    unsigned ta = (unsigned)(unsigned long long)(__attribute__((address_space(3))) void*)&a[s][(lane / 2) * 16 + (lane % 2) * 8];
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(ta), "l"(A + (i0 + lane / 2) * k + p0 + (lane % 2) * 8));
    if (lane < 16) {
      unsigned tb = (unsigned)(unsigned long long)(__attribute__((address_space(3))) void*)&b[s][lane * 8];
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(tb), "l"(B + (p0 + lane) * n + j0));
    }
    asm volatile("cp.async.commit_group;");
  };
  stage(0, 0);
  int s = 0;
  for (long long p0 = 0; p0 < k; p0 += 16, s ^= 1) {
    if (p0 + 16 < k) { stage(s ^ 1, p0 + 16); asm volatile("cp.async.wait_group 1;"); } else
#ifdef NO_WAIT
      ;
#else
      asm volatile("cp.async.wait_group 0;");
#endif
    __syncthreads();
    unsigned pa = (unsigned)(unsigned long long)(__attribute__((address_space(3))) void*)&a[s][(lane % 16) * 16 + (lane / 16) * 8];
    unsigned pb = (unsigned)(unsigned long long)(__attribute__((address_space(3))) void*)&b[s][(lane % 16) * 8];
    unsigned ra0, ra1, ra2, ra3, rb0, rb1;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(ra0), "=r"(ra1), "=r"(ra2), "=r"(ra3) : "r"(pa));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(rb0), "=r"(rb1) : "r"(pb));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(ra0), "r"(ra1), "r"(ra2), "r"(ra3), "r"(rb0), "r"(rb1));
    __syncthreads();
  }
  int g = lane / 4, t = lane % 4;
  C[(i0 + g) * n + j0 + 2 * t] = c0; C[(i0 + g) * n + j0 + 2 * t + 1] = c1;
  C[(i0 + g + 8) * n + j0 + 2 * t] = c2; C[(i0 + g + 8) * n + j0 + 2 * t + 1] = c3;
}
