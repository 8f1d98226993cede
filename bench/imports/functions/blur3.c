void blur3(int n, const float *x, float *y)
{
  for (int i = 0; i + 2 < n; i++)
    y[i] = 0.25f * x[i] + 0.5f * x[i + 1] + 0.25f * x[i + 2];
}
