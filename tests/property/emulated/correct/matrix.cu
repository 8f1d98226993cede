// Products by the tensor cores: mma, ldmatrix, stmatrix, wmma, warp groups. No finding may come of them.

#define MMA_F16(c, a, b) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define LDMATRIX_X4(r, at) asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(SMEM(at)) : "memory")
#define LDMATRIX_X2(r, at) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(SMEM(at)) : "memory")
#define LDMATRIX_X2_TRANS(r, at) asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(SMEM(at)) : "memory")
#define STORE_16_8(c) do { const int g_ = LANE / 4, t_ = LANE % 4; y[g_ * 8 + 2 * t_] = c[0]; y[g_ * 8 + 2 * t_ + 1] = c[1]; y[(g_ + 8) * 8 + 2 * t_] = c[2]; y[(g_ + 8) * 8 + 2 * t_ + 1] = c[3]; } while (0)

// a is 16 x k, b is k x 8.
KERNEL(32) f16_by_ldmatrix(const __half* a, const __half* b, float* y, int k)
{
  __shared__ ALIGNED(16) __half sa[16 * 16], sb[16 * 8];
  const int t = threadIdx.x;
  float c[4] = {0, 0, 0, 0};
#pragma unroll 1
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int i = t; i < 256; i += 32) sa[i] = a[i / 16 * k + k0 + i % 16];
    for (int i = t; i < 128; i += 32) sb[i] = b[k0 * 8 + i];
    SYNCWARP();
    unsigned ra[4], rb[2];
    LDMATRIX_X4(ra, &sa[t % 16 * 16 + t / 16 * 8]);
    LDMATRIX_X2_TRANS(rb, &sb[t % 16 * 8]);
    MMA_F16(c, ra, rb);
    SYNCWARP();
  }
  STORE_16_8(c);
}

// cp.async into three stages; b is 8 x k.
KERNEL(32) f16_in_stages(const __half* a, const __half* b, float* y, int k)
{
  __shared__ ALIGNED(16) __half sa[3][16 * 16], sb[3][8 * 16];
  const int t = threadIdx.x;
  float c[4] = {0, 0, 0, 0};
#define STAGE(slice) do { if ((slice) * 16 < k) { CP_ASYNC_16(&sa[(slice) % 3][t * 8], a + t / 2 * k + (slice) * 16 + t % 2 * 8); if (t < 16) CP_ASYNC_16(&sb[(slice) % 3][t * 8], b + t / 2 * k + (slice) * 16 + t % 2 * 8); } CP_COMMIT(); } while (0)
  STAGE(0);
  STAGE(1);
#pragma unroll 1
  for (int i = 0; i < k / 16; ++i) {
    CP_WAIT(1);
    SYNCWARP();
    STAGE(i + 2);
    unsigned ra[4], rb[2];
    LDMATRIX_X4(ra, &sa[i % 3][t % 16 * 16 + t / 16 * 8]);
    LDMATRIX_X2(rb, &sb[i % 3][t % 8 * 16 + t / 8 % 2 * 8]);
    MMA_F16(c, ra, rb);
  }
  STORE_16_8(c);
}

// Operands from global memory: a is 16 x 16, b is 8 x 16.
KERNEL(32) bf16(const unsigned short* a, const unsigned short* b, float* y)
{
  const int g = LANE / 4, t = LANE % 4;
  float c[4] = {0, 0, 0, 0};
  unsigned ra[4], rb[2];
  for (int i = 0; i < 4; ++i) ra[i] = *(const unsigned*)&a[(g + i % 2 * 8) * 16 + 2 * t + i / 2 * 8];
  for (int i = 0; i < 2; ++i) rb[i] = *(const unsigned*)&b[g * 16 + 2 * t + i * 8];
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  STORE_16_8(c);
}

// a is 16 x 8, b is 8 x 8 by columns.
KERNEL(32) tf32(const float* a, const float* b, float* y)
{
  const int g = LANE / 4, t = LANE % 4;
  float c[4] = {0, 0, 0, 0};
  unsigned ra[4], rb[2];
  for (int i = 0; i < 4; ++i) asm volatile("cvt.rna.tf32.f32 %0, %1;" : "=r"(ra[i]) : "f"(a[(g + i % 2 * 8) * 8 + t + i / 2 * 4]));
  for (int i = 0; i < 2; ++i) asm volatile("cvt.rna.tf32.f32 %0, %1;" : "=r"(rb[i]) : "f"(b[g * 8 + t + i * 4]));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  STORE_16_8(c);
}

// Bytes: a is 16 x 32, b is 8 x 32.
KERNEL(32) s8(const signed char* a, const signed char* b, int* y)
{
  const int g = LANE / 4, t = LANE % 4;
  int c[4] = {0, 0, 0, 0};
  unsigned ra[4], rb[2];
  for (int i = 0; i < 4; ++i) ra[i] = *(const unsigned*)&a[(g + i % 2 * 8) * 32 + 4 * t + i / 2 * 16];
  for (int i = 0; i < 2; ++i) rb[i] = *(const unsigned*)&b[g * 32 + 4 * t + i * 16];
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  STORE_16_8(c);
}

// f64: a is 8 x 4, b is 8 x 4.
KERNEL(32) f64(const double* a, const double* b, double* y)
{
  const int g = LANE / 4, t = LANE % 4;
  double c0 = 0, c1 = 0;
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(c0), "+d"(c1) : "d"(a[g * 4 + t]), "d"(b[g * 4 + t]));
  y[g * 8 + 2 * t] = c0;
  y[g * 8 + 2 * t + 1] = c1;
}

// 8 x 8 words of 16 bits through stmatrix and back as its transposed.
KERNEL(32) stored_by_stmatrix(const unsigned short* x, unsigned short* y)
{
  __shared__ ALIGNED(16) unsigned short s[64];
  const int t = threadIdx.x;
  const unsigned r = *(const unsigned*)&x[2 * t];
  asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(SMEM(&s[t % 8 * 8])), "r"(r) : "memory");
  SYNCWARP();
  y[t] = s[t];
  y[t + 32] = s[t + 32];
}

// wmma: a is 16 x 16, b is 16 x 16 by rows.
KERNEL(32) by_wmma(const __half* a, const __half* b, float* y)
{
  __shared__ ALIGNED(32) __half sa[256];
  const int t = threadIdx.x;
  for (int i = t; i < 256; i += 32) sa[i] = a[i];
  SYNCWARP();
  unsigned ra[8], rb[8];
  float c[8];
  asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 16;" : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]), "=r"(ra[4]), "=r"(ra[5]), "=r"(ra[6]), "=r"(ra[7]) : "r"(SMEM(sa)) : "memory");
  asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.global.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 16;" : "=r"(rb[0]), "=r"(rb[1]), "=r"(rb[2]), "=r"(rb[3]), "=r"(rb[4]), "=r"(rb[5]), "=r"(rb[6]), "=r"(rb[7]) : "l"(b) : "memory");
  asm volatile("{.reg .f32 z;\nmov.f32 z, 0f3f800000;\nwmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {z, z, z, z, z, z, z, z};}" : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3]), "=f"(c[4]), "=f"(c[5]), "=f"(c[6]), "=f"(c[7]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]));
  asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, 16;" ::"l"(y), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]), "f"(c[4]), "f"(c[5]), "f"(c[6]), "f"(c[7]) : "memory");
}

// --- warp groups: a is 64 x k, b is 8 x k ---

// Stages by tensor maps, all threads in one role; a wait that leaves one group under way.
template <int Stages> DEVICE void staged_product(char* base, float* y, const Map* maps, int tiles)
{
  __shared__ ALIGNED(8) unsigned long long full[Stages];
  const int t = threadIdx.x;
  float d[4] = {0, 0, 0, 0};
  const auto fetch = [&](int tile) {
    MBAR_EXPECT(&full[tile % Stages], 9216);
    TMA_LOAD_2D(base + tile % Stages * 9216, &maps[0], 64 * tile, 0, &full[tile % Stages]);
    TMA_LOAD_2D(base + tile % Stages * 9216 + 8192, &maps[1], 64 * tile, 0, &full[tile % Stages]);
  };
  if (t == 0) {
    for (int i = 0; i < Stages; ++i) MBAR_INIT(&full[i], 1);
    MBAR_FENCE();
    for (int i = 0; i < Stages - 1 && i < tiles; ++i) fetch(i);
  }
  __syncthreads();
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    MBAR_WAIT(&full[i % Stages], i / Stages % 2);
    const unsigned at = SMEM(base) + i % Stages * 9216;
    WGMMA_FENCE();
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) WGMMA(d, matrix(at + kk * 32), matrix(at + 8192 + kk * 32));
    WGMMA_COMMIT();
    WGMMA_WAIT_FOR(1, d); // the product before is done: its stage is free
    __syncthreads();
    if (t == 0 && i + Stages - 1 < tiles) fetch(i + Stages - 1);
  }
  WGMMA_WAIT_FOR(0, d);
  for (int i = 0; i < 4; ++i) y[SUM_ROW(i) * 8 + SUM_COLUMN(i)] = d[i];
}
extern __shared__ ALIGNED(1024) char stages[];
KERNEL(128) two_stages(const __half* a, const __half* b, float* y, const Map* maps, int tiles) { staged_product<2>(stages, y, maps, tiles); }
KERNEL(128) three_stages(const __half* a, const __half* b, float* y, const Map* maps, int tiles) { staged_product<3>(stages, y, maps, tiles); }
KERNEL(128) four_stages(const __half* a, const __half* b, float* y, const Map* maps, int tiles) { staged_product<4>(stages, y, maps, tiles); }

// A producer warp, a warp group, and results by a bulk store; phases go on over several outputs.
KERNEL(160) persistent(const __half* a, const __half* b, float* y, const Map* maps, int tiles, int outputs)
{
  __shared__ ALIGNED(8) unsigned long long full[2], empty[2];
  __shared__ ALIGNED(16) float out[512];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int i = 0; i < 2; ++i) { MBAR_INIT(&full[i], 1); MBAR_INIT(&empty[i], 128); }
    MBAR_FENCE();
  }
  __syncthreads();
  if (t >= 128) {
    if (t == 128) {
#pragma unroll 1
      for (int i = 0; i < tiles * outputs; ++i) {
        char* const at = stages + i % 2 * 9216;
        MBAR_WAIT(&empty[i % 2], (i / 2 + 1) % 2);
        MBAR_EXPECT(&full[i % 2], 9216);
        TMA_LOAD_2D(at, &maps[0], 64 * (i % tiles), 0, &full[i % 2]);
        TMA_LOAD_2D(at + 8192, &maps[1], 64 * (i % tiles), 0, &full[i % 2]);
      }
    }
    return;
  }
  int round = 0;
#pragma unroll 1
  for (int output = 0; output < outputs; ++output) {
    float d[4] = {0, 0, 0, 0};
#pragma unroll 1
    for (int i = 0; i < tiles; ++i, ++round) {
      const unsigned at = SMEM(stages) + round % 2 * 9216;
      MBAR_WAIT(&full[round % 2], round / 2 % 2);
      WGMMA_FENCE();
#pragma unroll
      for (int kk = 0; kk < 4; ++kk) WGMMA(d, matrix(at + kk * 32), matrix(at + 8192 + kk * 32));
      WGMMA_COMMIT();
      WGMMA_WAIT_FOR(0, d);
      MBAR_ARRIVE(&empty[round % 2]);
    }
    if (t == 0) BULK_WAIT_READ(0);
    NAMED_SYNC(1, 128);
    for (int i = 0; i < 4; ++i) out[SUM_ROW(i) * 8 + SUM_COLUMN(i)] = d[i] * (output + 1);
    FENCE_ASYNC_SHARED();
    NAMED_SYNC(1, 128);
    if (t == 0) { BULK_STORE(y + 512 * output, out, 2048); BULK_COMMIT(); }
  }
  if (t == 0) BULK_WAIT(0);
}

// The left operand in registers.
KERNEL(128) from_registers(const __half* a, const __half* b, float* y, int k)
{
  __shared__ ALIGNED(1024) __half sb[8 * 64];
  float d[4] = {0, 0, 0, 0};
  for (int i = threadIdx.x; i < 512; i += 128) sb[SWIZZLED(i / 64, i % 64)] = b[i / 64 * k + i % 64];
  FENCE_ASYNC_SHARED();
  __syncthreads();
  unsigned r[4][4];
  for (int kk = 0; kk < 4; ++kk) for (int i = 0; i < 4; ++i) r[kk][i] = *(const unsigned*)&a[(16 * (threadIdx.x / 32) + LANE / 4 + i % 2 * 8) * k + kk * 16 + LANE % 4 * 2 + i / 2 * 8];
  WGMMA_FENCE();
#pragma unroll
  for (int kk = 0; kk < 4; ++kk) WGMMA_REGISTERS(d, r[kk], matrix(SMEM(sb) + kk * 32));
  WGMMA_COMMIT();
  WGMMA_WAIT_FOR(0, d);
  for (int i = 0; i < 4; ++i) y[SUM_ROW(i) * 8 + SUM_COLUMN(i)] = d[i];
}

// Two groups, each for one half of k; their sums meet in shared memory.
KERNEL(256) two_groups(const __half* a, const __half* b, float* y, int k)
{
  __shared__ ALIGNED(1024) __half sa[2][64 * 64], sb[2][8 * 64];
  __shared__ float sums[512];
  const int group = threadIdx.x / 128, t = threadIdx.x % 128;
  float d[4] = {0, 0, 0, 0};
  for (int i = t; i < 4096; i += 128) sa[group][SWIZZLED(i / 64, i % 64)] = a[i / 64 * k + group * 64 + i % 64];
  for (int i = t; i < 512; i += 128) sb[group][SWIZZLED(i / 64, i % 64)] = b[i / 64 * k + group * 64 + i % 64];
  FENCE_ASYNC_SHARED();
  NAMED_SYNC(1 + group, 128);
  WGMMA_FENCE();
#pragma unroll
  for (int kk = 0; kk < 4; ++kk) WGMMA(d, matrix(SMEM(sa[group]) + kk * 32), matrix(SMEM(sb[group]) + kk * 32));
  WGMMA_COMMIT();
  WGMMA_WAIT_FOR(0, d);
  if (group == 1) for (int i = 0; i < 4; ++i) sums[SUM_ROW(i) * 8 + SUM_COLUMN(i)] = d[i];
  __syncthreads();
  if (group == 0) for (int i = 0; i < 4; ++i) y[SUM_ROW(i) * 8 + SUM_COLUMN(i)] = d[i] + sums[SUM_ROW(i) * 8 + SUM_COLUMN(i)];
}
