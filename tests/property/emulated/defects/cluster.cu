// Distributed shared memory and barriers of clusters. "defect" marks the lines that a finding must name.

// The first block adds up what the others hold.
KERNEL(32) sum_of_cluster(const unsigned* x, unsigned* y)
{
  __shared__ unsigned whole;
  const int t = threadIdx.x;
  const unsigned sum = __nvvm_redux_sync_add(x[blockIdx.x * 32 + t], ALL);
  if (t == 0) whole = sum; // defect 1: store
  KEEP(1, CLUSTER_SYNC();)
  if (cluster_rank() == 0 && t == 0) {
    unsigned all = 0;
    for (unsigned rank = 0; rank < 4; ++rank) {
      unsigned one;
      REMOTE_LOAD(one, in_block(SMEM(&whole), rank)); // defect 1: load // defect 2: load
      all += one;
    }
    y[blockIdx.x / 4] = all;
  }
  KEEP(2, CLUSTER_SYNC();)
}

// A barrier of one's own block instead of the cluster's.
KERNEL(32) halo_of_cluster(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[32];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * 32 + t]; // defect: store
  if (EITHER(1, true, false)) CLUSTER_SYNC(); else __syncthreads();
  unsigned right;
  if (t < 31) right = s[t + 1];
  else REMOTE_LOAD(right, in_block(SMEM(s), (cluster_rank() + 1) % 2)); // defect: load
  y[blockIdx.x * 32 + t] = s[t] + right;
  CLUSTER_SYNC();
}

// Arrived, but not waited.
KERNEL(32) arrived_only(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[32];
  const int t = threadIdx.x;
  CLUSTER_SYNC();
  REMOTE_STORE(in_block(SMEM(s + t), cluster_rank() ^ 1), x[blockIdx.x * 32 + t]); // defect: store
  CLUSTER_ARRIVE();
  KEEP(1, CLUSTER_WAIT();)
  y[blockIdx.x * 32 + t] = s[t]; // defect: load
  KEEP(1, CLUSTER_ARRIVE();)
  CLUSTER_WAIT();
}

// Both blocks count at the first one.
KERNEL(32) counts_of_cluster(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[32];
  const int t = threadIdx.x;
  s[t] = 0;
  CLUSTER_SYNC();
  const unsigned at = in_block(SMEM(&s[x[blockIdx.x * 32 + t] % 32]), 0), value = 1;
  EITHER(1, REMOTE_ADD(at, value), REMOTE_STORE(at, value)); // defect: store
  CLUSTER_SYNC();
  if (cluster_rank() == 0) y[blockIdx.x / 2 * 32 + t] = s[t];
}

// The arrival goes to the wrong block: the other one never gets to the cluster's barrier.
KERNEL(32) one_block_waits(const unsigned* x, unsigned* y)
{
  __shared__ ALIGNED(8) unsigned long long bar;
  const int t = threadIdx.x;
  if (t == 0) { MBAR_INIT(&bar, 1); MBAR_FENCE(); }
  CLUSTER_SYNC();
  if (cluster_rank() == 0) {
    if (t == 0) MBAR_ARRIVE_AT(&bar, EITHER(1, 1, 0));
  } else {
    MBAR_WAIT_CLUSTER(&bar, 0); // defect: wait
  }
  CLUSTER_SYNC(); // defect: wait
  y[blockIdx.x * 32 + t] = x[blockIdx.x * 32 + t] + cluster_rank();
}

// The barrier's arrivals from another block: one is missing.
KERNEL(32) arrivals_of_cluster(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[32];
  __shared__ ALIGNED(8) unsigned long long bar;
  const int t = threadIdx.x;
  if (t == 0) { MBAR_INIT(&bar, 32); MBAR_FENCE(); }
  CLUSTER_SYNC();
  const unsigned other = cluster_rank() ^ 1;
  REMOTE_STORE(in_block(SMEM(s + t), other), x[blockIdx.x * 32 + t] * 3);
  if (EITHER(1, true, t > 0)) MBAR_ARRIVE_AT(&bar, other);
  MBAR_WAIT_CLUSTER(&bar, 0); // defect: wait
  y[blockIdx.x * 32 + t] = s[t];
  CLUSTER_SYNC();
}

// A wait of the cluster barrier that nobody of the other block answers.
KERNEL(64) barrier_of_some(const unsigned* x, unsigned* y)
{
  const int t = threadIdx.x;
  y[blockIdx.x * 64 + t] = x[blockIdx.x * 64 + t] + 1;
  if (EITHER(1, true, t < 32)) {
    CLUSTER_ARRIVE();
    CLUSTER_WAIT(); // defect: wait
  }
  if (t < 32) NAMED_SYNC(1, 64); else NAMED_SYNC(1, 64);
}

// Shared memory sent to the other block by a bulk copy.
KERNEL(32) sent(const unsigned* x, unsigned* y)
{
  __shared__ ALIGNED(16) unsigned out[32], in[32];
  __shared__ ALIGNED(8) unsigned long long bar;
  const int t = threadIdx.x;
  if (t == 0) { MBAR_INIT(&bar, 1); MBAR_FENCE(); MBAR_EXPECT(&bar, EITHER(3, 128, 144)); }
  out[t] = x[blockIdx.x * 32 + t] + 9; // defect 1: store
  KEEP(1, FENCE_ASYNC_SHARED();)
  CLUSTER_SYNC();
  const unsigned other = cluster_rank() ^ 1;
  if (t == 0) BULK_TO_BLOCK(in_block(SMEM(in), other), out, 128, in_block(SMEM(&bar), other)); // defect 1: copy // defect 2: copy
  KEEP(2, MBAR_WAIT_CLUSTER(&bar, 0);) // defect 3: wait
  y[blockIdx.x * 32 + t] = in[t]; // defect 2: load
  CLUSTER_SYNC();
}
