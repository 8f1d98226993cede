__kernel void add_up(__global const float* X, __global double* sums, long n, __local double* sum)
{
  const long i = get_group_id(0);
  double squares = i == 0 ? 0 : *sum;
  for (long j = 0; j < n; ++j) {
    squares += (double)X[i * n + j] * X[i * n + j];
  }
  *sum = squares;
  sums[i] = squares;
}

__kernel void divide(__global const float* X, __global const double* sums, __global float* Y, long m, long n)
{
  const long i = get_group_id(0);
  const double norm = sqrt(sums[m - 1]);
  for (long j = 0; j < n; ++j) {
    Y[i * n + j] = (float)(X[i * n + j] / norm);
  }
}
