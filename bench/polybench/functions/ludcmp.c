// hone: --size n=400
// Solves A x = b: factors A in place, then solves two triangular systems.
void ludcmp(int n, double A[n][n], double b[n], double x[n])
{
  double y[n];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      double rest = A[i][j];
      for (int k = 0; k < j; k++)
        rest -= A[i][k] * A[k][j];
      A[i][j] = rest / A[j][j];
    }
    for (int j = i; j < n; j++) {
      double rest = A[i][j];
      for (int k = 0; k < i; k++)
        rest -= A[i][k] * A[k][j];
      A[i][j] = rest;
    }
  }
  for (int i = 0; i < n; i++) {
    double rest = b[i];
    for (int j = 0; j < i; j++)
      rest -= A[i][j] * y[j];
    y[i] = rest;
  }
  for (int i = n - 1; i >= 0; i--) {
    double rest = y[i];
    for (int j = i + 1; j < n; j++)
      rest -= A[i][j] * x[j];
    x[i] = rest / A[i][i];
  }
}
