void complex_dot(int n, const double *x, const double *y, double *result)
{
  double re = 0, im = 0;
  for (int i = 0; i < n; i++) {
    re += x[2 * i] * y[2 * i] + x[2 * i + 1] * y[2 * i + 1];
    im += x[2 * i] * y[2 * i + 1] - x[2 * i + 1] * y[2 * i];
  }
  result[0] = re;
  result[1] = im;
}
