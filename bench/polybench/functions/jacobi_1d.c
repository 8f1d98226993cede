// hone: --size steps=500,n=2000
// The mean of three neighbours, back and forth between two arrays.
void jacobi_1d(int steps, int n, double A[n], double B[n])
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
    for (int i = 1; i < n - 1; i++)
      A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
  }
}
