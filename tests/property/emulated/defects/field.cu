// Five bugs that kernels in the field had. "defect" marks the lines that a finding must name.

// 1. Two blocks bring each other slices by multicast. A stage of the other block is filled before that block gave it
// back: the producer waits for its own consumers alone.
KERNEL(64) multicast_rounds(const unsigned* x, unsigned* y, const Map* maps, int tiles)
{
  __shared__ ALIGNED(128) unsigned s[2][64];
  __shared__ ALIGNED(8) unsigned long long full[2], empty[2], other_empty[2];
  const int t = threadIdx.x;
  const unsigned rank = cluster_rank();
  if (t == 0) {
    for (int i = 0; i < 2; ++i) { MBAR_INIT(&full[i], 1); MBAR_INIT(&empty[i], 1); MBAR_INIT(&other_empty[i], 1); }
    MBAR_FENCE();
  }
  CLUSTER_SYNC();
  if (t == 32) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int stage = i % 2;
      if (i >= 2) {
        MBAR_WAIT_CLUSTER(&empty[stage], (i / 2 - 1) % 2);
        KEEP(1, MBAR_WAIT_CLUSTER(&other_empty[stage], (i / 2 - 1) % 2);)
      }
      MBAR_EXPECT(&full[stage], 256);
      TMA_MULTICAST_2D(s[stage] + 32 * rank, maps, 32 * (int)rank, i, &full[stage], 3); // defect: copy
    }
  } else if (t < 32) {
    unsigned sum = 0;
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int stage = i % 2;
      MBAR_WAIT_CLUSTER(&full[stage], i / 2 % 2);
      for (unsigned turns = 0; turns < 40 * rank; ++turns) asm volatile("nanosleep.u32 20;"); // one block is slower
      sum += (s[stage][31 - t] + s[stage][63 - t]) * (i + 1); // defect: load
      SYNCWARP();
      if (t == 0) {
        MBAR_ARRIVE_AT(&empty[stage], rank);
        MBAR_ARRIVE_AT(&other_empty[stage], rank ^ 1);
      }
    }
    y[blockIdx.x * 32 + t] = sum;
  }
  SYNCWARP();
  CLUSTER_SYNC();
}

// 2. Groups of different tensors share one map, which is set for each group while the copy of the last one is under way.
KERNEL(32) grouped(const unsigned* x, unsigned* y, Map* maps, int groups)
{
  __shared__ ALIGNED(128) unsigned s[4][64];
  __shared__ ALIGNED(8) unsigned long long bar[4];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int i = 0; i < 4; ++i) MBAR_INIT(&bar[i], 1);
    MBAR_FENCE();
    for (int i = 0; i < groups; ++i) {
      if (i > 0) {
        KEEP(1, MBAR_WAIT(&bar[i - 1], 0);)
        MAP_SET_ADDRESS(maps, x + 256 * i); // defect: change
        MAP_RELEASE();
        MAP_ACQUIRE(maps);
      }
      MBAR_EXPECT(&bar[i], 256);
      TMA_LOAD_2D(s[i], maps, 0, 1, &bar[i]); // defect: copy
    }
  }
  __syncthreads();
  for (int i = 0; i < groups; ++i) {
    MBAR_WAIT(&bar[i], 0);
    y[i * 32 + t] = s[i][t];
  }
}

// 3. The epilogue stores its results to shared memory and lets a copy take them, without the fence between the proxies.
KERNEL(128) epilogue(const unsigned* x, unsigned* y, const Map* maps)
{
  __shared__ ALIGNED(128) unsigned s[2][64];
  const int t = threadIdx.x, half = t / 64;
#pragma unroll 1
  for (int i = 0; i < 3; ++i) {
    s[half][t % 64] = x[i * 128 + t] * 2 + 1; // defect: store
    KEEP(1, FENCE_ASYNC_SHARED();)
    NAMED_SYNC(1 + half, 64);
    if (t % 64 == 0) {
      TMA_STORE_2D(maps, 8 * half, 8 * i, s[half]); // defect: copy
      BULK_COMMIT();
      BULK_WAIT_READ(0);
    }
    NAMED_SYNC(1 + half, 64);
  }
  if (t % 64 == 0) BULK_WAIT(0);
}

// 4. The stage that the product before reads is filled while one group of products may be under way. With one slice there
// is nothing to fill.
KERNEL(128) stage_overwritten(const __half* a, const __half* b, float* y, const Map* maps, int tiles)
{
  __shared__ ALIGNED(1024) __half sa[2][64 * 64], sb[2][8 * 64];
  __shared__ ALIGNED(8) unsigned long long full[2];
  const int t = threadIdx.x;
  float d[4] = {0, 0, 0, 0};
  if (t == 0) { MBAR_INIT(&full[0], 1); MBAR_INIT(&full[1], 1); MBAR_FENCE(); }
  __syncthreads();
  for (int i = 0; i < 2 && i < tiles; ++i) {
    if (t == 0) {
      MBAR_EXPECT(&full[i], 8192 + 1024);
      TMA_LOAD_2D(sa[i], &maps[0], 64 * i, 0, &full[i]);
      TMA_LOAD_2D(sb[i], &maps[1], 64 * i, 0, &full[i]);
    }
  }
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    const int stage = i % 2;
    MBAR_WAIT(&full[stage], i / 2 % 2);
    WGMMA_FENCE();
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) WGMMA(d, matrix(SMEM(sa[stage]) + kk * 32), matrix(SMEM(sb[stage]) + kk * 32)); // defect: product
    WGMMA_COMMIT();
    WGMMA_WAIT(EITHER(1, 0, 1));
    __syncthreads();
    if (t == 0 && i + 2 < tiles) {
      MBAR_EXPECT(&full[stage], 8192 + 1024);
      TMA_LOAD_2D(sa[stage], &maps[0], 64 * (i + 2), 0, &full[stage]); // defect: copy
      TMA_LOAD_2D(sb[stage], &maps[1], 64 * (i + 2), 0, &full[stage]); // defect: copy
    }
  }
  WGMMA_WAIT_FOR(0, d);
  for (int i = 0; i < 4; ++i) y[SUM_ROW(i) * 8 + SUM_COLUMN(i)] = d[i];
}

// 5. A persistent pipeline that begins each output at its first stage, with phases by whole rounds: right as long as the
// slices of an output are a multiple of the stages.
#define STAGES 3
KERNEL(64) rounds_of_stages(const unsigned* x, unsigned* y, int outputs, int tiles)
{
  __shared__ ALIGNED(16) unsigned s[STAGES][32];
  __shared__ ALIGNED(8) unsigned long long full[STAGES], empty[STAGES];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int i = 0; i < STAGES; ++i) { MBAR_INIT(&full[i], 1); MBAR_INIT(&empty[i], 32); }
    MBAR_FENCE();
  }
  __syncthreads();
#define ROUND(output, tile) EITHER(1, (output) * tiles + (tile), (output) * (tiles / STAGES * STAGES) + (tile))
  if (t == 32) {
#pragma unroll 1
    for (int i = 0; i < outputs * tiles; ++i) {
      const int round = ROUND(i / tiles, i % tiles), stage = round % STAGES;
      if (round >= STAGES) MBAR_WAIT(&empty[stage], (round / STAGES - 1) % 2);
      MBAR_EXPECT(&full[stage], 128);
      BULK_LOAD(s[stage], x + i * 32, 128, &full[stage]);
    }
  } else if (t < 32) {
#pragma unroll 1
    for (int output = 0; output < outputs; ++output) {
      unsigned sum = 0;
#pragma unroll 1
      for (int tile = 0; tile < tiles; ++tile) {
        const int round = ROUND(output, tile), stage = round % STAGES;
        MBAR_WAIT(&full[stage], round / STAGES % 2);
        sum += s[stage][31 - t] * (tile + 1);
        MBAR_ARRIVE(&empty[stage]);
      }
      y[output * 32 + t] = sum;
    }
  }
}
