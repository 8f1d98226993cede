// hone: --size m=250,n=300
// C = alpha A B + beta C; of the symmetric matrix A only the lower triangle is stored.
void symm(int m, int n, double alpha, double beta, double C[m][n], double A[m][m], double B[m][n])
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double below = 0.0;
      for (int k = 0; k < i; k++) {
        C[k][j] += alpha * B[i][j] * A[i][k];
        below += B[k][j] * A[i][k];
      }
      C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * below;
    }
}
