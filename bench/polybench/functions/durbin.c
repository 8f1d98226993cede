// hone: --size n=2000 --domain r=-0.0001,0.0001 --tolerance 1e-7,1e-12
// Levinson and Durbin's recursion: y solves the Yule-Walker equations of the autocorrelation r.
void durbin(int n, double r[n], double y[n])
{
  double next[n];
  double alpha = -r[0], beta = 1.0;
  y[0] = -r[0];
  for (int k = 1; k < n; k++) {
    beta = (1.0 - alpha * alpha) * beta;
    double total = 0.0;
    for (int i = 0; i < k; i++)
      total += r[k - i - 1] * y[i];
    alpha = -(r[k] + total) / beta;
    for (int i = 0; i < k; i++)
      next[i] = y[i] + alpha * y[k - i - 1];
    for (int i = 0; i < k; i++)
      y[i] = next[i];
    y[k] = alpha;
  }
}
