void covariance(int n, int m, const double *X, double *C)
{
  double mean[m];
  for (int j = 0; j < m; j++) {
    mean[j] = 0;
    for (int i = 0; i < n; i++)
      mean[j] += X[i * m + j];
    mean[j] /= n;
  }
  for (int a = 0; a < m; a++)
    for (int b = 0; b < m; b++) {
      double s = 0;
      for (int i = 0; i < n; i++)
        s += (X[i * m + a] - mean[a]) * (X[i * m + b] - mean[b]);
      C[a * m + b] = s / n;
    }
}
