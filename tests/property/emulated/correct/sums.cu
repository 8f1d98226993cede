// Reductions and scans in all styles. No finding may come of them.

KERNEL(128) tree(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[128];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * 128 + t];
  for (int by = 64; by > 0; by /= 2) {
    __syncthreads();
    if (t < by) s[t] += s[t + by];
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

// Neighbours first, with gaps.
KERNEL(128) interleaved(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[128];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * 128 + t];
  __syncthreads();
#pragma unroll 1
  for (int by = 1; by < 128; by *= 2) {
    if (t % (2 * by) == 0) s[t] += s[t + by];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

// Warps, then the first warp.
KERNEL(128) warps(const float* x, float* y)
{
  __shared__ float sums[4];
  const int t = threadIdx.x;
  float sum = x[blockIdx.x * 128 + t];
  for (int by = 16; by > 0; by /= 2) sum += __int_as_float(SHFL_DOWN(ALL, __float_as_int(sum), by));
  if (LANE == 0) sums[WARP] = sum;
  __syncthreads();
  if (WARP == 0) {
    sum = LANE < 4 ? sums[LANE] : 0;
    for (int by = 2; by > 0; by /= 2) sum += __int_as_float(SHFL_DOWN(ALL, __float_as_int(sum), by));
    if (LANE == 0) y[blockIdx.x] = sum;
  }
}

KERNEL(64) by_redux(const unsigned* x, unsigned* y)
{
  __shared__ unsigned total;
  const int t = threadIdx.x;
  if (t == 0) total = 0;
  __syncthreads();
  const unsigned sum = __nvvm_redux_sync_add(x[blockIdx.x * 64 + t], ALL);
  if (LANE == 0) RED_ADD_SHARED(&total, sum);
  __syncthreads();
  if (t == 0) y[blockIdx.x] = total;
}

// The last warp by itself, in shared memory.
KERNEL(128) last_warp(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[128];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * 128 + t];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) {
    unsigned sum = s[t] + s[t + 32];
    for (int by = 16; by > 0; by /= 2) {
      SYNCWARP();
      s[t] = sum;
      SYNCWARP();
      sum += s[(t + by) % 32];
    }
    if (t == 0) y[blockIdx.x] = sum;
  }
}

// Grid stride; the block that comes last adds up what the others have stored.
KERNEL(64) last_block(const unsigned* x, unsigned* parts, unsigned* count, unsigned* y, int n)
{
  __shared__ unsigned sums[2];
  __shared__ bool is_last;
  const int t = threadIdx.x;
  unsigned sum = 0;
  for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64) sum += x[i];
  sum = __nvvm_redux_sync_add(sum, ALL);
  if (LANE == 0) sums[WARP] = sum;
  __syncthreads();
  if (t == 0) {
    parts[blockIdx.x] = sums[0] + sums[1];
    THREADFENCE();
    is_last = atomic_add(count, 1) == gridDim.x - 1;
    THREADFENCE();
  }
  __syncthreads();
  if (is_last && t < 32) {
    unsigned all = t < (int)gridDim.x ? ((volatile unsigned*)parts)[t] : 0;
    all = __nvvm_redux_sync_add(all, ALL);
    if (t == 0) { y[0] = all; *count = 0; }
  }
}

KERNEL(64) atomics_only(const unsigned* x, unsigned* y)
{
  RED_ADD(y, x[blockIdx.x * 64 + threadIdx.x]);
}

// The greatest, by compare and swap on the bits of floats.
KERNEL(64) greatest(const float* x, float* y)
{
  const float value = x[blockIdx.x * 64 + threadIdx.x];
  int* const at = (int*)y;
  int old = *(volatile int*)at;
  while (__int_as_float(old) < value) {
    int seen;
    asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(seen) : "l"(at), "r"(old), "r"(__float_as_int(value)) : "memory");
    if (seen == old) break;
    old = seen;
  }
}

KERNEL(64) hillis_steele(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[2][64];
  const int t = threadIdx.x;
  int from = 0;
  s[0][t] = x[t];
  __syncthreads();
#pragma unroll 1
  for (int by = 1; by < 64; by *= 2, from ^= 1) {
    s[from ^ 1][t] = s[from][t] + (t >= by ? s[from][t - by] : 0);
    __syncthreads();
  }
  y[t] = s[from][t];
}

KERNEL(64) blelloch(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[128];
  const int t = threadIdx.x;
  s[t] = x[t];
  s[t + 64] = x[t + 64];
#pragma unroll 1
  for (int by = 1; by < 128; by *= 2) {
    __syncthreads();
    const int at = (t + 1) * by * 2 - 1;
    if (at < 128) s[at] += s[at - by];
  }
  __syncthreads();
  if (t == 0) s[127] = 0;
#pragma unroll 1
  for (int by = 64; by > 0; by /= 2) {
    __syncthreads();
    const int at = (t + 1) * by * 2 - 1;
    if (at < 128) {
      const unsigned left = s[at - by];
      s[at - by] = s[at];
      s[at] += left;
    }
  }
  __syncthreads();
  y[t] = s[t];
  y[t + 64] = s[t + 64];
}

KERNEL(128) scan_of_warps(const unsigned* x, unsigned* y)
{
  __shared__ unsigned sums[4];
  const int t = threadIdx.x;
  int value = x[t];
  for (int by = 1; by < 32; by *= 2) {
    const int other = SHFL_UP(ALL, value, by);
    if (LANE >= by) value += other;
  }
  if (LANE == 31) sums[WARP] = value;
  __syncthreads();
  for (int i = 0; i < WARP; ++i) value += sums[i];
  y[t] = value;
}

// Decoupled look-back: a block's state is 0, (1 << 30) + its own sum, or (2 << 30) + the sum up to its end. Blocks take
// their number when they begin.
KERNEL(32) look_back(const unsigned* x, unsigned* states, unsigned* next, unsigned* y)
{
  const int t = threadIdx.x;
  unsigned block = 0;
  if (t == 0) block = atomic_add(next, 1);
  block = SHFL(ALL, block, 0);
  int value = x[block * 32 + t];
  for (int by = 1; by < 32; by *= 2) {
    const int other = SHFL_UP(ALL, value, by);
    if (t >= by) value += other;
  }
  const unsigned own = SHFL(ALL, value, 31);
  unsigned before = 0;
  if (t == 0) {
    STORE_RELAXED(&states[block], (block == 0 ? 2u << 30 : 1u << 30) | own);
    if (block > 0) {
      for (int i = block - 1;; --i) {
        unsigned state;
        do state = load_relaxed(&states[i]); while (state == 0);
        before += state & 0x3fffffffu;
        if (state >> 31) break;
      }
      STORE_RELAXED(&states[block], 2u << 30 | (before + own));
    }
  }
  before = SHFL(ALL, before, 0);
  y[block * 32 + t] = before + value;
}

// Sums of runs with the same key: match, then the first lane of each.
KERNEL(32) by_key(const unsigned* x, unsigned* y)
{
  const int t = threadIdx.x;
  const unsigned key = x[t] % 4;
  const unsigned same = __nvvm_match_any_sync_i32(ALL, key);
  const unsigned sum = __nvvm_redux_sync_add(x[t], same);
  if (t == __builtin_ctz(same)) y[key] = sum;
}

KERNEL(64) compacted(const unsigned* x, unsigned* count, unsigned* y)
{
  __shared__ unsigned begin[2];
  const int t = threadIdx.x;
  const bool is_taken = x[t] % 2 == 1;
  const unsigned taken = BALLOT(ALL, is_taken);
  if (LANE == 0) begin[WARP] = __builtin_popcount(taken);
  __syncthreads();
  const unsigned at = (WARP ? begin[0] : 0) + __builtin_popcount(taken & ((1u << LANE) - 1));
  if (is_taken) y[at] = x[t];
  if (t == 0) *count = begin[0] + begin[1];
}

KERNEL(128) histogram(const unsigned* x, unsigned* y, int n)
{
  __shared__ unsigned s[16];
  const int t = threadIdx.x;
  if (t < 16) s[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128) RED_ADD_SHARED(&s[x[i] % 16], 1);
  __syncthreads();
  if (t < 16) RED_ADD(&y[t], s[t]);
}

// Histograms of each warp, then one of all.
KERNEL(64) histogram_of_warps(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[2][32];
  const int t = threadIdx.x;
  s[WARP][LANE] = 0;
  SYNCWARP();
  for (int i = 0; i < 4; ++i) atomic_add_shared(&s[WARP][x[i * 64 + t]], 1);
  __syncthreads();
  if (t < 32) y[t] = s[0][t] + s[1][t];
}

// Mean and spread in one pass.
KERNEL(32) moments(const float* x, float* y)
{
  const int t = threadIdx.x;
  float sum = 0, squares = 0;
  for (int i = t; i < 128; i += 32) { sum += x[blockIdx.x * 128 + i]; squares += x[blockIdx.x * 128 + i] * x[blockIdx.x * 128 + i]; }
  for (int by = 16; by > 0; by /= 2) { sum += __shfl_xor_sync(ALL, sum, by); squares += __shfl_xor_sync(ALL, squares, by); }
  if (t < 2) y[blockIdx.x * 2 + t] = t == 0 ? sum : squares;
}

// Segments of eight lanes.
KERNEL(32) segments(const unsigned* x, unsigned* y)
{
  const int t = threadIdx.x;
  int sum = x[t];
  for (int by = 4; by > 0; by /= 2) sum += __nvvm_shfl_sync_down_i32(ALL, sum, by, ((32 - 8) << 8) | 31);
  if (t % 8 == 0) y[t / 8] = sum;
}
