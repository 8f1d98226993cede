// C = A B in f32, with blocks of 32 x 8 items from global memory, and of 16 x 16 from tiles in shared memory.
extern "C" __global__ void naive(const float* A, const float* B, float* C, long long n, long long k)
{
  const long long i = blockIdx.y * 8 + threadIdx.y, j = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (long long p = 0; p < k; ++p) {
    const float a = A[i * k + p]; // count: a
    const float b = B[p * n + j]; // count: b
    sum += a * b;                 // count: sum
  }
  C[i * n + j] = sum; // count: c
}

extern "C" __global__ void tiled(const float* A, const float* B, float* C, long long n, long long k)
{
  __shared__ float a[16][16], b[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  const long long i = blockIdx.y * 16 + y, j = blockIdx.x * 16 + x;
  float sum = 0;
#pragma unroll 1
  for (long long p = 0; p < k; p += 16) {
    a[y][x] = A[i * k + p + x];     // count: stage_a
    b[y][x] = B[(p + y) * n + j];   // count: stage_b
    __syncthreads();                // count: full
#pragma unroll 1
    for (int q = 0; q < 16; ++q) {
      const float left = a[y][q];  // count: a
      const float right = b[q][x]; // count: b
      sum += left * right;         // count: sum
    }
    __syncthreads(); // count: empty
  }
  C[i * n + j] = sum; // count: c
}
