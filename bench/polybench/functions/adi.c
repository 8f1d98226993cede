// hone: --size steps=10,n=200 --domain u=-1,1 --domain v=-1,1 --domain p=-1,1 --domain q=-1,1 --tolerance 1e-7,1e-7
// Heat flow by alternating directions: each step solves tridiagonal systems along columns, then along rows.
void adi(int steps, int n, double u[n][n], double v[n][n], double p[n][n], double q[n][n])
{
  double dx = 1.0 / n, dt = 1.0 / steps;
  double along = 2.0 * dt / (dx * dx), across = dt / (dx * dx);
  double a = -along / 2.0, b = 1.0 + along, c = a;
  double d = -across / 2.0, e = 1.0 + across, f = d;
  for (int t = 1; t <= steps; t++) {
    for (int i = 1; i < n - 1; i++) {
      v[0][i] = 1.0;
      p[i][0] = 0.0;
      q[i][0] = v[0][i];
      for (int j = 1; j < n - 1; j++) {
        p[i][j] = -c / (a * p[i][j - 1] + b);
        q[i][j] = (-d * u[j][i - 1] + (1.0 + 2.0 * d) * u[j][i] - f * u[j][i + 1] - a * q[i][j - 1])
                  / (a * p[i][j - 1] + b);
      }
      v[n - 1][i] = 1.0;
      for (int j = n - 2; j >= 1; j--)
        v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
    }
    for (int i = 1; i < n - 1; i++) {
      u[i][0] = 1.0;
      p[i][0] = 0.0;
      q[i][0] = u[i][0];
      for (int j = 1; j < n - 1; j++) {
        p[i][j] = -f / (d * p[i][j - 1] + e);
        q[i][j] = (-a * v[i - 1][j] + (1.0 + 2.0 * a) * v[i][j] - c * v[i + 1][j] - d * q[i][j - 1])
                  / (d * p[i][j - 1] + e);
      }
      u[i][n - 1] = 1.0;
      for (int j = n - 2; j >= 1; j--)
        u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
    }
  }
}
