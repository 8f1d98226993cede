// Asynchronous copies and the proxy that they go through: cp.async, bulk copies, tensor maps. "defect" marks the lines
// that a finding must name.

// --- cp.async ---

KERNEL(64) copied(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[64];
  const int t = threadIdx.x;
  CP_ASYNC_4(s + t, x + t); // defect: copy
  CP_COMMIT();
  KEEP(1, CP_WAIT(0);)
  __syncthreads();
  y[t] = s[63 - t]; // defect: load
}

KERNEL(64) copied_by_others(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[64];
  const int t = threadIdx.x;
  CP_ASYNC_4(s + t, x + t); // defect: copy
  CP_COMMIT();
  CP_WAIT(0);
  KEEP(1, __syncthreads();)
  y[t] = s[63 - t]; // defect: load
}

KERNEL(32) copied_ahead(const unsigned* x, unsigned* y, int tiles)
{
  __shared__ unsigned s[3][32];
  const int t = threadIdx.x;
  unsigned sum = 0;
  for (int i = 0; i < 2; ++i) {
    if (i < tiles) CP_ASYNC_4(&s[i][t], x + i * 32 + t); // defect 1: copy
    CP_COMMIT();
  }
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    CP_WAIT(EITHER(1, 1, 2));
    __syncthreads();
    if (i + 2 < tiles) CP_ASYNC_4(&s[EITHER(2, (i + 2) % 3, (i + 1) % 3)][t], x + (i + 2) * 32 + t); // defect 1: copy // defect 2: copy
    CP_COMMIT();
    sum += s[i % 3][31 - t] * (i + 1); // defect 1: load // defect 2: load
  }
  y[t] = sum;
}

// An mbarrier that the copies arrive at.
KERNEL(64) copies_arrive(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[64];
  __shared__ ALIGNED(8) unsigned long long bar;
  const int t = threadIdx.x;
  if (t == 0) MBAR_INIT(&bar, 64);
  __syncthreads();
  CP_ASYNC_4(s + t, x + t); // defect 1: copy
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(SMEM(&bar)) : "memory");
  KEEP(1, MBAR_WAIT(&bar, 0);)
  y[t] = s[t]; // defect 1: load
}

// --- bulk copies ---

KERNEL(64) bulk_loaded(const unsigned* x, unsigned* y)
{
  __shared__ ALIGNED(16) unsigned s[64];
  __shared__ ALIGNED(8) unsigned long long bar;
  const int t = threadIdx.x;
  if (t == 0) { MBAR_INIT(&bar, 1); MBAR_FENCE(); }
  __syncthreads();
  if (t == 0) {
    MBAR_EXPECT(&bar, EITHER(3, 256, 272));
    BULK_LOAD(s, x, 256, &bar); // defect 1: copy // defect 2: copy
  }
  KEEP(1, MBAR_WAIT(&bar, EITHER(2, 0, 1));) // defect 3: wait
  y[t] = s[63 - t]; // defect 1: load // defect 2: load
}

// Zeros that a copy replaces: stores before it, through another proxy.
KERNEL(64) zeros_replaced(const unsigned* x, unsigned* y)
{
  __shared__ ALIGNED(16) unsigned s[128];
  __shared__ ALIGNED(8) unsigned long long bar;
  const int t = threadIdx.x;
  s[t] = 0; // defect: store
  s[t + 64] = 7;
  if (t == 0) { MBAR_INIT(&bar, 1); MBAR_FENCE(); }
  KEEP(1, FENCE_ASYNC_SHARED();)
  __syncthreads();
  if (t == 0) {
    MBAR_EXPECT(&bar, 256);
    BULK_LOAD(s, x, 256, &bar); // defect: copy
  }
  MBAR_WAIT(&bar, 0);
  y[t] = s[t] + s[t + 64];
}

// Staged results that leave by a bulk store; then the stage is filled again.
KERNEL(64) bulk_stored(const unsigned* x, unsigned* y)
{
  __shared__ ALIGNED(16) unsigned s[64];
  const int t = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < 2; ++i) {
    s[t] = x[i * 64 + t] + 1; // defect 1: store // defect 2: store
    KEEP(1, FENCE_ASYNC_SHARED();)
    __syncthreads();
    if (t == 0) {
      BULK_STORE(y + i * 64, s, 256); // defect 1: copy // defect 2: copy
      BULK_COMMIT();
      KEEP(2, BULK_WAIT_READ(0);)
    }
    __syncthreads();
  }
  if (t == 0) BULK_WAIT(0);
}

// Global memory that threads store and a bulk copy takes.
KERNEL(64) stored_and_taken(unsigned* x, unsigned* y)
{
  __shared__ ALIGNED(16) unsigned s[64];
  __shared__ ALIGNED(8) unsigned long long bar;
  const int t = threadIdx.x;
  x[t] = t * t; // defect: store
  KEEP(1, FENCE_ASYNC();)
  if (t == 0) { MBAR_INIT(&bar, 1); MBAR_FENCE(); }
  __syncthreads();
  if (t == 0) {
    MBAR_EXPECT(&bar, 256);
    BULK_LOAD(s, x, 256, &bar); // defect: copy
  }
  MBAR_WAIT(&bar, 0);
  y[t] = s[63 - t];
}

// Results of a bulk store that the same thread reads.
KERNEL(32) read_back(unsigned* x, unsigned* y)
{
  __shared__ ALIGNED(16) unsigned s[32];
  const int t = threadIdx.x;
  s[t] = t + 5;
  FENCE_ASYNC_SHARED();
  __syncthreads();
  if (t == 0) {
    BULK_STORE(x, s, 128); // defect: copy
    BULK_COMMIT();
    EITHER(1, BULK_WAIT(0), BULK_WAIT_READ(0));
    FENCE_ASYNC();
    for (int i = 0; i < 32; ++i) y[i] = ((volatile unsigned*)x)[i]; // defect: load
  }
}

// A producer and its consumers: stages that go round.
KERNEL(64) bulk_rounds(const unsigned* x, unsigned* y, int tiles)
{
  __shared__ ALIGNED(16) unsigned s[2][32];
  __shared__ ALIGNED(8) unsigned long long full[2], empty[2];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int i = 0; i < 2; ++i) { MBAR_INIT(&full[i], 1); MBAR_INIT(&empty[i], 32); }
    MBAR_FENCE();
  }
  __syncthreads();
  if (t == 32) {
    for (int i = 0; i < tiles; ++i) {
      if (i >= 2) MBAR_WAIT(&empty[i % 2], EITHER(1, (i / 2 - 1) % 2, (i / 2) % 2)); // defect 3: wait
      MBAR_EXPECT(&full[i % 2], 128);
      BULK_LOAD(s[i % 2], x + i * 32, 128, &full[i % 2]); // defect 1: copy // defect 2: copy
    }
  } else if (t < 32) {
    unsigned sum = 0;
    for (int i = 0; i < tiles; ++i) {
      MBAR_WAIT(&full[i % 2], EITHER(2, (i / 2) % 2, 0)); // defect 3: wait
      sum += s[i % 2][31 - t] * (i + 1); // defect 2: load
      KEEP(3, MBAR_ARRIVE(&empty[i % 2]);)
    }
    y[t] = sum;
  }
}

// --- tensor maps ---

KERNEL(64) box_loaded(const unsigned* x, unsigned* y, const Map* maps)
{
  __shared__ ALIGNED(128) unsigned s[64];
  __shared__ ALIGNED(8) unsigned long long bar;
  const int t = threadIdx.x;
  if (t == 0) { MBAR_INIT(&bar, 1); MBAR_FENCE(); }
  __syncthreads();
  if (t == 0) {
    MBAR_EXPECT(&bar, EITHER(3, 256, 128));
    TMA_LOAD_2D(s + EITHER(2, 0, 4), maps, 8, 2, &bar); // defect 1: copy // defect 2: copy
  }
  KEEP(1, MBAR_WAIT(&bar, 0);) // defect 3: wait
  y[t] = s[t]; // defect 1: load
}

KERNEL(64) box_stored(const unsigned* x, unsigned* y, const Map* maps)
{
  __shared__ ALIGNED(128) unsigned s[64];
  const int t = threadIdx.x;
  s[t] = x[t] + 3; // defect: store
  KEEP(1, FENCE_ASYNC_SHARED();)
  __syncthreads();
  if (t == 0) {
    TMA_STORE_2D(maps, 4, 1, s); // defect: copy
    BULK_COMMIT();
    BULK_WAIT(0);
  }
}

// The fence is there, but only behind the barrier and by the thread that copies.
KERNEL(64) box_added(const unsigned* x, unsigned* y, const Map* maps)
{
  __shared__ ALIGNED(128) unsigned s[64];
  const int t = threadIdx.x;
  s[t] = x[t]; // defect: store
  if (EITHER(1, true, t == 1)) FENCE_ASYNC_SHARED();
  __syncthreads();
  if (t == 0) {
    TMA_ADD_2D(maps, 0, 0, s); // defect: copy
    BULK_COMMIT();
    BULK_WAIT(0);
  }
}

// A map that the kernel changes for itself.
KERNEL(32) map_changed(const unsigned* x, unsigned* y, Map* maps)
{
  __shared__ ALIGNED(128) unsigned s[64];
  __shared__ ALIGNED(8) unsigned long long bar;
  const int t = threadIdx.x;
  if (t == 0) {
    MBAR_INIT(&bar, 1);
    MBAR_FENCE();
    MAP_SET_ADDRESS(maps, x + 256); // defect 1: change // defect 2: change
    KEEP(1, MAP_RELEASE();)
    KEEP(2, MAP_ACQUIRE(maps);)
    MBAR_EXPECT(&bar, 256);
    TMA_LOAD_2D(s, maps, 0, 0, &bar); // defect 1: copy // defect 2: copy
  }
  __syncthreads();
  MBAR_WAIT(&bar, 0);
  y[t] = s[t];
}

// The same map for one box after the other.
KERNEL(32) map_changed_again(const unsigned* x, unsigned* y, Map* maps)
{
  __shared__ ALIGNED(128) unsigned s[2][64];
  __shared__ ALIGNED(8) unsigned long long bar[2];
  const int t = threadIdx.x;
  if (t == 0) { MBAR_INIT(&bar[0], 1); MBAR_INIT(&bar[1], 1); MBAR_FENCE(); }
  __syncthreads();
#pragma unroll 1
  for (int i = 0; i < 2; ++i) {
    if (t == 0) {
      MAP_SET_ADDRESS(maps, x + 256 * i); // defect: change
      MAP_RELEASE();
      MAP_ACQUIRE(maps);
      MBAR_EXPECT(&bar[i], 256);
      TMA_LOAD_2D(s[i], maps, 0, 0, &bar[i]); // defect: copy
      KEEP(1, MBAR_WAIT(&bar[i], 0);)
    }
    __syncthreads();
  }
  MBAR_WAIT(&bar[0], 0);
  MBAR_WAIT(&bar[1], 0);
  y[t] = s[0][t];
  y[t + 32] = s[1][t];
}
