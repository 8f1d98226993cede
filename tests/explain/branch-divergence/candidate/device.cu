// Odd threads go another way than even ones.
extern "C" __global__ void __launch_bounds__(256) run(const float* X, float* Y)
{
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  const float x = X[i];
  float value = x;
  if (threadIdx.x % 2 == 1) {
    for (int step = 0; step < 200; ++step) {
      value = value * 0.5f + x * 0.5f;
      asm volatile("");
    }
  } else {
    for (int step = 0; step < 200; ++step) {
      value = value * 0.25f + x * 0.75f;
      asm volatile("");
    }
  }
  Y[i] = value * 2;
}
