// Blocks that work together, and clusters. No finding may come of them.

DEVICE void grid_wait(unsigned* count, unsigned round)
{
  __syncthreads();
  if (threadIdx.x == 0) {
    THREADFENCE();
    atomic_add(count, 1);
    while (load_relaxed(count) < round * gridDim.x) {}
    THREADFENCE();
  }
  __syncthreads();
}

KERNEL(32) grid_barrier(unsigned* a, unsigned* b, unsigned* count)
{
  const int n = gridDim.x * 32, i = blockIdx.x * 32 + threadIdx.x;
#pragma unroll 1
  for (int round = 0; round < 4; ++round) {
    b[i] = a[i] + a[(i + 32) % n];
    grid_wait(count, 2 * round + 1);
    a[i] = b[i] + b[(i + n - 32) % n];
    grid_wait(count, 2 * round + 2);
  }
}

// Persistent blocks take the next item of work until there is none.
KERNEL(32) work_queue(const unsigned* x, unsigned* next, unsigned* y, int items)
{
  __shared__ unsigned item;
  const int t = threadIdx.x;
  for (;;) {
    if (t == 0) item = atomic_add(next, 1);
    __syncthreads();
    const unsigned own = item;
    __syncthreads();
    if (own >= (unsigned)items) break;
    y[own * 32 + t] = x[own * 32 + t] * (own + 1);
  }
}

KERNEL(64) spin_lock(unsigned* lock, unsigned* y)
{
  if (threadIdx.x % 32 == 0) {
    unsigned old;
    do asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], 0, 1;" : "=r"(old) : "l"(lock) : "memory"); while (old != 0);
    y[0] += 1;
    y[1] = y[0] * 2;
    asm volatile("st.release.gpu.global.u32 [%0], 0;" ::"l"(lock) : "memory");
  }
}

// Lanes of one warp compete too: who has the lock must go on while the others look.
KERNEL(64) lane_lock(unsigned* lock, unsigned* y)
{
  unsigned old;
  do asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], 0, 1;" : "=r"(old) : "l"(lock) : "memory"); while (old != 0);
  y[0] += 1;
  asm volatile("st.release.gpu.global.u32 [%0], 0;" ::"l"(lock) : "memory");
}

// As before scopes: exchange with fences.
KERNEL(32) lock_with_fences(unsigned* lock, unsigned* y)
{
  if (threadIdx.x == 0) {
    unsigned old;
    do asm volatile("atom.global.exch.b32 %0, [%1], 1;" : "=r"(old) : "l"(lock) : "memory"); while (old != 0);
    THREADFENCE();
    ((volatile unsigned*)y)[0] += blockIdx.x;
    THREADFENCE();
    asm volatile("atom.global.exch.b32 %0, [%1], 0;" : "=r"(old) : "l"(lock) : "memory");
  }
}

KERNEL(32) ticket_lock(unsigned* tickets, unsigned* y)
{
  if (threadIdx.x == 0) {
    const unsigned own = atomic_add(&tickets[0], 1);
    while (load_acquire(&tickets[1]) != own) {}
    y[own] = own == 0 ? 1 : y[own - 1] * 3;
    STORE_RELEASE(&tickets[1], own + 1);
  }
}

// Volatile flags with fences: a chain of blocks.
KERNEL(32) volatile_flags(const unsigned* x, volatile unsigned* flags, unsigned* sums, unsigned* y)
{
  const int t = threadIdx.x;
  const unsigned sum = __nvvm_redux_sync_add(x[blockIdx.x * 32 + t], ALL);
  if (t == 0) {
    unsigned before = 0;
    if (blockIdx.x > 0) {
      while (flags[blockIdx.x - 1] == 0) {}
      THREADFENCE();
      before = sums[blockIdx.x - 1];
    }
    sums[blockIdx.x] = before + sum;
    y[blockIdx.x] = before;
    THREADFENCE();
    flags[blockIdx.x] = 1;
  }
}

// Stream-K: the slices of outputs are dealt to blocks in runs; who does not begin an output hands its part over.
KERNEL(32) stream_k(const unsigned* x, unsigned* parts, unsigned* flags, unsigned* y, int outputs, int slices)
{
  const int t = threadIdx.x, all = outputs * slices, each = (all + gridDim.x - 1) / gridDim.x;
  int i = blockIdx.x * each;
  const int end = min(i + each, all);
#pragma unroll 1
  while (i < end) {
    const int output = i / slices, stop = min(end, (output + 1) * slices);
    const bool is_first = i % slices == 0;
    unsigned sum = 0;
    for (; i < stop; ++i) sum += x[i * 32 + t];
    if (!is_first) {
      parts[blockIdx.x * 32 + t] = sum;
      SYNCWARP();
      if (t == 0) { THREADFENCE(); STORE_RELEASE(&flags[blockIdx.x], 1); }
    } else {
      for (int other = blockIdx.x + 1, at = stop; at < (output + 1) * slices; at += each, ++other) {
        if (t == 0) while (load_acquire(&flags[other]) == 0) {}
        SYNCWARP();
        sum += parts[other * 32 + t];
      }
      y[output * 32 + t] = sum;
    }
  }
}

// --- clusters ---

KERNEL(64) cluster_sum(const unsigned* x, unsigned* y)
{
  __shared__ unsigned sums[4], own;
  const int t = threadIdx.x;
  const unsigned rank = cluster_rank();
  if (t == 0) own = 0;
  __syncthreads();
  const unsigned sum = __nvvm_redux_sync_add(x[blockIdx.x * 64 + t], ALL);
  if (LANE == 0) RED_ADD_SHARED(&own, sum);
  __syncthreads();
  CLUSTER_SYNC(); // the others have begun
  if (t < 4) REMOTE_STORE(in_block(SMEM(&sums[rank]), t), own);
  CLUSTER_SYNC();
  if (t == 0) y[blockIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}

// Each block adds at the first one.
KERNEL(64) cluster_atomics(const unsigned* x, unsigned* y)
{
  __shared__ unsigned counts[16];
  const int t = threadIdx.x;
  if (t < 16) counts[t] = 0;
  CLUSTER_SYNC();
  REMOTE_ADD(in_block(SMEM(&counts[x[blockIdx.x * 64 + t] % 16]), 0), 1u);
  CLUSTER_SYNC();
  if (cluster_rank() == 0 && t < 16) y[blockIdx.x / 2 * 16 + t] = counts[t];
}

KERNEL(32) cluster_halo(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[2][32];
  const int t = threadIdx.x;
  const unsigned rank = cluster_rank();
  s[0][t] = x[blockIdx.x * 32 + t];
  CLUSTER_SYNC();
#pragma unroll 1
  for (int i = 0; i < 3; ++i) {
    unsigned left, right;
    if (t > 0) left = s[i % 2][t - 1]; else REMOTE_LOAD(left, in_block(SMEM(&s[i % 2][31]), (rank + 3) % 4));
    if (t < 31) right = s[i % 2][t + 1]; else REMOTE_LOAD(right, in_block(SMEM(&s[i % 2][0]), (rank + 1) % 4));
    s[(i + 1) % 2][t] = left + right;
    CLUSTER_SYNC();
  }
  y[blockIdx.x * 32 + t] = s[1][t];
}

// Arrive, do other things, wait.
KERNEL(32) split_barrier(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[32];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * 32 + t];
  CLUSTER_ARRIVE();
  const unsigned own = x[blockIdx.x * 32 + t] * 5;
  CLUSTER_WAIT();
  unsigned other;
  REMOTE_LOAD(other, in_block(SMEM(s + 31 - t), cluster_rank() ^ 1));
  CLUSTER_ARRIVE();
  y[blockIdx.x * 32 + t] = own + other;
  CLUSTER_WAIT();
}

// Data and arrivals across blocks.
KERNEL(32) ring(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[2][32];
  __shared__ ALIGNED(8) unsigned long long bar[2];
  const int t = threadIdx.x;
  if (t == 0) { MBAR_INIT(&bar[0], 32); MBAR_INIT(&bar[1], 32); MBAR_FENCE(); }
  CLUSTER_SYNC();
  const unsigned next = (cluster_rank() + 1) % 4;
  unsigned value = x[blockIdx.x * 32 + t];
#pragma unroll 1
  for (int i = 0; i < 2; ++i) {
    REMOTE_STORE(in_block(SMEM(&s[i][31 - t]), next), value + 1);
    MBAR_ARRIVE_AT(&bar[i], next);
    MBAR_WAIT_CLUSTER(&bar[i], 0);
    value = s[i][t];
  }
  y[blockIdx.x * 32 + t] = value;
  CLUSTER_SYNC();
}

KERNEL(32) sent_to_other(const unsigned* x, unsigned* y)
{
  __shared__ ALIGNED(16) unsigned out[32], in[32];
  __shared__ ALIGNED(8) unsigned long long bar;
  const int t = threadIdx.x;
  if (t == 0) { MBAR_INIT(&bar, 1); MBAR_FENCE(); MBAR_EXPECT(&bar, 128); }
  out[t] = x[blockIdx.x * 32 + t] + 9;
  FENCE_ASYNC_SHARED();
  CLUSTER_SYNC();
  const unsigned other = cluster_rank() ^ 1;
  if (t == 0) BULK_TO_BLOCK(in_block(SMEM(in), other), out, 128, in_block(SMEM(&bar), other));
  MBAR_WAIT_CLUSTER(&bar, 0);
  y[blockIdx.x * 32 + t] = in[t];
  CLUSTER_SYNC();
}
