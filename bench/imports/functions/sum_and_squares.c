void sum_and_squares(int n, const double *x, double *r)
{
  double a = 0, b = 0;
  for (int i = 0; i < n; i++) {
    a += x[i];
    b += x[i] * x[i];
  }
  r[0] = a;
  r[1] = b;
}
