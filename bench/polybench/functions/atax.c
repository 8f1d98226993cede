// hone: --size m=1900,n=2100
// y = A' (A x)
void atax(int m, int n, double A[m][n], double x[n], double y[n])
{
  for (int j = 0; j < n; j++)
    y[j] = 0.0;
  for (int i = 0; i < m; i++) {
    double row = 0.0;
    for (int j = 0; j < n; j++)
      row += A[i][j] * x[j];
    for (int j = 0; j < n; j++)
      y[j] += A[i][j] * row;
  }
}
