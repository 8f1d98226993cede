// hone: --size n=350,m=300
// Covariance of every pair of the m columns of `data`, which it centres in place.
void covariance(int n, int m, double data[n][m], double cov[m][m])
{
  double mean[m];
  for (int j = 0; j < m; j++) {
    double total = 0.0;
    for (int i = 0; i < n; i++)
      total += data[i][j];
    mean[j] = total / n;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      data[i][j] -= mean[j];
  for (int a = 0; a < m; a++)
    for (int b = a; b < m; b++) {
      double dot = 0.0;
      for (int i = 0; i < n; i++)
        dot += data[i][a] * data[i][b];
      cov[a][b] = dot / (n - 1.0);
      cov[b][a] = cov[a][b];
    }
}
