// hone: --size n=1300
// y = alpha A x + beta B x
void gesummv(int n, double alpha, double beta, double A[n][n], double B[n][n], double x[n], double y[n])
{
  for (int i = 0; i < n; i++) {
    double from_a = 0.0, from_b = 0.0;
    for (int j = 0; j < n; j++) {
      from_a += A[i][j] * x[j];
      from_b += B[i][j] * x[j];
    }
    y[i] = alpha * from_a + beta * from_b;
  }
}
