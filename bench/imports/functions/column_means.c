void column_means(int m, int n, const double *X, double *mean)
{
  for (int j = 0; j < n; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < m; i++)
      mean[j] += X[i * n + j];
    mean[j] /= m;
  }
}
