void prefix_sum(int n, const float *x, float *y)
{
  float s = 0;
  for (int i = 0; i < n; i++) {
    s += x[i];
    y[i] = s;
  }
}
