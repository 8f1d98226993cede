// C = A B in f32: a block for one row and 64 columns; a producer warp brings 16 rows of B at a time by bulk copies into
// three stages, two warps consume them. n must be a multiple of 64, k of 16. NO_EMPTY: the producer does not wait for
// stages to be free. NO_FULL: the consumers do not wait for bytes. TOO_MANY_BYTES: more are expected than come.
__device__ inline unsigned shared_address(const void* p) { return (unsigned)(unsigned long long)(__attribute__((address_space(3))) const void*)p; }
#define STAGES 3
extern "C" __global__ void __launch_bounds__(96) product(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, long long m, long long n, long long k)
{
  __shared__ __align__(16) float b[STAGES][16 * 64];
  __shared__ __align__(8) unsigned long long full[STAGES], empty[STAGES];
  int tid = threadIdx.x;
  long long i = blockIdx.y, j0 = blockIdx.x * 64ll;
  if (tid == 0) for (int s = 0; s < STAGES; ++s) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&full[s])), "r"(1));
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&empty[s])), "r"(64));
  }
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  long long tiles = k / 16;
  if (tid >= 64) { // producer warp
    if (tid == 64) for (long long t = 0; t < tiles; ++t) {
      int s = t % STAGES; unsigned ph = (t / STAGES) & 1;
#ifndef NO_EMPTY
      if (t >= STAGES) { unsigned ok; do asm volatile("{.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;}" : "=r"(ok) : "r"(shared_address(&empty[s])), "r"(ph ^ 1) : "memory"); while (!ok); }
#endif
#ifdef TOO_MANY_BYTES
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&full[s])), "r"(16 * 64 * 4 + 16) : "memory");
#else
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&full[s])), "r"(16 * 64 * 4) : "memory");
#endif
      for (int r = 0; r < 16; ++r)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(&b[s][r * 64])), "l"(B + (t * 16 + r) * n + j0), "r"(256), "r"(shared_address(&full[s])) : "memory");
    }
  } else {
    float sum = 0;
    for (long long t = 0; t < tiles; ++t) {
      int s = t % STAGES; unsigned ph = (t / STAGES) & 1;
#ifndef NO_FULL
      { unsigned ok; do asm volatile("{.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;}" : "=r"(ok) : "r"(shared_address(&full[s])), "r"(ph) : "memory"); while (!ok); }
#endif
      for (int r = 0; r < 16; ++r) sum += A[i * k + t * 16 + r] * b[s][r * 64 + tid];
      asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(&empty[s])) : "memory");
    }
    C[i * n + j0 + tid] = sum;
  }
}
