// Races on shared memory, missing orders within warps, masks, barriers. "defect" marks the lines that a finding must name.

KERNEL(64) reversed(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[64];
  const int t = threadIdx.x;
  s[t] = x[t]; // defect: store
  KEEP(1, __syncthreads();)
  y[t] = s[63 - t]; // defect: load
}

// Sums of a tree; the barrier of each level.
KERNEL(128) tree_sum(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[128];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * 128 + t];
  __syncthreads();
  for (int by = 64; by > 0; by /= 2) {
    if (t < by) {
      const unsigned other = s[t + by]; // defect: load
      s[t] += other; // defect: store
    }
    KEEP(1, __syncthreads();)
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

// A tile that is used again: the barrier behind the loads.
KERNEL(64) tile_reused(const unsigned* x, unsigned* y, int tiles)
{
  __shared__ unsigned s[64];
  const int t = threadIdx.x;
  unsigned sum = 0;
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    s[t] = x[i * 64 + t]; // defect: store
    __syncthreads();
    sum += s[(t + 32) % 64] * (i + 1); // defect: load
    KEEP(1, __syncthreads();)
  }
  y[t] = sum;
}

// Two buffers; the wrong one is filled.
KERNEL(64) two_buffers(const unsigned* x, unsigned* y, int tiles)
{
  __shared__ unsigned s[2][64];
  const int t = threadIdx.x;
  unsigned sum = 0;
  s[0][t] = x[t];
  __syncthreads();
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    const int next = EITHER(1, (i + 1) % 2, i % 2);
    if (i + 1 < tiles) s[next][t] = x[(i + 1) * 64 + t]; // defect: store
    sum += s[i % 2][63 - t] * (i + 1); // defect: load
    __syncthreads();
  }
  y[t] = sum;
}

// Counts in shared memory: an atomic against a plain store.
KERNEL(64) counts(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[8];
  const int t = threadIdx.x;
  if (t < 8) s[t] = 0; // defect: store
  KEEP(1, __syncthreads();)
  RED_ADD_SHARED(&s[x[t] % 8], 1); // defect: atomic
  __syncthreads();
  if (t < 8) y[t] = s[t];
}

// Counts by addition that is no atomic one: lanes of one warp meet within one line.
KERNEL(64) counts_by_one(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[64];
  const int t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  s[EITHER(1, t, t / 2)] += x[t] + 1; // defect: store
  __syncthreads();
  y[t] = s[t];
}

// --- lanes of a warp ---

KERNEL(32) neighbours(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[32];
  const int t = threadIdx.x;
  s[t] = x[t]; // defect: store
  KEEP(1, SYNCWARP();)
  y[t] = s[t ^ 1]; // defect: load
}

// A scan by a warp: between the loads and the stores of a step.
KERNEL(32) warp_scan(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[32];
  const int t = threadIdx.x;
  s[t] = x[t];
  SYNCWARP();
#pragma unroll 1
  for (int by = 1; by < 32; by *= 2) {
    const unsigned other = t >= by ? s[t - by] : 0; // defect: load
    KEEP(1, SYNCWARP();)
    s[t] += other; // defect: store
    SYNCWARP();
  }
  y[t] = s[t];
}

// The tail of a reduction by one warp.
KERNEL(64) warp_tail(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (t < 32) {
    unsigned sum = s[t];
#pragma unroll 1
    for (int by = 32; by > 0; by /= 2) {
      sum += s[t + by]; // defect: load
      SYNCWARP();
      s[t] = sum; // defect: store
      KEEP(1, SYNCWARP();)
    }
    if (t == 0) y[0] = sum;
  }
}

// The same with volatile memory, as it was right before Volta.
KERNEL(64) volatile_tail(const unsigned* x, unsigned* y)
{
  __shared__ volatile unsigned s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (t < 32) {
    unsigned sum = s[t];
#pragma unroll 1
    for (int by = 32; by > 0; by /= 2) {
      sum += s[t + by]; // defect: load
      SYNCWARP();
      s[t] = sum; // defect: store
      KEEP(1, SYNCWARP();)
    }
    if (t == 0) y[0] = sum;
  }
}

// --- masks ---

KERNEL(32) half_a_warp(const unsigned* x, unsigned* y)
{
  const int t = threadIdx.x;
  if (t < 16) {
    int sum = x[t];
    for (int by = 8; by > 0; by /= 2)
      sum += SHFL_XOR(EITHER(1, 0xffffu, ALL), sum, by); // defect: shuffle
    y[t] = sum;
  }
}

KERNEL(32) ballot_of_some(const unsigned* x, unsigned* y)
{
  const int t = threadIdx.x;
  const int is_odd = x[t] % 2;
  y[t] = BALLOT(EITHER(1, ALL, 0xffffu), is_odd); // defect: vote
}

// The last lanes do not take part and wait elsewhere.
KERNEL(32) tail_of_warp(const unsigned* x, unsigned* y, int n)
{
  const int t = threadIdx.x;
  const unsigned mask = BALLOT(ALL, t < n);
  if (t < n) {
    const unsigned sum = __nvvm_redux_sync_add(x[t], EITHER(1, mask, ALL)); // defect: redux
    y[t] = sum;
  }
  SYNCWARP();
  y[t] += t;
}

// A value of a lane that does not take part.
KERNEL(32) from_outside(const unsigned* x, unsigned* y)
{
  const int t = threadIdx.x;
  if (t < 16) {
    const int value = x[t];
    y[t] = SHFL(0xffffu, value, EITHER(1, 3, 19)); // defect: shuffle
  }
}

// --- barriers ---

KERNEL(64) barrier_for_all(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  if (EITHER(1, true, t < 32)) __syncthreads(); // defect: barrier
  y[t] = s[t];
}

KERNEL(32) barrier_in_warp(const unsigned* x, unsigned* y)
{
  const int t = threadIdx.x;
  unsigned value = x[t];
  if (EITHER(1, true, value % 2)) asm volatile("bar.sync 0;" ::: "memory"); // defect: barrier
  y[t] = value;
}

KERNEL(64) two_barriers(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  if (EITHER(1, t < 32, t % 2 == 0)) {
    s[t] += 1;
    asm volatile("bar.sync 1, 64; // some" ::: "memory"); // defect: barrier
  } else {
    s[t] += 2;
    asm volatile("bar.sync 1, 64; // others" ::: "memory"); // defect: barrier
  }
  y[t] = s[63 - t];
}

// --- deadlocks ---

KERNEL(64) crosswise(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  if (t < 32) {
    NAMED_SYNC(1, 64); // defect: barrier
    NAMED_SYNC(2, 64); // defect: barrier
  } else {
    NAMED_SYNC(EITHER(1, 1, 2), 64); // defect: barrier
    NAMED_SYNC(EITHER(1, 2, 1), 64); // defect: barrier
  }
  y[t] = s[63 - t];
}

// Consumers wait for more arrivals than there are.
KERNEL(96) too_few_arrive(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[32];
  const int t = threadIdx.x;
  if (t >= 64) {
    s[t - 64] = x[t - 64];
    NAMED_ARRIVE(1, 96);
  } else {
    NAMED_SYNC(1, EITHER(1, 96, 128)); // defect: barrier
    y[t] = s[t % 32];
  }
}

KERNEL(64) arrival_left_out(const unsigned* x, unsigned* y)
{
  __shared__ ALIGNED(8) unsigned long long bar;
  __shared__ unsigned s[64];
  const int t = threadIdx.x;
  if (t == 0) MBAR_INIT(&bar, EITHER(1, 64, 65));
  __syncthreads();
  s[t] = x[t];
  MBAR_ARRIVE(&bar);
  MBAR_WAIT(&bar, 0); // defect: wait
  y[t] = s[63 - t];
}

KERNEL(64) lock_kept(unsigned* lock, unsigned* y)
{
  const int t = threadIdx.x;
  if (t % 32 == 0) {
    unsigned old;
    do asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], 0, 1;" : "=r"(old) : "l"(lock) : "memory"); while (old != 0); // defect: wait
    y[0] += 1;
    KEEP(1, asm volatile("st.release.gpu.global.u32 [%0], 0;" ::"l"(lock) : "memory");)
  }
}
