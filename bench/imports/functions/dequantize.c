void dequantize(int n, const signed char *q, float scale, int zero, float *y)
{
  for (int i = 0; i < n; i++)
    y[i] = scale * (q[i] - zero);
}
