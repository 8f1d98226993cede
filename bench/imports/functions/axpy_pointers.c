void axpy_pointers(long n, float a, const float *x, float *y)
{
  const float *end = x + n;
  for (; x != end; ++x, ++y)
    *y += a * *x;
}
