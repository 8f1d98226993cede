// Warps with roles, mbarriers, bulk copies and tensor maps. No finding may come of them.

// A producer warp and a consumer warp with named barriers, two stages.
KERNEL(64) by_named_barriers(const unsigned* x, unsigned* y, int tiles)
{
  __shared__ unsigned s[2][32];
  const int t = threadIdx.x;
  if (t < 32) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      if (i >= 2) NAMED_SYNC(3 + i % 2, 64);
      s[i % 2][t] = x[i * 32 + t];
      NAMED_ARRIVE(1 + i % 2, 64);
    }
  } else {
    unsigned sum = 0;
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      NAMED_SYNC(1 + i % 2, 64);
      sum += s[i % 2][63 - t] * (i + 1);
      if (i + 2 < tiles) NAMED_ARRIVE(3 + i % 2, 64);
    }
    y[t - 32] = sum;
  }
}

// Generic stores of a producer, handed over by mbarriers; phases go on over two outputs.
KERNEL(64) by_mbarriers(const unsigned* x, unsigned* y, int tiles)
{
  __shared__ unsigned s[3][32];
  __shared__ ALIGNED(8) unsigned long long full[3], empty[3];
  const int t = threadIdx.x;
  if (t < 3) { MBAR_INIT(&full[t], 32); MBAR_INIT(&empty[t], 32); }
  __syncthreads();
  if (t < 32) {
#pragma unroll 1
    for (int i = 0; i < 2 * tiles; ++i) {
      MBAR_WAIT(&empty[i % 3], (i / 3 + 1) % 2); // the first time it is free
      s[i % 3][t] = x[i * 32 + t];
      MBAR_ARRIVE(&full[i % 3]);
    }
  } else {
    int round = 0;
#pragma unroll 1
    for (int output = 0; output < 2; ++output) {
      unsigned sum = 0;
#pragma unroll 1
      for (int i = 0; i < tiles; ++i, ++round) {
        MBAR_WAIT(&full[round % 3], round / 3 % 2);
        sum += s[round % 3][63 - t] * (i + 1);
        MBAR_ARRIVE(&empty[round % 3]);
      }
      y[output * 32 + t - 32] = sum;
    }
  }
}

// The state of the arrival instead of a parity.
KERNEL(64) by_states(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[64];
  __shared__ ALIGNED(8) unsigned long long bar;
  const int t = threadIdx.x;
  if (t == 0) MBAR_INIT(&bar, 64);
  __syncthreads();
  unsigned value = x[t];
#pragma unroll 1
  for (int i = 0; i < 3; ++i) {
    unsigned long long state;
    unsigned done;
    s[t] = value;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(SMEM(&bar)) : "memory");
    do asm volatile("{.reg .pred p;\nmbarrier.test_wait.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(SMEM(&bar)), "l"(state) : "memory"); while (!done);
    value = s[(t + 1) % 64] + 1;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(SMEM(&bar)) : "memory");
    do asm volatile("{.reg .pred p;\nmbarrier.test_wait.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(SMEM(&bar)), "l"(state) : "memory"); while (!done);
  }
  y[t] = value;
}

KERNEL(96) bulk_stages(const unsigned* x, unsigned* y, int tiles)
{
  __shared__ ALIGNED(16) unsigned s[3][64];
  __shared__ ALIGNED(8) unsigned long long full[3], empty[3];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int i = 0; i < 3; ++i) { MBAR_INIT(&full[i], 1); MBAR_INIT(&empty[i], 2); }
    MBAR_FENCE();
  }
  __syncthreads();
  if (t >= 64) {
    if (t == 64) {
#pragma unroll 1
      for (int i = 0; i < tiles; ++i) {
        if (i >= 3) MBAR_WAIT(&empty[i % 3], (i / 3 - 1) % 2);
        MBAR_EXPECT(&full[i % 3], 256);
        BULK_LOAD(s[i % 3], x + i * 64, 128, &full[i % 3]);
        BULK_LOAD(s[i % 3] + 32, x + i * 64 + 32, 128, &full[i % 3]);
      }
    }
    return;
  }
  unsigned sum = 0;
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    MBAR_WAIT(&full[i % 3], i / 3 % 2);
    sum += s[i % 3][63 - t] * (i + 1);
    SYNCWARP();
    if (LANE == 0) MBAR_ARRIVE(&empty[i % 3]);
  }
  y[t] = sum;
}

// In by a bulk copy, out by another one, both stages in turn.
KERNEL(64) bulk_through(const unsigned* x, unsigned* y, int tiles)
{
  __shared__ ALIGNED(16) unsigned in[64], out[2][64];
  __shared__ ALIGNED(8) unsigned long long bar;
  const int t = threadIdx.x;
  if (t == 0) { MBAR_INIT(&bar, 1); MBAR_FENCE(); }
  __syncthreads();
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    if (t == 0) {
      MBAR_EXPECT(&bar, 256);
      BULK_LOAD(in, x + i * 64, 256, &bar);
      BULK_WAIT_READ(1);
    }
    __syncthreads();
    MBAR_WAIT(&bar, i % 2);
    out[i % 2][t] = in[63 - t] + i;
    FENCE_ASYNC_SHARED();
    __syncthreads();
    if (t == 0) { BULK_STORE(y + i * 64, out[i % 2], 256); BULK_COMMIT(); }
  }
  if (t == 0) BULK_WAIT(0);
}

// Blocks add to the same words.
KERNEL(64) bulk_added(const unsigned* x, unsigned* y)
{
  __shared__ ALIGNED(16) unsigned s[64];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * 64 + t];
  FENCE_ASYNC_SHARED();
  __syncthreads();
  if (t == 0) { BULK_ADD(y, s, 256); BULK_COMMIT(); BULK_WAIT(0); }
}

// --- tensor maps: boxes that reach beyond the edges ---

KERNEL(32) tensor_1d(const unsigned* x, unsigned* y, const Map* maps)
{
  __shared__ ALIGNED(128) unsigned s[32];
  __shared__ ALIGNED(8) unsigned long long bar;
  const int t = threadIdx.x;
  if (t == 0) {
    MBAR_INIT(&bar, 1);
    MBAR_FENCE();
    MBAR_EXPECT(&bar, 128);
    TMA_LOAD_1D(s, &maps[0], blockIdx.x * 32 - 4, &bar);
  }
  __syncthreads();
  MBAR_WAIT(&bar, 0);
  s[t] += 1;
  FENCE_ASYNC_SHARED();
  __syncthreads();
  if (t == 0) { TMA_STORE_1D(&maps[1], blockIdx.x * 32 - 4, s); BULK_COMMIT(); BULK_WAIT(0); }
}

KERNEL(64) tensor_2d(const unsigned* x, unsigned* y, const Map* maps)
{
  __shared__ ALIGNED(128) unsigned s[64];
  __shared__ ALIGNED(8) unsigned long long bar;
  const int t = threadIdx.x, x0 = blockIdx.x * 8 - 4, y0 = blockIdx.y * 8 - 4;
  if (t == 0) {
    MBAR_INIT(&bar, 1);
    MBAR_FENCE();
    MBAR_EXPECT(&bar, 256);
    TMA_LOAD_2D(s, &maps[0], x0, y0, &bar);
  }
  __syncthreads();
  MBAR_WAIT(&bar, 0);
  s[t] = s[t] * 2 + 1;
  FENCE_ASYNC_SHARED();
  __syncthreads();
  if (t == 0) { TMA_STORE_2D(&maps[1], x0, y0, s); BULK_COMMIT(); BULK_WAIT(0); }
}

// Maps among the parameters.
KERNEL(64) tensor_3d(const Map first, const Map second, const unsigned* x, unsigned* y)
{
  const Map *from, *to;
  asm volatile("{.reg .b64 r;\nmov.b64 r, tensor_3d_param_0;\ncvta.param.u64 %0, r;\nmov.b64 r, tensor_3d_param_1;\ncvta.param.u64 %1, r;}" : "=l"(from), "=l"(to));
  __shared__ ALIGNED(128) unsigned s[64];
  __shared__ ALIGNED(8) unsigned long long bar;
  const int t = threadIdx.x, x0 = blockIdx.x * 4, y0 = blockIdx.y * 4, z0 = blockIdx.z * 4 - 1;
  if (t == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(from) : "memory");
    MBAR_INIT(&bar, 1);
    MBAR_FENCE();
    MBAR_EXPECT(&bar, 256);
    TMA_LOAD_3D(s, from, x0, y0, z0, &bar);
  }
  __syncthreads();
  MBAR_WAIT(&bar, 0);
  s[t] = s[t] + 100;
  FENCE_ASYNC_SHARED();
  __syncthreads();
  if (t == 0) { TMA_STORE_3D(to, x0, y0, z0, s); BULK_COMMIT(); BULK_WAIT(0); }
}

// A map in global memory that is set for each of the blocks.
KERNEL(32) map_of_block(const unsigned* x, unsigned* y, Map* maps)
{
  __shared__ ALIGNED(128) unsigned s[64];
  __shared__ ALIGNED(8) unsigned long long bar;
  const int t = threadIdx.x;
  Map* const own = maps + blockIdx.x;
  if (t == 0) {
    MBAR_INIT(&bar, 1);
    MBAR_FENCE();
    MAP_SET_ADDRESS(own, x + 256 * blockIdx.x);
    MAP_SET_DIM(own, 1, 6);
    MAP_RELEASE();
    MAP_ACQUIRE(own);
    MBAR_EXPECT(&bar, 256);
    TMA_LOAD_2D(s, own, 0, 2, &bar);
  }
  __syncthreads();
  MBAR_WAIT(&bar, 0);
  y[blockIdx.x * 64 + t] = s[t];
  y[blockIdx.x * 64 + t + 32] = s[t + 32];
}

// Both blocks of a cluster get what each brings by half.
KERNEL(64) multicast(const unsigned* x, unsigned* y, const Map* maps, int tiles)
{
  __shared__ ALIGNED(128) unsigned s[2][64];
  __shared__ ALIGNED(8) unsigned long long full[2], empty[2];
  const int t = threadIdx.x;
  const unsigned rank = cluster_rank();
  if (t == 0) {
    for (int i = 0; i < 2; ++i) { MBAR_INIT(&full[i], 1); MBAR_INIT(&empty[i], 2); }
    MBAR_FENCE();
  }
  CLUSTER_SYNC();
  if (t == 32) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      if (i >= 2) MBAR_WAIT_CLUSTER(&empty[i % 2], (i / 2 - 1) % 2);
      MBAR_EXPECT(&full[i % 2], 256);
      TMA_MULTICAST_2D(s[i % 2] + 32 * rank, maps, 32 * (int)rank, i, &full[i % 2], 3);
    }
  } else if (t < 32) {
    unsigned sum = 0;
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      MBAR_WAIT_CLUSTER(&full[i % 2], i / 2 % 2);
      sum += (s[i % 2][31 - t] + s[i % 2][63 - t]) * (i + 1);
      SYNCWARP();
      if (t < 2) MBAR_ARRIVE_AT(&empty[i % 2], t);
    }
    y[blockIdx.x * 32 + t] = sum;
  }
  SYNCWARP();
  CLUSTER_SYNC();
}

// Threads without an element leave; the others go on by a named barrier of whole warps.
KERNEL(128) early_return(const unsigned* x, unsigned* y, int n)
{
  __shared__ unsigned s[64];
  const int t = threadIdx.x;
  if (t >= n) return;
  s[t] = x[t];
  NAMED_SYNC(1, 64);
  y[t] = s[63 - t];
}

// Two groups of two warps, each with its barrier and another number of rounds.
KERNEL(128) groups_of_warps(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[2][64];
  const int t = threadIdx.x % 64, group = threadIdx.x / 64;
  unsigned value = x[threadIdx.x];
#pragma unroll 1
  for (int i = 0; i < 3 + 2 * group; ++i) {
    s[group][t] = value;
    NAMED_SYNC(1 + group, 64);
    value = s[group][(t + 1) % 64] + 1;
    NAMED_SYNC(1 + group, 64);
  }
  y[threadIdx.x] = value;
}

// A vote of the whole block in a barrier.
KERNEL(64) block_votes(const unsigned* x, unsigned* y)
{
  const int t = threadIdx.x;
  const int many = __nvvm_bar0_popc(x[t] % 2), all = __nvvm_bar0_and(x[t] < 17), some = __nvvm_bar0_or(x[t] > 100);
  y[t] = many * 4 + (all != 0) * 2 + (some != 0);
}
