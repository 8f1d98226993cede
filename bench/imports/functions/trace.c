double trace(int n, const double *A)
{
  double t = 0;
  for (int i = 0; i < n; i++)
    t += A[i * n + i];
  return t;
}
