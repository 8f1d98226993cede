void outer_halves(int n, const float *x, float *y)
{
  for (int i = 0; i < n / 2; i++) {
    y[i] = x[i] + x[n - 1 - i];
    y[n - 1 - i] = x[i] - x[n - 1 - i];
  }
}
