// Columns of a tile of shared memory, whose elements lie in one bank.
extern "C" __global__ void __launch_bounds__(1024) run(const float* X, float* Y)
{
  __shared__ float tile[32 * 32];
  const int thread = threadIdx.x;
  const int at = thread % 32 * 32 + thread / 32;
  tile[at] = X[blockIdx.x * 1024LL + thread];
  float value = tile[at];
  for (int i = 0; i < 32; ++i) {
    value = fmaxf(value, ((volatile float*)tile)[at]);
  }
  Y[blockIdx.x * 1024LL + thread] = value * 2;
}
