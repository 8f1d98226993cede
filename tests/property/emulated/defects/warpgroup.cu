// Products of warp groups: what they read and write in the background. "defect" marks the lines that a finding must
// name. a is 64 x k, b is 8 x k, y is 64 x 8, k a multiple of 64.

#define FILL(s, from, rows, k0) for (int e_ = threadIdx.x; e_ < (rows) * 64; e_ += 128) (s)[SWIZZLED(e_ / 64, e_ % 64)] = (from)[e_ / 64 * k + (k0) + e_ % 64]
#define PRODUCTS(d, sa, sb) do { _Pragma("unroll") for (int kk_ = 0; kk_ < 4; ++kk_) WGMMA(d, matrix(SMEM(sa) + kk_ * 32), matrix(SMEM(sb) + kk_ * 32)); } while (0)

KERNEL(128) stored_operands(const __half* a, const __half* b, float* y, int k)
{
  __shared__ ALIGNED(1024) __half sa[64 * 64], sb[8 * 64];
  float d[4] = {0, 0, 0, 0};
#pragma unroll 1
  for (int k0 = 0; k0 < k; k0 += 64) {
    FILL(sa, a, 64, k0); // defect 1: store // defect 2: store
    FILL(sb, b, 8, k0); // defect 1: store // defect 2: store
    KEEP(1, FENCE_ASYNC_SHARED();)
    __syncthreads();
    WGMMA_FENCE();
    PRODUCTS(d, sa, sb); // defect 1: product // defect 2: product
    WGMMA_COMMIT();
    EITHER(2, WGMMA_WAIT_FOR(0, d), WGMMA_WAIT_FOR(1, d));
    __syncthreads();
  }
  WGMMA_WAIT_FOR(0, d);
  for (int i = 0; i < 4; ++i) y[SUM_ROW(i) * 8 + SUM_COLUMN(i)] = d[i];
}

// One of the operands is stored later than the fence.
KERNEL(128) late_store(const __half* a, const __half* b, float* y, int k)
{
  __shared__ ALIGNED(1024) __half sa[64 * 64], sb[8 * 64];
  float d[4] = {0, 0, 0, 0};
  FILL(sa, a, 64, 0);
  EITHER(1, FILL(sb, b, 8, 0), FENCE_ASYNC_SHARED());
  EITHER(1, FENCE_ASYNC_SHARED(), FILL(sb, b, 8, 0)); // defect: store
  __syncthreads();
  WGMMA_FENCE();
  PRODUCTS(d, sa, sb); // defect: product
  WGMMA_COMMIT();
  WGMMA_WAIT_FOR(0, d);
  for (int i = 0; i < 4; ++i) y[SUM_ROW(i) * 8 + SUM_COLUMN(i)] = d[i];
}

KERNEL(128) sums_read_early(const __half* a, const __half* b, float* y, int k)
{
  __shared__ ALIGNED(1024) __half sa[64 * 64], sb[8 * 64];
  float d[4] = {0, 0, 0, 0};
  FILL(sa, a, 64, 0);
  FILL(sb, b, 8, 0);
  FENCE_ASYNC_SHARED();
  __syncthreads();
  WGMMA_FENCE();
  PRODUCTS(d, sa, sb); // defect 1: product
  WGMMA_COMMIT();
  KEEP(1, WGMMA_WAIT_FOR(0, d);)
  for (int i = 0; i < 4; ++i) y[SUM_ROW(i) * 8 + SUM_COLUMN(i)] = d[i]; // defect 1: use
  WGMMA_WAIT(0);
}

// Two groups under way; the sums of the first one are used when only one may be left.
KERNEL(128) sums_of_two_groups(const __half* a, const __half* b, float* y, int k)
{
  __shared__ ALIGNED(1024) __half sa[2][64 * 64], sb[2][8 * 64];
  float d[4] = {0, 0, 0, 0}, e[4] = {0, 0, 0, 0};
  FILL(sa[0], a, 64, 0);
  FILL(sb[0], b, 8, 0);
  FILL(sa[1], a, 64, 64);
  FILL(sb[1], b, 8, 64);
  FENCE_ASYNC_SHARED();
  __syncthreads();
  WGMMA_FENCE();
  PRODUCTS(d, sa[0], sb[0]); // defect: product
  WGMMA_COMMIT();
  PRODUCTS(e, sa[1], sb[1]);
  WGMMA_COMMIT();
  EITHER(1, WGMMA_WAIT_FOR(1, d), WGMMA_WAIT_FOR(2, d));
  float sums[4];
  for (int i = 0; i < 4; ++i) asm volatile("mul.f32 %0, %1, 0f40000000;" : "=f"(sums[i]) : "f"(d[i])); // defect: use
  WGMMA_WAIT_FOR(0, e);
  for (int i = 0; i < 4; ++i) y[SUM_ROW(i) * 8 + SUM_COLUMN(i)] = sums[i] / 2 + e[i];
}

// Left operands in registers, changed while products read them.
KERNEL(128) registers_touched(const __half* a, const __half* b, float* y, int k)
{
  __shared__ ALIGNED(1024) __half sb[8 * 64];
  float d[4] = {0, 0, 0, 0};
  unsigned r[4];
  for (int i = 0; i < 4; ++i) r[i] = *(const unsigned*)&a[(16 * (threadIdx.x / 32) + LANE / 4 + i % 2 * 8) * k + LANE % 4 * 2 + i / 2 * 8];
  FILL(sb, b, 8, 0);
  FENCE_ASYNC_SHARED();
  __syncthreads();
  WGMMA_FENCE();
#if DEFECT == 1
#define WAIT_BEFORE ""
#else
#define WAIT_BEFORE "wgmma.wait_group.sync.aligned 0;\n"
#endif
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;\nwgmma.commit_group.sync.aligned;\n" WAIT_BEFORE "mov.b32 %4, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3]) : "l"(matrix(SMEM(sb))) : "memory"); // defect: touch
  WGMMA_WAIT_FOR(0, d);
  for (int i = 0; i < 4; ++i) y[SUM_ROW(i) * 8 + SUM_COLUMN(i)] = d[i] + r[0];
}

// Sums that are stored in registers and then taken by a product without the fence.
KERNEL(128) no_wgmma_fence(const __half* a, const __half* b, float* y, int k)
{
  __shared__ ALIGNED(1024) __half sa[64 * 64], sb[8 * 64];
  float d[4];
  FILL(sa, a, 64, 0);
  FILL(sb, b, 8, 0);
  FENCE_ASYNC_SHARED();
  for (int i = 0; i < 4; ++i) d[i] = y[SUM_ROW(i) * 8 + SUM_COLUMN(i)];
  __syncthreads();
  KEEP(1, WGMMA_FENCE();)
  PRODUCTS(d, sa, sb); // defect: product
  WGMMA_COMMIT();
  WGMMA_WAIT_FOR(0, d);
  for (int i = 0; i < 4; ++i) y[SUM_ROW(i) * 8 + SUM_COLUMN(i)] = d[i];
}

// Results staged for a bulk store while the operands of the last product lie there.
KERNEL(128) stage_of_results(const __half* a, const __half* b, float* y, int k)
{
  __shared__ ALIGNED(1024) __half sa[64 * 64], sb[8 * 64];
  float d[4] = {0, 0, 0, 0};
  FILL(sa, a, 64, 0);
  FILL(sb, b, 8, 0);
  FENCE_ASYNC_SHARED();
  __syncthreads();
  WGMMA_FENCE();
  PRODUCTS(d, sa, sb);
  WGMMA_COMMIT();
  WGMMA_WAIT_FOR(0, d);
  __syncthreads();
  float* const out = (float*)sa;
  for (int i = 0; i < 4; ++i) out[SUM_ROW(i) * 8 + SUM_COLUMN(i)] = d[i]; // defect: store
  KEEP(1, FENCE_ASYNC_SHARED();)
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_STORE(y, out, 2048); // defect: copy
    BULK_COMMIT();
    BULK_WAIT(0);
  }
}
