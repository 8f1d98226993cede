// Tiles in shared memory: transposes, products, stencils, copies ahead by cp.async. No finding may come of them.

KERNEL(256) transposed(const unsigned* x, unsigned* y, int n)
{
  __shared__ unsigned s[32][33];
  const int column = threadIdx.x % 32, row = threadIdx.x / 32;
  for (int i = row; i < 32; i += 8) s[i][column] = x[(blockIdx.y * 32 + i) * n + blockIdx.x * 32 + column];
  __syncthreads();
  for (int i = row; i < 32; i += 8) y[(blockIdx.x * 32 + i) * n + blockIdx.y * 32 + column] = s[column][i];
}

// Swizzled instead of padded.
KERNEL(256) transposed_swizzled(const unsigned* x, unsigned* y, int n)
{
  __shared__ unsigned s[32][32];
  const int column = threadIdx.x % 32, row = threadIdx.x / 32;
  for (int i = row; i < 32; i += 8) s[i][column ^ i] = x[(blockIdx.y * 32 + i) * n + blockIdx.x * 32 + column];
  __syncthreads();
  for (int i = row; i < 32; i += 8) y[(blockIdx.x * 32 + i) * n + blockIdx.y * 32 + column] = s[column][i ^ column];
}

// A warp transposes 32 words of each lane by shuffles.
KERNEL(32) transposed_in_warp(const unsigned* x, unsigned* y)
{
  const int t = threadIdx.x;
  int values[4];
  for (int i = 0; i < 4; ++i) values[i] = x[t * 4 + i];
  for (int i = 0; i < 4; ++i) {
    int out = 0;
    for (int j = 0; j < 4; ++j) {
      const int other = SHFL(ALL, values[j], (i * 32 + t) / 4);
      if ((i * 32 + t) % 4 == j) out = other;
    }
    y[i * 32 + t] = out;
  }
}

KERNEL(256) product(const float* a, const float* b, float* c, int n)
{
  __shared__ float sa[16][16], sb[16][17];
  const int column = threadIdx.x % 16, row = threadIdx.x / 16;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; k += 16) {
    sa[row][column] = a[(blockIdx.y * 16 + row) * n + k + column];
    sb[row][column] = b[(k + row) * n + blockIdx.x * 16 + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += sa[row][i] * sb[i][column];
    __syncthreads();
  }
  c[(blockIdx.y * 16 + row) * n + blockIdx.x * 16 + column] = sum;
}

// Sums in registers, operands as vectors.
KERNEL(64) product_in_registers(const float* a, const float* b, float* c, int n)
{
  __shared__ ALIGNED(16) float sa[8][32], sb[8][32];
  const int t = threadIdx.x, row = t / 8 * 4, column = t % 8 * 4;
  float sums[4][4] = {};
#pragma unroll 1
  for (int k = 0; k < n; k += 8) {
    for (int i = t; i < 256; i += 64) {
      sa[i % 8][i / 8] = a[(blockIdx.y * 32 + i / 8) * n + k + i % 8];
      sb[i / 32][i % 32] = b[(k + i / 32) * n + blockIdx.x * 32 + i % 32];
    }
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      typedef float Four __attribute__((ext_vector_type(4)));
      const Four left = *(const Four*)&sa[i][row], right = *(const Four*)&sb[i][column];
      for (int p = 0; p < 4; ++p) for (int q = 0; q < 4; ++q) sums[p][q] += left[p] * right[q];
    }
    __syncthreads();
  }
  for (int p = 0; p < 4; ++p) for (int q = 0; q < 4; ++q) c[(blockIdx.y * 32 + row + p) * n + blockIdx.x * 32 + column + q] = sums[p][q];
}

KERNEL(64) stencil(const float* x, float* y, int n)
{
  __shared__ float s[64 + 4];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t + 2] = i < n ? x[i] : 0;
  if (t < 2) s[t] = i >= 2 ? x[i - 2] : 0;
  if (t >= 62) s[t + 4] = i + 2 < n ? x[i + 2] : 0;
  __syncthreads();
  if (i < n) y[i] = s[t] + 2 * s[t + 1] + 3 * s[t + 2] + 2 * s[t + 3] + s[t + 4];
}

KERNEL(64) stencil_2d(const float* x, float* y, int n)
{
  __shared__ float s[10][10];
  const int t = threadIdx.x, x0 = blockIdx.x * 8, y0 = blockIdx.y * 8;
  for (int i = t; i < 100; i += 64) {
    const int row = y0 + i / 10 - 1, column = x0 + i % 10 - 1;
    s[i / 10][i % 10] = row >= 0 && row < n && column >= 0 && column < n ? x[row * n + column] : 0;
  }
  __syncthreads();
  const int row = t / 8, column = t % 8;
  if (y0 + row < n && x0 + column < n) y[(y0 + row) * n + x0 + column] = s[row][column + 1] + s[row + 2][column + 1] + s[row + 1][column] + s[row + 1][column + 2] - 4 * s[row + 1][column + 1];
}

// Odd and even in place, in shared memory.
KERNEL(32) sorted(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  s[t + 32] = x[t + 32];
  for (int size = 2; size <= 64; size *= 2) {
    for (int by = size / 2; by > 0; by /= 2) {
      __syncthreads();
      const int low = t / by * 2 * by + t % by, high = low + by;
      const bool is_up = (low & size) == 0;
      const unsigned a = s[low], b = s[high];
      if ((a > b) == is_up) { s[low] = b; s[high] = a; }
    }
  }
  __syncthreads();
  y[t] = s[t];
  y[t + 32] = s[t + 32];
}

KERNEL(64) double_buffered(const unsigned* x, unsigned* y, int tiles)
{
  __shared__ unsigned s[2][64];
  const int t = threadIdx.x;
  unsigned sum = 0;
  CP_ASYNC_4(&s[0][t], x + t);
  CP_COMMIT();
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) {
      CP_ASYNC_4(&s[(i + 1) % 2][t], x + (i + 1) * 64 + t);
      CP_COMMIT();
      CP_WAIT(1);
    } else {
      CP_WAIT(0);
    }
    __syncthreads();
    sum += s[i % 2][63 - t] * (i + 1);
    __syncthreads();
  }
  y[t] = sum;
}

// One barrier for each of the tiles.
KERNEL(64) triple_buffered(const unsigned* x, unsigned* y, int tiles)
{
  __shared__ ALIGNED(16) unsigned s[3][64];
  const int t = threadIdx.x;
  unsigned sum = 0;
  for (int i = 0; i < 2; ++i) {
    if (i < tiles && t < 16) CP_ASYNC_16(&s[i][4 * t], x + i * 64 + 4 * t);
    CP_COMMIT();
  }
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    CP_WAIT(1);
    __syncthreads();
    if (i + 2 < tiles && t < 16) CP_ASYNC_16(&s[(i + 2) % 3][4 * t], x + (i + 2) * 64 + 4 * t);
    CP_COMMIT();
    sum += s[i % 3][63 - t] * (i + 1);
  }
  y[t] = sum;
}

// The tail is filled with zeros by the copy itself.
KERNEL(64) zero_filled(const unsigned* x, unsigned* y, int n)
{
  __shared__ unsigned s[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  CP_ASYNC_4_ZFILL(s + t, x + (i < n ? i : 0), i < n ? 4 : 0);
  CP_WAIT_ALL();
  __syncthreads();
  y[i] = s[63 - t];
}

// Each thread reads only what it copied itself: no barrier.
KERNEL(64) own_copies(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[64];
  const int t = threadIdx.x;
  CP_ASYNC_4(s + t, x + t);
  CP_WAIT_ALL();
  y[t] = s[t] + 1;
}

// cp.async that arrives at an mbarrier.
KERNEL(64) copies_arrive(const unsigned* x, unsigned* y)
{
  __shared__ unsigned s[64];
  __shared__ ALIGNED(8) unsigned long long bar;
  const int t = threadIdx.x;
  if (t == 0) MBAR_INIT(&bar, 64);
  __syncthreads();
  CP_ASYNC_4(s + t, x + t);
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(SMEM(&bar)) : "memory");
  MBAR_WAIT(&bar, 0);
  y[t] = s[63 - t];
}

extern __shared__ unsigned dynamic[];
KERNEL(64) dynamic_parts(const unsigned* x, unsigned* y)
{
  unsigned* const first = dynamic;
  unsigned char* const bytes = (unsigned char*)(dynamic + 64);
  const int t = threadIdx.x;
  first[t] = x[t];
  bytes[t] = x[t];
  __syncthreads();
  y[t] = first[63 - t] * 256 + bytes[t];
}
