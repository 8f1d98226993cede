void trmv_upper(int n, const double *U, const double *x, double *y)
{
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = i; j < n; j++)
      y[i] += U[i * n + j] * x[j];
  }
}
