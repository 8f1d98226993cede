// Sums of the 256 numbers of a block.
extern "C" __global__ void interleaved(const float* x, float* y)
{
  __shared__ float sums[256];
  const int t = threadIdx.x;
  sums[t] = x[blockIdx.x * 256 + t]; // count: in
  __syncthreads();
#pragma unroll 1
  for (int s = 1; s < 256; s *= 2) {
    const int at = 2 * s * t;
    if (at < 256) {                   // count: branch
      const float left = sums[at];      // count: left
      const float right = sums[at + s]; // count: right
      sums[at] = left + right;          // count: put
    }
    __syncthreads(); // count: barrier
  }
  if (t == 0) {
    y[blockIdx.x] = sums[0]; // count: out
  }
}

extern "C" __global__ void sequential(const float* x, float* y)
{
  __shared__ float sums[256];
  const int t = threadIdx.x;
  sums[t] = x[blockIdx.x * 256 + t]; // count: in
  __syncthreads();
#pragma unroll 1
  for (int s = 128; s > 0; s /= 2) {
    if (t < s) {                       // count: branch
      const float left = sums[t];      // count: left
      const float right = sums[t + s]; // count: right
      sums[t] = left + right;          // count: put
    }
    __syncthreads(); // count: barrier
  }
  if (t == 0) {
    y[blockIdx.x] = sums[0]; // count: out
  }
}

// Of each warp, then into one number of all.
extern "C" __global__ void by_exchange(const float* x, float* y)
{
  float sum = x[blockIdx.x * 256 + threadIdx.x]; // count: in
#pragma unroll 1
  for (int d = 16; d > 0; d /= 2) {
    float other;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, -1;" : "=f"(other) : "f"(sum), "r"(d)); // count: exchange
    sum += other;                                                                            // count: add
  }
  if (threadIdx.x % 32 == 0) {                                              // count: branch
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(y), "f"(sum) : "memory"); // count: update
  }
}
