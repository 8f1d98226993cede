#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void saxpy(int n, float a, const float* x, float* y)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a * x[i] + y[i]; // theirs
  }
}

int main()
{
  const int N = 1 << 20;
  std::vector<float> x(N), y(N);
  float *d_x, *d_y;
  cudaMalloc(&d_x, N * sizeof(float));
  cudaMalloc(&d_y, N * sizeof(float));
  cudaMemcpy(d_x, x.data(), N * sizeof(float), cudaMemcpyHostToDevice);
  saxpy<<<(N + 255) / 256, 256>>>(N, 2.0f, d_x, d_y);
  cudaMemcpy(y.data(), d_y, N * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", y[0]);
  cudaFree(d_x);
}
