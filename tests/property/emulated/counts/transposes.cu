// A transpose of n x n numbers by tiles of 32 x 32, whose rows in shared memory are WIDTH words apart.
template <int WIDTH> static __device__ __forceinline__ void transpose(const float* x, float* y, long long n)
{
  __shared__ float tile[32][WIDTH];
  const int column = threadIdx.x, row = threadIdx.y;
#pragma unroll 1
  for (int r = row; r < 32; r += 8) {
    tile[r][column] = x[(blockIdx.y * 32 + r) * n + blockIdx.x * 32 + column]; // count: in
  }
  __syncthreads();
#pragma unroll 1
  for (int r = row; r < 32; r += 8) {
    y[(blockIdx.x * 32 + r) * n + blockIdx.y * 32 + column] = tile[column][r]; // count: out
  }
}

extern "C" __global__ void plain(const float* x, float* y, long long n)
{
  transpose<32>(x, y, n);
}

extern "C" __global__ void padded(const float* x, float* y, long long n)
{
  transpose<33>(x, y, n);
}
