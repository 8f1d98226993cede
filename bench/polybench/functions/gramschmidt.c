// hone: --size m=250,n=300
// A = Q R by modified Gram-Schmidt, one column after the other; A is overwritten.
#include <math.h>

void gramschmidt(int m, int n, double A[m][n], double R[n][n], double Q[m][n])
{
  for (int k = 0; k < n; k++) {
    double squares = 0.0;
    for (int i = 0; i < m; i++)
      squares += A[i][k] * A[i][k];
    R[k][k] = sqrt(squares);
    for (int i = 0; i < m; i++)
      Q[i][k] = A[i][k] / R[k][k];
    for (int j = k + 1; j < n; j++) {
      R[k][j] = 0.0;
      for (int i = 0; i < m; i++)
        R[k][j] += Q[i][k] * A[i][j];
      for (int i = 0; i < m; i++)
        A[i][j] -= Q[i][k] * R[k][j];
    }
  }
}
