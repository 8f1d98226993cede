// hone: --size n=350,m=300
// Pearson correlation of every pair of the m columns of `data`, which it standardises in place.
#include <math.h>

void correlation(int n, int m, double data[n][m], double corr[m][m])
{
  double mean[m], deviation[m];
  for (int j = 0; j < m; j++) {
    double total = 0.0;
    for (int i = 0; i < n; i++)
      total += data[i][j];
    mean[j] = total / n;
  }
  for (int j = 0; j < m; j++) {
    double squares = 0.0;
    for (int i = 0; i < n; i++)
      squares += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
    deviation[j] = sqrt(squares / n);
    if (deviation[j] <= 0.1)
      deviation[j] = 1.0; // a column of almost equal values
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      data[i][j] = (data[i][j] - mean[j]) / (sqrt((double)n) * deviation[j]);
  for (int a = 0; a < m; a++) {
    corr[a][a] = 1.0;
    for (int b = a + 1; b < m; b++) {
      double dot = 0.0;
      for (int i = 0; i < n; i++)
        dot += data[i][a] * data[i][b];
      corr[a][b] = dot;
      corr[b][a] = dot;
    }
  }
}
