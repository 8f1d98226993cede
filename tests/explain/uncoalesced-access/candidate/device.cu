// A transposition: neighbouring threads read elements of different rows.
extern "C" __global__ void __launch_bounds__(256) run(const float* X, float* Y, long long n)
{
  const long long element = blockIdx.x * 256LL + threadIdx.x;
  Y[element] = X[element % n * n + element / n];
}
