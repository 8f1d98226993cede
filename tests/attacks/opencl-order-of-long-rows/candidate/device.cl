__kernel void scan(__global const float* X, __global float* Y, long n)
{
  __global const float* x = X + get_group_id(1) * n;
  __global float* y = Y + get_group_id(1) * n;
  const long begin = get_group_id(0) * 2048;
  const long end = min(begin + 2048, n);
  float sum = begin == 0 ? 0 : y[begin - 1];
  for (long k = begin; k < end; ++k) {
    sum += x[k];
    y[k] = sum;
  }
}
