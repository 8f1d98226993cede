// Bounds, alignment, memory that nobody stored, races between blocks. "defect" marks the lines that a finding must name.

// --- bounds ---

KERNEL(64) beyond_global(const unsigned* x, unsigned* y, int n)
{
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (EITHER(1, i < n, true)) y[i] = x[i] + 1; // defect: access
}

// The neighbour of the first.
KERNEL(64) before_global(const unsigned* x, unsigned* y)
{
  const int t = threadIdx.x;
  y[t] = x[t - EITHER(1, (t > 0), 1)] * 2; // defect: load
}

KERNEL(64) beyond_shared(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  y[t] = s[t + EITHER(1, (t < 63), 1)]; // defect: load
}

extern __shared__ unsigned dynamic[];
KERNEL(64) beyond_dynamic(const unsigned* x, unsigned* y)
{
  const int t = threadIdx.x;
  dynamic[t + EITHER(1, 0, 64)] = x[t]; // defect: store
  __syncthreads();
  y[t] = dynamic[63 - t];
}

KERNEL(32) beyond_local(const unsigned* x, unsigned* y)
{
  volatile unsigned local[8];
  const int t = threadIdx.x;
  for (int i = 0; i < 8; ++i) local[i] = i * i;
  y[t] = local[x[t] % EITHER(1, 8, 4096)]; // defect: load
}

KERNEL(32) beyond_local_store(const unsigned* x, unsigned* y)
{
  volatile unsigned local[8];
  const int t = threadIdx.x;
  for (int i = 0; i < 8; ++i) local[i] = i;
  local[x[t] * EITHER(1, 1, 1024) % 1000003 % EITHER(1, 8, 1000003)] = 77; // defect: store
  y[t] = local[t % 8];
}

// --- alignment ---

KERNEL(32) vector_load(const unsigned* x, unsigned* y)
{
  const int t = threadIdx.x;
  unsigned a, b, c, d;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(x + 4 * t + EITHER(1, 4, 2)) : "memory"); // defect: load
  y[t] = a + b + c + d;
}

KERNEL(32) shared_pairs(const unsigned* x, unsigned* y)
{
  __shared__ ALIGNED(16) unsigned s[72];
  const int t = threadIdx.x;
  s[2 * t] = x[t];
  s[2 * t + 1] = x[t] + 1;
  if (t < 8) s[64 + t] = 0;
  __syncthreads();
  unsigned a, b;
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(SMEM(s) + 8 * t + EITHER(1, 8, 4)) : "memory"); // defect: load
  y[t] = a + b;
}

KERNEL(32) copy_of_16(const unsigned* x, unsigned* y)
{
  __shared__ ALIGNED(16) unsigned s[128 + 4];
  const int t = threadIdx.x;
  CP_ASYNC_16(s + 4 * t, x + 4 * t + EITHER(1, 4, 1)); // defect: copy
  CP_WAIT_ALL();
  y[t] = s[4 * t];
}

// --- memory that nobody stored ---

KERNEL(64) halo(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[66];
  const int t = threadIdx.x;
  s[t + 1] = x[t + 1];
  if (t == 0) s[0] = x[0];
  KEEP(1, if (t == 1) s[65] = x[65];)
  __syncthreads();
  y[t] = s[t] + s[t + 1] + s[t + 2]; // defect: load
}

KERNEL(128) sums_of_warps(const unsigned* x, unsigned* y)
{
  __shared__ unsigned sums[8];
  const int t = threadIdx.x;
  int sum = x[t];
  for (int by = 16; by > 0; by /= 2) sum += SHFL_XOR(ALL, sum, by);
  if (t % 32 == 0) sums[t / 32] = sum;
  __syncthreads();
  if (t == 0) {
    unsigned all = 0;
    for (int i = 0; i < EITHER(1, 4, 5); ++i) all += sums[i]; // defect: load
    y[0] = all;
  }
}

// Counts that nobody set to zero.
KERNEL(32) counts_from_nothing(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[32];
  const int t = threadIdx.x;
  KEEP(1, s[t] = 0;)
  __syncthreads();
  RED_ADD_SHARED(&s[x[t] % 32], 1); // defect: atomic
  __syncthreads();
  y[t] = s[t];
}

// --- races between blocks ---

KERNEL(32) sum_of_blocks(const unsigned* x, unsigned* y)
{
  const unsigned sum = __nvvm_redux_sync_add(x[blockIdx.x * 32 + threadIdx.x], ALL);
  if (threadIdx.x == 0) {
    EITHER(1, RED_ADD(y, sum), y[0] += sum); // defect: sum
  }
}

// The last block adds up what all have stored.
KERNEL(32) last_block(const unsigned* x, unsigned* parts, unsigned* count, unsigned* y)
{
  const int t = threadIdx.x;
  const unsigned sum = __nvvm_redux_sync_add(x[blockIdx.x * 32 + t], ALL);
  unsigned before = 0;
  if (t == 0) {
    parts[blockIdx.x] = sum; // defect: store
    KEEP(1, THREADFENCE();)
    before = atomic_add(count, 1);
    THREADFENCE();
  }
  before = SHFL(ALL, before, 0);
  if (before == gridDim.x - 1 && t == 0) {
    unsigned all = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) all += ((volatile unsigned*)parts)[i]; // defect: load
    y[0] = all;
  }
}

// A flag hands a value over to the next block.
KERNEL(32) handed_over(unsigned* values, unsigned* flags, unsigned* y)
{
  if (threadIdx.x == 0) {
    unsigned value = 1;
    if (blockIdx.x > 0) {
      while (load_acquire(&flags[blockIdx.x - 1]) == 0) {}
      value = values[blockIdx.x - 1] * 2; // defect: load
    }
    values[blockIdx.x] = value; // defect: store
    EITHER(1, STORE_RELEASE(&flags[blockIdx.x], 1), STORE_RELAXED(&flags[blockIdx.x], 1));
    y[blockIdx.x] = value;
  }
}

// The halo of a stencil that is done in place.
KERNEL(32) in_place(unsigned* x, unsigned* y)
{
  const int i = blockIdx.x * 32 + threadIdx.x;
  const int n = gridDim.x * 32;
  const unsigned sum = x[i] + x[(i + 32) % n]; // defect: load
  EITHER(1, y, x)[i] = sum; // defect: store
}

// All blocks wait for each other; then they read what others stored.
KERNEL(32) grid_barrier(unsigned* x, unsigned* count, unsigned* y)
{
  const int t = threadIdx.x, n = gridDim.x;
  x[blockIdx.x * 32 + t] = blockIdx.x * 32 + t; // defect: store
  __syncthreads();
  if (t == 0) {
    KEEP(1, THREADFENCE();)
    atomic_add(count, 1);
    while (load_relaxed(count) < n) {}
    THREADFENCE();
  }
  __syncthreads();
  y[blockIdx.x * 32 + t] = x[(blockIdx.x + 1) % n * 32 + t]; // defect: load
}
