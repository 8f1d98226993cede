void polynomial(int n, const double *x, double *y)
{
  static const double c[4] = {1.0, -0.5, 0.25, -0.125};
  for (int i = 0; i < n; i++) {
    double v = x[i];
    y[i] = ((c[3] * v + c[2]) * v + c[1]) * v + c[0];
  }
}
